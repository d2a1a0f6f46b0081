"""What the tests of Approvals share: agents that ask, and what the pane shows."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from memdesk.core.desk import Desk
    from memdesk.tui.panes.approvals import ApprovalsPane

#: When the desk is looked at: some days after the store of the tests was filled.
LATER = datetime.fromisoformat("2025-06-20T12:00:00+00:00")
LONG = "\n".join(f"Step {number}: turn the valve and wait." for number in range(1, 61))


def open_as(folder: Path, actor: str, role: str, *, minutes: float = 0, seed: int = 1) -> Desk:
    """A desk of another process, at a moment so long before now."""
    import random

    from memdesk.core.desk import Actor, Desk, Role
    from memdesk.core.events import Clock

    moment = int((LATER - timedelta(minutes=minutes)).timestamp() * 1000)
    clock = Clock(lambda: moment, random.Random(seed).randbytes)
    return Desk.open(folder, Actor(actor, Role(role), session_id="s-7", on_terminal=True), clock=clock)


def ask(
    folder: Path, call: Callable[[Desk], object], *, actor: str = "agent:scout", role: str = "orchestrator",
    minutes: float = 60,
) -> str:  # fmt: skip
    """An agent asks for something; returns the id of the request."""
    from memdesk.core.errors import NeedsApproval

    with open_as(folder, actor, role, minutes=minutes, seed=int(minutes * 7) + len(actor)) as desk:
        before = set(desk.request_keys())
        with suppress(NeedsApproval):
            call(desk)
        (new,) = set(desk.request_keys()) - before
        return new


def edit(name: str, /, rationale: str = "It is out of date.", **fields: str) -> Callable[[Desk], object]:
    """Asks for other texts of an entry."""
    return lambda desk: desk.edit(name, fields=fields, rationale=rationale)


def rejected_elsewhere(folder: Path, request_id: str, reason: str) -> Path:
    """Another machine, which has all that this one has, and on which user:bo rejected a request half an hour ago."""
    there = folder.with_name("elsewhere")
    with open_as(folder, "user:ana", "user", minutes=50) as here, open_as(there, "user:bo", "user", minutes=30) as bo:
        assert bo.store.origin != here.store.origin
        bo.store.receive(list(here.store.events()))
        bo.reject(request_id, reason)
    return there


def bring(there: Path, folder: Path) -> None:
    """What another machine has reaches this one."""
    with open_as(there, "user:bo", "user") as bo, open_as(folder, "user:ana", "user", seed=3) as here:
        assert not here.store.receive(list(bo.store.events())).bad


def pane(app: Any) -> ApprovalsPane:
    """The pane, which must be in front."""
    from memdesk.tui.panes.approvals import ApprovalsPane

    assert isinstance(app.pane, ApprovalsPane)
    return app.pane


def rows(app: Any) -> list[list[str]]:
    """The cells of the rows in the list, those that were read."""
    shown = pane(app).list
    made = shown._rows.page(list(shown.keys()))
    return [[cell if isinstance(cell, str) else cell.text for cell in row.cells] for row in made]


def sheet(app: Any) -> str:
    """The text at the right."""
    return pane(app).sheet.plain_text()


async def read_through(pilot: Any, settle: Any) -> None:
    """Page through the text at the right, as a person does, until its end was on screen."""
    if not pane(pilot.app).detail.has_focus_within:
        await pilot.press("v")
    for _ in range(40):
        await settle(pilot)
        if pane(pilot.app).sheet.seen_end:
            break
        await pilot.press("pagedown")
    await settle(pilot)


def line(app: Any) -> str:
    """The line above the list."""
    return pane(app)._what._text


class Suspended:
    """In place of `app.suspend`, which a test has no terminal for."""

    back = True

    @contextmanager
    def __call__(self) -> Any:
        self.back = False
        yield  # without a finally, as Textual has it: where the body raises, the desk does not come back
        self.back = True
