"""Which actions are pressed by a test: `@presses("entry.close")` on the test, compared with the table by a test."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

Test = TypeVar("Test", bound=Callable[..., object])


def presses(*action_ids: str) -> Callable[[Test], Test]:
    """Mark a test as one that presses the keys of these actions and asserts their effect."""
    return lambda test: test


def pressed(folder: Path) -> set[str]:
    """The actions named in `@presses(...)` above any test in the files of a folder."""
    found: set[str] = set()
    for file in sorted(folder.rglob("test_*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                for call in node.decorator_list:
                    if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "presses":
                        found |= {ast.literal_eval(arg) for arg in call.args}
    return found
