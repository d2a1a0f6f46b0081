"""What the store hands out besides entries and edges, and how rows become them. No SQL."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from ..events import time_of
from ..model import Entry, EntryClass, State, Status, Telemetry

_SURROGATES: Final = re.compile("[\ud800-\udfff]")

#: The columns of `entries` that make an Entry, in the order of `entry_values` and `entry_of`.
ENTRY_COLUMNS: Final = (
    "id", "workspace", "name", "shown_name", "type", "class", "status", "state", "title", "description", "summary",
    "body", "project_ref", "initiative", "audience", "created_at", "created_by", "updated_at", "last_edited_by",
    "edit_count", "origin_session_id", "host",
)  # fmt: skip
#: Columns that the projection adds: sort keys, sizes, flags.
EXTRA_COLUMNS: Final = ("created_key", "updated_key", "creation_undone", "body_chars")


@dataclass(frozen=True, slots=True)
class EntryRow:
    """An entry as a list shows it: everything but its long texts."""

    row: int
    id: str
    workspace: str
    name: str
    type: str
    klass: EntryClass
    status: Status | None
    state: State
    title: str | None
    description: str | None
    initiative: str | None
    project_ref: str | None
    updated_at: str | None
    created_at: str | None
    created_by: str
    last_edited_by: str
    host: str | None
    injection_count: int
    deliberate_count: int
    body_chars: int

    @property
    def ref(self) -> str:
        """`workspace/name`."""
        return f"{self.workspace}/{self.name}"


#: The columns of an EntryRow, `e` being entries and `c` counters.
ROW_SELECT: Final = (
    "e.row, e.id, e.workspace, e.shown_name, e.type, e.class, e.status, e.state, e.title, e.description, e.initiative, "
    "e.project_ref, e.updated_at, e.created_at, e.created_by, e.last_edited_by, e.host, coalesce(c.injection, 0), "
    "coalesce(c.deliberate, 0), e.body_chars"
)


def entry_row_of(values: Sequence[Any]) -> EntryRow:
    """An EntryRow from the columns of ROW_SELECT."""
    row = list(values)
    row[5] = EntryClass(row[5])
    row[6] = Status(row[6]) if row[6] else None
    row[7] = State(row[7])
    return EntryRow(*row)


class Line(NamedTuple):
    """The least of an entry that a digest needs; `klass`, `status` and `state` are the plain stored words."""

    id: str
    workspace: str
    name: str
    type: str
    klass: str
    status: str | None
    state: str
    description: str | None
    initiative: str | None
    project_ref: str | None
    updated_at: str | None
    host: str | None
    body_chars: int


#: The columns of a Line, `e` being entries.
LINE_SELECT: Final = (
    "e.id, e.workspace, e.shown_name, e.type, e.class, e.status, e.state, e.description, e.initiative, e.project_ref, "
    "e.updated_at, e.host, e.body_chars"
)


@dataclass(frozen=True, slots=True)
class OperationRow:
    """An operation of the log (DESIGN 3.5). `undone_by` is the live operation that undoes it, or None."""

    op_id: str
    verb: str
    summary: str
    actor: str
    on_behalf_of: str | None
    role: str | None
    session_id: str | None
    timestamp: str
    undoes: str | None
    undone_by: str | None
    origin: str
    ignored: bool = False
    entries: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RequestRow:
    """A request with its decision.

    Attributes:
        status: pending, approved, rejected or withdrawn.
        event_id: the asking.
        payload: the wording that holds: the newest revision, or the one that was decided on.
        revision_id: the event that holds this wording; `event_id` where it was never worded anew.
        revised_by, revised_at: who worded it anew and when, RFC 3339; None where nobody did.
        session_id, origin: the session and the machine in which it was asked.
    """

    request_id: str
    verb: str
    asked_by: str
    asked_at: str
    status: str
    decided_by: str | None
    decided_at: str | None
    reason: str | None
    decision_id: str | None
    op_id: str | None
    event_id: str
    payload: Mapping[str, Any]
    revision_id: str = ""
    revised_by: str | None = None
    revised_at: str | None = None
    session_id: str | None = None
    origin: str = ""

    @property
    def args(self) -> Mapping[str, Any]:
        """Everything needed to execute it."""
        return _mapping(self.payload.get("args"))

    @property
    def base(self) -> Mapping[str, Any]:
        """Per entry id, the tips it was made against."""
        return _mapping(self.payload.get("base"))

    @property
    def patch(self) -> Mapping[str, Any]:
        """The values it would write."""
        return _mapping(self.payload.get("patch"))

    @property
    def erased(self) -> bool:
        """Whether what it asked was erased with the entry that it was about."""
        return self.payload.get("erased") is True

    @property
    def rationale(self) -> str:
        """Why, in the requester's words."""
        return str(self.payload.get("rationale") or "")

    @property
    def refs(self) -> tuple[str, ...]:
        """Ids of the entries it touches."""
        refs = self.payload.get("refs")
        return tuple(r for r in refs if isinstance(r, str)) if isinstance(refs, list) else ()


