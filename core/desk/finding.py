"""From what a person types to the entry that is meant (DESIGN 3.4: verbs on an existing entry find it everywhere)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..errors import Ambiguous, InvalidValue, NameTaken, NotFound, listed
from ..model import Entry, State
from .session import Session


class Finding(Session):
    """Resolving references: slug, `workspace/slug`, id, or a unique prefix of the id."""

    def find(self, ref: str, workspace: str | None = None) -> Entry:
        """The one entry that `ref` names.

        Args:
            ref: slug, `workspace/slug`, id, or a unique prefix of the id.
            workspace: look only there.

        Raises:
            NotFound: nothing answers to it.
            Ambiguous: several do; `candidates` lists them as `workspace/name`.
        """
        found = self.store.lookup(ref, workspace)
        if len(found) == 1:
            return found[0]
        if not found:
            where = f" in workspace {workspace}" if workspace else ""
            raise NotFound(
                f"No entry is named {ref!r}{where}.",
                "Look for it with `memdesk search` or `memdesk list --status all`.",
                ref=ref,
            )
        names = [e.ref for e in found]
        raise Ambiguous(
            f"{ref!r} fits {len(found)} entries: {listed(names)}.",
            "Name one as workspace/name, or by its id.",
            candidates=[{"id": e.id, "ref": e.ref} for e in found],
        )

    def find_all(self, refs: tuple[str, ...] | list[str], workspace: str | None = None) -> list[Entry]:
        """`find` for each of several references, each entry once, in order."""
        found = [self.find(r, workspace) for r in refs]
        return list({e.id: e for e in found}.values())

    def must_exist(self, entry: Entry, verb: str) -> None:
        """Deleted entries are not quietly written to, where no list would show the result (gaia/SPEC 4, trap 6).

        Raises:
            InvalidValue: it is deleted.
        """
        if entry.state is State.PURGED:
            raise InvalidValue(
                f"{entry.shown_name} is deleted, so there is nothing to {verb}.",
                f"Bring it back first: `memdesk restore {entry.shown_name}`.",
                field="state",
            )

    def must_be_free(self, workspace: str, name: str, entry_id: str | None = None) -> None:
        """Stop where a name is taken by another entry than `entry_id`, deleted ones included (DESIGN 1).

        Raises:
            NameTaken: with the owner's id.
        """
        owner = self.holder(workspace, name)
        if owner is not None and owner.id != entry_id:
            deleted = " (deleted)" if owner.state is State.PURGED else ""
            raise NameTaken(
                f"{workspace}/{name} exists already{deleted}.", "Choose another name, or merge the two.", id=owner.id
            )

    def holder(self, workspace: str, name: str) -> Entry | None:
        """Who has a name, deleted entries included; one whose creation was undone has none."""
        owner = self.store.name_owner(workspace, name)
        return None if owner is None or self.store.undone_creations([owner.id]) else owner

    def read_back(self, ids: Iterable[str]) -> tuple[Entry, ...]:
        """The entries of these ids as they stand now."""
        return tuple(e for e in map(self.store.entry, ids) if e is not None)

    def written_entry(self, entry_id: str) -> Entry:
        """An entry that this transaction has just written."""
        entry = self.store.entry(entry_id)
        assert entry is not None, "an entry made in this transaction"
        return entry


def named(entries: Sequence[Entry]) -> str:
    """The entry's name, or how many there are."""
    return entries[0].shown_name if len(entries) == 1 else f"{len(entries)} entries"


def ids_of(entries: Iterable[Entry]) -> list[str]:
    """Their ids, in order."""
    return [e.id for e in entries]
