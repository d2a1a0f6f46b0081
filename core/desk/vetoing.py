"""What agents did on their own: looked through by a person, who keeps it or vetoes it (DESIGN 4).

An agent's write is live at once. What touches an entry about the user is *flagged*: it stays on the list, whatever the
person visits, until somebody keeps it or takes it back. The rest is what came since the person's last visit.

A pull counts as agents' work, since Gaia does not note who wrote a row; attaching a host does not, since the person
chose what it holds. A veto is the undo of the whole operation, so the veto of a pull takes back all that it brought.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from ..errors import CannotUndo, InvalidValue, MemdeskError, NotAllowed
from ..policy import Role, rule
from ..store import OperationRow
from .session import Receipt
from .undoing import Undoing

#: Of an operation that touched more entries than these the others are counted.
_NAMED: Final = 20


@dataclass(frozen=True, slots=True)
class Work:
    """One operation of an agent.

    Attributes:
        flagged: it wrote on an entry about the user, and nobody has kept it.
        names: of the entries that it touched, those about the user first; at most 20.
        more: how many entries it touched beyond these.
        kept: a person let it stand.
    """

    op: OperationRow
    flagged: bool
    names: tuple[str, ...] = ()
    more: int = 0
    kept: bool = False


@dataclass(frozen=True, slots=True)
class AgentsWork:
    """What agents did.

    Attributes:
        flagged: newest first; these wait until they are kept or vetoed.
        rest: since the last visit, newest first.
        since: when that was, RFC 3339; None for a first visit.
    """

    flagged: tuple[Work, ...] = ()
    rest: tuple[Work, ...] = ()
    since: str | None = None


@dataclass(frozen=True, slots=True)
class Vetoed:
    """What became of one of several vetoes: `words` says what was taken back, or why it stays."""

    op_id: str
    done: bool
    words: str
    receipt: Receipt | None = None


class Vetoing(Undoing):
    """The verbs on what agents did."""

    def agents_work(self, limit: int = 500) -> AgentsWork:
        """What agents did that waits for a look: flagged writes whenever they were made, and the rest since this
        actor's last visit. What was undone, what was kept, and requests (they changed nothing) are left out.

        Args:
            limit: the most operations of either kind.
        """
        flagged, rest = self.agents_keys(limit=limit)
        found = {w.op.op_id: w for w in self.work_of([*flagged, *rest])}
        groups = [tuple(found[i] for i in keys if i in found) for keys in (flagged, rest)]
        return AgentsWork(groups[0], groups[1], self.store.last_seen_at(self.actor.name))

    def agents_keys(
        self, *, workspace: str | None = None, words: str = "", limit: int | None = None
    ) -> tuple[list[str], list[str]]:
        """The operation ids of `agents_work`, flagged ones and the rest, newest first; none of them is read.

        Args:
            workspace: only those that touched an entry of it.
            words: each of them stands in the summary, the verb, the author or the session.
            limit: at most so many of either; None for all.
        """
        flagged = self.store.flagged_keys(workspace=workspace, words=words, limit=limit)
        seen = self.store.last_seen(self.actor.name)
        rest = self.store.agents_keys(after=seen, workspace=workspace, words=words, limit=limit)
        known = set(flagged)
        return flagged, [i for i in rest if i not in known]

    def kept_work(self, limit: int = 500) -> tuple[Work, ...]:
        """What a person let stand, newest first; still live, so that a veto is possible yet."""
        rows = [r for r in self.store.kept_operations(limit) if r.undone_by is None and not r.ignored]
        return tuple(self.work_of([r.op_id for r in rows]))

    def work_of(self, op_ids: Sequence[str]) -> list[Work]:
        """These operations, in the given order, with what a list says of them."""
        rows = self.store.operations_of(op_ids)
        about = self.store.about_user(op_ids)
        shown = {r.op_id: _first(about.get(r.op_id, ()), r.entries) for r in rows}
        names = {e.id: e.shown_name for e in self.store.entries_of({i for ids in shown.values() for i in ids})}
        flagged, kept = self.store.flagged_of(op_ids), self.store.kept_of(op_ids)
        return [
            Work(
                row, row.op_id in flagged, tuple(names[i] for i in shown[row.op_id] if i in names),
                max(len(row.entries) - len(shown[row.op_id]), 0), row.op_id in kept,
            )
            for row in rows
        ]  # fmt: skip

    def keep_work(self, op_id: str) -> OperationRow:
        """Let an agent's operation stand: it was looked at, and leaves the list. A note of this machine, no event.

        Args:
            op_id: the operation, or a unique prefix of it.

        Raises:
            NotAllowed: not role user. NotFound: no operation answers to it. InvalidValue: no agent did it.
        """
        row = self._agents(op_id, "veto keep")
        self.store.keep_operation(row.op_id, self.actor.name)
        return row

    def veto(self, op_id: str) -> Receipt:
        """Undo an agent's operation, whole.

        Args:
            op_id: the operation, or a unique prefix of it.

        Raises:
            NotAllowed: not role user.
            CannotUndo: something stands on top of it (who and when is said), it is undone already, or never can be.
            NotFound: no operation answers to it. InvalidValue: no agent did it.
        """
        row = self._agents(op_id, "veto take-back")
        try:
            return self._take_back(row, f"Vetoed {self._whose(row)}: {self.origin(row).summary}", action="vetoed")
        except CannotUndo as refusal:
            if row.verb == "pull" and "blockers" not in refusal.extra:
                refusal.hint = "Put right what it brought entry by entry, here or in the host."
            raise

    def veto_many(self, op_ids: Iterable[str]) -> tuple[Vetoed, ...]:
        """Veto several operations, the newest first, so that none stands in the way of an older one of the same list;
        each is an operation of its own. What is refused stays, with the reason.

        Raises:
            NotAllowed: not role user. NotFound: no operation answers to one of them; nothing is undone then.
        """
        rows = {row.op_id: row for row in (self._agents(i, "veto take-back") for i in op_ids)}
        done = []
        for op_id in sorted(rows, reverse=True):
            try:
                receipt = self.veto(op_id)
                done.append(Vetoed(op_id, True, receipt.summary, receipt))
            except MemdeskError as refusal:
                done.append(Vetoed(op_id, False, f"{rows[op_id].summary}: {refusal.message}"))
        return tuple(done)

    def _agents(self, op_id: str, verb: str) -> OperationRow:
        ruling = rule(self.actor.role, verb)
        if not ruling.allowed:
            raise NotAllowed(ruling.reason, "Ask the person who curates this memory.", role=self.actor.role)
        row = self.logged(op_id)
        if row.role == Role.USER:
            raise InvalidValue(
                f"{row.actor} did that as a person, not as an agent.", f"Use `memdesk undo {row.op_id}`.",
                op_id=row.op_id,
            )  # fmt: skip
        return row

    def _whose(self, row: OperationRow) -> str:
        return f"what a pull from {row.actor.capitalize()} brought" if row.verb == "pull" else f"{row.actor}'s work"


def _first(about: Iterable[str], entries: Iterable[str]) -> list[str]:
    """The entries to name: those about the user before the others."""
    return list(dict.fromkeys([*about, *entries]))[:_NAMED]
