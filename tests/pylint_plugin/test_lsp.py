"""An editor's language server shows the plugin's messages, also for what is not saved yet."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pylint_desk import HIT, checkout, environment, pylint

PATIENCE_SECONDS = 120
CLEAN = HIT.replace("(0)", "(pool.start_layer)")


class Editor:
    """Speaks the language server protocol with python-lsp-server over its standard streams."""

    def __init__(self, root: Path) -> None:
        command = [sys.executable, "-m", "pylsp"]
        self.server = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment(), cwd=root
        )
        self.watchdog = threading.Timer(PATIENCE_SECONDS, self.server.kill)
        self.watchdog.start()
        self.last = 0
        self.request("initialize", {"processId": None, "rootUri": root.as_uri(), "capabilities": {}})
        self.notify("initialized", {})

    def notify(self, method: str, parameters: dict[str, Any]) -> None:
        self._send({"method": method, "params": parameters})

    def request(self, method: str, parameters: dict[str, Any] | None) -> Any:
        self.last += 1
        self._send({"id": self.last, "method": method, "params": parameters})
        return next(message for message in self.messages() if message.get("id") == self.last)

    def _send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.server.stdin is not None
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.server.stdin.flush()

    def messages(self) -> Iterator[dict[str, Any]]:
        """Yield what the server sends until it ends."""
        output = self.server.stdout
        assert output is not None
        while header := output.readline():
            length = int(header.split(b":")[1])
            while output.readline().strip():
                pass
            yield json.loads(output.read(length))

    def diagnostics(self, uri: str) -> list[dict[str, Any]]:
        """Wait for the next diagnostics of a document."""
        for message in self.messages():
            parameters = message.get("params") or {}
            if message.get("method") == "textDocument/publishDiagnostics" and parameters["uri"] == uri:
                return [one for one in parameters["diagnostics"] if one["source"] == "pylint"]
        raise AssertionError("the server ended without diagnostics")

    def close(self) -> None:
        self.server.kill()
        self.server.wait()
        self.watchdog.cancel()
        for stream in (self.server.stdin, self.server.stdout):
            assert stream is not None
            stream.close()


@pytest.fixture
def document(tmp_path: Path) -> Path:
    root = checkout(tmp_path, {"layers/a.py": CLEAN})
    return root / "python/sglang/srt/layers/a.py"


@pytest.fixture
def editor(tmp_path: Path, document: Path) -> Iterator[Editor]:
    editor = Editor(tmp_path)
    options = ["--load-plugins=pplint.pylint_plugin", "--disable=all", "--enable=pplint"]
    plugin = {"enabled": True, "executable": str(Path(sys.executable).with_name("pylint")), "args": options}
    others = {name: {"enabled": False} for name in ("pycodestyle", "pyflakes", "mccabe", "flake8", "ruff")}
    settings = {"pylsp": {"plugins": {"pylint": plugin, **others}}}
    editor.notify("workspace/didChangeConfiguration", {"settings": settings})
    yield editor
    editor.close()


def test_an_unsaved_change_is_judged_as_it_stands_in_the_editor(editor: Editor, document: Path) -> None:
    uri = document.as_uri()
    opened = {"uri": uri, "languageId": "python", "version": 1, "text": CLEAN}
    editor.notify("textDocument/didOpen", {"textDocument": opened})
    assert editor.diagnostics(uri) == []
    identity = {"uri": uri, "version": 2}
    editor.notify("textDocument/didChange", {"textDocument": identity, "contentChanges": [{"text": HIT}]})
    [shown] = editor.diagnostics(uri)
    assert shown["code"] == "E7101"
    assert shown["range"]["start"] == {"line": 1, "character": HIT.splitlines()[1].index("0")}
    assert shown["severity"] == 1
    assert "get_value_buffer" in shown["message"]
    assert document.read_text() == CLEAN
    identity = {"uri": uri, "version": 3}
    editor.notify("textDocument/didChange", {"textDocument": identity, "contentChanges": [{"text": CLEAN}]})
    assert editor.diagnostics(uri) == []


BUFFERS = {
    "a literal that is not on disk": (HIT.encode(), "get_value_buffer(0)"),
    "CRLF": (HIT.replace("\n", "\r\n").encode(), "get_value_buffer(0)"),
    "a declared encoding": (
        "# coding: latin-1\ndef f(pool):\n    é = 1; return pool.get_value_buffer(0)\n".encode(),
        "get_value_buffer(0)",
    ),
    "a character that the declared encoding lacks": (
        "# coding: latin-1\n# 층\ndef f(pool):\n    return pool.get_value_buffer(0)\n".encode(),
        "get_value_buffer(0)",
    ),
}


@pytest.mark.parametrize(("buffer", "place"), BUFFERS.values(), ids=BUFFERS)
def test_a_buffer_from_the_standard_input_is_what_counts(buffer: bytes, place: str, document: Path) -> None:
    linted = pylint([document], "--from-stdin", cwd=document.parent, stdin=buffer)
    line = next(n for n, text in enumerate(buffer.splitlines()) if place.encode() in text)
    [found] = linted.places
    literal = buffer.splitlines()[line].index(place.encode()) + place.index("0")
    assert (found.line, found.column, found.end_column) == (line + 1, literal, literal + 1)


def test_a_buffer_without_the_literal_on_disk_is_clean(document: Path) -> None:
    document.write_text(HIT)
    assert pylint([document], "--from-stdin", cwd=document.parent, stdin=CLEAN.encode()).places == []


def test_a_buffer_of_a_file_that_does_not_exist_yet_is_judged(document: Path) -> None:
    linted = pylint([document.with_name("b.py")], "--from-stdin", cwd=document.parent, stdin=HIT.encode())
    assert [place.code for place in linted.places] == ["PPL101"]
