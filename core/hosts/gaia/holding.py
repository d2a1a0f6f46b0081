"""What a Gaia database can hold, and what memdesk must keep for itself. Pure (gaia/SPEC 2.3, 2.6)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from ...model import DERIVED_FROM, GRADUATED_TO, RELATED_TO, SUPERSEDES, Audience, EntryClass, edge_kind

TYPES: Final = frozenset({"project", "user", "feedback", "atom", "decision", "negative"})
#: Stored edge kind -> how memory_links spells it.
KINDS: Final = {
    SUPERSEDES: "supersedes", DERIVED_FROM: "derived_from", GRADUATED_TO: "graduated_to", RELATED_TO: "relates_to",
}  # fmt: skip
#: Fields of an entry that have no column.
UNHELD: Final = ("title", "summary", "tags")
_CHECKED: Final = {
    "type": TYPES, "class": frozenset(map(str, EntryClass)), "audience": frozenset(map(str, Audience)),
}  # fmt: skip
_REQUIRED: Final = ("workspace", "name", "body")


def holds_value(column: str, value: str | None) -> bool:
    """Whether the column accepts the value: its CHECK, its NOT NULL, and the blank body that Gaia's writers refuse."""
    allowed = _CHECKED.get(column)
    if allowed is not None:
        return value in allowed
    return column not in _REQUIRED or bool(value and value.strip())


def cannot_hold(fields: Mapping[str, Any]) -> list[str]:
    """One plain sentence for each thing in `fields` that Gaia has no place for.

    Args:
        fields: field -> value as it will be written; `tags` a list.
    """
    said = [_kept_here(name) for name in UNHELD if fields.get(name)]
    kind = fields.get("type")
    if kind is not None and kind not in TYPES:
        said.append(f"Gaia knows no type {kind}: it is kept in memdesk only.")
    return said


def _kept_here(name: str) -> str:
    noun = "tags" if name == "tags" else f"a {name}"
    return f"Gaia cannot hold {noun}: kept in memdesk only."


def cannot_hold_edge(kind: str, *, source: str, target: str, same_workspace: bool) -> list[str]:
    """One plain sentence when Gaia cannot hold the edge, else nothing.

    Args:
        source, target: the names to show.
    """
    kind = edge_kind(kind)
    if kind not in KINDS:
        return [f"Gaia cannot hold a {kind} edge: {source} {kind} {target} is kept in memdesk only."]
    if not same_workspace:
        return [f"Gaia links cannot cross workspaces: {source} {kind} {target} is kept in memdesk only."]
    return []


def gaia_kind(kind: str) -> str | None:
    """How memory_links spells an edge kind; None when it cannot hold it."""
    return KINDS.get(edge_kind(kind))


def whole_seconds(stamp: str) -> str:
    """A time as Gaia keeps it, `YYYY-MM-DDTHH:MM:SSZ`; other spellings stay as they are."""
    if stamp.endswith("Z") and len(stamp) > 20 and stamp[19] == ".":
        return stamp[:19] + "Z"
    return stamp
