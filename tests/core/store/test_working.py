"""Two stores at work, with undo, redo and syncs between: the tables always equal the folded log (DESIGN 3.3, 3.5)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_work import IDS, STEP

from memdesk.core.errors import CannotUndo
from memdesk.core.events import APPEND, CREATE, DELETE, EDGE_ADD, EDGE_REMOVE, EDIT
from memdesk.core.fold import fold_all
from memdesk.core.store import Store, Transaction
from memdesk.core.undo import plan_undo, touched

from .conftest import FakeClock
from .test_converging import fresh, projection

_TURN = st.one_of(
    st.tuples(st.integers(0, 1), st.lists(STEP, min_size=1, max_size=4)),
    st.tuples(st.integers(0, 1), st.sampled_from(["undo", "undo", "redo", "sync"])),
)
_PATCHED = {"edit": None, "status": "status", "class": "class", "state": "state"}


def write(store: Store, tx: Transaction, step: tuple[Any, ...]) -> None:
    """One verb, as a desk would write it."""
    verb, entry_id, *rest = step
    folded = store.folded(entry_id)
    if verb == "create":
        if folded is None:
            fields = {"workspace": "w", "name": "atom_x", "type": "atom", "class": "thread", "status": "open"}
            tx.write(CREATE, {"memory_id": entry_id, **fields, "body": "text", "tags": ["t1"]})
    elif folded is None:
        return
    elif verb in _PATCHED:
        name, value = (rest[0], rest[1]) if verb == "edit" else (_PATCHED[verb], rest[0])
        tx.write(EDIT, {"memory_id": entry_id, "patch": {name: value}, "base": {name: folded.base(str(name))}})
    elif verb == "append":
        tx.write(APPEND, {"memory_id": entry_id, "text": rest[0], "base": folded.body_heads})
    elif verb == "tag":
        tx.write(EDIT, {"memory_id": entry_id, "add_tags" if rest[0] else "rm_tags": [rest[1]]})
    elif verb == "delete":
        tx.write(DELETE, {"memory_id": entry_id})
    elif rest[1] != entry_id:
        kind = EDGE_ADD if verb == "link" else EDGE_REMOVE
        tx.write(kind, {"from_id": entry_id, "edge_kind": rest[0], "to_id": rest[1]})


def walk_back(store: Store, verb: str) -> None:
    """Undo (or redo) the newest operation that can be."""
    undoes = store.undoes()
    for row in store.operations(limit=None):
        if row.undone_by is not None or (row.op_id in undoes) != (verb == "redo"):
            continue
        ids = touched(store.events_of_op(row.op_id), store.standing())
        log = [e for i in ids for e in store.events_of(i)]
        headers = store.headers({e.op_id for e in log if e.op_id} | {row.op_id})
        try:
            plan = plan_undo(row.op_id, log, store.standing_for(log), undoes=undoes, headers=headers)
        except CannotUndo:
            continue
        if plan.blockers:
            continue
        with store.transaction() as tx:
            tx.begin(verb, "Walked back", actor=f"user:{store.origin}", undoes=row.op_id)
            tx.mark()
            for kind, payload in plan.writes:
                tx.write(kind, payload)
        return


def turn(stores: tuple[Store, Store], who: int, what: Any) -> None:
    store = stores[who]
    if what == "sync":
        store.receive(stores[1 - who].events())
    elif isinstance(what, str):
        walk_back(store, what)
    else:
        with store.transaction() as tx:
            tx.begin("work", "Worked", actor=f"user:{store.origin}")
            for step in what:
                write(store, tx, step)


def work_in_two_stores(blank: Path, turns: list[tuple[int, Any]]) -> None:
    with fresh(blank, 1) as one, fresh(blank, 2) as other:
        for number, (who, what) in enumerate(turns):
            for store in (one, other):
                assert isinstance(store.clock, FakeClock)
                store.clock.now += 1 + number % 3
            turn((one, other), who, what)
            assert (one, other)[who].check() == []
        one.receive(other.events())
        other.receive(one.events())
        assert one.check() == other.check() == []
        assert projection(one) == projection(other)
        whole = fold_all([*one.events()])
        for entry_id in IDS:
            folded, wanted = one.folded(entry_id), whole.entries.get(entry_id)
            assert folded == wanted


SETTINGS = settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@SETTINGS
@given(turns=st.lists(_TURN, max_size=12))
def test_two_stores_at_work(blank: Path, turns: list[tuple[int, Any]]) -> None:
    work_in_two_stores(blank, turns)


@pytest.mark.soak
@settings(max_examples=2000, deadline=None, suppress_health_check=list(HealthCheck))
@given(turns=st.lists(_TURN, max_size=20))
def test_two_stores_at_work_soak(blank: Path, turns: list[tuple[int, Any]]) -> None:
    work_in_two_stores(blank, turns)
