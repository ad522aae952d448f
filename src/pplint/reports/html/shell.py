"""The frame of a page: policy, style, script, title and the views. Only our own style and script run, nothing is loaded."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from importlib.resources import files
from typing import TextIO

from pplint.reports.html.escaped import safe
from pplint.reports.report import Report

View = tuple[str, str]
"""The id of a section and its title."""


def write(parts: Iterable[str], out: TextIO) -> None:
    """Write parts of a page in ASCII, other characters as references."""
    for part in parts:
        out.write(part.encode("ascii", "xmlcharrefreplace").decode("ascii"))


def asset(name: str) -> str:
    """Return the text of a file that belongs to this package; it is ASCII, so that its hash is that of the page."""
    return files(__package__).joinpath(name).read_text("ascii")


def _hash(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def head(title: str, views: Sequence[View], figures: str, report: Report) -> Iterator[str]:
    """Return the page up to its sections; `figures` is markup below the title, `views` are the sections to switch to."""
    style, early, script = asset("style.css"), asset("early.js"), asset("script.js")
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(early)} {_hash(script)}; "
        "base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"
    )
    yield '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<title>{title}</title><style>{style}</style><script>{early}</script></head>\n<body>"
    yield '<a class="skip" href="#main">Skip to the content</a>'
    yield f'<header><div class="top"><h1>{title}</h1>'
    if len(views) > 1:
        links = "".join(f'<a href="#{name}" data-view="{name}">{text}</a>' for name, text in views)
        yield f'<nav class="views" aria-label="Views">{links}</nav>'
    yield (
        '<label class="theme needs-script">Theme <select id="theme"><option value="">as the system</option>'
        '<option value="light">light</option><option value="dark">dark</option></select></label></div>'
    )
    yield figures
    command = f"<code>{safe(report.command)}</code> " if report.command else ""
    yield f'<p class="made">{command}pplint {safe(report.version)}</p></header>\n<div class="columns">'


def foot() -> Iterator[str]:
    """Return the end of the page, with the script."""
    yield f"</div><script>{asset('script.js')}</script></body></html>\n"
