"""Triage shows the block as a session gets it, and everything around it."""

from __future__ import annotations

from pathlib import Path

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

from memdesk.core.digest import Mode
from memdesk.core.text import visible


async def test_the_list_is_the_worklist_then_the_cut_then_what_is_below_then_the_anchors(
    make_app: MakeApp, open_desk: OpenDesk, settle: Settle
) -> None:
    app = make_app(pane="triage")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        desk = open_desk()
        work = as_shown(desk)
        anchors = as_shown(desk, mode="sections", sections=["anchor"], pointer=False)
        below = [b.row.name for b in work.below]
        assert names(app) == shown_names(work) + below + shown_names(anchors)
        assert cursor(app) == TOP
        text = drawn(app)
        assert f"cut: {work.used} of 1,500 characters" in text
        for header in ("Worklist", "behind the freshest of its initiative", "About you", "What we know"):
            assert header in text
        assert TOP.removeprefix("project_") in text and "+2" in text
        assert "Retry the payment call, with a cap" in text, "the line that a session reads"


@pytest.mark.parametrize("max_chars", [400, 560, 620, 640, 800, 1500])
async def test_the_cut_falls_where_the_digest_says(
    make_app: MakeApp, open_desk: OpenDesk, settle: Settle, max_chars: int
) -> None:
    app = make_app(pane="triage")
    async with app.run_test(size=(100, 40)) as pilot:
        await settle(pilot)
        pane_of(app)._set_budget(max_chars)
        await settle(pilot)
        digest = as_shown(open_desk(), max_chars=max_chars)
        board = pane_of(app).board
        assert board is not None
        assert board.main == digest
        first = board.sections()[0]
        assert len(first.keys) == len(digest.items)
        assert [at for at, _ in first.dividers] == [len(digest.items)]


async def test_the_meter_shows_the_budget(make_app: MakeApp, settle: Settle, open_desk: OpenDesk) -> None:
    app = make_app(pane="triage")
    async with app.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        used = as_shown(open_desk()).used
        text = pane_of(app)._meter.render_line(0).text
        assert f"{used} of 1,500 characters" in text
        assert "about you and what we know" in text


@presses("entry.initiative", "triage.sections", "triage.block")
async def test_looking_never_bumps_a_counter(make_app: MakeApp, open_desk: OpenDesk, settle: Settle) -> None:
    app = make_app(pane="triage")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, settle, "down", "down", "s", "s", "b", "i", "i", "escape", "escape", "enter", "escape", "p")
        desk = open_desk()
        for found in desk.store.entries():
            assert (found.telemetry.injection_count, found.telemetry.deliberate_count) == (0, 0)


async def test_deleted_closed_and_replaced_entries_never_stand_in_the_list(
    make_app: MakeApp, open_desk: OpenDesk, settle: Settle
) -> None:
    desk = open_desk()
    desk.delete("project_search_cjk")
    desk.supersede("atom_payment_timeout", by="negative_no_redis")
    app = make_app(pane="triage")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        gone = {"project_search_cjk", "atom_payment_timeout", "project_old_dashboard", "project_spike_vectors"}
        assert not gone & set(names(app))


async def test_sections_are_what_a_session_gets_in_that_mode(
    make_app: MakeApp, open_desk: OpenDesk, settle: Settle
) -> None:
    app = make_app(pane="triage")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, settle, "s")
        digest = as_shown(open_desk(), mode="sections")
        board = pane_of(app).board
        assert board is not None and board.blocks == (digest,)
        headers = [s.header for s in board.sections()]
        assert headers[:4] == ["For this session", "About you", "What we know", "Open threads"]
        await press(pilot, settle, "s")
        assert pane_of(app).board.main.mode is Mode.WORKLIST  # type: ignore[union-attr]


async def test_one_key_opens_a_whole_initiative_where_decisions_work_too(
    make_app: MakeApp, open_desk: OpenDesk, settle: Settle
) -> None:
    app = make_app(pane="triage")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, settle, "i")
        assert names(app) == [TOP, BEHIND, "project_checkout_webhooks"]
        assert cursor(app) == TOP
        put_cursor(app, BEHIND)
        await press(pilot, settle, "c")
        assert names(app) == [TOP, "project_checkout_webhooks"]
        assert entry(open_desk(), BEHIND).status == "closed"
        await press(pilot, settle, "escape")
        assert len(names(app)) > 10
        assert cursor(app) == TOP


async def test_pressed_again_it_reads_the_whole_initiative_in_one_go(
    make_app: MakeApp, open_desk: OpenDesk, settle: Settle
) -> None:
    from memdesk.tui.widgets.entry_text import EntryText

    app = make_app(pane="triage")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, settle, "i", "i")
        text = app.screen.query_one(EntryText).plain_text()
        for body in ("Cap is 3.", "- [ ] rounding", "Idempotency key needed."):
            assert body in text
        await press(pilot, settle, "escape", "escape")
        put_cursor(app, "project_migrate_ci")
        await press(pilot, settle, "i")
        assert set(names(app)) == {
            "project_nasty", "decision_drop_python_310", "project_migrate_ci", "project_flaky_login",
        }  # fmt: skip


async def test_from_an_anchor_too_its_initiative_opens(make_app: MakeApp, settle: Settle) -> None:
    app = make_app(pane="triage")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        put_cursor(app, "negative_no_redis")
        await press(pilot, settle, "i")
        assert names(app) == [TOP, BEHIND, "project_checkout_webhooks"]
        await press(pilot, settle, "escape")
        assert cursor(app) == "negative_no_redis"
        put_cursor(app, "user_prefers_short_answers")
        await press(pilot, settle, "i")
        assert message(app) == "user_prefers_short_answers belongs to no initiative."


