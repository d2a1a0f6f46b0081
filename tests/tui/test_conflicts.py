"""Conflicts: the queue, the keys that settle a row, groups and members, undo, a host, thirty groups by keyboard."""

from __future__ import annotations

import shutil
from collections.abc import Awaitable, Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gaia_fixture
import pytest
from covered_keys import presses
from gaia_fixture import Gaia
from on_screen import cursor, message, screen_text, stored
from planted import CLUSTER, add, plant

from memdesk.core.model import State

from .conftest import NOW, open_at

if TYPE_CHECKING:
    from textual.pilot import Pilot

    from memdesk.core.desk import Desk
    from memdesk.tui.app import MemdeskApp
    from memdesk.tui.panes.conflicts import ConflictsPane

MakeApp = Callable[..., "MemdeskApp"]
OpenDesk = Callable[..., "Desk"]
Settle = Callable[["Pilot[Any]"], Awaitable[None]]
SIZE = (120, 40)


@pytest.fixture(scope="session")
def planted_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that holds only the planted conflicts, with their scores; tests work on copies."""
    folder = tmp_path_factory.mktemp("planted") / "store"
    with open_at(folder, NOW - timedelta(days=2), actor="agent:planner") as desk:
        desk.add_workspace("me")
        plant(desk)
    return folder


@pytest.fixture
def planted_folder(planted_template: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "planted"
    shutil.copytree(planted_template, folder)
    return folder


@pytest.fixture
def planted(planted_folder: Path) -> Iterator[Desk]:
    """Another process's desk on the store of the app."""
    with open_at(planted_folder, NOW + timedelta(minutes=1), actor="agent:planner", seed=9) as desk:
        yield desk


@pytest.fixture
def make_planted(make_app: MakeApp, planted_folder: Path) -> MakeApp:
    """Makes the app on the planted conflicts."""
    return lambda **given: make_app(planted_folder, **{"pane": "conflicts", **given})


def pane_of(app: Any) -> ConflictsPane:
    pane = app.pane
    assert pane.NAME == "conflicts"
    return pane


def groups(app: Any) -> list[tuple[str, set[str]]]:
    """(section, names) of each group, from top to bottom."""
    rows = pane_of(app)._rows
    assert rows is not None
    return [(str(g.lane), {m.row.name for m in g.members}) for g in rows.view.groups]


def go_to(app: Any, name: str, *, member: bool = False) -> None:
    """Put the cursor on the group of an entry, or on the row of the member."""
    pane = pane_of(app)
    entry_id = stored(app, name).id
    key = pane.key_of(entry_id)
    assert key is not None
    assert pane.list.move_to(f"{key}/{entry_id}" if member else key)


async def press(pilot: Pilot[Any], settle: Settle, *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await settle(pilot)


def in_queue(app: Any, *names: str) -> bool:
    return any(set(names) <= members for _, members in groups(app))


@presses("pane.conflicts")
async def test_the_queue_is_worst_first_and_the_header_counts(
    make_planted: MakeApp, settle: Settle
) -> None:
    app: Any = make_planted(pane="triage")
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, settle, "3")
        assert groups(app) == [
            ("contradiction", {"atom_rate_limit", "atom_rate_limit_api"}),
            ("contradiction", {"decision_cache_layer", "atom_cache_layer"}),
            ("duplicate", {"feedback_flaky_login_4"}),
            ("duplicate", {name for name, *_ in CLUSTER}),
            ("duplicate", {"project_export_paging", "project_invoice_export"}),
        ]
        text = screen_text(app)
        assert "2 contradictions" in text and "feedback_flaky_login_4 ×5" in text
        assert "100 requests per minute against 1000" in text


