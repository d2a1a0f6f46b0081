"""Triage decides: every key's effect on the store and on the block."""

from __future__ import annotations

from typing import Any

import pytest
from covered_keys import presses
from on_screen import cursor, message, names, put_cursor
from triage_pilot import (
    BEHIND,
    TOP,
    MakeApp,
    OpenDesk,
    Settle,
    as_shown,
    block,
    drawn,
    entry,
    pane_of,
    press,
    shown_names,
)


@presses("entry.close", "desk.undo")
async def test_closing_a_top_moves_the_next_one_up_and_undo_puts_it_back(
    make_app: MakeApp, open_desk: OpenDesk, settle: Settle
) -> None:
    app = make_app(pane="triage")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        before = names(app)
        used = pane_of(app).board.main.used  # type: ignore[union-attr]
        await press(pilot, settle, "c")
        desk = open_desk()
        assert entry(desk, TOP).status == "closed"
        assert block(app)[: len(as_shown(desk).items)] == shown_names(as_shown(desk))
        assert TOP not in names(app) and BEHIND in block(app)
        assert message(app) == f"Closed {TOP} · {BEHIND} moved up u undoes."
        assert cursor(app) == "project_nasty"
        assert pane_of(app).board.main.used != used  # type: ignore[union-attr]
        await press(pilot, settle, "u")
        assert names(app) == before
        assert entry(desk, TOP).status == "carry_forward"


@presses("entry.carry", "entry.open", "entry.log", "entry.delete")
@pytest.mark.parametrize(
    ("key", "name", "field", "value", "stays"),
    [
        ("f", "project_search_cjk", "status", "carry_forward", True),
        ("o", "project_search_typos", "status", "open", True),
        ("l", "project_search_typos", "klass", "log", False),
        ("l", "negative_no_redis", "klass", "log", False),
        ("d", "project_billing_export", "state", "purged", False),
        ("d", "user_prefers_short_answers", "state", "purged", False),
        ("c", "project_billing_export", "status", "closed", False),
    ],
)
async def test_a_decision_is_written_and_the_block_is_what_a_session_gets_then(
    make_app: MakeApp, open_desk: OpenDesk, settle: Settle, key: str, name: str, field: str, value: str, stays: bool
) -> None:
    app = make_app(pane="triage")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        order = names(app)
        put_cursor(app, name)
        await press(pilot, settle, key)
        desk = open_desk()
        assert getattr(entry(desk, name), field) == value
        anchors = as_shown(desk, mode="sections", sections=["anchor"], pointer=False)
        assert block(app) == shown_names(as_shown(desk)) + shown_names(anchors)
        assert (name in names(app)) is stays
        following = order[order.index(name) + 1 :]
        assert cursor(app) == (following[0] if following else order[-2])
        assert "u undoes" in message(app)
        await press(pilot, settle, "u")
        assert names(app) == order


async def test_a_decision_that_does_not_fit_says_why_and_writes_nothing(
    make_app: MakeApp, open_desk: OpenDesk, settle: Settle
) -> None:
    app = make_app(pane="triage")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        newest = open_desk().log(1)[0].op_id
        put_cursor(app, "negative_no_redis")
        await press(pilot, settle, "c")
        assert "Only threads have a status" in message(app)
        put_cursor(app, TOP)
        await press(pilot, settle, "f")
        assert message(app) == "It is carried forward already."
        assert open_desk().log(1)[0].op_id == newest


async def test_two_quick_keys_reach_two_rows(make_app: MakeApp, open_desk: OpenDesk, settle: Settle) -> None:
    app = make_app(pane="triage")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        first, second = names(app)[:2]
        await press(pilot, settle, "c", "c")
        desk = open_desk()
        assert [entry(desk, n).status for n in (first, second)] == ["closed", "closed"]


@presses("list.mark")
async def test_a_marked_set_is_one_operation(make_app: MakeApp, open_desk: OpenDesk, settle: Settle) -> None:
    app = make_app(pane="triage")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        before = names(app)
        first, second = before[:2]
        await press(pilot, settle, "space", "space", "c")
        desk = open_desk()
        assert [entry(desk, n).status for n in (first, second)] == ["closed", "closed"]
        (newest, *_) = desk.log(1)
        assert len(newest.entries) == 2
        assert "Closed 2 entries" in message(app)
        await press(pilot, settle, "u")
        assert names(app) == before


