"""Undo over random work: what it restores, and what a reader that knows only last-write-wins sees (DESIGN 3.5)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from pen import Pen
from random_work import GROUPS, STEP, work

from memdesk.core.events import OPERATION, Event
from memdesk.core.fold import Memory, fold_all
from memdesk.core.standing import chain


def shown(memory: Memory) -> dict[str, Any]:
    """Everything a reader sees, but who and when."""
    entries = {
        i: (
            f.entry.workspace, f.entry.name, f.entry.type, f.values.get("class"), f.values.get("status"), f.entry.state,
            f.entry.title, f.entry.description, f.entry.body, f.entry.tags,
        )
        for i, f in memory.entries.items()
    }  # fmt: skip
    return {"entries": entries, "edges": {k for k, s in memory.edges.items() if s.present}}


def plainly(log: dict[str, Event]) -> Memory:
    """The fold of a reader that knows nothing of undo."""
    return fold_all(
        replace(e, payload={**e.payload, "undoes": None}) if e.type == OPERATION else e for e in log.values()
    )


@settings(max_examples=150, deadline=None)
@given(GROUPS, GROUPS)
def test_undoing_everything_in_order_restores_what_was(before: Any, after: Any) -> None:
    pen = Pen()
    work(pen, before)
    initial = pen.memory()
    for op in reversed(work(pen, after)):
        pen.undo(op)
        assert shown(pen.memory()) == shown(plainly(pen.log))
    final = pen.memory()
    assert {i: f.entry for i, f in final.entries.items() if i in initial.entries} == {
        i: f.entry for i, f in initial.entries.items()
    }
    assert all(f.creation_undone for i, f in final.entries.items() if i not in initial.entries)
    standing = {k: s.edge.created_at for k, s in final.edges.items() if s.present}
    assert standing == {k: s.edge.created_at for k, s in initial.edges.items() if s.present}


@settings(max_examples=150, deadline=None)
@given(GROUPS, st.integers(1, 8), GROUPS)
def test_undo_then_redo_is_as_if_nothing_had_happened(groups: Any, steps: int, more: Any) -> None:
    pen = Pen()
    ops = work(pen, groups)
    before = pen.memory()
    undos = [pen.undo(op) for op in list(reversed(ops))[:steps]]
    for undo in reversed(undos):
        pen.undo(undo)
        assert shown(pen.memory()) == shown(plainly(pen.log))
    after = pen.memory()
    assert {i: f.entry for i, f in after.entries.items()} == {i: f.entry for i, f in before.entries.items()}
    assert {k: s.edge for k, s in after.edges.items() if s.present} == {
        k: s.edge for k, s in before.edges.items() if s.present
    }
    work(pen, more)
    assert shown(pen.memory()) == shown(plainly(pen.log))


@settings(max_examples=150, deadline=None)
@given(st.lists(st.one_of(STEP, st.tuples(st.just("undo")), st.tuples(st.just("redo"))), max_size=14))
def test_last_write_wins_alone_shows_the_same_on_one_store(steps: Any) -> None:
    pen = Pen()
    for step in steps:
        if step[0] in ("undo", "redo"):
            dead = pen.memory().standing.dead
            rows = [
                op
                for op in sorted(pen.headers, reverse=True)
                if op not in dead
                and len(chain(op, pen.undoes)) % 2 == (step[0] == "undo")
                and (step[0] == "redo" or op not in pen.undoes)
            ]
            if rows and not pen.plan(rows[0]).blockers:
                pen.undo(rows[0])
        else:
            work(pen, [[step]])
        assert shown(pen.memory()) == shown(plainly(pen.log))
