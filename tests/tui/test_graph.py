"""The Graph pane: trees that open row by row, from any entry, one kind or all; the lineage as a time line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from covered_keys import presses
from graph_pilot import LINKED_AT, at, headers, link_all, merge, put, tree, where
from on_screen import cursor, message, put_cursor, screen_text

from memdesk.tui.screens.reading import ReadingScreen

MakeApp = Callable[..., Any]
Settle = Callable[[Any], Any]
SIZE = (160, 45)


@pytest.fixture
def linked(open_desk: Callable[..., Any]) -> Any:
    """The desk of somebody else, who linked things."""
    desk = open_desk("user:ana", LINKED_AT)
    link_all(desk)
    return desk


async def press(pilot: Any, settle: Settle, *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await settle(pilot)


@presses("pane.graph")
async def test_a_forest_for_each_kind_of_link(make_app: MakeApp, linked: Any, settle: Settle) -> None:
    app = make_app(pane="triage")
    async with app.run_test(size=SIZE) as pilot:
        await press(pilot, settle, "4")
        assert headers(app) == [
            "Part-of trees", "Replacement lineages", "Umbrella groups", "What threads became", "Related entries",
        ]  # fmt: skip
        assert tree(app)[:2] == ["▸ project_billing_export", "▸ project_checkout_retries"]
        assert where(app)[0] == "7 trees over 13 linked entries · ! 3 faults"
        assert app.pane.NAME == "graph"


@presses("graph.open", "graph.shut")
async def test_a_node_opens_closes_and_goes_up(make_app: MakeApp, linked: Any, settle: Settle) -> None:
    app = make_app(pane="graph")
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        put(app, "project_checkout_retries")
        await press(pilot, settle, "right")
        assert tree(app)[1:4] == [
            "▾ project_checkout_retries", "├─▸ has the part project_checkout_refunds",
            "╰── has the part project_checkout_webhooks",
        ]  # fmt: skip
        await press(pilot, settle, "right", "right")
        assert at(app) == "├─▾ has the part project_checkout_refunds"
        assert where(app)[1].startswith("project_checkout_refunds is part of project_checkout_retries · linked")
        await press(pilot, settle, "right")
        assert at(app) == "!│  ╰── has the part project_nasty (two parents)"
        await press(pilot, settle, "right")
        assert message(app) == "Nothing is linked to it further on."
        await press(pilot, settle, "left")
        assert cursor(app) == "project_checkout_refunds"
        await press(pilot, settle, "left", "left")
        assert at(app) == "▾ project_checkout_retries"
        await press(pilot, settle, "left")
        assert len([row for row in tree(app) if "checkout" in row]) == 1
        await press(pilot, settle, "left")
        assert message(app) == "It is closed already."


async def test_what_is_shown_above_leads_there_and_circles_end(make_app: MakeApp, linked: Any, settle: Settle) -> None:
    app = make_app(pane="graph")
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        put(app, "project_billing_export")
        await press(pilot, settle, "right")
        put(app, "project_checkout_retries")
        await press(pilot, settle, "right", "down", "right")
        shown = tree(app)
        assert shown[1] == "!╰── has the part project_nasty (two parents)"
        assert shown[4] == "!│  ╰── has the part project_nasty (shown above, two parents)"
        put(app, "(shown above")
        assert "further up" not in where(app)[1], "its fault matters more"
        await press(pilot, settle, "right")
        assert at(app) == shown[1]
        put(app, "project_rate_limits")
        await press(pilot, settle, "right", "down", "right")
        ring = [row for row in tree(app) if "dashboard" in row or "rate_limits" in row]
        assert ring == [
            "!▾ project_rate_limits (replaced, in a circle)",
            "!╰─▾ replaces project_old_dashboard (replaced, in a circle)",
            "!   ╰─↻ replaces project_rate_limits (replaced, above: a circle, in a circle)",
        ]  # fmt: skip


@presses("graph.root", "graph.direction")
async def test_re_rooting_shows_both_ways_and_esc_goes_back(make_app: MakeApp, linked: Any, settle: Settle) -> None:
    app = make_app(pane="graph")
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        put(app, "decision_trigram_index")
        await press(pilot, settle, "right", "down")
        assert cursor(app) == "decision_sqlite_for_cache"
        await press(pilot, settle, "r")
        assert tree(app) == [
            "▾ decision_sqlite_for_cache (replaced)", "├─▸ is replaced by decision_trigram_index",
            "├── replaces negative_no_redis (replaced)",
            "╰── was distilled into project_search_typos",
        ]  # fmt: skip
        assert where(app)[0] == "‹ decision_sqlite_for_cache, both ways · esc goes back"
        await press(pilot, settle, "b")
        assert len(tree(app)) == 2 and "replaces negative_no_redis" in tree(app)[1]
        await press(pilot, settle, "b")
        assert [row.split()[-1] for row in tree(app)[1:]] == ["decision_trigram_index", "project_search_typos"]
        await press(pilot, settle, "b", "escape")
        assert cursor(app) == "decision_sqlite_for_cache" and len(headers(app)) == 5
        await press(pilot, settle, "b")
        assert message(app) == "Only a tree from one entry on has a direction; r makes one."


@presses("entry.graph")
async def test_any_pane_shows_its_entry_in_the_graph(make_app: MakeApp, linked: Any, settle: Settle) -> None:
    app = make_app(pane="threads")
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        put_cursor(app, "project_search_typos")
        await press(pilot, settle, "G")
        assert app.pane.NAME == "graph"
        assert tree(app) == ["▾ project_search_typos", "╰─▸ was distilled from decision_sqlite_for_cache (replaced)"]
        await press(pilot, settle, "2")
        put_cursor(app, "project_flaky_login")
        await press(pilot, settle, "G")
        assert tree(app) == ["▾ project_flaky_login"], "an entry without links can be linked from here"


@presses("graph.kind")
async def test_one_kind_of_links_only(make_app: MakeApp, linked: Any, settle: Settle) -> None:
    app = make_app(pane="graph")
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, settle, "s", *"repl", "enter")
        assert headers(app) == ["Replacement lineages"]
        assert "only replacement lineages" in where(app)[0]
        put(app, "decision_trigram_index")
        await press(pilot, settle, "r")
        assert tree(app) == ["▾ decision_trigram_index", "╰─▸ replaces decision_sqlite_for_cache (replaced)"]
        await press(pilot, settle, "s", *"all k", "enter")
        assert len(tree(app)) == 3, "all kinds again"


async def test_the_filter_finds_entries_of_any_state(make_app: MakeApp, linked: Any, settle: Settle) -> None:
    """A walk without a mouse: why is an entry no longer current?"""
    app = make_app(pane="graph")
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, settle, "slash", *"redis", "enter")
        assert tree(app) == ["▸ negative_no_redis (replaced)"] and headers(app) == ["Found"]
        await press(pilot, settle, "right", "right")
        assert at(app) == "╰─▸ is replaced by decision_sqlite_for_cache (replaced)"
        assert where(app)[1].startswith("decision_sqlite_for_cache replaces negative_no_redis · linked")
        await press(pilot, settle, "right", "down")
        assert at(app) == "   ├─▸ is replaced by decision_trigram_index"
        await press(pilot, settle, "enter")
        assert app.pane.detail.has_focus_within and "Trigrams for typos" in screen_text(app)
        await press(pilot, settle, "escape", "escape")
        assert len(headers(app)) == 5


@presses("graph.story")
async def test_the_lineage_is_walked_as_a_time_line(make_app: MakeApp, linked: Any, settle: Settle) -> None:
    app = make_app(pane="graph")
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        put(app, "decision_trigram_index")
        await press(pilot, settle, "S")
        told = [(row.cells[1].text, row.cells[2]) for row in app.pane._rows.page(list(app.pane.list.keys()))]
        assert told[0] == ("negative_no_redis", "created")
        assert ("decision_trigram_index", "replaces decision_sqlite_for_cache") in told
        assert cursor(app) == "negative_no_redis" and "Redis is a closed path" in screen_text(app)
        await press(pilot, settle, "end")
        assert cursor(app) != "negative_no_redis"
        await press(pilot, settle, "right")
        assert message(app).startswith("This is a time line")
        await press(pilot, settle, "escape")
        assert cursor(app) == "decision_trigram_index"


@presses("graph.picture")
async def test_the_neighbourhood_as_a_picture(make_app: MakeApp, linked: Any, settle: Settle) -> None:
    app = make_app(pane="graph")
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        put(app, "decision_trigram_index")
        await settle(pilot)
        text = screen_text(app)
        assert "╭─ project_spike_vectors  became" in text
        assert "─ replaces ─▶ decision_sqlite_for_cache (replaced)" in text
        await press(pilot, settle, "p")
        assert isinstance(app.screen, ReadingScreen) and "replaces ─▶ decision_sqlite_for_cache" in screen_text(app)
        await press(pilot, settle, "escape")
    async with make_app(pane="graph").run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert not pilot.app.pane.picture.display, "no room for it"
        put(pilot.app, "decision_trigram_index")
        await press(pilot, settle, "p")
        assert "▶ decision_sqlite_for_cache (replaced)" in screen_text(pilot.app)


async def test_the_cursor_stays_on_its_entry_when_others_link(
    make_app: MakeApp, linked: Any, settle: Settle, open_desk: Any
) -> None:
    app = make_app(pane="graph")
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        put(app, "decision_sqlite_for_cache")
        open_desk().link("project_repo_layout", "child_of", "atom_payment_timeout")
        await app.poll_now()
        await settle(pilot)
        assert "▸ atom_payment_timeout" in tree(app) and cursor(app) == "decision_sqlite_for_cache"


async def test_decisions_work_here_too(make_app: MakeApp, linked: Any, settle: Settle) -> None:
    app = make_app(pane="graph")
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        put(app, "project_checkout_retries")
        await press(pilot, settle, "c")
        assert app.live.desk.find("project_checkout_retries").status == "closed"
        await press(pilot, settle, "u")
        assert app.live.desk.find("project_checkout_retries").status == "carry_forward"


async def test_an_empty_store_says_what_to_do(make_app: MakeApp, tmp_path: Path, settle: Settle) -> None:
    app = make_app(tmp_path / "empty", pane="graph", workspace=None)
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert "No two entries are linked here yet." in screen_text(app)
        await press(pilot, settle, "right", "p", "-", "m", "S")
        assert message(app) == "There is no entry here."


async def test_nothing_in_a_name_or_a_kind_changes_the_screen(make_app: MakeApp, linked: Any, settle: Settle) -> None:
    evil = "\x1b]52;c;x\x07[/red]\u202e"
    merge(linked, ("project_nasty", evil, "project_repo_layout"))
    app = make_app(pane="graph")
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        put(app, "project_nasty")
        await press(pilot, settle, "r")
        for keys in (("down",) * 3, ("p",), ("escape", "s")):
            await press(pilot, settle, *keys)
            text = screen_text(app)
            assert "[/red]‹U+202E›" in text
            assert not {"\x1b", "\x07", "\u202e"} & set(text)
