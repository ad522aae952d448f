"""Text from code and paths on its way into the page: always text, never markup."""

from __future__ import annotations

import re
from html import escape

from pplint.reports.harmless import harmless

_CODE = re.compile("`([^`]+)`")
_NOT_ID = re.compile("[^0-9A-Za-z_-]+")


def safe(text: str) -> str:
    """Return `text` for an element or a quoted attribute."""
    return escape(harmless(text))


def prose(text: str) -> str:
    """Return a sentence for an element, what stands in backticks as code."""
    return _CODE.sub(r"<code>\1</code>", safe(text))


def code(text: str) -> str:
    """Return a piece of a line of code for an element that keeps its spaces."""
    return safe(text.replace("\t", "    "))


def place(path: str) -> str:
    """Return a path, with or without a line, for an element; it may break after its slashes."""
    return safe(path).replace("/", "/<wbr>")


def element_id(text: str) -> str:
    """Return the part of `text` that may stand in an id and, as it is, behind a `#`."""
    return _NOT_ID.sub("-", text)
