"""From what a person types to the entry that is meant (DESIGN 3.4: verbs on an existing entry find it everywhere)."""

from __future__ import annotations

from ..errors import Ambiguous, NotFound, listed
from ..model import Entry
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
