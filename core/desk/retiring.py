"""Verbs that retire, bring back, rename and move entries: delete, restore, erase, rename, move_workspace.

Source: memory-mechanics seed ("Pruning stale entries"), memory-maintenance seed ("Deletion"), DESIGN 3.4.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ..errors import ConfirmationNeeded
from ..events import PURGE_EXECUTED, Event
from ..fold import written
from ..model import TEXT_FIELDS, State
from .finding import ids_of, named
from .session import Receipt, expect, facts_of, given
from .texts import check_name
from .writing import Writing

#: Shorter texts stand in other entries by chance, so finding one again proves nothing.
_TELLING_LENGTH: Final = 16


class Retiring(Writing):
    """The verbs that take entries out of sight and give them other names and places."""

    def delete(
        self, ref: str | Sequence[str], *, reason: str | None = None, workspace: str | None = None,
        expected: Mapping[str, Mapping[str, Any]] | None = None, rationale: str = "",
    ) -> Receipt:  # fmt: skip
        """Soft-delete: the entry leaves every list and the digest, its text and edges stay."""
        entries = self.find_all([ref] if isinstance(ref, str) else list(ref), workspace)
        args = given({"ref": ids_of(entries), "reason": reason})
        ruling = self.gate("delete", facts_of(entries), refs=entries, args=args, rationale=rationale or reason or "")
        self.refresh(entries, ["state"])
        with self.operation("delete", f"Deleted {named(entries)}") as op:
            for entry in entries:
                now = op.folded(entry.id)
                expect(now.entry, (expected or {}).get(entry.id))
                op.delete(now, reason)
        return self.receipt(op, flagged=ruling.flagged, entries=self.read_back(ids_of(entries)))

    def restore(self, ref: str | Sequence[str], *, workspace: str | None = None, rationale: str = "") -> Receipt:
        """Bring deleted (or, outside a Gaia host, replaced) entries back (thrum: `edit --status active`)."""
        entries = self.find_all([ref] if isinstance(ref, str) else list(ref), workspace)
        args = {"ref": ids_of(entries)}
        for entry in entries:
            self.hosts.refuse(entry, {"state": str(State.ACTIVE)})
        if all(e.state is State.ACTIVE for e in entries):  # nothing to do, so nothing to ask a person for
            return Receipt(None, "restore", f"{named(entries)} is there already", "noop", tuple(entries))
        ruling = self.gate("restore", facts_of(entries), refs=entries, args=args, rationale=rationale)
        self.refresh(entries, ["state"])
        with self.operation("restore", f"Restored {named(entries)}") as op:
            for entry in entries:
                op.edit(op.folded(entry.id), {"state": str(State.ACTIVE)})
        return self.receipt(op, flagged=ruling.flagged, entries=self.read_back(ids_of(entries)))

    def erase(self, ref: str, confirm: str | None) -> Receipt:
        """Physically remove an entry's text from the store; cannot be undone (DESIGN 3.4, "Erase").

        Args:
            confirm: must be exactly `DELETE <id>`.

        Raises:
            ConfirmationNeeded: the token is missing or differs.
        """
        entry = self.find(ref)
        if confirm != f"DELETE {entry.id}":
            raise ConfirmationNeeded(
                f"Erasing {entry.shown_name} cannot be undone, so it needs the exact token.",
                f'Repeat with --confirm "DELETE {entry.id}".',
                id=entry.id,
            )
        # After the token: a request without it could never be carried out.
        self.gate("erase", facts_of([entry]), refs=[entry], args={"ref": entry.id, "confirm": confirm})
        self.hosts.before_erase(entry)
        self.refresh([entry])
        self._erased_texts = _texts_ever(list(self.store.events_of(entry.id)))
        with self.operation("erase", f"Erased {entry.id}") as op:
            op.write(PURGE_EXECUTED, {"memory_id": entry.id})
            op.action = "erased"
        return self.receipt(op, warnings=self.prove_erased(), entries=(entry,), final=True)

    def prove_erased(self) -> list[str]:
        """A warning for each place where a text erased just now still stands; inside an operation it is too early."""
        if self._open is not None:
            return []
        texts, self._erased_texts = self._erased_texts, set()
        places = dict.fromkeys(place for text in texts for place in self.store.residue(text))
        return [f"The removed text still stands in {place}." for place in places]

    def rename(self, ref: str, name: str, *, workspace: str | None = None, rationale: str = "") -> Receipt:
        """Give an entry another name; the prefix may make it another type.

        Raises:
            InvalidName: not a slug. NameTaken: the name exists there, deleted ones included.
        """
        entry = self.find(ref, workspace)
        args = {"ref": entry.id, "name": name}
        kind = check_name(name, None, self.config.types)
        self.hosts.refuse(entry, {"name": name, "type": kind})
        self.must_be_free(entry.workspace, name, entry.id)
        ruling = self.gate("rename", facts_of([entry]), refs=[entry], args=args, rationale=rationale)
        self.refresh([entry], ["name", "type"])
        with self.operation("rename", f"Renamed {entry.shown_name} to {name}") as op:
            self.must_be_free(entry.workspace, name, entry.id)
            op.edit(op.folded(entry.id), {"name": name, "type": kind})
        return self.receipt(op, flagged=ruling.flagged, entries=self.read_back([entry.id]))

    def move_workspace(
        self, refs: Sequence[str], to: str, *, workspace: str | None = None, create_workspace: bool = False,
        rationale: str = "",
    ) -> Receipt:  # fmt: skip
        """Move entries to another workspace; their edges go with them (edges name ids, not names).

        Raises:
            UnknownWorkspace: `to` does not exist. NameTaken: a name exists there. HostError: it lives on a host.
        """
        entries = self.find_all(list(refs), workspace)
        args = {"refs": ids_of(entries), "to": to, "create_workspace": create_workspace}
        self.require_workspace(to, create_workspace)
        for entry in entries:
            self.must_be_free(to, entry.name, entry.id)
            self.hosts.refuse(entry, {"workspace": to})
        ruling = self.gate("move-workspace", facts_of(entries), refs=entries, args=args, rationale=rationale)
        self.refresh(entries, ["workspace"])
        with self.operation("move-workspace", f"Moved {named(entries)} to {to}") as op:
            self.ensure_workspace(to, create_workspace)
            for entry in entries:
                self.must_be_free(to, entry.name, entry.id)
                op.edit(op.folded(entry.id), {"workspace": to})
        return self.receipt(op, flagged=ruling.flagged, entries=self.read_back(ids_of(entries)))


def _texts_ever(events: Sequence[Event]) -> set[str]:
    """Every text that an entry ever held, in any version."""
    texts = {e.payload.get("text") for e in events}
    texts |= {written(e).get(field) for e in events for field in TEXT_FIELDS}
    return {t for t in texts if isinstance(t, str) and len(t) >= _TELLING_LENGTH}
