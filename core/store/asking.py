"""Requests: those that wait, what was decided on them, and which decisions did not stand (DESIGN 3.3, 4)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Final, NamedTuple

from ..events import DECISION, REQUEST, Event, parse_line
from ..text import one_name
from . import log
from .logbook import by_prefix
from .reading import Reading
from .rows import RequestRow
from .standings import standing_for

_REQUEST: Final = (
    "SELECT request_id, verb, asked_by, asked_at, status, decided_by, decided_at, reason, decision_id, op_id, "
    "event_id, payload, revision_id, revised_by, revised_at, session_id, origin FROM requests"
)
#: Its parts that say who, in which session and where.
_NAMES: Final = ("asked_by", "decided_by", "revised_by", "session_id", "origin")
_REFERRED: Final = (
    "SELECT 1 FROM request_refs f JOIN entries e ON e.id = f.entry_id WHERE f.request_id = requests.request_id"
)
_PARENT: Final = "(SELECT workspace FROM entries WHERE id = json_extract(payload, '$.args.parent'))"
#: Requests about an entry of a workspace, or that would make one there; and those of which nobody can tell the place,
#: since a request must be on somebody's list.
OF_WORKSPACE: Final = (
    f"(EXISTS ({_REFERRED} AND e.workspace = ?) "
    f"OR json_extract(payload, '$.args.workspace') = ? OR {_PARENT} = ? "
    f"OR (NOT EXISTS ({_REFERRED}) "
    f"AND coalesce(json_extract(payload, '$.args.workspace'), {_PARENT}) IS NULL))"
)


class Lost(NamedTuple):
    """A decision that does not stand: another one on the same request was first (DESIGN 3.3)."""

    request_id: str
    decision: Event


class Asking(Reading):
    """The requests of the log."""

    def requests(
        self, status: str | None = None, *, entry_id: str | None = None, wish: str | None = None
    ) -> list[RequestRow]:
        """Requests, oldest first.

        Args:
            status: pending, approved, rejected or withdrawn; None for all.
            entry_id: only those about this entry.
            wish: only those that ask for this, or did at first (`events.wish_of`).
        """
        with self._reading() as conn:
            parts, args = ["1"], list[Any]()
            for condition, value in (
                ("status = ?", status),
                ("request_id IN (SELECT request_id FROM request_refs WHERE entry_id = ?)", entry_id),
                ("request_id IN (SELECT request_id FROM request_wishes WHERE wish = ?)", wish),
            ):
                if value is not None:
                    parts.append(condition)
                    args.append(value)
            sql = f"{_REQUEST} WHERE {' AND '.join(parts)} ORDER BY event_id"
            return [_request(row) for row in conn.execute(sql, args).fetchall()]

    def request_keys(self, status: str | None = None, *, workspace: str | None = None) -> list[str]:
        """The ids of requests, oldest first, without reading what they say.

        Args:
            status: pending, approved, rejected or withdrawn; None for all.
            workspace: only those about an entry there, or that would make one there.
        """
        with self._reading() as conn:
            parts, args = ["1"], list[Any]()
            if status is not None:
                parts.append("status = ?")
                args.append(status)
            if workspace is not None:
                parts.append(OF_WORKSPACE)
                args += [workspace] * 3
            sql = f"SELECT request_id FROM requests WHERE {' AND '.join(parts)} ORDER BY event_id"
            return [request_id for (request_id,) in conn.execute(sql, args)]

    def requests_of(self, request_ids: Iterable[str]) -> list[RequestRow]:
        """The requests of these ids that are there, in the given order."""
        ids = list(request_ids)
        with self._reading() as conn:
            rows = map(_request, log.select_in(conn, f"{_REQUEST} WHERE request_id IN {{}}", ids))
            found = {row.request_id: row for row in rows}
            return [found[i] for i in ids if i in found]

    def request(self, request_id: str) -> RequestRow | None:
        """The request of this id, or of a prefix of it that fits only one (with or without `req_`)."""
        with self._reading() as conn:
            found = by_prefix(conn, _REQUEST, "request_id", "req_", request_id)
            return _request(found) if found else None

    def decisions_on(self, request_id: str) -> list[Event]:
        """Every decision on a request in ULID order, undone and losing ones included: the `base` of the next one."""
        with self._reading() as conn:
            sql = f"SELECT line FROM log WHERE other_id = ? AND type = '{DECISION}' ORDER BY event_id"
            return [parse_line(line) for (line,) in conn.execute(sql, (request_id,)).fetchall()]

    def wordings_of(self, request_id: str) -> list[Event]:
        """Every wording of a request that counts, and the one in force, in ULID order."""
        with self._reading() as conn:
            sql = f"SELECT line FROM log WHERE other_id = ? AND type = '{REQUEST}' ORDER BY event_id"
            events = [parse_line(line) for (line,) in conn.execute(sql, (request_id,)).fetchall()]
            standing = standing_for(conn, events)
            row = conn.execute("SELECT revision_id FROM requests WHERE request_id = ?", (request_id,)).fetchone()
            kept = [e for e in events if not e.erased and (standing.counts(e) or (row and e.event_id == row[0]))]
            return sorted(kept, key=lambda e: e.order)

    def lost_decisions(self, *, actor: str | None = None, request_id: str | None = None) -> list[Lost]:
        """Decisions that lost to an earlier one and that their author has not taken back, in ULID order.

        Args:
            actor: only this author's.
            request_id: only those on this request.
        """
        with self._reading() as conn:
            parts, args = ["NOT EXISTS (SELECT 1 FROM op_standing s WHERE s.op_id = d.op_id AND s.undone_by <> '')"], []
            for column, value in (("l.agent_id", actor), ("d.request_id", request_id)):
                if value is not None:
                    parts.append(f"{column} = ?")
                    args.append(value)
            # CROSS: from the few decisions to their events, never through the whole log.
            sql = (
                "SELECT d.request_id, l.line FROM losing_decisions d CROSS JOIN log l ON l.event_id = d.event_id "
                f"WHERE {' AND '.join(parts)} ORDER BY d.event_id"
            )
            return [Lost(request, parse_line(line)) for request, line in conn.execute(sql, args).fetchall()]


def _request(row: tuple[Any, ...]) -> RequestRow:
    found = RequestRow(*(*row[:11], json.loads(row[11]), *row[12:]))
    names: dict[str, Any] = {name: one_name(said) for name in _NAMES if (said := getattr(found, name))}
    return replace(found, **names)
