"""A desk on the past: exactly what the fold of the log up to then says, in every reading, and read-only (issue 4)."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from memdesk.core.config import Config
from memdesk.core.desk import Actor, Desk
from memdesk.core.errors import CannotUndo, MemdeskError, NotFound, StoreUnusable, UsageError
from memdesk.core.events import Clock
from memdesk.core.hosts import Hosts
from memdesk.core.model import SUPERSEDES, Status
from memdesk.core.moments import Moment, memory_at
from memdesk.core.store import Store

from .conftest import NOON

MINUTE = 60_000


def do_something(desk: Desk, rng: random.Random, number: int) -> None:
    """One verb on the few entries there are."""
    names = [f"project_{i}" for i in range(5)]
    name, other = rng.sample(names, 2)
    verbs: list[Callable[[], Any]] = [
        lambda: desk.add(name=name, body=f"Body {number}.", description=f"d {number}", klass="thread", status="open",
                         workspace="lab"),
        lambda: desk.edit(name, fields={"body": f"Rewritten {number}.", "title": f"T{number}"}),
        lambda: desk.append(name, f"More {number}."),
        lambda: desk.reclassify(name, status=rng.choice(list(Status))),
        lambda: desk.edit(name, add_tags=[f"t{number % 3}"], rm_tags=[f"t{(number + 1) % 3}"]),
        lambda: desk.link(name, rng.choice(["related_to", "child_of", SUPERSEDES]), other, force=True),
        lambda: desk.delete(name),
        lambda: desk.restore(name),
        lambda: desk.undo(),
        lambda: desk.redo(),
    ]  # fmt: skip
    try:
        rng.choice(verbs)()
    except MemdeskError:
        return  # what a rule refuses changes nothing


@pytest.mark.parametrize("seed", range(6))
def test_the_past_is_exactly_the_fold_of_what_had_happened(desk: Desk, seed: int) -> None:
    rng = random.Random(seed)
    for number in range(60):
        do_something(desk, rng, number)
    events = list(desk.store.events())
    for row in desk.log(limit=None)[::5]:
        moment = desk.moment(row.op_id)
        memory = memory_at(events, moment)
        with desk.as_of(moment) as past:
            assert past.store.check() == []  # its tables equal the fold of its own log
            stored = {e.id: e for e in past.store.entries_of(memory.entries)}
            assert {i: replace(e, telemetry=f.entry.telemetry) for (i, f), e in zip(
                memory.entries.items(), (stored[i] for i in memory.entries), strict=True
            )} == {i: f.entry for i, f in memory.entries.items()}
            assert {e.key for e in past.store.edges()} == {k for k, s in memory.edges.items() if s.present}
            assert [r.op_id for r in past.log(limit=None)] == [
                r.op_id for r in desk.log(limit=None) if r.op_id <= row.op_id
            ]
            for entry_id in memory.entries:
                versions = past.history(entry_id)[1]
                now = desk.history(entry_id)[1]
                assert [v.event_id for v in versions] == [v.event_id for v in now if v.event_id <= moment.floor]
    assert desk.store.check() == []


def test_every_reading_works_on_the_past_and_every_write_is_refused(desk: Desk) -> None:
    desk.add(name="project_x", body="Old words.", description="Why", klass="thread", status="open", workspace="lab")
    then = desk.log(1)[0].op_id
    desk.edit("project_x", fields={"body": "New words."})
    desk.reclassify("project_x", status="closed")
    with desk.as_of(then) as past:
        assert past.looks_at is not None and past.looks_at.op_id == then
        assert past.show("project_x").entry.body == "Old words."
        assert [e.status for e in past.list_entries(status="open").entries()] == ["open"]
        assert [h.entry_row.name for h in past.search("old").hits] == ["project_x"]
        assert past.search("new").hits == ()
        assert [i.row.name for i in past.get_relevant("lab").items] == ["project_x"]
        for write in (
            lambda: past.append("project_x", "x"), lambda: past.undo(), lambda: past.delete("project_x"),
            lambda: past.add(name="project_y", body="x", workspace="lab"), lambda: past.mark_visit(),
        ):  # fmt: skip
            with pytest.raises(StoreUnusable) as refused:
                write()
            assert refused.value.stable_code == "past_read_only"
    assert desk.looks_at is None
    assert desk.show("project_x").entry.body == "New words."


def test_the_past_is_not_written_to_disk(desk: Desk, store: Store) -> None:
    desk.add(name="atom_x", body="A text to look for.", workspace="lab")
    files = sorted(p.name for p in store.folder.rglob("*"))
    with desk.as_of("now"):
        assert sorted(p.name for p in store.folder.rglob("*")) == files


def test_what_was_erased_since_is_not_in_the_past(desk: Desk) -> None:
    entry = desk.add(name="atom_x", body="A secret to look for.", workspace="lab").entry
    then = desk.log(1)[0].op_id
    desk.erase(entry.id, f"DELETE {entry.id}")
    with desk.as_of(then) as past:
        assert past.store.entry(entry.id) is None
        assert past.search("secret").hits == ()


WHEN: list[tuple[str, int | None]] = [
    ("2026-09-21", None), ("2026-09-21T14:30", None), ("2026-09-21 14:30:05.5", None),
    ("2026-09-21T14:30:00+02:00", None), ("2026-09-21T14:30:00Z", None), ("90m", 90), ("3h", 180), ("2 days", 2880),
    ("1w ago", 10080), ("5 minutes ago", 5), ("now", 0),
]  # fmt: skip


@pytest.mark.parametrize(("when", "minutes"), WHEN, ids=[w for w, _ in WHEN])
def test_a_moment_is_named_by_a_time_or_by_how_long_ago(tmp_path: Path, when: str, minutes: int | None) -> None:
    with Store.open(tmp_path / "s", clock=Clock(lambda: NOON)) as store:
        moment = Desk(store, Actor("user:ana"), Hosts(store), Config()).moment(when)
    assert moment.words == when and moment.ms is not None
    if minutes is not None:
        assert moment.ms == NOON - minutes * MINUTE


def test_a_day_means_its_end_and_a_time_without_a_zone_is_utc(desk: Desk) -> None:
    assert desk.moment("2026-09-21").timestamp == "2026-09-21T23:59:59.999Z"
    assert desk.moment("2026-09-21 14:30").timestamp == "2026-09-21T14:30:00.000Z"
    assert desk.moment("2026-09-21T14:30+02:00").timestamp == "2026-09-21T12:30:00.000Z"


@pytest.mark.parametrize(
    "when", ["", "yesterday-ish", "2026-13-45", "2026-09-21T99:00", "d", "-3h", "9999999h", "2026-09-21T14:30 x"]
)
def test_what_is_no_moment_is_refused_in_plain_words(desk: Desk, when: str) -> None:
    with pytest.raises(UsageError) as refused:
        desk.moment(when)
    assert refused.value.hint


def test_an_unknown_operation_is_not_found(desk: Desk) -> None:
    with pytest.raises(NotFound):
        desk.moment("op_01JABCDEFG")


# -- the difference between two moments ----------------------------------------------------------------------------


@pytest.fixture
def story(desk: Desk) -> list[str]:
    """Operations of a small story, oldest first."""
    desk.add(name="project_x", body="One.", description="Why", klass="thread", status="open", workspace="lab")
    desk.add(name="atom_y", body="Y.", description="Why", workspace="me")
    desk.edit("project_x", fields={"body": "Two."})
    desk.link("project_x", "child_of", "atom_y")
    desk.reclassify("project_x", status="closed")
    desk.delete("atom_y")
    return [r.op_id for r in reversed(desk.log(limit=None))]


def kinds(desk: Desk, *moments: str, **given: Any) -> dict[str, tuple[str, ...]]:
    return {c.entry.name: c.kinds for c in desk.changed_between(*moments, **given)[0]}


def test_what_changed_between_two_moments_and_since_one(desk: Desk, story: list[str]) -> None:
    assert kinds(desk, story[0], story[2]) == {"project_x": ("reworded",), "atom_y": ("added",)}
    assert kinds(desk, story[2], story[0]) == kinds(desk, story[0], story[2])  # in any order
    assert kinds(desk, story[2], story[3]) == {"project_x": ("relinked",), "atom_y": ("relinked",)}
    assert kinds(desk, story[3]) == {"project_x": ("moved",), "atom_y": ("retired",)}
    assert kinds(desk, story[3], workspace="me") == {"atom_y": ("retired",)}
    assert kinds(desk, story[-1]) == {}


def test_an_undo_is_a_change_too_and_what_came_and_went_between_is_none(desk: Desk, story: list[str]) -> None:
    desk.undo()
    assert kinds(desk, story[-1]) == {"atom_y": ("brought back",)}
    desk.add(name="atom_z", body="Z.", workspace="me")
    desk.undo()
    assert kinds(desk, story[-1]) == {"atom_y": ("brought back",)}


@pytest.mark.parametrize("seed", range(4))
def test_the_difference_is_the_one_between_the_two_desks(desk: Desk, seed: int) -> None:
    rng = random.Random(seed + 50)
    for number in range(40):
        do_something(desk, rng, number)
    ops = [r.op_id for r in desk.log(limit=None)]
    since, until = sorted(rng.sample(ops, 2))
    changes, _ = desk.changed_between(since, until)
    with desk.as_of(since) as one, desk.as_of(until) as other:
        everything = {e.id for d in (one, other) for e in d.list_entries(status="all").entries()}
        for entry_id in everything - {c.entry.id for c in changes}:
            ours, theirs = one.store.entry(entry_id), other.store.entry(entry_id)
            assert ours is not None and theirs is not None
            assert (ours.body, ours.title, ours.tags, ours.state, ours.status) == (
                theirs.body, theirs.title, theirs.tags, theirs.state, theirs.status,
            )  # fmt: skip
            assert one.store.edges_of(entry_id) == other.store.edges_of(entry_id)


# -- walking to an operation ---------------------------------------------------------------------------------------


def bare(desk: Desk) -> dict[str, Any]:
    """What is shown, without who and when."""
    entries = {e.id: (e.body, e.title, e.tags, e.state, e.status, e.klass, e.name) for e in
               desk.store.entries_of([i for i, in desk.store.db.execute("SELECT id FROM entries")])}  # fmt: skip
    gone = desk.store.undone_creations(entries)
    return {"entries": {i: v for i, v in entries.items() if i not in gone},
            "edges": {e.key for e in desk.store.edges()}}  # fmt: skip


@pytest.mark.parametrize("seed", range(5))
def test_a_walk_does_exactly_what_it_showed(desk: Desk, seed: int) -> None:
    rng = random.Random(seed + 200)
    for number in range(40):
        do_something(desk, rng, number)
    live = [r for r in desk.log(limit=None) if r.undone_by is None and r.undoes is None]
    goal = rng.choice(live)
    walk = desk.walk_to(goal.op_id)
    if not walk.able:
        return
    before = bare(desk)
    receipt = desk.go(walk)
    assert len(receipt.warnings) >= len(walk.refused)
    for change in walk.changes:
        stands = desk.store.entry(change.entry.id)
        if change.after is not None:
            assert stands is not None
            assert (stands.body, stands.title, stands.state, stands.tags) == (
                change.after.body, change.after.title, change.after.state, change.after.tags,
            )  # fmt: skip
    changed = {c.entry.id for c in walk.changes}
    after = bare(desk)
    assert {i: v for i, v in before["entries"].items() if i not in changed} == {
        i: v for i, v in after["entries"].items() if i not in changed
    }
    if not walk.refused:
        with desk.as_of(goal.op_id) as past:
            assert bare(past) == after
        assert desk.walk_to(goal.op_id).steps == ()


def test_back_to_an_operation_and_forth_again(desk: Desk, story: list[str]) -> None:
    end = bare(desk)
    walk = desk.walk_to(story[2])
    assert walk.verb == "undo"
    assert [s.operation.op_id for s in walk.steps] == story[:2:-1]
    assert {c.entry.name: c.kinds for c in walk.changes} == {
        "project_x": ("moved", "relinked"), "atom_y": ("brought back", "relinked"),
    }  # fmt: skip
    before = bare(desk)
    assert before == end  # looking changed nothing
    receipt = desk.go(walk)
    assert receipt.summary.count("Undid") == 3
    with desk.as_of(story[2]) as past:
        assert bare(past) == bare(desk)
    forth = desk.walk_to(story[-1])
    assert forth.verb == "redo" and len(forth.able) == 3
    desk.go(forth)
    assert bare(desk) == end
    assert desk.walk_to(story[-1]).steps == ()
    with pytest.raises(CannotUndo) as nothing:
        desk.go(desk.walk_to(story[-1]))
    assert nothing.value.stable_code == "nothing_to_undo"


def test_a_walk_names_what_stays_and_who_stands_on_it(desk: Desk, agent: Desk, story: list[str]) -> None:
    agent.append("project_x", "By the agent.")
    desk.edit("project_x", fields={"title": "Mine"})
    walk = desk.walk_to(story[1])
    stays = {s.says: s.refusal for s in walk.refused}
    assert list(stays) == ["Edited the body of project_x"] or len(stays) == 1
    (refusal,) = stays.values()
    assert refusal is not None and "agent:one at 2026-" in refusal.message
    receipt = desk.go(walk)
    assert any("agent:one" in w for w in receipt.warnings)
    entry = desk.store.lookup("project_x")[0]
    assert entry.body == "Two.\n\nBy the agent." and entry.title is None
    everybody = desk.walk_to(story[1], everybody=True)
    assert everybody.refused == []
    desk.go(everybody)
    assert desk.store.lookup("project_x")[0].body == "One."


def test_an_agent_cannot_walk_over_what_others_did(desk: Desk, agent: Desk, story: list[str]) -> None:
    assert agent.walk_to(story[0]).steps == ()
    with pytest.raises(MemdeskError):
        agent.go(agent.walk_to(story[0], everybody=True))
    assert desk.store.lookup("project_x")[0].status == "closed"


def test_what_stays_for_one_reason_is_told_once(desk: Desk, agent: Desk, story: list[str]) -> None:
    agent.append("project_x", "By the agent.")
    receipt = agent.go(agent.walk_to(story[0], everybody=True))
    left = [w for w in receipt.warnings if "Only a person may undo" in w]
    assert len(left) == 1 and left[0].startswith(f"{len(story) - 1} operations are left as they are: ")


def test_the_preview_of_one_undo(desk: Desk, story: list[str]) -> None:
    walk = desk.preview_undo(story[2])
    assert [c.kinds for c in walk.changes] == [("reworded",)]
    assert walk.refused == []
    erased = desk.store.lookup("project_x")[0].id
    desk.erase(erased, f"DELETE {erased}")
    assert "erase" in str(desk.preview_undo(desk.log(1)[0].op_id).refused[0].refusal)


def test_clocks_of_two_machines(tmp_path: Path) -> None:
    """A moment takes in what another machine had written by then, whenever it arrived."""
    ticks = [itertools.count(NOON + n * 500, 1000) for n in (0, 1)]
    stores = [Store.open(tmp_path / str(n), clock=Clock(lambda t=t: next(t))) for n, t in enumerate(ticks)]
    try:
        one, other = (Desk(s, Actor(f"user:{n}"), Hosts(s), Config()) for n, s in enumerate(stores))
        one.add(name="atom_one", body="1", workspace="w", create_workspace=True)
        other.add(name="atom_other", body="2", workspace="w", create_workspace=True)
        one.add(name="atom_late", body="3", workspace="w")
        late = one.log(1)[0]
        stores[0].receive(stores[1].events())
        with one.as_of(Moment(event_id=one.moment(late.op_id).event_id)) as past:
            assert {e.name for e in past.list_entries().entries()} == {"atom_one", "atom_other", "atom_late"}
    finally:
        for store in stores:
            store.close()