@presses("conflicts.merge")
async def test_merging_asks_per_field_and_says_what_it_will_do(
    make_planted: MakeApp, settle: Settle
) -> None:
    app: Any = make_planted()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        go_to(app, "project_invoice_export")
        await settle(pilot)
        sentence = "keeps project_invoice_export, absorbs project_export_paging"
        assert f"m {sentence}" in screen_text(app)
        await press(pilot, settle, "m")
        assert sentence in screen_text(app) and "enter" in screen_text(app)
        await press(pilot, settle, "b", "down", "+", "s")
        assert "keeps project_export_paging, absorbs project_invoice_export" in screen_text(app)
        await press(pilot, settle, "enter")
        kept = stored(app, "project_export_paging")
        assert kept.description == "Export of invoices stops at 500 rows"
        assert "since the cursor" in kept.body and "because the cursor" in kept.body and "Seen in staging." in kept.body
        assert stored(app, "project_invoice_export").state == "superseded"
        assert "Kept project_export_paging, absorbed project_invoice_export" in message(app)
        assert not in_queue(app, "project_export_paging")
        block = app.live.desk.get_relevant("me", count=False).block
        assert "Export of invoices stops" in block and "The invoice export stops" not in block
        await press(pilot, settle, "u")
        assert stored(app, "project_invoice_export").state == "active"
        assert in_queue(app, "project_export_paging", "project_invoice_export")


async def test_a_wording_can_be_typed_and_a_merge_left(make_planted: MakeApp, settle: Settle) -> None:
    app: Any = make_planted()
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        go_to(app, "project_invoice_export")
        await press(pilot, settle, "m", "escape")
        assert stored(app, "project_export_paging").state == "active"
        await press(pilot, settle, "m", "e", "X", "f2")
        assert "edited" in screen_text(app)
        await press(pilot, settle, "enter")
        assert "X" in stored(app, "project_invoice_export").description


async def test_copies_are_merged_by_one_key(make_planted: MakeApp, settle: Settle) -> None:
    app: Any = make_planted()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        go_to(app, "feedback_flaky_login_4")
        await press(pilot, settle, "m")
        states = [str(stored(app, f"feedback_flaky_login_{n}").state) for n in range(5)]
        assert sorted(states) == ["active", *["superseded"] * 4]
        assert cursor(app) == "atom_payment_timeout_c", "the cursor is on the next group"


@presses("conflicts.a", "conflicts.b")
@pytest.mark.parametrize(("key", "gone"), [("a", 1), ("b", 0)])
async def test_one_replaces_the_other(
    make_planted: MakeApp, settle: Settle, key: str, gone: int
) -> None:
    app: Any = make_planted()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        go_to(app, "atom_rate_limit")
        await settle(pilot)
        sides = ["atom_rate_limit_api", "atom_rate_limit"]  # A is the newer one
        assert f"a {sides[0]} replaces {sides[1]}" in screen_text(app)
        await press(pilot, settle, key)
        assert [str(stored(app, name).state) for name in sides][gone] == "superseded"
        assert not in_queue(app, "atom_rate_limit") and "1 contradiction" in screen_text(app)
        await press(pilot, settle, "u")
        assert in_queue(app, *sides) and "2 contradictions" in screen_text(app)


@presses("conflicts.relate", "conflicts.different", "conflicts.keep_both")
@pytest.mark.parametrize("key", ["r", "d", "x"])
async def test_every_pair_has_a_way_out_that_undo_takes_back(
    make_planted: MakeApp, settle: Settle, key: str
) -> None:
    app: Any = make_planted()
    pair = ("project_export_paging", "project_invoice_export")
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        go_to(app, pair[0])
        await press(pilot, settle, key)
        assert not in_queue(app, *pair)
        assert all(stored(app, name).state == "active" for name in pair)
        linked = any(e.kind == "related_to" for e in app.live.desk.store.edges_of(stored(app, pair[0]).id))
        assert linked == (key == "r")
        await press(pilot, settle, "u")
        assert in_queue(app, *pair)


