"""Moments and what changed between them, as plain values (DESIGN 3.2, 3.3, 3.4)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from pen import START_MS, Pen
from random_work import GROUPS, work

from memdesk.core.events import PURGE_EXECUTED, rfc3339, ulid_ms
from memdesk.core.fold import fold_all
from memdesk.core.model import CHILD_OF, SUPERSEDES
from memdesk.core.moments import Changed, Moment, Scene, difference, happened_ms, memory_at, sentence


def scene(pen: Pen, moment: Moment | None = None) -> Scene:
    memory = memory_at(pen.log.values(), moment) if moment else pen.memory()
    entries = {i: f.entry for i, f in memory.entries.items() if not f.creation_undone}
    return Scene(entries, [s.edge for s in memory.edges.values() if s.present])


def told(before: Scene, after: Scene) -> list[tuple[str, str]]:
    return [(c.entry.name, sentence(c, {"B": "atom_B"})) for c in difference(before, after)]


def test_a_moment_of_an_operation_is_everything_up_to_its_last_event() -> None:
    pen = Pen()
    pen.create("A", body="one")
    last = pen.edit("A", body="two")
    pen.edit("A", body="three")
    moment = Moment(event_id=last.event_id)
    assert scene(pen, moment).entries["A"].body == "two"
    assert moment.floor == last.event_id


def test_a_moment_of_a_time_takes_in_its_last_millisecond() -> None:
    pen = Pen()
    pen.create("A", body="one")
    pen.now = START_MS + 10_000
    pen.edit("A", body="two")
    assert scene(pen, Moment(ms=START_MS + 9_999)).entries["A"].body == "one"
    assert scene(pen, Moment(ms=START_MS + 10_000)).entries["A"].body == "two"
    assert scene(pen, Moment(ms=START_MS - 1)).entries == {}


def test_the_floor_of_a_time_is_below_every_event_that_had_not_happened() -> None:
    pen = Pen()
    events = []
    for step in range(4):
        pen.now = START_MS + step * 5
        events.append(pen.create(f"E{step}"))
    for ms in range(START_MS - 1, START_MS + 20):
        moment = Moment(ms=ms)
        for event in pen.log.values():
            assert (event.event_id < moment.floor) == moment.admits(event)


def test_what_a_host_told_counts_from_the_hosts_own_time() -> None:
    pen = Pen()
    event = pen.create("A", host_ref="gaia:x/memory/1")
    event = replace(event, timestamp="2020-01-02T00:00:00Z")
    assert rfc3339(happened_ms(event)) == "2020-01-02T00:00:00.000Z"
    ahead = replace(event, timestamp="2099-01-01T00:00:00Z")
    assert happened_ms(ahead) == ulid_ms(ahead.order)  # a clock of the host that runs ahead
    unknown = replace(event, timestamp="some day")
    assert happened_ms(unknown) == ulid_ms(unknown.order)


def test_what_was_erased_since_does_not_come_back() -> None:
    pen = Pen()
    kept = pen.create("A")
    pen.put(PURGE_EXECUTED, memory_id="A")
    assert memory_at(pen.log.values(), Moment(event_id=kept.event_id)).entries == {}


def test_an_undo_made_since_is_not_yet_there() -> None:
    pen = Pen()
    pen.create("A", title="old")
    edit = pen.edit("A", title="new")
    pen.undo(pen.op_of(edit))
    assert pen.memory().entries["A"].entry.title == "old"
    assert scene(pen, Moment(event_id=edit.event_id)).entries["A"].title == "new"


def _change(name: str, pen: Pen) -> None:
    match name:
        case "reword":
            pen.edit("A", description="new", body="first and more")
        case "move":
            pen.edit("A", status="closed")
        case "rename":
            pen.edit("A", name="atom_new", initiative="x")
        case "tag":
            pen.edit("A", add=["t"])
        case "delete":
            pen.delete("A")
        case "supersede":
            pen.link("B", SUPERSEDES, "A")
        case "link":
            pen.link("A", CHILD_OF, "B")
        case "create":
            pen.create("C")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("reword", [("atom_A", "reworded: description, text (+180 %)")]),
        ("move", [("atom_A", "from “Open threads” to “Closed”")]),
        ("rename", [("atom_new", "name atom_A → atom_new; initiative none → x")]),
        ("tag", [("atom_A", "tagged t")]),
        ("delete", [("atom_A", "retired")]),
        (
            "supersede",
            [("atom_A", "retired; is replaced by atom_B"), ("atom_B", "replaces A")],
        ),
        ("link", [("atom_A", "is part of atom_B"), ("atom_B", "has the part A")]),
        ("create", [("atom_C", "added")]),
    ],
)
def test_each_kind_of_change_in_words_and_its_way_back(name: str, expected: list[tuple[str, str]]) -> None:
    pen = Pen()
    pen.create("A", klass="thread", status="open")
    pen.create("B")
    before = scene(pen)
    _change(name, pen)
    after = scene(pen)
    assert told(before, after) == expected
    assert {c.entry.id for c in difference(after, before)} == {c.entry.id for c in difference(before, after)}


def test_a_removed_link_is_told_in_the_words_that_it_had() -> None:
    pen = Pen()
    pen.create("A")
    pen.create("B")
    pen.link("A", CHILD_OF, "B")
    before = scene(pen)
    pen.unlink("A", CHILD_OF, "B")
    assert told(before, scene(pen))[0] == ("atom_A", "no longer: is part of atom_B")


def test_brought_back_is_told_and_nothing_is_told_of_equal_scenes() -> None:
    pen = Pen()
    pen.create("A")
    pen.delete("A")
    before = scene(pen)
    assert difference(before, before) == []
    pen.edit("A", state="active")
    assert told(before, scene(pen)) == [("atom_A", "brought back")]


def _redone(before: Scene, changes: list[Changed]) -> tuple[dict[str, Any], set[Any]]:
    """The second scene, made from the first and what changed."""
    entries = dict(before.entries)
    edges = {e.key for e in before.edges}
    for change in changes:
        if change.after is None:
            entries.pop(change.entry.id)
        else:
            entries[change.entry.id] = change.after
        edges |= {e.key for e in change.linked}
        edges -= {e.key for e in change.unlinked}
    return entries, edges


def _shown(entries: Any) -> dict[str, Any]:
    """Without who and when, which make no difference of their own."""
    bare = {"updated_at": None, "last_edited_by": "", "edit_count": 0, "created_at": None, "display_name": ""}
    return {i: replace(e, **bare) for i, e in entries.items()}


@settings(max_examples=100, deadline=None)
@given(GROUPS, GROUPS)
def test_the_difference_of_two_moments_leads_from_one_to_the_other(first: Any, second: Any) -> None:
    pen = Pen()
    work(pen, first)
    start = max(pen.log, default="evt_")
    before = scene(pen)
    work(pen, second)
    after = scene(pen)
    assert scene(pen, Moment(event_id=start)) == before
    entries, edges = _redone(before, difference(before, after))
    assert _shown(entries) == _shown(after.entries)
    assert edges == {e.key for e in after.edges}
    assert fold_all(pen.log.values()).entries.keys() >= after.entries.keys()
