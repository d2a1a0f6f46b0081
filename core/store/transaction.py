"""One write transaction: mint ids, write events, see them at once; all or nothing (DESIGN 3.2 "Clock", 3.5)."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

from ..events import OPERATION, Clock, Event, Mint
from .projection import Projection


class Transaction:
    """What `store.transaction()` hands out. Its reads are the store's own: they see what it has written.

    A transaction may hold no operation at all (bookkeeping tables), one, or several in a row.

    Attributes:
        db: this thread's connection, inside BEGIN IMMEDIATE.
        projection: where events go; parts of the store that merge events use it directly.
        op_id: the current operation, or None before `begin`.
        wrote: whether an event was written.
    """

    def __init__(self, db: sqlite3.Connection, projection: Projection, clock: Clock, origin: str) -> None:
        self.db = db
        self.op_id: str | None = None
        self.wrote = False
        self.projection = projection
        self._clock = clock
        self._origin = origin
        self._mint: Mint | None = None
        self._header: Event | None = None
        self._envelope: dict[str, Any] = {}

    def begin(
        self, verb: str, summary: str, *, actor: str, role: str | None = None, session_id: str | None = None,
        on_behalf_of: str | None = None, undoes: str | None = None,
    ) -> str:  # fmt: skip
        """Start an operation. Its header is written with its first event, so a no-op writes nothing.

        Args:
            verb: what `log` shows.
            summary: one plain sentence in the past tense.
            actor: the author of the events, such as `user:ana`.
            role: the actor's role.
            session_id: the session that it belongs to.
            on_behalf_of: who asked, where a reviewer executes a request.
            undoes: the operation that this one undoes.

        Returns:
            The operation's id, `op_` + ULID.
        """
        self.op_id = "op_" + self.new_id()
        self._envelope = {"agent_id": actor, "session_id": session_id, "on_behalf_of": on_behalf_of}
        payload = {"verb": verb, "summary": summary, "undoes": undoes, "role": str(role) if role is not None else None}
        self._header = self._event(OPERATION, payload)
        return self.op_id

    def write(
        self, type_: str, payload: Mapping[str, Any], *, timestamp: str | None = None, host_ref: str | None = None,
        on_behalf_of: str | None = None,
    ) -> Event:  # fmt: skip
        """Write one event in the current operation.

        Args:
            type_: one of the event types of core/events.py.
            payload: the flat keys beside the envelope.
            timestamp: RFC 3339, where a host tells its own time; else the transaction's.
            host_ref: the fact of a host that this event reports.
            on_behalf_of: overrides the operation's.

        Raises:
            RuntimeError: `begin` was not called.
        """
        if self.op_id is None:
            raise RuntimeError("write needs an operation: call begin first")
        event = self._event(type_, payload, timestamp=timestamp, host_ref=host_ref, on_behalf_of=on_behalf_of)
        if self._header is not None:
            self.projection.add([self._header, event])
            self._header = None
        else:
            self.projection.add([event])
        self.wrote = True
        return event

    def mark(self) -> None:
        """Write the header of the current operation now, events or not: an undo that changes no value is still one.

        Raises:
            RuntimeError: `begin` was not called.
        """
        if self.op_id is None:
            raise RuntimeError("mark needs an operation: call begin first")
        if self._header is not None:
            self.projection.add([self._header])
            self._header = None
            self.wrote = True

    @property
    def timestamp(self) -> str:
        """RFC 3339 time of this transaction, in milliseconds, the time part of its ids."""
        return self._minted().timestamp

    def new_id(self) -> str:
        """A fresh bare ULID above everything the store has seen; memory ids are bare, request ids `req_` + this."""
        return self._minted().ulid()

    def flush(self) -> None:
        """Bring the projection in step now; the store does it before each read and at the end."""
        self.projection.flush()

    def _minted(self) -> Mint:
        if self._mint is None:
            self._mint = self._clock.mint(newest(self.db))
        return self._mint

    def _event(
        self, type_: str, payload: Mapping[str, Any], *, timestamp: str | None = None, host_ref: str | None = None,
        on_behalf_of: str | None = None,
    ) -> Event:  # fmt: skip
        envelope = self._envelope | ({"on_behalf_of": on_behalf_of} if on_behalf_of else {})
        return Event(
            event_id="evt_" + self.new_id(), type=type_, timestamp=timestamp or self.timestamp, origin=self._origin,
            op_id=self.op_id, payload=dict(payload), host_ref=host_ref, **envelope,
        )  # fmt: skip


def newest(conn: sqlite3.Connection) -> str | None:
    """The newest bare ULID in the log, own or received; what is quarantined never advances the clock."""
    row = conn.execute(
        "SELECT event_id FROM events WHERE event_id NOT IN (SELECT event_id FROM quarantined) "
        "ORDER BY event_id DESC LIMIT 1"
    ).fetchone()
    return row[0][4:] if row else None