@presses("conflicts.later")
async def test_later_puts_it_at_the_end(make_planted: MakeApp, settle: Settle) -> None:
    app: Any = make_planted()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, settle, "l")
        assert groups(app)[-1] == ("later", {"atom_rate_limit", "atom_rate_limit_api"})
        assert cursor(app) == "atom_cache_layer"
        await press(pilot, settle, "u")
        assert groups(app)[0][1] == {"atom_rate_limit", "atom_rate_limit_api"}


@presses("conflicts.ask")
async def test_the_owner_of_a_decision_is_asked(make_planted: MakeApp, settle: Settle) -> None:
    app: Any = make_planted()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, settle, "o")
        assert "nobody to ask" in message(app), "none of the rate limits is a decision"
        go_to(app, "decision_cache_layer")
        await press(pilot, settle, "o")
        (request,) = app.live.desk.requests()
        assert "contradicts" in request.payload["rationale"]
        assert groups(app)[-1] == ("later", {"atom_cache_layer", "decision_cache_layer"})
        assert "the owner is asked" in screen_text(app)
        go_to(app, "decision_cache_layer")
        await press(pilot, settle, "o")
        assert "asked already" in message(app)


@presses("conflicts.member")
async def test_a_member_is_left_out_and_the_rest_merged(make_planted: MakeApp, settle: Settle) -> None:
    app: Any = make_planted()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, settle, "-")
        assert "three or more" in message(app)
        go_to(app, "atom_payment_timeout_b", member=True)
        await press(pilot, settle, "space")
        assert "left out" in screen_text(app)
        go_to(app, "atom_payment_timeout_b", member=True)
        await press(pilot, settle, "-", "up", "space")
        assert "m keeps atom_payment_timeout_c, absorbs atom_payment_timeout_a" in screen_text(app)
        await press(pilot, settle, "m", "enter")
        states = {n[-1]: str(stored(app, f"atom_payment_timeout_{n}").state) for n in "abc"}
        assert states == {"a": "superseded", "b": "active", "c": "active"}
        assert in_queue(app, "atom_payment_timeout_b", "atom_payment_timeout_c"), "the rest is still a pair"


async def test_one_that_does_not_belong_is_judged_apart(make_planted: MakeApp, settle: Settle) -> None:
    app: Any = make_planted()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        go_to(app, "atom_payment_timeout_a", member=True)
        await press(pilot, settle, "d")
        assert in_queue(app, "atom_payment_timeout_b", "atom_payment_timeout_c")
        assert not in_queue(app, "atom_payment_timeout_a")
        assert len(app.live.desk.verdicts()) == 2
        await press(pilot, settle, "u")
        assert in_queue(app, *(name for name, *_ in CLUSTER))


@presses("conflicts.next", "conflicts.previous", "conflicts.score")
async def test_next_and_previous_go_by_group_and_scores_are_hidden_until_asked(
    make_planted: MakeApp, settle: Settle
) -> None:
    app: Any = make_planted()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, settle, "n", "n", "n", "n")
        assert cursor(app) == "project_invoice_export"
        await press(pilot, settle, "p", "p")
        assert cursor(app) == "feedback_flaky_login_4"
        assert "1.00" not in screen_text(app)
        await press(pilot, settle, "s")
        assert "1.00" in screen_text(app)
        await press(pilot, settle, "s")
        assert "1.00" not in screen_text(app)


@presses("conflicts.scan")
async def test_scoring_can_be_stopped_and_gone_on_with(make_planted: MakeApp, settle: Settle, planted: Desk) -> None:
    app: Any = make_planted()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, settle, "c")
        assert "Everything is compared" in message(app)
        pane = pane_of(app)
        plain = pane.read

        def stopping(desk: Any, question: Any) -> Any:
            assert pane.step_back(), "esc stops what is under way"
            return plain(desk, question)

        pane.read = stopping  # type: ignore[method-assign]
        add(planted, ("atom_new", "anchor", "New", "A text that was not compared yet."))
        pane.refresh_view()
        await settle(pilot)
        assert pane.stopped and "stopped" in screen_text(app) and in_queue(app, "atom_rate_limit")
        pane.read = plain  # type: ignore[method-assign]
        await press(pilot, settle, "c")
        assert not pane_of(app).stopped and "stopped" not in screen_text(app)


