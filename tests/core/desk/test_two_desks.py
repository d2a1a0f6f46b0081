"""Two people on two machines that exchange events between steps: what undo restores, spares and says (issue 4)."""

from __future__ import annotations

import itertools
import shutil
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from memdesk.core.config import Config
from memdesk.core.desk import Actor, Desk
from memdesk.core.errors import CannotUndo, MemdeskError
from memdesk.core.events import APPEND, CREATE, DELETE, EDGE_ADD, EDGE_REMOVE, EDIT, OPERATION, Clock, Event
from memdesk.core.fold import fold_all, written
from memdesk.core.hosts import Hosts
from memdesk.core.model import CHILD_OF, RELATED_TO, SUPERSEDES
from memdesk.core.store import Store

from .conftest import NOON

NAMES = ("project_a", "project_b", "project_c")
WHO = st.integers(0, 1)
NAME = st.sampled_from(NAMES)
WORD = st.sampled_from(["red", "green", "blue"])


def shown(entries: Iterable[Any], edges: Iterable[Any]) -> dict[str, Any]:
    """What a reader sees, without who and when."""
    return {
        "entries": {
            e.id: (e.name, e.klass, e.status, e.state, e.title, e.description, e.body, e.tags) for e in entries
        },
        "edges": {e.key for e in edges},
    }  # fmt: skip


def as_stored(store: Store) -> dict[str, Any]:
    ids = [i for (i,) in store.db.execute("SELECT id FROM entries WHERE creation_undone = 0")]
    return shown(store.entries_of(ids), store.edges())


def without(events: Iterable[Event], dropped: set[str]) -> dict[str, Any]:
    """The plain fold, which knows nothing of undo, without these operations.

    What an operation had seen stays known: a write that is dropped keeps its `base` and writes nothing.
    """
    kept: list[Event] = []
    gone: set[str | None] = set()
    for event in events:
        if event.op_id not in dropped:
            kept.append(replace(event, payload={**event.payload, "undoes": None}) if event.type == OPERATION else event)
        elif event.type == CREATE:
            gone.add(event.memory_id)
        elif event.type in (EDIT, APPEND):
            base = event.payload.get("base")
            base = {"body": base} if event.type == APPEND else base
            bare = {"memory_id": event.memory_id, "patch": {}} | ({"base": base} if base else {"base": {}})
            kept.append(replace(event, type=EDIT, payload=bare))
    memory = fold_all(e for e in kept if e.memory_id not in gone or e.type in (EDGE_ADD, EDGE_REMOVE))
    edges = [s.edge for s in memory.edges.values() if s.present]
    return shown((f.entry for f in memory.entries.values()), edges)


