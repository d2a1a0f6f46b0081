"""The versions of one entry: restoring one, who wrote each line, and where the history does not join (DESIGN 3.5)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from ..diff import blame, lines_of
from ..errors import InvalidValue, NotFound
from ..history import Version, as_of, snapshot
from ..model import PATCH_FIELDS, Entry, State
from .reading import Reading
from .session import UNSET, Receipt
from .writing import Writing

#: What an edit can put back; the name, the type and the workspace are other verbs.
RESTORABLE: Final = frozenset(PATCH_FIELDS) - {"workspace", "name", "type", "origin_session_id"} | {"tags", "state"}
_HISTORY_ROW: Final = "memory_history"


class Versions(Writing, Reading):
    """The verbs on versions."""

    def restore_version(
        self, ref: str, event_id: str, *, fields: Collection[str] | None = None,
        expected: Mapping[str, Any] | None = None, rationale: str = "",
    ) -> Receipt:  # fmt: skip
        """Write the values of an older version again: an ordinary edit, so that undo takes it back.

        Args:
            ref: the entry.
            event_id: of one of its versions.
            fields: only these of its fields; all that an edit can put back by default.
            expected: field -> value as the caller saw it; a difference stops the write.

        Raises:
            NotFound: no such version. InvalidValue: it holds the same values, or none that an edit can put back.
            Stale: something in `expected` moved meanwhile.
        """
        entry, versions = self.history(ref)
        if all(v.event_id != event_id for v in versions):
            raise NotFound(f"{entry.shown_name} has no version {event_id}.", "List them with `memdesk history`.")
        wanted, now = as_of(versions, event_id), snapshot(entry)
        names = {n for n in RESTORABLE if n in wanted and wanted[n] != now[n] and (fields is None or n in fields)}
        if "state" in names and wanted["state"] != State.ACTIVE:
            names.discard("state")  # deleting and replacing are verbs of their own, not the restoring of a text
        if not names:
            raise InvalidValue(
                f"That version of {entry.shown_name} holds nothing else that could be put back.",
                "Its name and its place are changed by `memdesk rename` and `memdesk move-workspace`.",
            )
        gave = self._edit_to(entry, wanted, names)
        return self.edit(entry.id, **gave, expected=expected, rationale=rationale)

    def _edit_to(self, entry: Entry, wanted: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
        apart = {"class", "status", "state", "audience", "initiative", "tags"}
        gave: dict[str, Any] = {"fields": {n: wanted[n] for n in names if n not in apart}}
        if {"class", "status"} & set(names):
            gave |= {"klass": wanted["class"], "status": wanted["status"] or UNSET}
        for name in ("state", "audience", "initiative"):
            if name in names:
                gave[name] = wanted[name]
        if "tags" in names:
            gave["add_tags"] = [t for t in wanted["tags"] if t not in entry.tags]
            gave["rm_tags"] = [t for t in entry.tags if t not in wanted["tags"]]
        return gave

    def breaks(self, versions: Sequence[Version]) -> dict[str, str]:
        """Versions at which a host's history does not join the one before, with the sentence that says so.

        A trigger was bypassed, or a row was deleted and made anew under the same name (gaia/SPEC 8).
        """
        reports = {r.subject.rpartition("/")[2]: r.detail for r in reversed(self.store.reports("host_break"))}
        found: dict[str, str] = {}
        for version in versions:
            host, _, row = (version.host_ref or "").partition(f"/{_HISTORY_ROW}/")
            if host and row.partition("/")[0] in reports:
                found[version.event_id] = reports[row.partition("/")[0]]
        return found


def blamed(versions: Sequence[Version], event_id: str) -> list[tuple[Version, str]]:
    """The lines of the text as a version left it, each with the version that brought it.

    Args:
        versions: of one entry, oldest first.
        event_id: of one of them.
    """
    kept: list[Version] = []
    texts: list[str] = []
    for version in versions:
        change = version.change("body")
        if change is not None:
            kept.append(version)
            texts.append(str(change.after or ""))
        if version.event_id == event_id:
            break
    if not texts:
        return []
    return [(kept[number], line) for number, line in zip(blame(texts), lines_of(texts[-1]), strict=True)]