@presses("triage.since")
async def test_what_others_changed_since_the_last_visit_is_one_key_away(
    make_app: MakeApp, open_desk: OpenDesk, settle: Settle
) -> None:

    ana = open_desk(actor="user:ana")
    ana.mark_visit()
    ana.append(TOP, "mine")
    bob = open_desk(actor="agent:bob")
    bob.reclassify("project_billing_tax", status="closed")
    bob.append("project_search_typos", "theirs")
    app = make_app(pane="triage")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert "2 entries changed by others since you were here" in pane_of(app)._line.render_line(0).text
        await press(pilot, settle, "n")
        assert sorted(names(app)) == ["project_billing_tax", "project_search_typos"]
        assert "agent:bob" in drawn(app)
        put_cursor(app, "project_billing_tax")
        await press(pilot, settle, "o")
        assert entry(bob, "project_billing_tax").status == "open"
        await press(pilot, settle, "n")
        assert names(app)[0] in block(app)


async def test_a_first_visit_has_no_news(make_app: MakeApp, settle: Settle) -> None:
    app = make_app(pane="triage")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert not pane_of(app)._line.display
        await press(pilot, settle, "n")
        assert message(app) == "Nobody else changed anything since you were last here."


@presses("triage.less", "triage.more", "triage.budget")
async def test_the_budget_is_set_by_keys_and_the_cut_moves(
    make_app: MakeApp, open_desk: OpenDesk, settle: Settle
) -> None:
    app = make_app(pane="triage")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for keys, budget in (
            (["left_square_bracket"], 1200), (["right_square_bracket"], 1500), (["m", "g"], 800),
            (["m", "s"], 1500), (["m", "o", "ctrl+u", *"600", "enter"], 600),
        ):  # fmt: skip
            await press(pilot, settle, *keys)
            board = pane_of(app).board
            assert board is not None and board.main == as_shown(open_desk(), max_chars=budget)
        assert "600 characters" in drawn(app)


@presses("desk.copy_file")
async def test_one_key_copies_the_exact_block_and_another_writes_it_to_a_file(
    make_app: MakeApp, open_desk: OpenDesk, settle: Settle, desk_folder: Path
) -> None:
    app = make_app(pane="triage")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await press(pilot, settle, "b")
        desk = open_desk()
        anchors = as_shown(desk, mode="sections", sections=["anchor"], pointer=False)
        wanted = visible(f"{as_shown(desk).block}\n\n{anchors.block}")
        assert app.clipboard == wanted
        assert "Y writes it to a file" in message(app)
        await press(pilot, settle, "Y")
        (file,) = (desk_folder / "copied").iterdir()
        assert file.read_text(encoding="utf-8") == wanted


@presses("desk.filter")
async def test_the_filter_narrows_the_list_and_not_the_block(
    make_app: MakeApp, open_desk: OpenDesk, settle: Settle
) -> None:
    app = make_app(pane="triage")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        cut = pane_of(app).board.main  # type: ignore[union-attr]
        await press(pilot, settle, "slash", *"billing")
        assert names(app) == ["project_billing_export", "project_billing_tax"]
        assert pane_of(app).board.main == cut  # type: ignore[union-attr]
        await press(pilot, settle, "escape")
        assert len(names(app)) > 10
        # A word that stands in the text alone finds the entry too.
        await press(pilot, settle, "slash", *"trigrams")
        assert "project_search_typos" in names(app)
        await press(pilot, settle, *"zzz")
        assert names(app) == []
        assert "Nothing fits the filter" in drawn(app)


async def test_the_screen_shows_an_empty_store_as_empty(make_app: MakeApp, tmp_path: Path, settle: Settle) -> None:
    app = make_app(tmp_path / "empty", workspace=None, pane="triage")
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert names(app) == []
        assert "Nothing would be injected" in drawn(app)
        for key in ("c", "x", "b", "i", "plus", "p", "n", "s", "m", "escape"):
            await press(pilot, settle, key)
        assert app.is_running


async def test_one_group_over_the_budget_stays_and_says_by_how_much(
    make_app: MakeApp, open_desk: OpenDesk, settle: Settle
) -> None:
    app = make_app(pane="triage")
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        pane_of(app)._set_budget(80)
        await settle(pilot)
        digest = as_shown(open_desk(), max_chars=80)
        assert digest.over > 0 and shown_names(digest) == [TOP]
        assert f"{digest.over} over" in drawn(app)
        assert f"{digest.over} over" in pane_of(app)._meter.render_line(0).text


async def test_nasty_texts_stand_in_the_list_as_typed(make_app: MakeApp, settle: Settle) -> None:
    app = make_app(pane="triage")
    async with app.run_test(size=(360, 40)) as pilot:
        await settle(pilot)
        text = drawn(app)
        assert "[/red] x [@click=app.quit]bye[/] · [bold]not bold[/] and ‹U+200B› hidden" in text
        assert "\x1b" not in text and "\u200b" not in text


async def test_several_workspaces_in_one_block_are_no_session_and_the_line_says_so(
    make_app: MakeApp, settle: Settle
) -> None:
    app = make_app(pane="triage", workspace=None)
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert app.workspace is None
        assert "2 workspaces in one block" in pane_of(app)._line.render_line(0).text
        assert {"project_lab_only", TOP} <= set(names(app))
