"""Retiring everything that came from one session or author, what was made from it included, as one operation.

For the day on which a session turns out to have written nonsense (DESIGN 3.5).
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from ..errors import Stale, UsageError, listed
from ..model import DERIVED_FROM, GRADUATED_TO, Entry, State, edge_words
from .session import Receipt, facts_of
from .writing import Writing

#: Names told in the warning about changed entries of others.
_TOLD = 5


@dataclass(frozen=True, slots=True)
class Came:
    """An entry that would be retired, and why: "written there", or what it was made from."""

    entry: Entry
    why: str


@dataclass(frozen=True, slots=True)
class Retirement:
    """What retiring a session or an author takes.

    Attributes:
        source: "session S" or "author A".
        entries: what would be retired, each once.
        changed: entries made by others that it changed; they stay, since undo is the way to take back a change.
    """

    source: str
    entries: tuple[Came, ...]
    changed: tuple[Entry, ...] = ()


class Sources(Writing):
    """The verb, and its preview."""

    def retirement(
        self, *, session: str | None = None, author: str | None = None, derived: bool = True
    ) -> Retirement:  # fmt: skip
        """What `retire` would take out; nothing is written.

        Args:
            session, author: exactly one of them.
            derived: whether what was distilled from these entries, or grew out of them, goes with them, however far.

        Raises:
            UsageError: both or none was given.
        """
        if (session is None) == (author is None):
            raise UsageError("Name a session or an author.", "Give exactly one of --session and --author.")
        own = self.store.made_by(session=session, author=author)
        why = {i: "written there" for i in own}
        if derived:
            self._add_derived(why)
        found = {e.id: e for e in self.store.entries_of(list(why))}
        entries = tuple(Came(found[i], why[i]) for i in why if i in found and found[i].state is not State.PURGED)
        others = [i for i in self.store.changed_by(session=session, author=author) if i not in why]
        source = f"session {session}" if session is not None else f"author {author}"
        return Retirement(source, entries, tuple(self.store.entries_of(others)))

    def _add_derived(self, why: dict[str, str]) -> None:
        level = list(why)
        while level:  # one look at the edges a generation, however many entries it has
            further: dict[str, tuple[str, str]] = {}
            for node, edges in self.store.edges_at(level).items():
                for e in edges:
                    if e.kind == DERIVED_FROM and e.target == node and e.source not in why:
                        further.setdefault(e.source, (edge_words(DERIVED_FROM), node))
                    elif e.kind == GRADUATED_TO and e.source == node and e.target not in why:
                        further.setdefault(e.target, (edge_words(GRADUATED_TO, inbound=True), node))
            names = {e.id: e.shown_name for e in self.store.entries_of(sorted({n for _, n in further.values()}))}
            why |= {other: f"{words} {names.get(node, node)}" for other, (words, node) in further.items()}
            level = list(further)

    def retire(
        self, *, session: str | None = None, author: str | None = None, derived: bool = True, rationale: str = "",
        shown: Collection[str] | None = None,
    ) -> Receipt:  # fmt: skip
        """Soft-delete everything that came from a session or an author, in one operation that undo takes back.

        Args:
            session, author, derived: as for `retirement`.
            rationale: why, for the person who decides where this role may not.
            shown: ids of the entries of a preview that the caller agreed to; None where there was none.

        Raises:
            UsageError: not exactly one of session and author. Stale: it would take others than `shown`.
            NeedsApproval: this role may not do that alone.
        """
        plan = self.retirement(session=session, author=author, derived=derived)
        entries = [came.entry for came in plan.entries]
        unseen = [e.shown_name for e in entries if shown is not None and e.id not in shown]
        if unseen:
            raise Stale(
                f"Meanwhile more came from {plan.source}: {listed(unseen)}.", "Nothing was retired. Look again.",
            )  # fmt: skip
        if not entries:  # nothing to do, and nothing to ask a person about
            return Receipt(None, "retire", f"Nothing that came from {plan.source} is left to retire", "noop")
        # What waits for a person is exactly what is listed now, whatever that session writes until then: a delete.
        args = {"ref": [e.id for e in entries], "reason": f"came from {plan.source}"}
        ruling = self.gate("delete", facts_of(entries), refs=entries, args=args, rationale=rationale)
        self.refresh(entries, ["state"])
        number = "1 entry" if len(entries) == 1 else f"{len(entries):,} entries"
        with self.operation("retire", f"Retired {number} that came from {plan.source}") as op:
            for came in plan.entries:
                op.delete(op.folded(came.entry.id), f"came from {plan.source}: {came.why}")
        warnings = []
        if plan.changed:
            names = ", ".join(e.shown_name for e in plan.changed[:_TOLD])
            more = f" and {len(plan.changed) - _TOLD} more" if len(plan.changed) > _TOLD else ""
            warnings.append(f"It also changed entries of others, which stay: {names}{more}.")
        found = tuple(self.store.entries_of([e.id for e in entries]))
        return self.receipt(op, warnings=warnings, flagged=ruling.flagged, entries=found)
