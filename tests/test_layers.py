"""DESIGN 2: core knows no terminal, and imports only point down the list of layers in pyproject.toml."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CORE = ROOT / "core"
FORBIDDEN = ("textual", "rich", "click", "memdesk.tui")

# Forgets memdesk and the forbidden packages before each import: a finding names the module at fault.
PROBE = """
import importlib, json, sys
names, forbidden = json.load(sys.stdin)
def under(module, tops):
    return any(module == top or module.startswith(top + ".") for top in tops)
found = {}
for name in names:
    for module in [m for m in sys.modules if under(m, ["memdesk", *forbidden])]:
        del sys.modules[module]
    importlib.import_module(name)
    found[name] = sorted(m for m in sys.modules if m in forbidden)
print(json.dumps(found))
"""


def _module_name(file: Path) -> str:
    parts = file.relative_to(CORE).with_suffix("").parts
    return ".".join(["memdesk", "core", *(parts[:-1] if parts[-1] == "__init__" else parts)])


FILES = {_module_name(f): f for f in sorted(CORE.rglob("*.py"))}


def _ranks() -> dict[str, int]:
    """Each layer of core with its height; modules that share a line share a height."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (layers,) = [c["layers"] for c in config["tool"]["importlinter"]["contracts"] if c["id"] == "core-layers"]
    heights = enumerate(reversed(layers))
    return {name.strip().strip("()"): height for height, line in heights for name in line.split(":")}


def _imports(name: str, file: Path) -> Iterator[str]:
    """Absolute names of all imports of a file, those inside functions and under TYPE_CHECKING too."""
    package = name if file.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parts = package.split(".")
            base = parts[: len(parts) - node.level + 1] if node.level else []
            stem = ".".join([*base, *(node.module.split(".") if node.module else [])])
            # `from .. import desk` names a module, `from ..desk import Desk` something in one.
            yield from (f"{stem}.{alias.name}" for alias in node.names)


def _layer(module: str) -> str | None:
    parts = module.split(".")
    return parts[2] if parts[:2] == ["memdesk", "core"] and len(parts) > 2 else None


@pytest.fixture(scope="module")
def loaded() -> dict[str, list[str]]:
    run = subprocess.run(
        [sys.executable, "-c", PROBE],
        input=json.dumps([list(FILES), FORBIDDEN]),
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    found: dict[str, list[str]] = json.loads(run.stdout)
    return found


@pytest.mark.parametrize("name", FILES)
def test_core_module_loads_no_terminal_package(name: str, loaded: dict[str, list[str]]) -> None:
    assert loaded[name] == []


@pytest.mark.parametrize("name", [n for n in FILES if _layer(n)])
def test_core_module_imports_only_downwards(name: str) -> None:
    ranks = _ranks()
    mine = _layer(name)
    assert mine in ranks, f"give {mine} its place in the layers of pyproject.toml"
    targets = {layer for module in _imports(name, FILES[name]) if (layer := _layer(module)) in ranks}
    same_line = {layer for layer in ranks if ranks[layer] == ranks[mine]}
    assert {t for t in targets if ranks[t] >= ranks[mine]} <= same_line


def test_core_itself_imports_nothing_of_core() -> None:
    """`import memdesk.core.model` must not drag the whole of core in by way of the package."""
    assert [m for m in _imports("memdesk.core", FILES["memdesk.core"]) if _layer(m)] == []
