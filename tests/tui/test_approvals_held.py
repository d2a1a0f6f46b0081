"""A key of Approvals that is held down, or pressed on what was hardly on screen, decides once and no more."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from approvals_pilot import LATER, ask, edit, line, open_as, pane
from on_screen import message, stored

from memdesk.core.desk import Desk
from memdesk.tui.panes import approvals_seen
from memdesk.tui.screens.reading import ReadingScreen

Make = Callable[..., Any]
NAMES = ("project_billing_export", "project_billing_tax", "project_search_cjk", "project_migrate_ci")


@pytest.fixture
def unrested(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any], Awaitable[None]]:
    """Waits as `settle` does, but for the rest of the keyboard, which never comes by itself."""
    monkeypatch.setattr(approvals_seen, "REST", 3600)

    async def wait(pilot: Any) -> None:
        app, calm = pilot.app, 0
        while calm < 2:
            for name in [name for name in app._rests if name != "approvals.rest"]:
                timer, call = app._rests.pop(name)
                timer.stop()
                call()
            await app.live.quiet()
            await pilot.pause()
            still = app.live.is_quiet and not app.writes.pending and not app._keys_due
            calm = calm + 1 if still and app._rests.keys() <= {"approvals.rest"} else 0

    return wait


async def hold(pilot: Any, unrested: Any, key: str) -> None:
    """A key that repeats, on a machine so fast that everything else happens between two repeats."""
    for _ in range(6):
        await pilot.press(key)
        await unrested(pilot)


def statuses(app: Any) -> list[str]:
    return [row.status for row in app.live.desk.requests(None)]


async def test_a_held_key_approves_one(make_app: Make, settle: Any, unrested: Any, desk_folder: Path) -> None:
    for place, name in enumerate(NAMES):
        ask(desk_folder, edit(name, description=f"Line {place}"), minutes=90 - place)
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(160, 45)) as pilot:
        await settle(pilot)
        await hold(pilot, unrested, "a")
        assert statuses(app) == ["approved", "pending", "pending", "pending"]
        assert message(app).startswith("Approved "), "the repeats do not hide what was done"
        second = app.live.desk.requests()[0]
        assert not app.live.desk.was_shown(second), "it was drawn, under a repeating key"
        assert line(app).startswith("…  ")
        await settle(pilot)
        assert app.live.desk.was_shown(second) and line(app).startswith("a  ")
        await hold(pilot, unrested, "a")
        assert statuses(app) == ["approved", "approved", "pending", "pending"]


async def test_a_held_key_approves_one_of_those_that_were_read_before(
    make_app: Make, settle: Any, unrested: Any, desk_folder: Path
) -> None:  # fmt: skip
    for place, name in enumerate(NAMES):
        ask(desk_folder, edit(name, description=f"Line {place}"), minutes=90 - place)
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(160, 45)) as pilot:
        for key in ("down", "down", "down", "home"):
            await settle(pilot)
            await pilot.press(key)
        await settle(pilot)
        assert all(map(app.live.desk.was_shown, app.live.desk.requests()))
        await hold(pilot, unrested, "a")
        assert statuses(app) == ["approved", "pending", "pending", "pending"]


async def test_a_refused_key_starts_the_rest_anew(
    make_app: Make, settle: Any, unrested: Any, desk_folder: Path
) -> None:  # fmt: skip
    ask(desk_folder, edit(NAMES[0], description="Line"))
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(160, 45)) as pilot:
        await unrested(pilot)
        before = app._rests["approvals.rest"]
        await pilot.press("a")
        await unrested(pilot)
        assert message(app) == "One moment: that you have read it is being noted."
        assert app._rests["approvals.rest"] is not before and statuses(app) == ["pending"]
        await settle(pilot)
        assert message(app) == "", "it holds no longer"
        await pilot.press("a")
        await settle(pilot)
        assert statuses(app) == ["approved"]


async def test_a_held_key_drops_one(make_app: Make, settle: Any, unrested: Any, desk_folder: Path) -> None:
    for place, name in enumerate(NAMES):
        ask(desk_folder, edit(name, description=f"Line {place}"), minutes=90 - place)
    with open_as(desk_folder, "user:bo", "user", minutes=30) as other:
        for name in NAMES:
            other.edit(name, fields={"description": "Something else"})
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(160, 45)) as pilot:
        await settle(pilot)
        await hold(pilot, unrested, "d")
        assert statuses(app) == ["rejected", "pending", "pending", "pending"]


@pytest.mark.parametrize("key", ["V", "x"])
async def test_a_held_key_looks_at_one_work_of_an_agent(
    make_app: Make, settle: Any, unrested: Any, desk_folder: Path, key: str
) -> None:  # fmt: skip
    with open_as(desk_folder, "agent:scout", "orchestrator", minutes=50) as desk:
        for text in ("And no tables.", "And no lists.", "And no prose."):
            desk.append("user_prefers_short_answers", text)
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(160, 45)) as pilot:
        await settle(pilot)
        await pilot.press("s")
        await settle(pilot)
        before = pane(app).list.total
        await hold(pilot, unrested, key)
        assert pane(app).list.total == before - 1
        assert "And no tables." in stored(app, "user_prefers_short_answers").body


async def test_what_changed_under_a_dialog_was_not_on_screen(
    make_app: Make, settle: Any, unrested: Any, desk_folder: Path
) -> None:  # fmt: skip
    first = ask(desk_folder, edit(NAMES[0], description="Line"))
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(160, 45)) as pilot:
        await settle(pilot)
        await pilot.press("r")
        await settle(pilot)
        with open_as(desk_folder, "user:bo", "user", seed=4) as other:
            other.edit_request(first, {"description": "Another line"})
        await app.poll_now()
        await settle(pilot)
        row = app.live.desk.request(first)
        assert row.revised_by == "user:bo" and not app.live.desk.was_shown(row)
        await pilot.press("escape")
        await unrested(pilot)
        assert not app.live.desk.was_shown(row)
        await settle(pilot)
        assert app.live.desk.was_shown(row)


async def test_a_decision_under_way_is_not_taken_twice(
    make_app: Make, settle: Any, unrested: Any, desk_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    ask(desk_folder, edit(NAMES[0], description="Line"))
    go_on, approve, tried = threading.Event(), Desk.approve, []

    def slow(self: Desk, request_id: str, **given: Any) -> Any:
        tried.append(request_id)
        assert go_on.wait(60)
        return approve(self, request_id, **given)

    monkeypatch.setattr(Desk, "approve", slow)
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(160, 45)) as pilot:
        await settle(pilot)
        for marked in (False, True):
            await pilot.press("a")
            pane(app)._rested()  # the key is pressed again long after
            if marked:
                await pilot.press("space")
        try:
            assert message(app) == "A decision on it is under way."
        finally:
            go_on.set()
        await settle(pilot)
        assert len(tried) == 1 and statuses(app) == ["approved"]
        assert not isinstance(app.screen, ReadingScreen)


async def test_a_key_on_its_way_decides_nothing_that_came_in_the_place_of_another(
    make_app: Make, settle: Any, unrested: Any, desk_folder: Path
) -> None:  # fmt: skip
    first, second = (ask(desk_folder, edit(n, description="Line"), minutes=90 - i) for i, n in enumerate(NAMES[:2]))
    app = make_app(pane="approvals", moment=LATER)
    async with app.run_test(size=(160, 45)) as pilot:
        for key in ("down", "up"):
            await settle(pilot)
            await pilot.press(key)
        await settle(pilot)
        with open_as(desk_folder, "user:bo", "user", seed=4) as other:
            other.reject(first, "No.")
        await app.poll_now()
        await unrested(pilot)
        assert pane(app).list.cursor_key == second
        await pilot.press("a")
        await unrested(pilot)
        assert statuses(app) == ["rejected", "pending"] and message(app).startswith("Settled elsewhere")
        await settle(pilot)
        await pilot.press("a")
        await settle(pilot)
        assert statuses(app) == ["rejected", "approved"]
