# ruff: noqa: D102 - the fields of the row protocol are those of Entry, described there
"""The rows a digest is made of: what it needs of an entry, in what order, and as they would be after a change. Pure."""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from typing import Any, Final, Protocol, TypeVar

from ..events import time_of
from ..model import LIVE_STATUSES, EntryClass, State, Status

#: Gives the bodies of the entries with these ids; asked only for entries whose body is really shown.
Bodies = Callable[[Sequence[str]], Mapping[str, str]]

#: The name of the bucket of entries without an initiative (gaia/SPEC 5).
OTHERS: Final = "otros"
_GAIA_HOST: Final = "gaia:"
_UTC_STAMP: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


class DigestRow(Protocol):
    """The light row of an entry: `EntryRow` of the store has this shape, so has `PlainRow`."""

    @property
    def id(self) -> str: ...
    @property
    def workspace(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def klass(self) -> str: ...
    @property
    def status(self) -> str | None: ...
    @property
    def state(self) -> str: ...
    @property
    def description(self) -> str | None: ...
    @property
    def initiative(self) -> str | None: ...
    @property
    def project_ref(self) -> str | None: ...
    @property
    def updated_at(self) -> str | None: ...
    @property
    def host(self) -> str | None: ...
    @property
    def body_chars(self) -> int: ...


Row = TypeVar("Row", bound=DigestRow)


@dataclass(frozen=True, slots=True)
class PlainRow:
    """A digest row as a plain value: a row with pending changes on it, or one built from raw SQL."""

    id: str
    workspace: str
    name: str
    type: str
    klass: str
    status: str | None = None
    state: str = State.ACTIVE
    description: str | None = None
    initiative: str | None = None
    project_ref: str | None = None
    updated_at: str | None = None
    host: str | None = None
    body_chars: int = 0


def no_bodies(ids: Sequence[str]) -> Mapping[str, str]:
    """A `Bodies` that knows none: for callers whose mode shows descriptions only."""
    return {}


# -- order --------------------------------------------------------------------------------------------------------


def freshness(stamp: str | None) -> str:
    """A sortable form of a stored time; "" for null and for text that is no time, which therefore is the oldest.

    Times of different spelling (whole seconds, milliseconds, `+00:00`) compare by what they mean.
    """
    if not stamp:
        return ""
    if _UTC_STAMP.fullmatch(stamp):
        text = stamp[:-1]
    else:
        time = time_of(stamp)
        if time is None:
            return ""
        text = time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def newest_first(rows: Iterable[Row]) -> list[Row]:
    """Newest change first, null last; equal times in order of their ids, as one checkpoint wrote them."""
    by_id = sorted(rows, key=lambda r: r.id)
    return sorted(by_id, key=lambda r: freshness(r.updated_at), reverse=True)


def oldest_first(rows: Iterable[Row]) -> list[Row]:
    """Oldest change first, null last (gaia/SPEC 6, thread_open); equal times in order of their ids."""
    return sorted(rows, key=lambda r: (not freshness(r.updated_at), freshness(r.updated_at), r.id))


def first(rows: Sequence[Row], count: int, *, oldest: bool = False) -> list[Row]:
    """The first `count` of `newest_first` (or of `oldest_first`), without sorting all of many rows."""
    order = oldest_first if oldest else newest_first
    if len(rows) <= count:
        return order(rows)
    times = [freshness(r.updated_at) for r in rows]
    if oldest:
        known = [t for t in times if t]
        bound = heapq.nsmallest(count, known)[-1] if len(known) >= count else ""
        return order(r for r, t in zip(rows, times, strict=True) if not bound or (t and t <= bound))[:count]
    bound = heapq.nlargest(count, times)[-1]
    return order(r for r, t in zip(rows, times, strict=True) if t >= bound)[:count]


def newest(rows: Sequence[DigestRow]) -> DigestRow:
    """The first of `newest_first`, without sorting. `rows` is not empty."""
    best, best_time = rows[0], freshness(rows[0].updated_at)
    for row in rows[1:]:
        time = freshness(row.updated_at)
        if time > best_time or (time == best_time and row.id < best.id):
            best, best_time = row, time
    return best


# -- what is in -----------------------------------------------------------------------------------------------------


def is_pending(row: DigestRow) -> bool:
    """Whether the row is live work: an active thread, open or carried forward (DESIGN 5)."""
    return row.state == State.ACTIVE and row.klass == EntryClass.THREAD and row.status in LIVE_STATUSES


def on_gaia(row: DigestRow) -> bool:
    """Whether the entry lives on a Gaia host, where only anchors of type user are injected (DESIGN 5)."""
    return row.host is not None and row.host.startswith(_GAIA_HOST)


def narrowed(rows: Iterable[DigestRow], project_ref: str | None) -> Iterator[DigestRow]:
    """Leave out what is anchored to another project; notes without a project stay (memory-mechanics seed).

    Args:
        rows: any rows.
        project_ref: the identity of the project to narrow to; None changes nothing.
    """
    for row in rows:
        if project_ref is None or row.project_ref in (None, "", project_ref):
            yield row


# -- as it would be -------------------------------------------------------------------------------------------------

_ROW_FIELDS: Final = ("workspace", "name", "type", "description", "initiative", "project_ref", "state")


def changed(
    rows: Iterable[DigestRow], changes: Mapping[str, Mapping[str, Any]], *, now: str, added: Iterable[DigestRow] = ()
) -> list[DigestRow]:
    """The rows as they would be after pending changes: what a preview renders (DESIGN 5).

    Args:
        rows: the rows as they are.
        changes: entry id -> patch, keys as in an edit event (`class`, `status`, `description`, `body`, `state`, …).
            A patch that changes nothing leaves the row, and its place, alone.
        now: the time that a change would carry, RFC 3339 UTC: a changed row becomes the freshest.
        added: rows of entries that the changes would create.
    """
    result = [_patched(r, changes[r.id], now) if r.id in changes else r for r in rows]
    result.extend(added)
    return result


def _patched(row: DigestRow, patch: Mapping[str, Any], now: str) -> DigestRow:
    values = {name: patch.get(name, getattr(row, name)) for name in _ROW_FIELDS}
    klass = patch.get("class", row.klass)
    status = patch.get("status", row.status)
    if klass != EntryClass.THREAD:
        status = None
    elif row.klass != EntryClass.THREAD and status is None:
        status = Status.CARRY_FORWARD
    body_chars = len(patch["body"]) if isinstance(patch.get("body"), str) else row.body_chars
    same = (
        all(values[name] == getattr(row, name) for name in _ROW_FIELDS)
        and (klass, status) == (row.klass, row.status)
        and "body" not in patch
    )
    if same:
        return row
    return PlainRow(
        id=row.id, klass=klass, status=status, updated_at=now, host=row.host, body_chars=body_chars, **values
    )


def patched_bodies(bodies: Bodies, changes: Mapping[str, Mapping[str, Any]]) -> Bodies:
    """A `Bodies` in which changed bodies read as they would be."""
    new = {entry_id: p["body"] for entry_id, p in changes.items() if isinstance(p.get("body"), str)}

    def load(ids: Sequence[str]) -> Mapping[str, str]:
        return {**bodies([i for i in ids if i not in new]), **{i: new[i] for i in ids if i in new}}

    return load
