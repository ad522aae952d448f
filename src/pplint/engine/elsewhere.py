"""SGLang's facts for code that lies outside any checkout: an installed copy, else the bundled `sglang.toml`."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

from pplint.engine.root import PACKAGE

if TYPE_CHECKING:
    from pplint.engine.summary import Summary

BUNDLED = os.path.join(os.path.dirname(__file__), "sglang.toml")


def installed_package() -> str | None:
    """The folder of an SGLang that this Python could import, found without importing it; None without one."""
    for entry in sys.path:
        folder = os.path.join(os.path.realpath(entry or os.curdir), PACKAGE)
        if os.path.isdir(os.path.join(folder, "srt")):
            return folder
    return None


def bundled_summaries() -> dict[str, Summary]:
    """The summaries that `sglang.toml` stands for, by module: each entry is written out as a class and summarised."""
    import ast

    from pplint.engine.summary import summarise

    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    with open(BUNDLED, "rb") as file:
        data = tomllib.load(file)
    texts: dict[str, list[str]] = {}
    for pool in data["pool"]:
        texts.setdefault(pool["module"], []).append(_pool(pool))
    for model in data["model"]:
        texts.setdefault(model["module"], []).append(_model(model))
    return {module: summarise(ast.parse("\n".join(parts))) for module, parts in texts.items()}


def _pool(entry: dict[str, Any]) -> str:
    module, _, base = entry.get("base", "").rpartition(".")
    lines = [f"from {module} import {base}"] if module else []
    lines.append(f"class {entry['class']}({base}):")
    if not base:
        lines += ["    def __init__(self, start_layer=None):", "        self.start_layer = start_layer"]
    for name, parameters in entry.get("methods", {}).items():
        lines.append(f"    def {name}(self, {', '.join(parameters)}):")
        lines += [f"        self.buffer[{parameter} - self.start_layer]" for parameter in parameters]
    return "\n".join([*lines, "    pass"])


def _model(entry: dict[str, Any]) -> str:
    return (
        f"class {entry['class']}:\n"
        "    def __init__(self, config, pp_group):\n"
        "        self.layers, self.start_layer, self.end_layer = make_layers(\n"
        "            config.num_hidden_layers, None, pp_rank=pp_group.rank_in_group, pp_size=pp_group.world_size\n"
        "        )\n"
        "    def forward(self, input_ids, pp_proxy_tensors=None):\n"
        "        pass"
    )
