"""The big picture at two sizes, dark and light: few, and never the test of what the desk does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from on_screen import put_cursor

from memdesk.core.config import Config
from memdesk.tui.app import MemdeskApp
from memdesk.tui.panes.threads import ThreadsPane
from memdesk.tui.panes.triage import TriagePane


@pytest.fixture(autouse=True)
def two_panes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pane more or less in the header is not what these pictures are about."""
    monkeypatch.setattr(MemdeskApp, "PANES", (TriagePane, ThreadsPane))


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=["80x24", "120x40"])
def test_threads(snap_compare: Any, make_app: Callable[..., Any], settle: Any, size: Any, theme: str) -> None:
    async def ready(pilot: Any) -> None:
        await settle(pilot)
        put_cursor(pilot.app, "project_search_typos")
        await pilot.press("space")
        put_cursor(pilot.app, "project_nasty")
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