async def test_a_session_start_scores_only_what_changed(make_planted: MakeApp, settle: Settle, planted: Desk) -> None:
    assert planted.rescore().scored > 0
    again = planted.rescore()
    assert (again.read, again.scored) == (0, 0)
    add(planted, ("atom_new", "anchor", "New", "A text that was not compared yet."))
    app: Any = make_planted()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert app.live.desk.rescore().scored == 0, "the pane has scored the new one"


async def test_a_text_that_changed_meanwhile_is_not_judged(
    make_planted: MakeApp, settle: Settle, planted: Desk
) -> None:
    app: Any = make_planted()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        go_to(app, "project_export_paging")
        await settle(pilot)
        planted.edit("project_export_paging", fields={"body": "The export is fixed."})
        await press(pilot, settle, "d")
        assert "changed meanwhile" in message(app) or "decide again" in message(app)
        assert app.live.desk.verdicts() == []


async def test_the_filter_narrows_the_queue_and_the_header_still_counts_all(
    make_planted: MakeApp, settle: Settle
) -> None:
    app: Any = make_planted()
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, settle, "/", *"invoice")
        assert [names for _, names in groups(app)] == [{"project_export_paging", "project_invoice_export"}]
        assert "2 contradictions" in screen_text(app)


async def test_markup_in_a_text_is_shown_as_typed(make_app: MakeApp, settle: Settle, open_desk: OpenDesk) -> None:
    desk = open_desk()
    for n in "ab":
        nasty = "[@click=app.quit]bye[/] the cache \x1b[31m holds [/] an hour."
        add(desk, (f"atom_{n}", "anchor", f"[/red] {n}", nasty))
    app: Any = make_app(pane="conflicts")
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        text = screen_text(app)
        assert "[@click=app.quit]bye[/]" in text and "\x1b" not in text
        await press(pilot, settle, "m")
        assert "[/red]" in screen_text(app)


async def test_two_entries_of_one_name_are_merged(make_app: MakeApp, settle: Settle, open_desk: OpenDesk) -> None:
    from memdesk.core.events import CREATE

    desk = open_desk()
    with desk.store.transaction() as tx:
        tx.begin("receive", "Merged", actor="user:bob", role="user")
        tx.write(CREATE, {"memory_id": tx.new_id(), "workspace": "me", "name": "negative_no_redis", "type": "negative",
                          "class": "anchor", "body": "Quite another thought.", "description": "Other"})  # fmt: skip
    app: Any = make_app(pane="conflicts")
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert ("name", {"negative_no_redis", "negative_no_redis~2"}) in groups(app)
        await press(pilot, settle, "d")
        assert "share a name" in message(app)
        await press(pilot, settle, "m", "enter")
        assert groups(app) == [] and "nothing says the same twice" in screen_text(app)


