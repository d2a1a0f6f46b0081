"""Linking, unlinking and mending from the Graph pane: one operation each, and undo takes it back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from covered_keys import presses
from graph_pilot import LINKED_AT, at, edges, headers, link_all, merge, put, tree, where
from on_screen import message, screen_text

from memdesk.tui.widgets.dialogs import Menu, Pick

MakeApp = Callable[..., Any]
Settle = Callable[[Any], Any]
SIZE = (120, 40)
CIRCLE = {
    ("project_old_dashboard", "supersedes", "project_rate_limits"),
    ("project_rate_limits", "supersedes", "project_old_dashboard"),
}


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


@presses("graph.link")
async def test_a_link_is_shown_as_a_sentence_before_it_is_made(make_app: MakeApp, linked: Any, settle: Settle) -> None:
    app = make_app(pane="graph")
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        put(app, "project_billing_export")
        await press(pilot, settle, "+")
        assert isinstance(app.screen, Menu) and "project_billing_export is part of …" in screen_text(app)
        await press(pilot, settle, "p", *"layout")
        assert isinstance(app.screen, Pick)
        assert "project_billing_export is part of project_repo_layout" in screen_text(app)
        await press(pilot, settle, "enter")
        link = ("project_billing_export", "child_of", "project_repo_layout")
        assert link in edges(app)
        assert message(app) == "project_billing_export is part of project_repo_layout u undoes."
        assert "▸ project_repo_layout" in tree(app)
        await press(pilot, settle, "u")
        assert link not in edges(app)


async def test_what_would_close_a_circle_is_not_offered_with_the_reason(
    make_app: MakeApp, linked: Any, settle: Settle
) -> None:
    app = make_app(pane="graph")
    before = set()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        before = edges(app)
        put(app, "project_checkout_retries")
        await press(pilot, settle, "+", "p", *"refunds")
        assert "not offered" in screen_text(app)
        await press(pilot, settle, "enter")
        assert isinstance(app.screen, Pick), "nothing was taken"
        assert "A circle: it leads to project_checkout_retries already." in screen_text(app)
        await press(pilot, settle, "escape")
        assert edges(app) == before


async def test_a_second_parent_is_refused_before_typing(make_app: MakeApp, linked: Any, settle: Settle) -> None:
    app = make_app(pane="graph")
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        put(app, "project_checkout_retries")
        await press(pilot, settle, "right", "down", "+", "p")
        assert message(app).startswith(
            "There can be no such link: project_checkout_refunds is part of project_checkout_retries already."
        )
        await press(pilot, settle, "+", "h", *"layout", "enter")
        assert ("project_repo_layout", "child_of", "project_checkout_refunds") in edges(app), "the other way round"


@pytest.mark.parametrize(
    ("letter", "made"),
    [
        ("s", {("atom_payment_timeout", "supersedes", "decision_trigram_index")}),
        ("f", {("decision_trigram_index", "supersedes", "atom_payment_timeout")}),
        ("escape", set()),
    ],
)  # fmt: skip
async def test_the_older_replacing_the_newer_is_asked_back(
    make_app: MakeApp, linked: Any, settle: Settle, letter: str, made: Any
) -> None:
    app = make_app(pane="graph")
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        before = edges(app)
        # The atom is 25 days old, the decision 30.
        await press(pilot, settle, "slash", *"timeout", "enter", "+", "b", *"trigram", "enter")
        assert isinstance(app.screen, Menu)
        assert "decision_trigram_index is older than atom_payment_timeout." in screen_text(app)
        await press(pilot, settle, letter)
        assert edges(app) - before == made


async def test_any_word_links(make_app: MakeApp, linked: Any, settle: Settle) -> None:
    app = make_app(pane="graph")
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        put(app, "project_billing_export")
        await press(pilot, settle, "+", "o", *"blocks", "enter", *"layout", "enter")
        assert ("project_billing_export", "blocks", "project_repo_layout") in edges(app)
        assert "“blocks”" in headers(app)


@presses("graph.unlink")
async def test_the_link_of_a_row_is_removed(make_app: MakeApp, linked: Any, settle: Settle) -> None:
    app = make_app(pane="graph")
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        put(app, "decision_trigram_index")
        await press(pilot, settle, "-")
        assert message(app) == "This row is where a tree starts, not a link; → opens its links."
        await press(pilot, settle, "right", "down", "-")
        link = ("decision_trigram_index", "supersedes", "decision_sqlite_for_cache")
        assert link not in edges(app)
        assert message(app).startswith("decision_trigram_index no longer replaces decision_sqlite_for_cache u undoes.")
        assert "bring it back with" in message(app), "what was replaced stays so, and the desk says it"
        await press(pilot, settle, "u")
        assert link in edges(app)


async def test_a_link_to_a_missing_end_is_removed_too(make_app: MakeApp, linked: Any, settle: Settle) -> None:
    app = make_app(pane="graph")
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        put(app, "user_prefers_short_answers")
        await press(pilot, settle, "right", "down")
        assert at(app).endswith("is related to atom_gone (missing end)")
        await press(pilot, settle, "-")
        assert "related_to" not in {kind for _, kind, _ in edges(app)}
        await press(pilot, settle, "u")
        assert "related_to" in {kind for _, kind, _ in edges(app)}


@presses("graph.faults", "graph.mend")
async def test_every_fault_is_listed_and_mended_one_key_away(make_app: MakeApp, linked: Any, settle: Settle) -> None:
    app = make_app(pane="graph")
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        before = edges(app)
        await press(pilot, settle, "!")
        assert headers(app) == ["Circles: “replaces”", "Missing ends", "Second parents"]
        assert where(app) == (
            "‹ What is wrong with the links: 3 faults · esc goes back",
            "! A circle: project_rate_limits replaces project_old_dashboard replaces project_rate_limits · m mends it",
        )
        await press(pilot, settle, "m")
        assert isinstance(app.screen, Menu) and "What mends it?" in screen_text(app)
        await press(pilot, settle, "1")
        assert len(CIRCLE & edges(app)) == 1
        assert headers(app) == ["Missing ends", "Second parents"]
        put(app, "atom_gone")
        await press(pilot, settle, "m")
        assert headers(app) == ["Second parents"], "one way to mend it: done at once"
        put(app, "project_nasty")
        await press(pilot, settle, "m", "2")
        assert ("project_nasty", "child_of", "project_billing_export") in edges(app)
        assert ("project_nasty", "child_of", "project_checkout_refunds") not in edges(app)
        assert "Nothing is wrong with the links" in screen_text(app)
        for _ in range(3):
            await press(pilot, settle, "u")
        assert edges(app) == before
        await press(pilot, settle, "!")
        put(app, "decision_trigram_index")
        await press(pilot, settle, "m")
        assert message(app) == "Nothing is wrong with the links of this entry; ! lists what is."


async def test_a_long_chain_is_shortened(make_app: MakeApp, linked: Any, settle: Settle) -> None:
    for number in range(34):
        linked.add(name=f"atom_link_{number:02d}", body="x", description=f"link {number}", workspace="me")
    merge(linked, *((f"atom_link_{n:02d}", "child_of", f"atom_link_{n + 1:02d}") for n in range(33)))
    app = make_app(pane="graph")
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, settle, "!")
        put(app, "atom_link_00")
        await settle(pilot)
        assert "A chain of 33 links “is part of” runs through atom_link_00; the limit is 32" in where(app)[1]
        await press(pilot, settle, "m")
        assert ("atom_link_00", "child_of", "atom_link_02") in edges(app)
        assert ("atom_link_00", "child_of", "atom_link_01") not in edges(app)
        assert "A chain of 32 links" in where(app)[1], "near the limit is told too"


async def test_too_many_links_are_thinned_out(make_app: MakeApp, linked: Any, settle: Settle) -> None:
    for number in range(58):
        linked.add(name=f"atom_far_{number:02d}", body="x", description=f"far {number}", workspace="me")
    linked.delete("atom_far_07")
    merge(linked, *(("project_repo_layout", "related_to", f"atom_far_{n:02d}") for n in range(58)))
    app = make_app(pane="graph")
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, settle, "!")
        put(app, "project_repo_layout (many links)")
        await press(pilot, settle, "m")
        assert "Remove the links to 1 entry that is no longer current" in screen_text(app)
        await press(pilot, settle, "z", "space", "space", "space", "enter")
        assert len([e for e in edges(app) if e[0] == "project_repo_layout"]) == 55
        assert "many links" not in " ".join(tree(app))
