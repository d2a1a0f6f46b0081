"""What of a log counts: undo chains, decisions, quarantine, host facts, erases (DESIGN 3.2, 3.3, 3.5)."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pen import Pen

from memdesk.core.events import DECISION, EDIT, PURGE_EXECUTED, QUARANTINE, Event, tombstone
from memdesk.core.standing import (
    Standing,
    canonical,
    chain,
    liveness,
    losing_decisions,
    prefer,
    shadow,
    standing_of,
)

# -- undo chains --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("undoes", "dead", "undoing"),
    [
        ({"1": None}, "", ""),
        ({"1": None, "2": "1"}, "1", "2"),
        ({"1": None, "2": "1", "3": "2"}, "2", "23"),
        ({"1": None, "2": "1", "3": "2", "4": "3"}, "13", "234"),
        ({"1": None, "2": "1", "3": "1"}, "1", "23"),
        ({"1": None, "2": "1", "3": "1", "4": "2"}, "12", "234"),
        ({"2": "1"}, "1", "2"),
        ({"1": "2", "2": None}, "", "1"),
        ({"1": "1"}, "", "1"),
        ({"1": "2", "2": "1"}, "1", "12"),
    ],
)
def test_an_operation_is_dead_iff_a_live_one_undoes_it(undoes: dict[str, str | None], dead: str, undoing: str) -> None:
    assert liveness(undoes) == (set(dead), set(undoing))


def test_a_chain_names_what_an_operation_undoes_in_turn_and_ends_in_a_circle() -> None:
    assert chain("3", {"3": "2", "2": "1"}) == ["3", "2", "1"]
    assert chain("1", {}) == ["1"]
    assert chain("1", {"1": "2", "2": "1"}) == ["1", "2"]


def test_the_undo_of_a_losing_decision_undoes_nothing() -> None:
    pen = Pen()
    pen.create("A")
    edit = pen.edit("A", title="t1")
    with pen.operation("approve"):
        pen.put(DECISION, request_id="r", outcome="rejected", base=[])
    with pen.operation("undo", undoes=edit.op_id):
        pen.put(DECISION, request_id="r", outcome="approved", base=[])
    assert standing_of(pen.log.values()).dead == set()


# -- decisions ----------------------------------------------------------------------------------------------------


def decisions(*bases: list[int], request: str = "r") -> list[Event]:
    pen = Pen()
    made: list[Event] = []
    for base in bases:
        made.append(pen.put(DECISION, request_id=request, outcome="approved", base=[made[i].event_id for i in base]))
    return made


@pytest.mark.parametrize(
    ("bases", "losers"),
    [
        ([[]], []),
        ([[], []], [1]),
        ([[], [0]], []),
        ([[], [], [0]], [1]),
        ([[], [], [0, 1]], [1]),
        ([[], [0], [0]], [2]),
        ([[], [0], [0, 1]], []),
    ],
)
def test_a_decision_loses_to_a_smaller_one_that_stands_and_that_it_had_not_seen(
    bases: list[list[int]], losers: list[int]
) -> None:
    made = decisions(*bases)
    expected = {made[i].event_id for i in losers}
    assert losing_decisions(made) == expected
    assert losing_decisions(reversed(made)) == expected


def test_decisions_on_different_requests_and_on_none_do_not_compete() -> None:
    one, other = decisions([], request="a")[0], decisions([], request="b")[0]
    assert losing_decisions([one, replace(other, event_id="evt_Z")]) == set()
    pen = Pen()
    nothing = [pen.put(DECISION, outcome="approved", base=7) for _ in range(2)]
    assert losing_decisions(nothing) == set()


# -- quarantine and host facts ------------------------------------------------------------------------------------


def test_a_quarantined_event_is_ignored_whatever_it_is_and_in_either_spelling() -> None:
    pen = Pen()
    pen.create("A")
    edit, undo = pen.edit("A", title="t1"), pen.put("desk.operation", undoes="x")
    pen.put(QUARANTINE, event_ids=[edit.order, "junk", 7, undo.event_id])
    standing = standing_of(pen.log.values())
    assert standing.shadowed == {edit.event_id, undo.event_id}
    assert not standing.admits(edit) and not standing.counts(edit)
    assert pen.memory().entries["A"].entry.title is None


def test_no_quarantine_takes_an_erase_back() -> None:
    # Where it was carried out before the quarantine came, the text is gone: elsewhere it must go, too.
    pen = Pen()
    pen.create("A")
    erase = pen.put(PURGE_EXECUTED, memory_id="A")
    pen.put(QUARANTINE, event_ids=[erase.event_id])
    assert standing_of(pen.log.values()).erased == {"A"}
    assert pen.memory().entries == {}


def test_of_the_reports_of_one_host_fact_the_smallest_that_is_not_quarantined_stands() -> None:
    pen = Pen()
    first = pen.create("A", host_ref="h")
    second = pen.create("B", host_ref="h")
    third = pen.create("C", host_ref="h")
    standing = standing_of(pen.log.values())
    assert standing.shadowed == {second.event_id, third.event_id}
    assert standing.twins == {second.event_id: first.event_id, third.event_id: first.event_id}
    assert standing.aliases == {"B": "A", "C": "A"}
    pen.put(QUARANTINE, event_ids=[first.event_id])
    standing = standing_of(pen.log.values())
    assert standing.aliases == {"C": "B"}
    assert standing.twins == {third.event_id: second.event_id}


def test_only_creates_make_aliases_and_an_id_that_is_missing_makes_none() -> None:
    pen = Pen()
    one = pen.put(EDIT, memory_id="A", patch={}, host_ref="h")
    two = pen.put(EDIT, memory_id="B", patch={}, host_ref="h")
    standing = Standing()
    shadow(standing, one, two)
    shadow(standing, replace(one, type="memory.create"), replace(two, type="memory.create", payload={}))
    assert standing.aliases == {}


def test_aliases_are_followed_to_their_end_and_a_circle_ends() -> None:
    standing = Standing(aliases={"a": "b", "b": "c", "x": "y", "y": "x"})
    assert standing.real_id("a") == "c"
    assert standing.real_id("c") == "c"
    assert standing.real_id("x") == "x"


def test_what_is_erased_holds_the_id_named_and_the_one_that_stands_for_it() -> None:
    pen = Pen()
    pen.create("A", host_ref="h")
    pen.create("B", host_ref="h")
    pen.put(PURGE_EXECUTED, memory_id="B")
    assert standing_of(pen.log.values()).erased == {"A", "B"}


# -- counting -----------------------------------------------------------------------------------------------------


def test_an_undone_event_is_part_of_the_record_and_does_not_count() -> None:
    pen = Pen()
    pen.create("A")
    edit = pen.edit("A", title="t1")
    undo = pen.undo(pen.op_of(edit))
    standing = standing_of(pen.log.values())
    written = next(e for e in pen.log.values() if e.op_id == undo and e.type == EDIT)
    for event in (edit, written):
        assert standing.admits(event) and not standing.counts(event)


# -- one id, two contents -----------------------------------------------------------------------------------------


@given(st.randoms(use_true_random=False))
def test_which_of_several_contents_is_kept_does_not_depend_on_the_order(shuffle: random.Random) -> None:
    pen = Pen()
    pen.create("A")
    edit = pen.edit("A", title="a")
    copies = [edit] + [replace(edit, payload={**edit.payload, "patch": {"title": t}}) for t in "bcd"]
    expected = min(copies, key=Event.digest)
    shuffle.shuffle(copies)
    assert canonical(copies)[edit.event_id] == expected
    assert canonical([*copies, tombstone(copies[0])])[edit.event_id].erased


def test_prefer_gives_back_an_equal_event_itself() -> None:
    pen = Pen()
    edit = pen.put(EDIT, memory_id="A", patch={})
    assert prefer(edit, replace(edit)) is edit