async def test_a_lost_edit_is_settled(make_app: MakeApp, settle: Settle, open_desk: OpenDesk) -> None:
    for key, body in (("a", "Theirs came later."), ("b", "Mine, unseen."), ("x", "Theirs came later.")):
        desk = open_desk()
        desk.edit("atom_payment_timeout", fields={"body": f"Base {key}."})
        entry = desk.find("atom_payment_timeout")
        folded = desk.store.folded(entry.id)
        assert folded is not None
        for who, text in (("user:bob", "Mine, unseen."), ("user:eve", "Theirs came later.")):
            with desk.store.transaction() as tx:
                tx.begin("receive", "Merged", actor=who, role="user")
                base = {"body": folded.body_heads}
                tx.write("memory.edit", {"memory_id": entry.id, "patch": {"body": text}, "base": base})
        assert len(desk.store.lost_edits()) == 1
        app: Any = make_app(pane="conflicts")
        async with app.run_test(size=SIZE) as pilot:
            await settle(pilot)
            assert groups(app) == [("lost", {"atom_payment_timeout"})]
            assert "a keeps the text that stands" in screen_text(app)
            await press(pilot, settle, "r")
            assert "one entry" in message(app)
            await press(pilot, settle, key)
            assert stored(app, "atom_payment_timeout").body == body
            assert groups(app) == [] and app.live.desk.store.lost_edits() == []
            comments = [e for e in app.live.desk.list_entries(types=("comment",)).entries() if "Mine" in e.body]
            assert len(comments) == (key == "x")
            await press(pilot, settle, "u")
            assert len(app.live.desk.store.lost_edits()) == 1
            app.live.desk.settle("atom_payment_timeout", app.live.desk.store.lost_edits()[0].event_id, "ours")


# -- a host ---------------------------------------------------------------------------------------------------------

LATER = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
ON = "Pruning of the nightly index is enabled for every workspace on the server."


def gaia_with_a_contradiction(path: Path) -> Gaia:
    gaia = gaia_fixture.build(path)
    for name, text, given in (
        ("decision_prune", ON, {"description": "Nightly pruning is enabled"}),
        ("atom_prune", ON.replace("enabled", "disabled"), {"description": "Nightly pruning is disabled"}),
        ("project_prune_notes", f"{ON}\n\nThe runbook tells how.", {"description": "Nightly pruning is enabled"}),
    ):
        gaia.add("lab", name, text, **{"class": "anchor"}, **given)
    gaia.link("lab", "project_prune_notes", "derived_from", "decision_prune")
    gaia.link("lab", "user_lab", "relates_to", "project_prune_notes")
    return gaia


async def test_on_gaia_the_planted_contradiction_heads_the_queue_and_deciding_leaves_the_host_consistent(
    make_app: MakeApp, settle: Settle, tmp_path: Path
) -> None:
    gaia = gaia_with_a_contradiction(tmp_path / "gaia" / "g.db")
    folder = tmp_path / "attached"
    with open_at(folder, LATER) as desk:
        desk.attach("gaia", str(gaia.path))
    app: Any = make_app(folder, moment=LATER, pane="conflicts", workspace="lab")
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        before = gaia.links()
        lane, members = groups(app)[0]
        assert lane == "contradiction" and "atom_prune" in members, groups(app)
        go_to(app, "decision_prune")
        await press(pilot, settle, "m")
        await press(pilot, settle, "enter")
        await wait_for_host(app)
        assert "Kept" in message(app)
        pushed = gaia.links() - before
        kept = {source for _, source, kind, _ in pushed if kind == "supersedes"}
        assert len(kept) == 1, pushed
        assert_same_as_host(app.live.desk, gaia)
        await press(pilot, settle, "u")
        await wait_for_host(app)
        assert gaia.links() == before
        assert_same_as_host(app.live.desk, gaia)


def test_a_merge_on_gaia_moves_links_and_text_there_and_undo_moves_them_back(tmp_path: Path) -> None:
    gaia = gaia_with_a_contradiction(tmp_path / "gaia" / "g.db")
    with open_at(tmp_path / "attached", LATER) as desk:
        desk.attach("gaia", str(gaia.path))
        before, history = gaia.links(), gaia.history()
        desk.merge(["lab/decision_prune", "lab/project_prune_notes"])
        assert gaia.links() - before == {
            ("lab", "decision_prune", "supersedes", "project_prune_notes"),
            ("lab", "user_lab", "relates_to", "decision_prune"),
        } or ("lab", "decision_prune", "relates_to", "user_lab") in gaia.links()
        assert gaia.found("runbook") >= {"decision_prune"} and gaia.history() > history
        assert_same_as_host(desk, gaia)
        desk.undo()
        assert gaia.links() == before and "decision_prune" not in gaia.found("runbook")
        assert_same_as_host(desk, gaia)


