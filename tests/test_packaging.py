"""What pyproject.toml promises is what the folders hold."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import entry_points, version
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
TOP = ("core", "styles", "tui")


def _pyproject() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def _folders() -> list[Path]:
    """Every folder below the three packages that holds a source file or a style sheet."""
    found = {f.parent for top in TOP for pattern in ("*.py", "*.tcss") for f in (ROOT / top).rglob(pattern)}
    return sorted(f.relative_to(ROOT) for f in found)


def test_packages_list_equals_the_folders() -> None:
    listed = _pyproject()["tool"]["setuptools"]["packages"]
    assert sorted(listed) == sorted("memdesk." + ".".join(f.parts) for f in _folders())
    assert len(listed) == len(set(listed))


def test_every_folder_has_an_init_with_a_docstring() -> None:
    for folder in _folders():
        init = ROOT / folder / "__init__.py"
        assert init.is_file(), f"{folder} has no __init__.py"
        assert init.read_text(encoding="utf-8").startswith('"""'), f"{init} does not say what it holds"


@pytest.mark.parametrize("package", ["core", "tui"])
def test_types_are_published(package: str) -> None:
    assert (ROOT / package / "py.typed").is_file()
    assert "py.typed" in _pyproject()["tool"]["setuptools"]["package-data"]["*"]


def test_installed_version_and_command_match() -> None:
    project = _pyproject()["project"]
    assert version("memdesk") == project["version"]
    (script,) = entry_points(group="console_scripts", name="memdesk")
    assert script.value == project["scripts"]["memdesk"]
    assert callable(script.load())


def test_constraints_pin_versions_and_name_no_host() -> None:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert [p for p in pins if not re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9][A-Za-z0-9.+!]*", p)] == []
    names = {re.sub(r"[-_.]+", "-", p.split("==")[0]).lower() for p in pins}
    project = _pyproject()["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    assert {re.split(r"[=<>]", w)[0].lower() for w in wanted} <= names