class TwoDesks(RuleBasedStateMachine):
    """Ana and Bob, each at a store of their own."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="two-desks-"))
        ticks = itertools.count(NOON, 1000)
        self.stores = [Store.open(self.folder / who, clock=Clock(lambda: next(ticks))) for who in ("ana", "bob")]
        for store in self.stores:
            store.add_workspace("lab")
        self.desks = [
            Desk(store, Actor(f"user:{who}"), Hosts(store), Config())
            for store, who in zip(self.stores, ("ana", "bob"), strict=True)
        ]

    def teardown(self) -> None:
        try:
            self.undo_everything()
        finally:
            for store in self.stores:
                store.close()
            shutil.rmtree(self.folder, ignore_errors=True)

    # -- steps ----------------------------------------------------------------------------------------------------

    @initialize()
    def begin(self) -> None:
        for name in NAMES[:2]:
            self.desks[0].add(name=name, body="First.", klass="thread", status="open", workspace="lab")
        self.exchange()

    def attempt(self, call: Any) -> None:
        try:
            call()
        except MemdeskError:
            return  # a rule refused it; nothing changed

    @rule(who=WHO, name=NAME, word=WORD)
    def add(self, who: int, name: str, word: str) -> None:
        self.attempt(lambda: self.desks[who].add(name=name, body=word, klass="thread", workspace="lab"))

    @rule(who=WHO, name=NAME, field=st.sampled_from(["title", "description", "body"]), word=WORD)
    def edit(self, who: int, name: str, field: str, word: str) -> None:
        self.attempt(lambda: self.desks[who].edit(name, fields={field: word}))

    @rule(who=WHO, name=NAME, word=WORD)
    def append(self, who: int, name: str, word: str) -> None:
        self.attempt(lambda: self.desks[who].append(name, word))

    @rule(who=WHO, name=NAME, status=st.sampled_from(["open", "closed", "carry_forward"]))
    def reclassify(self, who: int, name: str, status: str) -> None:
        self.attempt(lambda: self.desks[who].reclassify(name, status=status))

    @rule(who=WHO, name=NAME, word=WORD, on=st.booleans())
    def tag(self, who: int, name: str, word: str, on: bool) -> None:
        given: dict[str, Any] = {"add_tags": [word]} if on else {"rm_tags": [word]}
        self.attempt(lambda: self.desks[who].edit(name, **given))

    @rule(who=WHO, name=NAME, on=st.booleans())
    def delete(self, who: int, name: str, on: bool) -> None:
        desk = self.desks[who]
        self.attempt(lambda: desk.delete(name) if on else desk.restore(name))

    @rule(who=WHO, a=NAME, b=NAME, kind=st.sampled_from([CHILD_OF, RELATED_TO, SUPERSEDES]), on=st.booleans())
    def link(self, who: int, a: str, b: str, kind: str, on: bool) -> None:
        desk = self.desks[who]
        self.attempt(lambda: desk.link(a, kind, b, force=True) if on else desk.unlink(a, kind, b))

    @rule(who=WHO)
    def sync(self, who: int) -> None:
        self.stores[who].receive(self.stores[1 - who].events())

    @rule(who=WHO)
    def redo(self, who: int) -> None:
        self.attempt(self.desks[who].redo)

    @rule(who=WHO, back=st.integers(0, 4))
    def undo_one(self, who: int, back: int) -> None:
        """Any operation, anybody's, with everything later on top of it."""
        rows = [r for r in self.desks[who].log(limit=None) if r.undone_by is None and r.undoes is None]
        if back < len(rows):
            self.take_back(self.desks[who], rows[back].op_id)

    # -- what must hold -------------------------------------------------------------------------------------------

    @invariant()
    def tables_equal_the_fold(self) -> None:
        for store in self.stores:
            assert store.check() == []

    def take_back(self, desk: Desk, op_id: str) -> bool:
        """Undo it, or see it refused; either way nobody else's later change is touched."""
        before = self.standing_values(desk, op_id)
        untouched = as_stored(desk.store)
        try:
            desk.undo(op_id)
        except CannotUndo as error:
            assert as_stored(desk.store) == untouched
            blockers = error.extra.get("blockers", [])
            for blocker in blockers:
                assert blocker["author"] and blocker["timestamp"]
            if blockers:
                first = min(blockers, key=lambda b: b["op_id"])
                assert f"{first['author']} at {first['timestamp']}" in error.message
            else:  # a rule of the graph, or something that is not undone at all
                assert error.hint
            return False
        after = self.values(desk)
        for key, value in before.items():
            assert after.get(key) == value, f"undoing {op_id} changed {key}, which another author had written later"
        return True

    def values(self, desk: Desk) -> dict[tuple[str, str], Any]:
        found: dict[tuple[str, str], Any] = {}
        for entry_id, values in as_stored(desk.store)["entries"].items():
            found |= {(entry_id, name): values[place] for name, place in (("title", 4), ("description", 5))}
            found |= {(entry_id, f"tag {tag}"): tag in values[7] for tag in ("red", "green", "blue")}
        return found

    def standing_values(self, desk: Desk, op_id: str) -> dict[tuple[str, str], Any]:
        """The values on show that another author than the operation's wrote after it."""
        row = desk.logged(op_id)
        standing = desk.store.standing()
        now = self.values(desk)
        found: dict[tuple[str, str], Any] = {}
        for event in desk.store.events(after="evt_" + op_id[3:]):
            if event.agent_id == row.actor or event.op_id == op_id or not standing.counts(event):
                continue
            for name, value in written(event).items():
                if now.get((event.memory_id or "", name), ...) == value:
                    found[event.memory_id or "", name] = value
            for key, on in (("add_tags", True), ("rm_tags", False)):
                for tag in event.payload.get(key) or () if event.type == EDIT else ():
                    if now.get((event.memory_id or "", f"tag {tag}")) is on:
                        found[event.memory_id or "", f"tag {tag}"] = on
        return found

    def exchange(self) -> None:
        self.stores[0].receive(self.stores[1].events())
        self.stores[1].receive(self.stores[0].events())

    def undo_everything(self) -> None:
        """After any sequence: undo what is not refused, and compare with the fold without those operations."""
        self.exchange()
        desk = self.desks[0]
        for row in desk.log(limit=None):
            if row.undoes is None and desk.logged(row.op_id).undone_by is None:
                self.take_back(desk, row.op_id)
        dropped = {r.op_id for r in desk.log(limit=None) if r.undone_by is not None or r.undoes is not None}
        assert as_stored(desk.store) == without(desk.store.events(), dropped)
        self.exchange()
        assert as_stored(self.stores[1]) == as_stored(self.stores[0])


def test_two_desks_that_exchange_events() -> None:
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        TwoDesks, settings=settings(
            max_examples=20, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )  # fmt: skip


@pytest.mark.soak
def test_two_desks_that_exchange_events_soak() -> None:
    run_state_machine_as_test(  # type: ignore[no-untyped-call]
        TwoDesks, settings=settings(
            max_examples=500, stateful_step_count=40, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )  # fmt: skip


def test_the_oracle_itself_drops_what_it_is_told_to() -> None:
    machine = TwoDesks()
    try:
        machine.begin()
        machine.desks[0].edit("project_a", fields={"title": "red"})
        op_id = machine.desks[0].log(1)[0].op_id
        machine.desks[0].delete("project_b")
        events = list(machine.stores[0].events())
        assert any(e.type == DELETE for e in events)
        titles = {v[4] for v in without(events, {op_id})["entries"].values()}
        assert titles == {None}
        assert without(events, set()) == as_stored(machine.stores[0])
    finally:
        machine.teardown()
