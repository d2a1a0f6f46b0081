"""Merging another store's events: any order, any repetition, any number (DESIGN 3.2 "Clock", 3.3).

Works in chunks of one transaction each and never loads the log; the result equals `fold_all` of everything stored.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from ..events import (
    MEMORY_TYPES,
    QUARANTINE,
    QUARANTINE_MS,
    SKEW_MS,
    Clock,
    Event,
    parse_line,
    ulid_ms,
)
from . import log
from .projection import Projection
from .reading import Reading
from .registry import add_report
from .rows import Received
from .transaction import Transaction

#: Events of one transaction: large enough to be fast, small enough that other writers wait for moments only.
BATCH: Final = 20_000
_SURROGATE: Final = re.compile("[\ud800-\udfff]")


@dataclass(slots=True)
class _Tally:
    """What became of the events so far."""

    duplicate: int = 0
    new: list[str] = field(default_factory=list)
    held: list[str] = field(default_factory=list)
    far: list[str] = field(default_factory=list)
    bad: list[tuple[str, str]] = field(default_factory=list)
    skewed: dict[str, None] = field(default_factory=dict)
    differing: dict[str, None] = field(default_factory=dict)
    residue: dict[str, None] = field(default_factory=dict)


class Receiving(Reading):
    """Merging events that were written elsewhere."""

    clock: Clock

    def receive(self, events: Iterable[Event], *, actor: str = "memdesk", batch: int = BATCH) -> Received:
        """Merge events of other stores into the log.

        Args:
            events: in any order, repeated or not.
            actor: author of the quarantine operation, should one be needed.
            batch: events of one transaction.

        Returns:
            What became of each event, and what a person should hear of.

        Raises:
            StoreLocked: another process held the lock; the batches before it are stored, repeating is harmless.
        """
        tally = _Tally()
        op_id: str | None = None
        for chunk in log.chunks(events, batch):
            with self.transaction() as tx:
                op_id = _Merge(tx, tally, self.clock).run(chunk, actor) or op_id
        with self._reading() as conn:
            waiting = set(log_in(conn, "SELECT event_id FROM waiting WHERE event_id IN {}", tally.new))
            held = set(log_in(conn, "SELECT event_id FROM held WHERE event_id IN {}", tally.held))
        late = len(waiting) + len(held)
        return Received(
            applied=len(tally.new) + len(tally.held) - late, duplicate=tally.duplicate, waiting=late,
            quarantined=tuple(sorted(tally.far)), bad=tuple(tally.bad), skewed=tuple(tally.skewed),
            differing=tuple(tally.differing), residue=tuple(tally.residue), op_id=op_id,
        )  # fmt: skip


class _Merge:
    """One batch in one transaction."""

    def __init__(self, tx: Transaction, tally: _Tally, clock: Clock) -> None:
        self._tx = tx
        self._conn = tx.db
        self._projection: Projection = tx.projection
        self._tally = tally
        self._now = clock.now_ms()

    def run(self, events: list[Event], actor: str) -> str | None:
        """Store the batch; returns the operation that quarantined some of it, if any."""
        fresh: dict[str, Event] = {}
        lines: list[str] = []
        later: list[Event] = []
        stored = self._stored({e.event_id for e in events})
        for event in events:
            if (reason := unusable(event)) is not None:
                self._tally.bad.append((event.event_id, reason))
                continue
            line = event.line()
            known = stored.setdefault(event.event_id, set())
            if line in known:
                self._tally.duplicate += 1
            elif event.erased:
                self._tombstone(event, line, bool(known))
            elif known:
                later.append(event)
            else:
                fresh[event.event_id] = event
                lines.append(line)
            known.add(line)
        far = self._too_far(fresh)
        # Before the events themselves: what is quarantined must never advance the clock that mints this operation.
        op_id = self._quarantine(far, actor) if far else None
        self._projection.add(fresh.values(), lines)
        for event in later:
            self._differing(event)
        self._tx.flush()
        self._settle_texts({*fresh, *(e.event_id for e in later)})
        return op_id

    def _stored(self, event_ids: set[str]) -> dict[str, set[str]]:
        """The line of every copy of these ids in the log, the losing ones included."""
        found: dict[str, set[str]] = {}
        sql = "SELECT event_id, line FROM events WHERE event_id IN {}"
        for event_id, line in log.select_in(self._conn, sql, event_ids):
            found.setdefault(event_id, set()).add(line)
        return found

    def _too_far(self, fresh: Mapping[str, Event]) -> list[str]:
        """Count the new events; returns those that nobody has quarantined yet and that are more than a day ahead."""
        far: list[str] = []
        for event_id, event in fresh.items():
            ahead = ulid_ms(event.order) - self._now
            if ahead > QUARANTINE_MS:
                far.append(event_id)
                self._tally.far.append(event_id)
                continue
            self._tally.new.append(event_id)
            if ahead > SKEW_MS:
                who = f"{event.agent_id}@{event.origin}"
                self._tally.skewed[who] = None
                detail = f"The clock of {who} runs {ahead // 60_000:,} minutes ahead of this one."
                add_report(self._conn, "skewed", who, detail, self._tx.timestamp)
        known = set(log_in(self._conn, "SELECT event_id FROM quarantined WHERE event_id IN {}", far))
        return [i for i in far if i not in known]

    def _differing(self, event: Event) -> None:
        """One id with two contents: the smaller hash counts, and the other copy stays in the log."""
        self._projection.flush()
        stored = self._stored({event.event_id})[event.event_id]
        if any(parse_line(line).erased for line in stored):
            # The erased text comes back from somewhere: it is not let in again.
            self._tally.residue[event.event_id] = None
            event = log.tombstone_of(event)
            if event.line() in stored:
                self._tally.duplicate += 1
                return
        self._tally.new.append(event.event_id)
        self._tally.differing[event.event_id] = None
        detail = f"The event {event.event_id} by {event.agent_id} arrived with two contents."
        add_report(self._conn, "differing", event.event_id, detail, self._tx.timestamp)
        self._projection.add_copy(event)

    def _settle_texts(self, event_ids: set[str]) -> None:
        """Name the events that arrived with text of an erased entry; they are tombstones by now."""
        if not self._conn.execute("SELECT EXISTS (SELECT 1 FROM erased)").fetchone()[0]:
            return
        sql = "SELECT event_id FROM log WHERE event_id IN {} AND line LIKE '%\"erased\":true%'"
        for (event_id,) in log.select_in(self._conn, sql, event_ids):
            self._tally.residue[event_id] = None
        for event_id in self._tally.residue:
            detail = f"The event {event_id} still carried the text of an erased entry where it came from."
            add_report(self._conn, "residue", event_id, detail, self._tx.timestamp)

    def _tombstone(self, event: Event, line: str, known: bool) -> None:
        """A tombstone counts once the purge of its entry is here; our own copy becomes one by that purge itself."""
        entry_id = log.subject_of(event)[0]
        purged = self._conn.execute(
            "SELECT EXISTS (SELECT 1 FROM erased WHERE entry_id = ? OR entry_id = "
            "(SELECT real FROM aliases WHERE alias = ?))", (entry_id, entry_id),
        ).fetchone()[0] or log.twin_of_erased(self._conn, event)  # fmt: skip
        sql = "SELECT 1 FROM held WHERE event_id = ? AND line = ?"
        if self._conn.execute(sql, (event.event_id, line)).fetchone():
            self._tally.duplicate += 1
        elif purged:
            self._tally.new.append(event.event_id)
            (self._projection.add_copy if known else self._add)(event)
        else:
            self._tally.held.append(event.event_id)
            self._conn.execute("INSERT INTO held VALUES (?, ?, ?)", (event.event_id, entry_id, line))

    def _add(self, event: Event) -> None:
        self._projection.add([event])

    def _quarantine(self, far: list[str], actor: str) -> str:
        noun = "event" if len(far) == 1 else "events"
        op_id = self._tx.begin("quarantine", f"Put {len(far)} {noun} from the future aside", actor=actor)
        self._tx.write(QUARANTINE, {"event_ids": sorted(far)})
        self._tx.flush()
        return op_id


def unusable(event: Event) -> str | None:
    """Why an event cannot be stored, or None."""
    named = (event.event_id, event.type, event.op_id, event.host_ref, event.agent_id, event.timestamp, event.origin)
    subjects = (*log.subject_of(event), event.other_id)
    if any(v is not None and not v.isascii() and _SURROGATE.search(v) for v in (*named, *subjects)):
        return "an id that is not text"
    if event.type in MEMORY_TYPES and event.memory_id is None:
        return "no memory_id"
    if event.type in log.EDGE_EVENTS and event.other_id is None:
        return "no to_id"
    return None


def log_in(conn: sqlite3.Connection, sql: str, values: Iterable[str]) -> list[str]:
    """The first column of `sql` over all values."""
    return [row[0] for row in log.select_in(conn, sql, values)]