@presses("triage.keep")
async def test_keep_writes_nothing_and_moves_on(make_app: MakeApp, open_desk: OpenDesk, settle: Settle) -> None:
    app = make_app(pane="triage")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        newest = open_desk().log(1)[0].op_id
        second = names(app)[1]
        await press(pilot, settle, "x")
        assert cursor(app) == second
        assert "»=" in drawn(app)
        assert message(app).startswith(f"Kept {TOP} · ")
        assert open_desk().log(1)[0].op_id == newest
        # A kept entry that somebody changes is new again.
        open_desk().append(TOP, "More.")
        await app.poll_now()
        await app.poll_now()
        pane_of(app).refresh_view()
        await settle(pilot)
        assert "»=" not in drawn(app)


async def test_keeping_everything_says_so(make_app: MakeApp, settle: Settle) -> None:
    app = make_app(pane="triage")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, settle, "asterisk", "x")
        assert "the whole block was looked at" in message(app)
        assert not pane_of(app).list.marked


@presses("entry.graduate")
@pytest.mark.parametrize("way", ["s", "e", "n"])
async def test_graduating_ends_the_thread_alone_or_into_a_new_entry(
    make_app: MakeApp, open_desk: OpenDesk, settle: Settle, way: str
) -> None:
    app = make_app(pane="triage")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, settle, "g", way)
        if way == "n":
            await press(pilot, settle, *"retries", "enter", "enter", "ctrl+s")
        elif way == "e":
            await press(pilot, settle, *"payment", "enter")
        desk = open_desk()
        assert entry(desk, TOP).status == "graduated"
        assert TOP not in names(app) and BEHIND in block(app)
        if way != "s":
            kept = "project_retries" if way == "n" else "atom_payment_timeout"
            made = entry(desk, kept)
            assert made.klass == "anchor"
            assert [(e.kind, e.target) for e in desk.store.edges_of(entry(desk, TOP).id)] == [("graduated_to", made.id)]
            assert kept in block(app)
        await press(pilot, settle, "u")
        assert entry(desk, TOP).status == "carry_forward"
        assert names(app)[0] == TOP


@presses("entry.append", "entry.reword")
async def test_appending_and_rewording_keep_the_cursor_on_the_entry(
    make_app: MakeApp, open_desk: OpenDesk, settle: Settle
) -> None:
    app = make_app(pane="triage")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        put_cursor(app, "project_search_cjk")
        await press(pilot, settle, "a", *"seen", "ctrl+s")
        desk = open_desk()
        assert entry(desk, "project_search_cjk").body.endswith("\n\nseen")
        assert cursor(app) == "project_search_cjk"
        assert "project_search_cjk" in block(app) and "project_search_typos" not in block(app)
        assert "project_search_cjk is in the block now, project_search_typos fell below the cut" in message(app)
        await press(pilot, settle, "e", "d", "home", *"Now: ", "enter")
        assert entry(desk, "project_search_cjk").description.startswith("Now: ")
        assert cursor(app) == "project_search_cjk"


@presses("triage.preview")
async def test_a_preview_is_what_applying_gives(make_app: MakeApp, open_desk: OpenDesk, settle: Settle) -> None:
    app = make_app(pane="triage")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, settle, "space", "down", "space", "p")
        dialog: Any = app.screen
        shown = dialog.shown
        assert shown.decision.action == "entry.close"
        newest = open_desk().log(1)[0].op_id
        await press(pilot, settle, "enter")
        assert open_desk().log(1)[0].op_id != newest
        board = pane_of(app).board
        assert board is not None
        assert [d.block for d in board.blocks] == [d.block for d in shown.after]
        assert as_shown(open_desk()).block == shown.after[0].block


async def test_a_preview_changes_nothing_until_it_is_applied(
    make_app: MakeApp, open_desk: OpenDesk, settle: Settle
) -> None:
    app = make_app(pane="triage")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        newest = open_desk().log(1)[0].op_id
        before = names(app)
        await press(pilot, settle, "space", "p", "l", "d", "escape")
        assert open_desk().log(1)[0].op_id == newest
        assert names(app) == before
        assert len(pane_of(app).list.marked) == 1


