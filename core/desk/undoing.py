"""Walking back and forth through operations: undo, redo, and the log of what was done (DESIGN 3.5).

The plan comes from `core/undo.py`; here it is asked who may, carried out in one operation, or refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from .. import graph
from ..errors import CannotUndo, NotFound, listed
from ..events import DECISION, EDGE_ADD, EDGE_REMOVE, REQUEST, Event
from ..model import ACYCLIC_KINDS, CHILD_OF, Entry, edge_words
from ..policy import Facts, Role, is_own, rule
from ..standing import Standing, chain
from ..store import OperationRow
from ..undo import Blocker, UndoPlan, is_redoable, is_undoable, plan_undo, touched
from .finding import Finding
from .session import Actor, Receipt

_PAGE = 50
EdgeKey = tuple[str, str, str]


class Undoing(Finding):
    """The verbs on operations."""

    def undo(self, op: str | None = None, *, steps: int = 1) -> Receipt:
        """Take back an operation: the actor's newest live one, or the one named (of an undo: that is a redo).

        What took back the work of somebody else (a veto) is the actor's own doing, so that plain `undo` takes that back
        too, in its turn; plain `redo` does the same as long as nothing has taken it back yet.

        Args:
            op: an operation id, or a unique prefix of it.
            steps: how many to walk back, each an operation of its own; with `op`, only that one.

        Raises:
            CannotUndo: nothing is left (`nothing_to_undo`), it is undone already, it is an erase, or something stands
                on top of it; `blockers` says what, by whom and when. With several steps: where the first cannot go.
            NotAllowed: an agent named somebody else's operation.
            NotFound: no operation answers to `op`.
        """
        if op is not None:
            return self._take_back(self.logged(op))  # by its place in the chain it is an undo or a redo
        return self._walk_back("undo", steps)

    def redo(self, *, steps: int = 1) -> Receipt:
        """Bring back what the actor's newest live undo took away.

        Raises:
            CannotUndo: there is none (`nothing_to_redo`), or something stands on top of it.
        """
        return self._walk_back("redo", steps)

    def next_undo(self) -> OperationRow | None:
        """What plain `undo` would take back now, or None."""
        undoes = self.store.undoes()
        return next((row for row in self._own() if self._may_undo(row, undoes)), None)

    def next_redo(self) -> OperationRow | None:
        """The undo that plain `redo` would take back now, or None."""
        undoes = self.store.undoes()
        return next((row for row in self._own() if self._may_redo(row, undoes)), None)

    def _may_undo(self, row: OperationRow, undoes: Mapping[str, str | None]) -> bool:
        if row.ignored or row.undone_by is not None:
            return False
        takes_away = row.undoes is not None and len(chain(row.op_id, undoes)) % 2 == 0
        return is_undoable(row) or (takes_away and self._is_on_anothers(row, undoes))

    def _may_redo(self, row: OperationRow, undoes: Mapping[str, str | None]) -> bool:
        if row.ignored or row.undone_by is not None or row.undoes is None:
            return False
        if not self._is_on_anothers(row, undoes):
            return is_redoable(row, undoes)
        # Of a veto both plain `undo` and plain `redo` write an operation that brings the work back: the verb tells
        # them apart. One that was taken back and done again is done for good: else `redo` would never come to an end.
        return row.verb != "redo" and row.op_id not in undoes.values()

    def _is_on_anothers(self, row: OperationRow, undoes: Mapping[str, str | None]) -> bool:
        """Whether an undo or redo is one of what somebody else did."""
        origin = self.store.operation(chain(row.op_id, undoes)[-1])
        return origin is not None and not self.is_own(origin)

    def log(
        self, limit: int | None = 50, *, by: str | None = None, entry_id: str | None = None, before: str | None = None
    ) -> list[OperationRow]:
        """Operations, newest first, undone ones and undos included.

        Args:
            limit: at most so many; None for all.
            by: only this actor's.
            entry_id: only those that touched this entry.
            before: only those older than this operation.
        """
        return self.store.operations(actor=by, limit=limit, entry_id=entry_id, before=before)

    def logged(self, op: str) -> OperationRow:
        """One operation, by id or a unique prefix of it.

        Raises:
            NotFound: none answers to it.
        """
        row = self.store.operation(op)
        if row is None:
            raise NotFound(f"There is no operation {op!r}.", "List them with `memdesk log`.", operation=op)
        return row

    # -- walking --------------------------------------------------------------------------------------------------

    def _own(self) -> Iterator[OperationRow]:
        """The actor's operations, newest first."""
        before: str | None = None
        while page := self.store.operations(actor=self.actor.name, limit=_PAGE, before=before):
            yield from filter(self.is_own, page)
            before = page[-1].op_id

    def is_own(self, row: OperationRow) -> bool:
        """Whether an operation is the actor's own: of that name, and in no role above the present one."""
        return is_own(self.actor.name, self.actor.role, row.actor, row.role)

    def _walk_back(self, verb: str, steps: int) -> Receipt:
        done: list[Receipt] = []
        stopped = ""
        for _ in range(max(1, steps)):
            row = self.next_undo() if verb == "undo" else self.next_redo()
            try:
                if row is None:
                    raise _nothing(verb, self.actor)
                done.append(self._take_back(row, verb=verb))
            except CannotUndo as error:
                if not done:
                    raise self._with_way_on(error, row) from None
                stopped = error.message
                break
        return done[0] if len(done) == 1 and not stopped else together(verb, done, stopped)

    def _with_way_on(self, error: CannotUndo, row: OperationRow | None) -> CannotUndo:
        """Where the newest operation stays, name the one before it: plain `undo` alone would never get past."""
        undoes = self.store.undoes()
        older = next((r for r in self._own() if row and r.op_id < row.op_id and self._may_undo(r, undoes)), None)
        if older is not None and "blockers" not in error.extra:
            error.hint = f"`memdesk undo {older.op_id}` takes back the one before it: {older.summary}."
            error.extra["older"] = {"op_id": older.op_id, "summary": older.summary}
        return error

    # -- one operation --------------------------------------------------------------------------------------------

    def _take_back(self, row: OperationRow, summary: str = "", action: str = "", verb: str = "") -> Receipt:
        """Undo one operation; `summary` and `action` where the undo has a name of its own, `verb` where a walk calls it
        undo or redo."""
        verb = verb or ("redo" if row.undoes is not None and is_redoable(row, self.store.undoes()) else "undo")
        self.gate(verb, Facts(own_operation=self.is_own(row)), args={"op": row.op_id})
        self.refuse_undo(row)
        self.refresh(self.store.entries_of(row.entries))
        with self.operation(verb, summary or self.sentence(verb, row), undoes=row.op_id) as op:
            plan = self.plan(row)
            if plan.blockers:
                raise self.blocked(row, plan.blockers)
            self.check_links(plan)
            op.mark()
            for kind, payload in plan.writes:
                op.write(kind, payload)
        entries = tuple(self.store.entries_of(plan.entries or row.entries))
        action = action or ("undone" if verb == "undo" else "redone")
        return self.receipt(op, action=action, entries=entries, requests=self._decided_by(self.origin(row)))

    def _decided_by(self, row: OperationRow) -> tuple[str, ...]:
        """The requests that an operation decided."""
        found = (e.payload.get("request_id") for e in self.store.events_of_op(row.op_id) if e.type == DECISION)
        return tuple(dict.fromkeys(i for i in found if isinstance(i, str)))

    def sentence(self, verb: str, row: OperationRow) -> str:
        """What the header of the undo or redo of an operation says."""
        steps = chain(row.op_id, self.store.undoes())
        if len(steps) > 1 and (verb == "undo") == (len(steps) % 2 == 0):  # a walk over a veto, which has its own words
            veto = self.store.operation(steps[-2]) or row
            return f"{'Undid' if verb == 'undo' else 'Did again'}: {veto.summary}"
        if verb == "undo":
            return f"Undid: {row.summary}" if row.undoes is None else f"Undid again: {self.origin(row).summary}"
        return f"Did again: {self.origin(row).summary}"

    def origin(self, row: OperationRow) -> OperationRow:
        """What an undo or redo is about in the end; any other operation itself."""
        return self.store.operation(chain(row.op_id, self.store.undoes())[-1]) or row

    def refuse_undo(self, row: OperationRow) -> None:
        """Stop where an operation of this kind is never undone.

        Raises:
            CannotUndo: it attached a host.
        """
        if row.verb == "attach":  # undone, its entries would be deleted on the host too
            raise CannotUndo(
                "Attaching a host is not undone: its entries are that host's own.",
                "Put the host aside with `memdesk detach`.", code="cannot_undo", op_id=row.op_id,
            )  # fmt: skip

    def plan(
        self, row: OperationRow, *, standing: Callable[[Iterable[Event]], Standing] | None = None,
        undoes: Mapping[str, str | None] | None = None,
    ) -> UndoPlan:  # fmt: skip
        """What undoing an operation takes.

        Args:
            standing: tells what of some events counts; as stored by default.
            undoes: what each undo undoes; as stored by default.

        Raises:
            CannotUndo: it can never be undone, or is already.
        """
        undoes = self.store.undoes() if undoes is None else undoes
        standing_for = standing or (lambda events: self.store.standing_for(list(events)))
        events: dict[str, Event] = {}
        for op_id in chain(row.op_id, undoes):
            events |= {e.event_id: e for e in self.store.events_of_op(op_id)}
        asked = [e.payload.get("request_id") for e in events.values() if e.type in (REQUEST, DECISION)]
        for request_id in {r for r in asked if isinstance(r, str)}:
            events |= {e.event_id: e for e in self.store.decisions_on(request_id)}
        for entry_id in touched(list(events.values()), standing_for(list(events.values()))):
            events |= {e.event_id: e for e in self.store.events_of(entry_id)}
        log = list(events.values())
        ops = {e.op_id for e in log if e.op_id} | {u for u, target in undoes.items() if target == row.op_id}
        return plan_undo(row.op_id, log, standing_for(log), undoes=undoes, headers=self.store.headers(ops))

    def check_links(self, plan: UndoPlan, *, gone: Collection[EdgeKey] = (), came: Collection[EdgeKey] = ()) -> None:
        """A link that comes back must not break what a link made since relies on (DESIGN 3.4). What was wrong before
        the operation already, as a merge leaves it, is no hindrance: else no mending could be undone.

        Args:
            gone, came: edges that steps before this one take away and bring back.

        Raises:
            CannotUndo: it would.
        """
        row = self.store.operation(plan.op_id)
        since = row.timestamp if row else ""
        gone = {*gone, *((p["from_id"], p["edge_kind"], p["to_id"]) for kind, p in plan.writes if kind == EDGE_REMOVE)}
        for source, kind, target in (
            (p["from_id"], p["edge_kind"], p["to_id"]) for type_, p in plan.writes if type_ == EDGE_ADD
        ):

            def targets(node: str, kind: str = kind) -> list[str]:
                out = self.store.edges(kind=kind, source=node)
                back = [target for start, edge, target in came if (start, edge) == (node, kind)]
                return [e.target for e in out if (e.source, e.kind, e.target) not in gone] + back

            names = [self._name(i) for i in (source, target)]
            said = f"{names[0]} {edge_words(kind)} {names[1]}"
            def before(node: str, kind: str = kind) -> list[str]:
                return [e.target for e in self.store.edges(kind=kind, source=node) if (e.created_at or "") <= since]

            parents = [target for target in targets(source) if target not in before(source)]
            if kind == CHILD_OF and parents:
                parent = self._name(parents[0])
                raise CannotUndo(
                    f"This would bring back “{said}”, but {names[0]} is part of {parent} now.",
                    f"Remove that first: `memdesk unlink {names[0]} child_of {parent}`.",
                )
            closes = kind in ACYCLIC_KINDS and graph.reaches(targets, target, source)
            if closes and not graph.reaches(before, target, source):
                raise CannotUndo(
                    f"This would bring back “{said}”, which closes a circle now.",
                    f"Remove a link between {names[1]} and {names[0]} first.",
                )

    def blocked(self, row: OperationRow, blockers: Collection[Blocker]) -> CannotUndo:
        """The refusal that names what stands on top of an operation, by whom and when."""
        by_op: dict[str, list[Blocker]] = {}
        for blocker in blockers:
            by_op.setdefault(blocker.op_id or blocker.event_id, []).append(blocker)
        said = []
        for group in by_op.values():
            names = listed(list(dict.fromkeys(self._name(b.entry_id) for b in group if b.entry_id)), 3)
            what = listed(list(dict.fromkeys(b.what for b in group)), 3)
            first = group[0]
            said.append(f"{first.author} at {first.timestamp} ({first.verb}: {what}{' of ' + names if names else ''})")
        newest = max(blockers, key=lambda b: b.event_id)
        hint = f"Undo that first: `memdesk undo {newest.op_id}`." if newest.op_id else "Write the value that you want."
        if newest.op_id and not self._may_name(newest.op_id):
            hint = f"That is {newest.author}'s to undo, not yours: tell them, or write the value that you want."
        return CannotUndo(
            f"Something stands on top of “{row.summary}”: {listed(said, 3)}.",
            hint,
            operation=row.op_id,
            blockers=[
                {"op_id": b.op_id, "verb": b.verb, "author": b.author, "timestamp": b.timestamp,
                 "entry": b.entry_id, "what": b.what}
                for b in blockers
            ],
        )  # fmt: skip

    def _may_name(self, op_id: str) -> bool:
        """Whether this actor may undo that operation by its name."""
        row = self.store.operation(op_id)
        return row is None or rule(self.actor.role, "undo", Facts(own_operation=self.is_own(row))).allowed

    def _name(self, entry_id: str) -> str:
        entry = self.store.entry(entry_id)
        return entry.shown_name if entry is not None else entry_id


def _nothing(verb: str, actor: Actor) -> CannotUndo:
    if verb == "undo":
        hint = "Name an operation to take back somebody else's: `memdesk log` lists them."
        if actor.role is not Role.USER:
            hint = "What others did is theirs, or the person's, to undo."
        return CannotUndo(f"There is nothing of {actor.name} left to undo.", hint, code="nothing_to_undo")
    return CannotUndo(
        f"There is nothing of {actor.name} to redo.", "Only what was undone can be done again.", code="nothing_to_redo"
    )


def together(verb: str, done: list[Receipt], stopped: str) -> Receipt:
    """One receipt for several steps; where they stopped early it says why."""
    entries: dict[str, Entry] = {e.id: e for receipt in done for e in receipt.entries}
    warnings = [w for receipt in done for w in receipt.warnings]
    if stopped:
        warnings.append(f"Stopped after {len(done)}: {stopped}")
    return Receipt(
        done[-1].op_id, verb, "; ".join(receipt.summary for receipt in done), done[-1].action,
        entries=tuple(entries.values()), warnings=tuple(warnings),
        results=tuple({"op_id": r.op_id, "summary": r.summary} for r in done),
    )  # fmt: skip
