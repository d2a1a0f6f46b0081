"""Triage under a pilot: the names in its list and in its block, the message, the list as drawn, and the keys."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from memdesk.core.digest import Digest

if TYPE_CHECKING:
    from textual.pilot import Pilot

    from memdesk.core.desk import Desk
    from memdesk.tui.app import MemdeskApp
    from memdesk.tui.panes.triage import TriagePane

MakeApp = Callable[..., "MemdeskApp"]
OpenDesk = Callable[..., "Desk"]
Settle = Callable[["Pilot[Any]"], Awaitable[None]]

#: The freshest entry of the test store, and the one behind it in its initiative.
TOP = "project_checkout_retries"
BEHIND = "project_checkout_refunds"


def pane_of(app: Any) -> TriagePane:
    pane = app.pane
    assert pane.NAME == "triage"
    return pane


def block(app: Any) -> list[str]:
    """The names in the block, in order."""
    board = pane_of(app).board
    assert board is not None
    return [item.row.name for digest in board.blocks for item in digest.items]


def drawn(app: Any) -> str:
    """The list as text, line by line."""
    rows = pane_of(app).list
    return "\n".join(rows.render_line(y).text.rstrip() for y in range(rows.size.height))


async def press(pilot: Pilot[Any], settle: Settle, *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
    await settle(pilot)


def entry(desk: Desk, name: str) -> Any:
    return desk.find(name, "me")


def as_shown(desk: Desk, **given: Any) -> Digest:
    return desk.get_relevant("me", count=False, **given)


def shown_names(digest: Digest) -> list[str]:
    return [item.row.name for item in digest.items]
