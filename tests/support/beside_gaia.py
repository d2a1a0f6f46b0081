"""Comparing a desk with a Gaia database."""

from __future__ import annotations

from typing import Any

from gaia_fixture import Gaia

from memdesk.core.desk import Desk
from memdesk.core.fold import fold_all
from memdesk.core.model import Entry, State

COLUMNS = (
    "workspace", "name", "type", "description", "body", "class", "status", "project_ref", "initiative", "audience",
    "origin_session_id", "created_at", "updated_at",
)  # fmt: skip


def entry(desk: Desk, ref: str) -> Entry:
    (found,) = desk.store.lookup(ref)
    return found


def shown(found: Entry) -> dict[str, Any]:
    """An entry as the columns of a Gaia row."""
    values = {c: getattr(found, c) for c in COLUMNS if c != "class"}
    return values | {"class": str(found.klass), "status": str(found.status) if found.status else None}


def assert_same(desk: Desk, gaia: Gaia) -> None:
    """Every host row is shown exactly as it is, every other entry of the host is gone, and the fold agrees."""
    rows = gaia.rows()
    for row in rows:
        found = entry(desk, f"{row['workspace']}/{row['name']}")
        assert shown(found) == {c: row[c] for c in COLUMNS}
        assert (found.state is State.PURGED) == (row["deleted_at"] is not None), row["name"]
    assert_folded(desk)


def assert_folded(desk: Desk) -> None:
    """The projection is what replaying the log gives."""
    memory = fold_all(desk.store.events())
    for entry_id, folded in memory.entries.items():
        stored = desk.store.entry(entry_id)
        assert stored is not None
        assert (shown(stored), stored.state) == (shown(folded.entry), folded.entry.state)


def events_of(desk: Desk, kind: str | None = None) -> list[Any]:
    return [e for e in desk.store.events() if kind is None or e.type == kind]


def log_size(desk: Desk) -> tuple[int, int]:
    """(events, operations)."""
    events = list(desk.store.events())
    return len(events), len({e.op_id for e in events})


def versions(desk: Desk, entry_id: str) -> list[tuple[str, str, Any]]:
    """(type, time, patch) of each event of an entry."""
    found = [e for e in desk.store.events_of(entry_id) if "from_id" not in e.payload]
    return [(e.type, e.timestamp, e.payload.get("patch")) for e in found]
