"""`python tests/fuzz/atheris_readers.py READER [libFuzzer options]`: coverage-guided fuzzing of one reader.

READER is one of `READERS`, or `readers` for all of them at once, or `modules`: code that is put together from pieces
of the rules' examples. Needs `pip install atheris`. What breaks a promise goes to `tests/fuzz/corpus/READER/` (code to
`corpus/code/`), which the tests replay; from `readers` it goes to the working directory.
"""

from __future__ import annotations

import json.decoder
import json.scanner
import sys
import tempfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import atheris

CORPUS = Path(__file__).with_name("corpus")

with atheris.instrument_imports(include=["pplint", "tomllib"]):
    import tomllib  # noqa: F401

    if sys.argv[1] == "modules":
        from spliced_modules import chosen_by, walk
    else:
        from readers import READERS, WORDS

# The parser of JSON that is written in C tells nothing of its ways.
for module, name in (
    (json.decoder, "JSONObject"),
    (json.decoder, "JSONArray"),
    (json.scanner, "py_make_scanner"),
):
    setattr(module, name, atheris.instrument_func(getattr(module, name)))
json.decoder.scanstring = atheris.instrument_func(json.decoder.py_scanstring)
json.scanner.make_scanner = json.scanner.py_make_scanner  # type: ignore[misc]
json._default_decoder = json.JSONDecoder()  # type: ignore[attr-defined]


def main(name: str, more: list[str]) -> None:
    """Hand over to libFuzzer; it does not return."""
    folder = Path(tempfile.mkdtemp(dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
    options = ["-timeout=20", "-max_len=2000"]
    found = folder / "found"
    found.mkdir()
    corpus = [found]
    if name == "modules":
        one = _module
    else:
        chosen = [name] if name in READERS else [*READERS]
        corpus += [CORPUS / reader for reader in chosen]
        words = folder / "words"
        known = dict.fromkeys(word for reader in chosen for word in WORDS[reader])
        words.write_text("".join(f"{_quoted(word)}\n" for word in known))
        options.append(f"-dict={words}")
        if name in READERS:
            options.append(f"-artifact_prefix={CORPUS / name}/")
        one = _reading(folder, chosen)
    atheris.Setup([sys.argv[0], *options, *more, *map(str, corpus)], one)
    atheris.Fuzz()


def _reading(folder: Path, chosen: list[str]) -> Callable[[bytes], None]:
    def one(data: bytes) -> None:
        for reader in chosen:
            READERS[reader](folder, data)

    return one


def _module(data: bytes) -> None:
    provider = atheris.FuzzedDataProvider(data)
    text = chosen_by(lambda count: provider.ConsumeIntInRange(0, count - 1))
    try:
        walk(text)
    except BaseException:
        kept = CORPUS / "code" / f"{sha256(text.encode()).hexdigest()[:8]}.py"
        kept.parent.mkdir(exist_ok=True)
        kept.write_text(text)
        raise


def _quoted(word: str) -> str:
    escaped = "".join(chr(byte) if chr(byte).isalnum() else f"\\x{byte:02X}" for byte in word.encode())
    return f'"{escaped}"'


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