@pytest.mark.parametrize(
    ("key", "field", "value"),
    [("l", "klass", "log"), ("d", "state", "purged"), ("g", "status", "graduated"), ("o", "status", "open")],
)
async def test_a_letter_picks_the_decision_that_enter_applies(
    make_app: MakeApp, open_desk: OpenDesk, settle: Settle, key: str, field: str, value: str
) -> None:
    app = make_app(pane="triage")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, settle, "space", "p", key)
        after: Any = app.screen
        blocks = [d.block for d in after.shown.after]
        await press(pilot, settle, "enter")
        assert getattr(entry(open_desk(), TOP), field) == value
        assert [d.block for d in pane_of(app).board.blocks] == blocks  # type: ignore[union-attr]


async def test_a_preview_refuses_what_the_rules_refuse(make_app: MakeApp, open_desk: OpenDesk, settle: Settle) -> None:
    app = make_app(pane="triage")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        put_cursor(app, "negative_no_redis")
        await press(pilot, settle, "space", "p")
        dialog: Any = app.screen
        assert dialog.shown.decision.action == "entry.log"
        await press(pilot, settle, "c")
        assert dialog.shown.decision.action == "entry.log"
        assert "Only threads have a status" in dialog.query_one("#message").render_line(0).text
        await press(pilot, settle, "escape")
        assert entry(open_desk(), "negative_no_redis").klass == "anchor"


async def test_without_marks_there_is_nothing_to_preview(make_app: MakeApp, settle: Settle) -> None:
    app = make_app(pane="triage")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, settle, "p")
        assert "Nothing is marked" in message(app)


@presses("triage.lift")
async def test_one_key_moves_an_open_thread_up_and_says_what_it_pushes_out(
    make_app: MakeApp, open_desk: OpenDesk, settle: Settle
) -> None:
    app = make_app(pane="triage")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        pane_of(app)._set_budget(640)
        await settle(pilot)
        last = block(app)[len(as_shown(open_desk(), max_chars=640).items) - 1]
        put_cursor(app, "project_billing_tax")
        await press(pilot, settle, "plus")
        assert entry(open_desk(), "project_billing_tax").status == "carry_forward"
        assert block(app)[0] == "project_billing_tax"
        assert "project_billing_tax is in the block now" in message(app)
        assert f"{last} fell below the cut" in message(app)
        await press(pilot, settle, "u")
        assert "project_billing_tax" not in block(app)


async def test_what_is_carried_forward_already_moves_up_by_a_change_of_its_text(
    make_app: MakeApp, open_desk: OpenDesk, settle: Settle
) -> None:
    app = make_app(pane="triage")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        put_cursor(app, "decision_drop_python_310")
        await press(pilot, settle, "plus")
        menu: Any = app.screen
        assert "pushes out project_nasty" in menu._text
        await press(pilot, settle, "f")  # carried forward already: refused, with the reason
        assert app.screen is menu
        await press(pilot, settle, "a")
        await press(pilot, settle, *"news", "ctrl+s")
        assert entry(open_desk(), "decision_drop_python_310").body.endswith("news")
        assert block(app)[0] == "decision_drop_python_310"
        assert "project_nasty fell below the cut" in message(app)


async def test_what_is_in_the_block_cannot_move_up(make_app: MakeApp, settle: Settle) -> None:
    app = make_app(pane="triage")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, settle, "plus")
        assert message(app) == "It is in the block already."


async def test_what_another_process_writes_comes_in_and_the_cursor_stays_on_its_entry(
    make_app: MakeApp, open_desk: OpenDesk, settle: Settle
) -> None:
    app = make_app(pane="triage")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await app.poll_now()
        put_cursor(app, "project_billing_export")
        bob = open_desk()
        bob.reclassify(TOP, status="closed")
        bob.append("project_billing_tax", "news")
        await app.poll_now()
        await settle(pilot)
        assert TOP not in names(app)
        assert "project_billing_tax" in block(app)
        assert cursor(app) == "project_billing_export"


async def test_a_change_by_somebody_else_in_between_is_refused_and_shown(
    make_app: MakeApp, open_desk: OpenDesk, settle: Settle
) -> None:
    app = make_app(pane="triage")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        open_desk().reclassify(TOP, status="open")
        await press(pilot, settle, "c")
        assert entry(open_desk(), TOP).status == "open"
        assert "changed by user:bob" in message(app) and "Open threads" in message(app)
        assert cursor(app) != ""
