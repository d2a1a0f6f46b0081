"""Two people who decide the same request while apart: one outcome everywhere, and the other is told (DESIGN 3.3, 4)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memdesk.core.config import Config
from memdesk.core.desk import Actor, Desk, Role
from memdesk.core.errors import CannotUndo, InvalidValue, NeedsApproval
from memdesk.core.events import Clock
from memdesk.core.hosts import Hosts
from memdesk.core.store import Store

from .conftest import NOON


class Apart:
    """Ana and Bo, each at a store of their own; Ana's holds the request of an agent, and Bo's a copy of it."""

    def __init__(self, folder: Path) -> None:
        ticks = itertools.count(NOON, 1000)
        self.stores = [Store.open(folder / who, clock=Clock(lambda: next(ticks))) for who in ("ana", "bo")]
        self.ana, self.bo = (
            Desk(store, Actor(f"user:{who}", on_terminal=True), Hosts(store), Config())
            for store, who in zip(self.stores, ("ana", "bo"), strict=True)
        )
        for store in self.stores:
            store.add_workspace("lab")
        self.agent = Desk(self.stores[0], Actor("agent:one", Role.ORCHESTRATOR), Hosts(self.stores[0]), Config())
        self.entry = self.ana.add(name="atom_a", body="Old.", description="a", workspace="lab").entry
        with pytest.raises(NeedsApproval) as asked:
            self.agent.edit("atom_a", fields={"body": "New."})
        self.request_id = str(asked.value.extra["request_id"])
        self.exchange("ana first")

    def exchange(self, order: str) -> None:
        ways = [(0, 1), (1, 0)]
        for source, target in ways if order == "ana first" else ways[::-1]:
            events = list(self.stores[source].events())
            self.stores[target].receive(events if order == "ana first" else events[::-1], batch=3)

    def decide(self, desk: Desk, how: str) -> Any:
        desk.mark_request_shown(desk.request(self.request_id))
        return {
            "approves": lambda: desk.approve(self.request_id),
            "approves an edit": lambda: desk.approve(self.request_id, edited={"body": f"{desk.actor.name}'s."}),
            "rejects": lambda: desk.reject(self.request_id, f"{desk.actor.name} says no."),
            "withdraws": lambda: desk.withdraw(self.request_id, "Not needed."),
        }[how]()  # fmt: skip


BODY = {"approves": "New.", "approves an edit": "user:ana's.", "rejects": "Old.", "withdraws": "Old."}
STATUS = {"approves": "approved", "approves an edit": "approved", "rejects": "rejected", "withdraws": "withdrawn"}


@pytest.fixture
def apart(tmp_path: Path) -> Iterator[Apart]:
    made = Apart(tmp_path)
    yield made
    for store in made.stores:
        assert store.check() == []
        store.close()


@pytest.mark.parametrize("order", ["ana first", "bo first"])
@pytest.mark.parametrize("second", BODY)
@pytest.mark.parametrize("first", BODY)
def test_the_first_decision_stands_and_the_second_is_told(apart: Apart, first: str, second: str, order: str) -> None:
    apart.decide(apart.ana, first)
    lost = apart.decide(apart.bo, second)
    assert apart.bo.overruled() == (), "nobody knows yet"
    apart.exchange(order)
    apart.exchange(order)
    for desk in (apart.ana, apart.bo):
        row = desk.request(apart.request_id)
        assert (row.status, row.decided_by) == (STATUS[first], "user:ana")
        assert desk.find("atom_a").body == BODY[first]
        assert desk.logged(lost.op_id).ignored
        assert desk.request_state(row) == STATUS[first]
    assert apart.ana.overruled() == ()
    (told,) = apart.bo.overruled()
    assert (told.row.request_id, told.mine_by, told.mine_outcome) == (apart.request_id, "user:bo", STATUS[second])
    assert (told.stands_outcome, told.stands_by) == (STATUS[first], "user:ana")
    assert told.stands_reason == (apart.ana.request(apart.request_id).reason or "")
    assert f"user:ana had {STATUS[first]} it first" in told.sentence and "user:bo" in told.sentence
    assert apart.ana.overruled_on(apart.ana.request(apart.request_id)) == (told,), "whoever reads the request sees it"
    with pytest.raises(CannotUndo):
        apart.bo.undo(lost.op_id)
    apart.bo.acknowledge_overruled(apart.request_id)
    assert apart.bo.overruled() == ()
    assert apart.bo.overruled_on(apart.bo.request(apart.request_id)) == (told,)


def test_who_lost_on_two_machines_reads_it_once(apart: Apart) -> None:
    away = Desk(apart.stores[0], Actor("user:bo", on_terminal=True), Hosts(apart.stores[0]), Config())
    apart.bo.store.receive(list(apart.stores[0].events()))
    with Store.open(apart.stores[0].folder.parent / "cy", clock=apart.stores[1].clock) as third:
        third.add_workspace("lab")
        third.receive(list(apart.stores[0].events()))
        there = Desk(third, Actor("user:bo", on_terminal=True), Hosts(third), Config())
        apart.decide(apart.ana, "rejects")
        apart.decide(apart.bo, "approves")
        apart.decide(there, "approves")
        for store in (apart.stores[1], third):
            apart.stores[0].receive(list(store.events()))
    assert len(away.overruled()) == away.status().overruled == 2
    away.acknowledge_overruled(apart.request_id)
    assert away.overruled() == () and away.status().overruled == 0


@pytest.mark.parametrize("order", ["ana first", "bo first"])
def test_a_redo_elsewhere_beside_another_decision_leaves_one_outcome(apart: Apart, order: str) -> None:
    apart.decide(apart.ana, "approves")
    apart.ana.undo()
    apart.exchange(order)
    apart.decide(apart.bo, "rejects")
    apart.ana.redo()
    apart.exchange(order)
    for desk in (apart.ana, apart.bo):
        assert desk.request(apart.request_id).status == "approved", "what was carried out stands"
        assert desk.find("atom_a").body == "New."


@pytest.mark.parametrize("order", ["ana first", "bo first"])
def test_once_the_decision_that_stands_is_undone_anybody_may_decide_again(apart: Apart, order: str) -> None:
    apart.decide(apart.ana, "rejects")
    apart.decide(apart.bo, "approves")
    apart.exchange(order)
    apart.ana.undo()
    apart.exchange(order)
    (told,) = apart.bo.overruled()
    assert (told.stands_outcome, told.stands_by) == ("pending", None) and "waits again" in told.sentence
    for desk in (apart.ana, apart.bo):
        assert desk.request_state(desk.request(apart.request_id)) == "ready"
        assert desk.find("atom_a").body == "Old."
    apart.decide(apart.bo, "approves")
    apart.exchange(order)
    for desk in (apart.ana, apart.bo):
        assert desk.request(apart.request_id).decided_by == "user:bo"
        assert desk.find("atom_a").body == "New."


def test_who_took_its_decision_back_before_is_not_told(apart: Apart) -> None:
    apart.decide(apart.ana, "rejects")
    apart.decide(apart.bo, "approves")
    apart.bo.undo()
    apart.exchange("ana first")
    assert apart.bo.overruled() == ()
    assert apart.bo.request(apart.request_id).status == "rejected" and apart.bo.find("atom_a").body == "Old."


@pytest.mark.parametrize("order", ["ana first", "bo first"])
def test_a_wording_that_came_from_elsewhere_after_the_approval_changes_nothing(apart: Apart, order: str) -> None:
    apart.decide(apart.ana, "approves")
    apart.bo.edit_request(apart.request_id, {"body": "Reworded by Bo."})
    apart.exchange(order)
    for desk in (apart.ana, apart.bo):
        row = desk.request(apart.request_id)
        assert (row.status, desk.request_texts(row)) == ("approved", {"body": "New."})
        assert desk.find("atom_a").body == "New."
    with pytest.raises(InvalidValue):
        apart.bo.approve(apart.request_id)
    apart.ana.undo()
    apart.exchange(order)
    for desk in (apart.ana, apart.bo):
        row = desk.request(apart.request_id)
        assert (row.status, row.revised_by, desk.request_texts(row)) == (
            "pending", "user:bo", {"body": "Reworded by Bo."},
        )  # fmt: skip


@pytest.mark.parametrize("order", ["ana first", "bo first"])
def test_of_two_wordings_made_apart_the_newest_holds_for_both(apart: Apart, order: str) -> None:
    apart.ana.edit_request(apart.request_id, {"body": "Ana's."})
    apart.bo.edit_request(apart.request_id, {"body": "Bo's."})
    apart.exchange(order)
    rows = [desk.request(apart.request_id) for desk in (apart.ana, apart.bo)]
    assert rows[0] == rows[1]
    assert apart.ana.request_texts(rows[0]) == {"body": "Bo's."}


def test_the_agent_reads_the_outcome_wherever_it_was_decided(apart: Apart) -> None:
    apart.decide(apart.bo, "rejects")
    apart.exchange("bo first")
    row = apart.agent.request(apart.request_id)
    assert (row.status, row.reason, row.decided_by) == ("rejected", "user:bo says no.", "user:bo")
