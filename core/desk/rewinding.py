"""Undoing and redoing up to an operation, with what will change shown first (DESIGN 3.5).

The preview is worked out, not tried: each step is planned as if the steps before it had been done.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..errors import CannotUndo
from ..events import EDGE_ADD, EDGE_REMOVE, Event
from ..fold import fold_entry
from ..model import Edge, Entry, edge_key
from ..moments import Changed, Scene, difference
from ..policy import Facts, rule
from ..standing import Standing, liveness
from ..store import OperationRow
from ..undo import UndoPlan, is_redoable, is_undoable
from .session import Receipt
from .undoing import Undoing, together


@dataclass(frozen=True, slots=True)
class Step:
    """One operation of a walk.

    Attributes:
        operation: what is undone (of a redo: the undo).
        verb: "undo" or "redo".
        says: what the operation did, such as "Closed project_x".
        refusal: why it stays; None where it can be done.
    """

    operation: OperationRow
    verb: str
    says: str
    refusal: CannotUndo | None = None


@dataclass(frozen=True, slots=True)
class Walk:
    """Undos or redos in the order in which they are done, and what changes by them.

    Attributes:
        verb: "undo" or "redo".
        changes: what becomes of the entries.
        names: id -> name of every entry that an edge in it names.
    """

    verb: str
    steps: tuple[Step, ...]
    changes: tuple[Changed, ...] = ()
    names: Mapping[str, str] = field(default_factory=dict)

    @property
    def able(self) -> list[Step]:
        """The steps that can be done."""
        return [s for s in self.steps if s.refusal is None]

    @property
    def refused(self) -> list[Step]:
        """The steps that cannot."""
        return [s for s in self.steps if s.refusal is not None]


class Rewinding(Undoing):
    """The verbs that walk far back or forth."""

    def walk_to(self, op: str, *, everybody: bool = False) -> Walk:
        """What it would take to have things stand as they did right after an operation; nothing is written.

        What was done since is undone, and what was undone since is done again, the newest first.

        Args:
            op: an operation id, or a unique prefix of it.
            everybody: whether others' operations are walked over too; else only the actor's own.

        Raises:
            NotFound: no operation answers to `op`.
        """
        goal = self.logged(op)
        verb = "undo" if goal.undone_by is None else "redo"
        rows = {r.op_id: r for r in self.store.operations(limit=None)}
        since = {k for k, target in self.store.undoes().items() if target and k > goal.op_id}
        before = {k: target for k, target in self.store.undoes().items() if k not in since and not rows[k].ignored}
        dead, _ = liveness(before)
        chosen = []
        for row in rows.values():
            stood = row.op_id <= goal.op_id and row.op_id not in dead
            if row.undoes is None and not row.ignored and stood != (row.undone_by is None):
                step = row if row.undone_by is None else rows[row.undone_by]
                if (step is not row or is_undoable(row)) and (everybody or self.is_own(step)):
                    chosen.append(step)
        return self.rehearse(sorted(chosen, key=lambda r: r.op_id, reverse=True), verb)

    def preview_undo(self, op: str) -> Walk:
        """What undoing one operation would change, or why it cannot be done; nothing is written."""
        row = self.logged(op)
        verb = "redo" if row.undoes is not None and is_redoable(row, self.store.undoes()) else "undo"
        return self.rehearse([row], verb)

    def rehearse(self, rows: Sequence[OperationRow], verb: str) -> Walk:
        """What undoing these operations, in this order, would change; nothing is written."""
        return _Rehearsal(self, verb).run(rows)

    def go(self, walk: Walk) -> Receipt:
        """Do the steps of a walk that can be done, each an operation of its own, so that each can be undone.

        Raises:
            CannotUndo: not one of them can be done; the first reason.
        """
        done: list[Receipt] = []
        stopped = [s.refusal.message for s in walk.refused if s.refusal is not None]
        for step in walk.able:
            try:
                done.append(self.undo(step.operation.op_id))
            except CannotUndo as error:
                if not done and len(walk.able) == 1:
                    raise
                stopped.append(error.message)
        if not done:
            code = f"nothing_to_{walk.verb}"
            nothing = CannotUndo("There is nothing to do: that is how things stand.", "", code=code)
            raise next((s.refusal for s in walk.refused if s.refusal is not None), nothing)
        receipt = done[0] if len(done) == 1 else together(walk.verb, done, "")
        left = (f"Left as it is: {why}" if times == 1 else f"{times:,} operations are left as they are: {why}"
                for why, times in Counter(stopped).items())  # fmt: skip
        return replace(receipt, warnings=(*receipt.warnings, *left))


class _Rehearsal:
    """Plans undos one after another, each as if those before it stood in the log."""

    def __init__(self, desk: Rewinding, verb: str) -> None:
        self._desk = desk
        self._store = desk.store
        self._verb = verb
        self._undoes = dict(self._store.undoes())
        self._virtual: dict[str, str | None] = {}
        self._entries: set[str] = set()
        self._came: dict[tuple[str, str, str], Edge] = {}
        self._gone: dict[tuple[str, str, str], Edge] = {}

    def run(self, rows: Sequence[OperationRow]) -> Walk:
        steps = tuple(self._step(row) for row in rows)
        ids = sorted(self._entries)
        before = Scene({e.id: e for e in self._store.entries_of(ids)}, self._gone.values())
        after = Scene({i: e for i in ids if (e := self._folded(i)) is not None}, self._came.values())
        undone = self._store.undone_creations(before.entries)
        before = Scene({i: e for i, e in before.entries.items() if i not in undone}, before.edges)
        changes = tuple(difference(before, after))
        ends = {i for c in changes for e in (*c.linked, *c.unlinked) for i in (e.source, e.target)}
        names = {e.id: e.shown_name for e in self._store.entries_of(sorted(ends))}
        return Walk(self._verb, steps, changes, names)

    def _step(self, row: OperationRow) -> Step:
        says, verb = self._desk.origin(row).summary, "undo" if row.undoes is None else "redo"
        try:
            self._refuse_role(row, verb)
            self._desk.refuse_undo(row)
            plan = self._desk.plan(row, standing=self._standing, undoes={**self._undoes, **self._virtual})
            if plan.blockers:
                raise self._desk.blocked(row, plan.blockers)
            self._desk.check_links(plan, gone=self._gone, came=self._came)
        except CannotUndo as error:
            return Step(row, verb, says, error)
        self._take(row, plan)
        return Step(row, verb, says)

    def _refuse_role(self, row: OperationRow, verb: str) -> None:
        ruling = rule(self._desk.actor.role, verb, Facts(own_operation=self._desk.is_own(row)))
        if not ruling.allowed:  # found out half way, the walk would end there with the steps before it done
            raise CannotUndo(ruling.reason, "Ask the person who curates this memory.", op_id=row.op_id)

    def _take(self, row: OperationRow, plan: UndoPlan) -> None:
        # Newer than every operation, and than the steps before it.
        self._virtual[f"op_~{len(self._virtual):06d}"] = row.op_id
        self._entries |= set(plan.entries)
        for kind, payload in plan.writes:
            if kind in (EDGE_ADD, EDGE_REMOVE):
                self._note_edge(kind, payload)

    def _note_edge(self, kind: str, payload: Mapping[str, Any]) -> None:
        edge = Edge(payload["from_id"], payload["edge_kind"], payload["to_id"])
        here, there = (self._came, self._gone) if kind == EDGE_ADD else (self._gone, self._came)
        key = edge_key(edge.source, edge.kind, edge.target)
        if there.pop(key, None) is None:
            here[key] = edge

    def _standing(self, events: Iterable[Event]) -> Standing:
        standing = self._store.standing_for(list(events))
        if self._virtual:
            everything = {**self._undoes, **self._virtual}
            live = {k: v for k, v in everything.items() if k not in standing.ignored}
            standing.dead, standing.undoing = liveness(live)
        return standing

    def _folded(self, entry_id: str) -> Entry | None:
        events = self._store.events_of(entry_id)
        folded = fold_entry(entry_id, events, self._standing(events))
        return None if folded is None or folded.creation_undone else folded.entry