@dataclass(frozen=True, slots=True)
class Received:
    """What became of events merged from elsewhere (DESIGN 3.2 "Clock", 3.3).

    Every event read is counted once: read = applied + duplicate + waiting + quarantined + len(bad).

    Attributes:
        applied: stored now, and in force as far as the log knows.
        duplicate: stored before.
        waiting: stored now, but the create of their entry (or the purge of their tombstone) has not arrived.
        quarantined: ids put aside now, more than a day ahead of this clock.
        bad: (event id, reason) of those that cannot be stored.
        skewed: author@origin of events more than ten minutes ahead, applied all the same.
        differing: ids that arrived with a content unlike the stored one.
        residue: ids that arrived with text of an erased entry; stored as tombstones.
        op_id: the operation that quarantined, if any.
    """

    applied: int = 0
    duplicate: int = 0
    waiting: int = 0
    quarantined: tuple[str, ...] = ()
    bad: tuple[tuple[str, str], ...] = ()
    skewed: tuple[str, ...] = ()
    differing: tuple[str, ...] = ()
    residue: tuple[str, ...] = ()
    op_id: str | None = None

    @property
    def read(self) -> int:
        """How many events were read."""
        return self.applied + self.duplicate + self.waiting + len(self.quarantined) + len(self.bad)


@dataclass(frozen=True, slots=True)
class Workspace:
    """A workspace; `host` is the id of the host it lives on, or None."""

    name: str
    identity: str | None = None
    host: str | None = None
    created_at: str = ""
    status: str = "active"


@dataclass(frozen=True, slots=True)
class Project:
    """A registered project of a workspace (local to this machine, not an event)."""

    workspace: str
    name: str
    identity: str | None = None
    path: str | None = None
    remote_url: str | None = None
    host: str | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """Something the store noticed and keeps until it is dealt with: a skewed author, differing copies, residue."""

    kind: str
    subject: str
    detail: str
    at: str


@dataclass(frozen=True, slots=True)
class Hit:
    """One search result: `snippet` marks the matches with [ ], `rank` is bm25 (smaller is better)."""

    entry_row: EntryRow
    snippet: str
    rank: float


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers for headers and `status`, over active entries where nothing else is said."""

    entries: int = 0
    active: int = 0
    superseded: int = 0
    purged: int = 0
    open: int = 0
    carry_forward: int = 0
    closed: int = 0
    graduated: int = 0
    anchors: int = 0
    logs: int = 0
    requests: int = 0
    lost_edits: int = 0
    waiting: int = 0
    oldest_request: str | None = None
    oldest_lost_edit: str | None = None
    types: Mapping[str, int] = field(default_factory=dict)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


# -- rows and entries ---------------------------------------------------------------------------------------------


def storable(value: str | None) -> str | None:
    """The text as SQLite can hold it: a lone surrogate (no UTF-8) becomes U+FFFD; the log keeps the original."""
    if value is None or value.isascii():
        return value
    return _SURROGATES.sub("\ufffd", value)


def sort_key(stamp: str | None) -> str:
    """A key that sorts like the time, whatever its spelling: UTC, microseconds; '' for none or an unreadable one."""
    if not stamp:
        return ""
    if stamp.isascii() and stamp[-1] == "Z" and stamp[10:11] == "T":
        if len(stamp) == 24:
            return stamp[:23] + "000"
        if len(stamp) == 20:
            return stamp[:19] + ".000000"
    moment = time_of(stamp)
    if moment is None:
        return ""
    from datetime import UTC

    try:
        return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f").rjust(26, "0")
    except (OverflowError, ValueError):
        return ""


def entry_values(entry: Entry, creation_undone: bool) -> tuple[Any, ...]:
    """The columns ENTRY_COLUMNS + EXTRA_COLUMNS of an entry."""
    body = storable(entry.body) or ""
    return (
        entry.id, storable(entry.workspace), storable(entry.name), storable(entry.shown_name), storable(entry.type),
        str(entry.klass), str(entry.status) if entry.status else None, str(entry.state), storable(entry.title),
        storable(entry.description), storable(entry.summary), body, storable(entry.project_ref),
        storable(entry.initiative), storable(entry.audience), storable(entry.created_at), storable(entry.created_by),
        storable(entry.updated_at), storable(entry.last_edited_by), entry.edit_count,
        storable(entry.origin_session_id), storable(entry.host), sort_key(entry.created_at),
        sort_key(entry.updated_at), int(creation_undone), len(body),
    )  # fmt: skip


def entry_of(values: Sequence[Any], tags: Sequence[str], telemetry: Telemetry | None = None) -> Entry:
    """An Entry from the columns ENTRY_COLUMNS."""
    (
        id_, workspace, name, shown, type_, klass, status, state, title, description, summary, body, project_ref,
        initiative, audience, created_at, created_by, updated_at, last_edited_by, edit_count, session, host,
    ) = values  # fmt: skip
    return Entry(
        id=id_, workspace=workspace, name=name, type=type_, klass=EntryClass(klass),
        status=Status(status) if status else None, state=State(state), title=title, description=description,
        summary=summary, body=body, tags=tuple(tags), project_ref=project_ref, initiative=initiative,
        audience=audience, created_at=created_at, created_by=created_by, updated_at=updated_at,
        last_edited_by=last_edited_by, edit_count=edit_count, origin_session_id=session, host=host,
        display_name=shown if shown != name else "", telemetry=telemetry or Telemetry(),
    )  # fmt: skip
