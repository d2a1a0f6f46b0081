"""The past of the whole store: a desk on it as it was, and what changed between two moments (DESIGN 3.3, 3.5)."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Final, Self

from ..errors import NotFound, UsageError
from ..events import EDGE_ADD, EDGE_REMOVE, OPERATION, Event, rfc3339
from ..hosts import Hosts
from ..model import Edge
from ..moments import Changed, Moment, Scene, difference
from ..standing import chain
from ..store import PastStore, Store, open_past
from .finding import Finding

_AGO: Final = re.compile(r"(\d{1,6})\s*(m|min|minutes?|h|hours?|d|days?|w|weeks?)(\s+ago)?\Z")
_MINUTES: Final = {"m": 1, "h": 60, "d": 1440, "w": 10080}
_CLOCK: Final = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?")
_EDGES: Final = frozenset({EDGE_ADD, EDGE_REMOVE})


class Moments(Finding):
    """The verbs that look back."""

    def moment(self, when: str) -> Moment:
        """The moment that a person names.

        Args:
            when: an operation (its id or a unique prefix, with `op_`), a time in RFC 3339 or as `2025-06-01` (its end)
                or `2025-06-01 14:30` (UTC unless it says otherwise), or how long ago: `90m`, `3h`, `2 days`, `1w ago`.

        Raises:
            UsageError: it is none of these. NotFound: there is no such operation.
        """
        text = when.strip()
        if text.lower().startswith("op_"):
            return self._of_operation(text)
        ago = _AGO.match(text.lower())
        if ago:
            back = timedelta(minutes=int(ago[1]) * _MINUTES[ago[2][0]])
            return self._at(int(self.store.clock.now_ms() - back.total_seconds() * 1000), text)
        if text.lower() == "now":
            return self._at(self.store.clock.now_ms(), "now")
        time = _time(text)
        if time is None:
            raise UsageError(
                f"{when!r} is no operation and no time.",
                "Use an operation of `memdesk log`, a time such as 2025-06-01 or 2025-06-01T14:30, or 3h, 2d, 1w.",
            )
        return self._at(int(time.timestamp() * 1000), text)

    def _at(self, ms: int, words: str) -> Moment:
        if ms < 0:
            raise UsageError(f"{words!r} lies before all memory.", "Use a later time.")
        return Moment(ms=ms, words=words, timestamp=rfc3339(ms))

    def _of_operation(self, op: str) -> Moment:
        row = self.store.operation(op)
        if row is None:
            raise NotFound(f"There is no operation {op!r}.", "List them with `memdesk log`.", operation=op)
        last = max(e.event_id for e in self.store.events_of_op(row.op_id))
        return Moment(event_id=last, words=row.summary, timestamp=row.timestamp, op_id=row.op_id)

    def as_of(self, when: str | Moment) -> Self:
        """A desk on the store as it was; every reading works on it, every write is refused. Close it when done.

        Raises:
            UsageError, NotFound: `when` names no moment.
        """
        moment = self.moment(when) if isinstance(when, str) else when
        past = open_past(self.store, moment)
        return type(self)(past, self.actor, Hosts(past), self.config)

    @property
    def looks_at(self) -> Moment | None:
        """The moment that this desk shows; None for the present."""
        return self.store.moment if isinstance(self.store, PastStore) else None

    def changed_between(
        self, since: str | Moment, until: str | Moment | None = None, *, workspace: str | None = None
    ) -> tuple[list[Changed], dict[str, str]]:
        """What became of entries between two moments, and the names of all entries that the edges in it name.

        Args:
            since, until: in any order; None is now.
            workspace: only entries of it.

        Raises:
            UsageError, NotFound: one of them names no moment.
        """
        first, last = self._in_order(since, until)
        ids = self._touched(first)
        with open_past(self.store, first) as before:
            one = _scene(before, ids)
        if last is None:
            other = _scene(self.store, ids)
        else:
            with open_past(self.store, last) as after:
                other = _scene(after, ids)
        found = difference(one, other)
        if workspace is not None:
            found = [c for c in found if workspace in {e.workspace for e in (c.before, c.after) if e is not None}]
        ends = {i for c in found for e in (*c.linked, *c.unlinked) for i in (e.source, e.target)}
        return found, {e.id: e.shown_name for e in self.store.entries_of(sorted(ends))}

    def _in_order(self, since: str | Moment, until: str | Moment | None) -> tuple[Moment, Moment | None]:
        first = self.moment(since) if isinstance(since, str) else since
        if until is None:
            return first, None
        last = self.moment(until) if isinstance(until, str) else until
        return (last, first) if last.floor < first.floor else (first, last)

    def _touched(self, moment: Moment) -> list[str]:
        """Ids of every entry that an event after the moment may have changed."""
        later = [e for e in self.store.events(after=moment.floor) if not moment.admits(e)]
        undoes = self.store.undoes()
        named: list[Event] = list(later)
        for op_id in {e.op_id for e in later if e.type == OPERATION and e.payload.get("undoes")}:
            for undone in chain(op_id or "", undoes)[1:]:
                named += self.store.events_of_op(undone)
        return sorted({i for e in named for i in (e.memory_id, e.other_id) if i})


def _scene(store: Store, ids: list[str]) -> Scene:
    """The entries of these ids and the edges at them. An entry whose creation is undone is not there."""
    entries = {e.id: e for e in store.entries_of(ids)}
    for entry_id in ids:
        if entry_id not in entries and (entry := store.entry(entry_id)) is not None:
            entries[entry.id] = entry  # an alias, or an end of an edge that stands for another
    undone = store.undone_creations(entries)
    edges: set[Edge] = {edge for entry_id in entries for edge in store.edges_of(entry_id)}
    return Scene({i: e for i, e in entries.items() if i not in undone}, edges)


def _time(text: str) -> datetime | None:
    try:
        if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
            day = datetime.fromisoformat(text).replace(tzinfo=UTC)
            return day + timedelta(days=1) - timedelta(milliseconds=1)
        if not _CLOCK.match(text):
            return None
        time = datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        return None
    return time if time.tzinfo else time.replace(tzinfo=UTC)
