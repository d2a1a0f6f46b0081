"""Others write too: the desk notices, follows ids, refuses what is stale, loses nothing, and keys never wait."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from covered_keys import presses
from on_screen import cursor, message, names, put_cursor, screen_text, stored

from memdesk.core.config import Config
from memdesk.core.errors import StoreUnusable
from memdesk.core.model import State, Status
from memdesk.tui.header_view import HeaderView, segments
from memdesk.tui.widgets.entry_text import EntryText

from .conftest import NOW, open_at

Make = Callable[..., Any]


async def test_a_change_by_another_process_arrives_in_place(make_app: Make, settle: Any, open_desk: Any) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        put_cursor(app, "project_migrate_ci")
        await pilot.press("space")
        put_cursor(app, "project_search_cjk")
        open_desk().reclassify("project_billing_tax", status="closed")
        await app.poll_now()
        await settle(pilot)
        assert names(app)[-1] == "project_billing_tax"
        assert cursor(app) == "project_search_cjk"
        assert [seen.name for seen in app.pane.targets()] == ["project_migrate_ci"]


async def test_without_news_nothing_is_read_again(make_app: Make, settle: Any) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        asked: list[object] = []
        app.pane.question = lambda: asked.append(1)
        await app.poll_now()
        await settle(pilot)
        assert asked == []


@pytest.mark.parametrize(
    ("gone", "next_one"),
    [("project_migrate_ci", "project_checkout_webhooks"), ("project_old_dashboard", "project_rate_limits")],
)
async def test_the_row_at_the_cursor_is_removed_by_another(
    make_app: Make, settle: Any, open_desk: Any, gone: str, next_one: str
) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        put_cursor(app, gone)
        open_desk().delete(gone)
        await app.poll_now()
        await settle(pilot)
        assert cursor(app) == next_one


async def test_the_entry_at_the_right_changes_in_place(make_app: Make, settle: Any, open_desk: Any) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        open_desk().append("project_billing_export", "More from Bob.")
        await app.poll_now()
        await settle(pilot)
        text = app.pane.detail.text.plain_text()
        assert "More from Bob." in text and "user:bob" in text


# -- stale ------------------------------------------------------------------------------------------------------------


async def test_a_stale_decision_is_refused_and_shows_the_new_value(
    make_app: Make, settle: Any, open_desk: Any
) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        put_cursor(app, "project_migrate_ci")
        open_desk(moment=NOW).reclassify("project_migrate_ci", status="graduated")
        await pilot.press("c")
        await settle(pilot)
        assert stored(app, "project_migrate_ci").status is Status.GRADUATED
        assert message(app) == (
            "project_migrate_ci was changed by user:bob just now: it is under “Graduated” now. "
            "Nothing was changed; decide again."
        )
        assert cursor(app) == "project_migrate_ci", "the cursor is back on what has to be decided again"
        await pilot.press("c")
        await settle(pilot)
        assert stored(app, "project_migrate_ci").status is Status.CLOSED


async def test_a_refusal_moves_no_cursor_that_went_on(make_app: Make, settle: Any, open_desk: Any) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        put_cursor(app, "project_migrate_ci")
        order = names(app)
        first, second, third = order[(at := order.index("project_migrate_ci")) : at + 3]
        other = open_desk(moment=NOW)
        other.reclassify(first, status="graduated")
        app.pane.perform("entry.close")
        app.pane.perform("entry.close")
        assert cursor(app) == third
        await settle(pilot)
        assert cursor(app) == third, "the second key of a burst went on from the second row"
        assert [stored(app, name).status for name in (first, second, third)] == [
            Status.GRADUATED, Status.CLOSED, Status.OPEN,
        ]  # fmt: skip
        other.reclassify(third, status="graduated")
        app.pane.perform("entry.close")
        put_cursor(app, order[0])
        await settle(pilot)
        assert cursor(app) == order[0]


async def test_another_field_changed_meanwhile_does_not_stop_a_decision(
    make_app: Make, settle: Any, open_desk: Any
) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        put_cursor(app, "project_migrate_ci")
        open_desk().edit("project_migrate_ci", fields={"description": "Bob's words"})
        await pilot.press("c")
        await settle(pilot)
        entry = stored(app, "project_migrate_ci")
        assert (entry.status, entry.description) == (Status.CLOSED, "Bob's words")


async def test_a_stale_set_is_refused_whole_and_stays_marked(make_app: Make, settle: Any, open_desk: Any) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        put_cursor(app, "project_search_cjk")
        await pilot.press("space", "space")
        open_desk().delete("project_search_cjk")
        await pilot.press("c")
        await settle(pilot)
        assert stored(app, "project_search_cjk").state is State.PURGED
        assert stored(app, "project_migrate_ci").status is Status.OPEN
        assert "project_search_cjk is deleted" in message(app)
        assert [seen.name for seen in app.pane.targets()] == ["project_migrate_ci"]


async def test_a_text_that_was_refused_is_kept_and_offered_again(make_app: Make, settle: Any, open_desk: Any) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("e")
        await settle(pilot)
        await pilot.press("b")
        await settle(pilot)
        await pilot.press(*"Mine ")
        open_desk().edit("project_billing_export", fields={"body": "Bob's text"})
        await pilot.press("ctrl+s")
        await settle(pilot)
        assert stored(app, "project_billing_export").body == "Bob's text"
        assert "its text now reads “Bob's text”" in message(app)
        assert "Your text is kept" in message(app)
        await pilot.press("e")
        await settle(pilot)
        await pilot.press("b")
        await settle(pilot)
        assert "draft" in screen_text(app)


async def test_a_second_key_on_an_entry_whose_first_is_still_being_written(make_app: Make, settle: Any) -> None:
    """What our own queue will have made of the entry is what the second key expects."""
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        with locked(app):
            await pilot.press("c")
            await pilot.press("up", "o")
            assert app.writes.pending == 2
        await settle(pilot)
        assert stored(app, "project_billing_export").status is Status.OPEN
        assert message(app) == "Opened project_billing_export u undoes."


# -- locks ------------------------------------------------------------------------------------------------------------


@contextmanager
def locked(app: Any) -> Any:
    """Another program holds the write lock of the store."""
    other = sqlite3.connect(app.live.desk.store.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


async def test_a_locked_store_keeps_the_keys_alive_and_the_change_arrives(make_app: Make, settle: Any) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        with locked(app):
            await pilot.press("c")
            await pilot.pause()
            assert message(app) == "Closing project_billing_export…"
            assert "…  billing_export" in screen_text(app), "the row says that it is being written"
            await pilot.press("down", "down", "s")
            await pilot.pause()
            assert cursor(app) == "project_checkout_retries"
            assert app.writes.pending == 1
            assert stored(app, "project_billing_export").status is Status.CARRY_FORWARD
        await settle(pilot)
        assert stored(app, "project_billing_export").status is Status.CLOSED
        assert "…  billing_export" not in screen_text(app)


async def test_a_store_locked_for_too_long_is_told_and_nothing_is_lost(
    make_app: Make, settle: Any, desk_folder: Path
) -> None:
    def impatient() -> Any:
        desk = open_at(desk_folder)
        desk.store._wait_ms = 10
        return desk

    app = make_app(opener=impatient)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        app.live.desk.store._wait_ms = 10
        await app.live.write(lambda desk: desk.store.db.execute("PRAGMA busy_timeout = 10"))
        with locked(app):
            await pilot.press("c")
            await settle(pilot)
        assert "lock" in message(app)
        assert stored(app, "project_billing_export").status is Status.CARRY_FORWARD
        put_cursor(app, "project_billing_export")
        await pilot.press("c")
        await settle(pilot)
        assert stored(app, "project_billing_export").status is Status.CLOSED

async def test_a_refusal_stops_the_leaving(make_app: Make, settle: Any, open_desk: Any) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        open_desk().reclassify("project_billing_export", status="open")
        with locked(app):
            await pilot.press("c", "q")
            assert message(app) == "Leaving when 1 change landed."
        await settle(pilot)
        assert not app._exit
        assert "project_billing_export was changed by user:bob" in message(app)


async def test_a_fault_inside_is_told_and_the_desk_lives_on(make_app: Make, settle: Any) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)

        def faulty(*args: Any, **given: Any) -> Any:
            raise ZeroDivisionError("by zero")

        app.live.desk.reclassify = faulty
        await pilot.press("c")
        await settle(pilot)
        assert message(app).startswith("This did not work, by a fault inside memdesk: ZeroDivisionError: by zero.")
        assert cursor(app) == "project_billing_export"
        await pilot.press("j")
        assert cursor(app) == "decision_drop_python_310"
        assert [type(fault) for fault in app.live.faults] == [ZeroDivisionError]
        app.live.faults.clear()


# -- a refresh that fails ---------------------------------------------------------------------------------------------


async def test_a_failing_refresh_keeps_the_old_view_and_says_stale(
    make_app: Make, settle: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        before = names(app)

        def broken(desk: Any, question: Any) -> Any:
            raise StoreUnusable("The disk is gone.", "")

        with monkeypatch.context() as patch:
            patch.setattr(app.pane, "read", broken)
            app.refresh_views()
            await settle(pilot)
            assert names(app) == before
            assert "stale: The disk is gone." in screen_text(app)
            await pilot.press("j")
            assert cursor(app) == "decision_drop_python_310"
        app.refresh_views()
        await settle(pilot)
        assert "stale" not in screen_text(app)


async def test_rows_that_cannot_be_read_leave_the_list_alive(
    make_app: Make, settle: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)

        def broken(keys: Any) -> Any:
            raise StoreUnusable("The disk is gone.", "")

        with monkeypatch.context() as patch:
            patch.setattr(app.pane._rows, "page", broken)
            app.pane.list.invalidate()
            await pilot.pause()
            await pilot.pause()
            assert "stale: The disk is gone." in screen_text(app)
        await pilot.press("end")
        app.refresh_views()
        await settle(pilot)
        assert cursor(app) == "project_old_dashboard"


async def test_an_entry_that_is_gone_says_so_at_the_right(make_app: Make, settle: Any, open_desk: Any) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        app.pane.detail.entry_id = "01JXXXXXXXXXXXXXXXXXXXXXXX"
        app.pane.detail.reload()
        await settle(pilot)
        assert "No entry is named" in app.pane.detail.query_one(EntryText).plain_text()


# -- header -----------------------------------------------------------------------------------------------------------

TABS = [("1", "triage", "Triage"), ("2", "threads", "Threads")]


@pytest.mark.parametrize(
    ("workspace", "view", "right"),
    [
        ("me", None, [("opening…", "muted")]),
        ("me", HeaderView(), [("me", "")]),
        (None, HeaderView(hosts=(("Gaia in step", False),)), [("Gaia in step", "muted"), ("all workspaces", "")]),
        ("me", HeaderView(hosts=(("2 not yet in Gaia", True),)), [("2 not yet in Gaia", "warn"), ("me", "")]),
        (
            "me",
            HeaderView(3, "2025-04-20T12:00:00Z", 1, "2025-06-12T12:00:00Z"),
            [("me", ""), ("3 requests, oldest 8 weeks", "warn"), ("1 lost edit, oldest 3 days", "warn")],
        ),
        (
            "me",
            HeaderView(flagged=2, overruled=1, in_hosts=("2 in Gaia",)),
            [("me", ""), ("2 flagged", "warn"), ("1 overruled", "warn"), ("2 in Gaia", "warn")],
        ),
    ],
)
def test_the_header_says_where_one_is_and_what_waits(workspace: str | None, view: Any, right: Any) -> None:
    left, found = segments(TABS, "threads", workspace, view, NOW)
    assert [(s.text, s.tone) for s in found] == right
    assert [(s.text, s.tone) for s in left] == [("1 Triage", "muted"), ("2▸Threads", "accent")]


_LABELS = "1 Triage  ·  2▸Threads  ·  3 Conflicts  ·  4 Graph  ·  5 History  ·  6 Approvals"
_CLOSE = _LABELS.replace("  ·  ", " · ")
_DIGITS = "1 · 2▸Threads · 3 · 4 · 5 · 6"
_THREE = HeaderView(3, "2025-06-15T09:00:00Z")
_MUCH = HeaderView(
    3, "2025-06-12T09:00:00Z", 1, "2025-06-12T09:00:00Z", flagged=2, overruled=1, in_hosts=("2 in Gaia",)
)  # fmt: skip


@pytest.mark.parametrize(
    ("width", "view", "tabs", "waits"),
    [
        (160, _THREE, _LABELS, "me  ·  3 requests, oldest 3 h  ·  2 contradictions"),
        (130, _THREE, _LABELS, "me  ·  3 requests 3 h  ·  2 contradictions"),
        (112, _THREE, _CLOSE, "me · 3 requests, oldest 3 h · 2 ≠"),
        (80, _THREE, _DIGITS, "me · 3 requests, oldest 3 h · 2 contradictions"),
        (60, _THREE, _DIGITS, "me · 3 requests 3 h · 2 ≠"),
        (160, _MUCH, _CLOSE, "me · 3 requests, oldest 3 days · 2 ! · 1 void · 2 in Gaia · 1 lost edit 3 days · 2 ≠"),
        (100, _MUCH, _DIGITS, "me · 3 requests, oldest 3 days · 2 flagged · 1 void · 2 in Gaia"),
        (80, _MUCH, _DIGITS, "me · 3 requests, oldest 3 days · 2 ! · 1 void"),
        (80, HeaderView(flagged=1), _DIGITS, "me · 1 flagged · 2 contradictions"),
    ],
)
async def test_no_tab_is_missing_where_much_waits(
    make_app: Make, settle: Any, width: int, view: HeaderView, tabs: str, waits: str
) -> None:
    app = make_app()
    async with app.run_test(size=(width, 40)) as pilot:
        await settle(pilot)
        app.header = view
        app._contradictions = 2
        app._show_header()
        await settle(pilot)
        line = screen_text(app).splitlines()[0].strip()
        assert line.startswith(tabs + "  ") and line.removeprefix(tabs).strip() == waits


@presses("pane.approvals")
async def test_requests_that_wait_are_in_the_header(make_app: Make, settle: Any, desk_folder: Path) -> None:
    from memdesk.core.errors import NeedsApproval

    with open_at(desk_folder, NOW, actor="agent:planner", role="orchestrator") as desk, pytest.raises(NeedsApproval):
        desk.edit("project_billing_export", fields={"body": "An agent's text"})
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert "1 request, oldest just now" in screen_text(app)
        assert "1 request waits for your decision." in app.pane.detail.text.plain_text()
        await pilot.press("6")
        await settle(pilot)
        assert app.pane.NAME == "approvals" and app.pane.list.total == 1


async def test_the_header_names_the_key_that_was_chosen_for_a_pane(make_app: Make, settle: Any) -> None:
    app = make_app(config=Config(keys={"pane.approvals": "Q"}))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        app.header = HeaderView(2, "2025-06-12T12:00:00Z")
        app._show_header()
        await settle(pilot)
        text = screen_text(app)
        assert "Q Approvals" in text and "me  ·  2 requests, oldest 3 days" in text
        await pilot.press("Q")
        await settle(pilot)
        assert app.pane.NAME == "approvals"
