"""The big picture at two sizes, dark and light: few, and never the test of what the desk does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from on_screen import put_cursor

from memdesk.core.config import Config


@pytest.mark.parametrize(
    ("size", "theme"),
    [((80, 24), "dark"), ((120, 40), "light")],
    ids=["80x24-dark", "120x40-light"],
)
def test_threads(snap_compare: Any, make_app: Callable[..., Any], settle: Any, size: Any, theme: str) -> None:
    async def ready(pilot: Any) -> None:
        await settle(pilot)
        put_cursor(pilot.app, "project_search_typos")
        await pilot.press("space")
        put_cursor(pilot.app, "project_nasty")
        await settle(pilot)

    assert snap_compare(make_app(config=Config(theme=theme)), terminal_size=size, run_before=ready)


@pytest.mark.parametrize(
    ("size", "theme"),
    [((80, 24), "light"), ((120, 40), "dark")],
    ids=["80x24-light", "120x40-dark"],
)
def test_keys(snap_compare: Any, make_app: Callable[..., Any], settle: Any, size: Any, theme: str) -> None:
    async def ready(pilot: Any) -> None:
        await settle(pilot)
        await pilot.press("?")
        await settle(pilot)

    assert snap_compare(make_app(config=Config(theme=theme)), terminal_size=size, run_before=ready)


def test_a_dialog_over_the_desk(snap_compare: Any, make_app: Callable[..., Any], settle: Any) -> None:
    async def ready(pilot: Any) -> None:
        await settle(pilot)
        put_cursor(pilot.app, "project_search_typos")
        await settle(pilot)
        await pilot.press("g")
        await settle(pilot)

    assert snap_compare(make_app(config=Config(theme="dark")), terminal_size=(120, 40), run_before=ready)


def test_the_smallest_screen(snap_compare: Any, make_app: Callable[..., Any], settle: Any) -> None:
    async def ready(pilot: Any) -> None:
        await settle(pilot)
        await pilot.press("c")
        await settle(pilot)

    assert snap_compare(make_app(environ={"NO_COLOR": "1"}), terminal_size=(60, 16), run_before=ready)