async def wait_for_host(app: Any) -> None:
    await app.live.refresh_hosts()


def assert_same_as_host(desk: Desk, gaia: Gaia) -> None:
    """Texts, states and the full-text index of the host are those of the desk."""
    gaia.check_full_text()
    replaced = {(w, target) for w, _, kind, target in gaia.links() if kind == "supersedes"}
    for row in gaia.rows():
        (found,) = desk.store.lookup(f"{row['workspace']}/{row['name']}")
        assert (found.body, found.description) == (row["body"], row["description"]), row["name"]
        is_replaced = (row["workspace"], row["name"]) in replaced
        wanted = State.PURGED if row["deleted_at"] else State.SUPERSEDED if is_replaced else State.ACTIVE
        assert found.state is wanted, row["name"]


# -- by keyboard alone ----------------------------------------------------------------------------------------------

KEYS = {"contradiction": ("a",), "duplicate": ("m", "enter"), "differs": ("x",)}
TOPICS = [
    "backup of the ledger", "login of guests", "colour of the banner", "import of contacts", "search in archives",
    "printing of labels", "sync of calendars", "upload of photos", "layout of reports", "sorting of queues",
]  # fmt: skip


def plant_thirty(desk: Desk) -> None:
    """Ten contradictions, ten near-duplicates, ten texts that stand three times; no two topics share words."""
    for n, topic in enumerate(TOPICS):
        slug = topic.replace(" ", "_")
        for name, word in (("on", "enabled"), ("off", "disabled")):
            line = f"{topic.capitalize()}: gear{n} of mill{n} at dock{n} is {word}"
            add(desk, (f"atom_{slug}_{name}", "anchor", line, f"{line} for crew{n}."))
        other = f"Bridge{n} over river{n} is shut while valley{n} is under flood{n} at {topic}"
        add(desk, (f"project_{slug}_dawn", "thread", other, f"{other}, told port{n}."))
        add(desk, (f"project_{slug}_flood", "thread", other, f"{other}, as port{n} told."))
        third = f"Remember kiosk{n} keeps lantern{n} beside gate{n} by {topic}"
        for suffix in ("x", "y", "z"):
            add(desk, (f"negative_{slug}_{suffix}", "anchor", third, third + "."))


@pytest.mark.timeout(180)
async def test_a_reviewer_empties_thirty_groups_by_keyboard_alone(
    make_app: MakeApp, settle: Settle, tmp_path: Path
) -> None:
    with open_at(tmp_path / "thirty", NOW - timedelta(days=1)) as desk:
        desk.add_workspace("me")
        plant_thirty(desk)
    app: Any = make_app(tmp_path / "thirty", pane="conflicts")
    pressed = decisions = 0
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        assert len(groups(app)) == 30
        while groups(app):
            before = len(groups(app))
            group = pane_of(app)._group(pane_of(app).list.cursor_key)
            assert group is not None and decisions < 60
            keys = KEYS[str(group.lane)]
            keys = keys[:1] if len(group.members) == 1 else keys
            await press(pilot, settle, *keys)
            pressed += len(keys)
            decisions += 1
            assert len(groups(app)) < before, message(app)
            shown = {hit.entry_row.id for i in group.ids[:1] for hit in app.live.desk.search(
                app.live.desk.store.entry(i).body.split()[-2], workspace="me", limit=50).hits}  # fmt: skip
            live = [i for i in group.ids if app.live.desk.store.entry(i).state == "active"]
            assert live and not (set(group.ids) - set(live)) & shown
        assert "nothing says the same twice" in screen_text(app)
    print(f"\n{pressed} keys for {decisions} decisions: {pressed / decisions:.2f} keys a decision")
    assert pressed / decisions <= 2
