"""What others changed since the curator was last here, newest first: the rows of that list. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Protocol

from ...core.digest import DigestRow
from ...core.model import STATE_LABELS, State, role_label
from ..widgets.rows import Cell, Column, Key, Row, Section
from ..words import age_short, ago, count
from .triage_rows import NAME_COLUMN, name_cell, role_sign

NEWS_COLUMNS: Final = (
    NAME_COLUMN,
    Column("what", flex=6, min_width=16, title="what happened"),
    Column("role", width=16, title="for", wide=140),
    Column("who", width=14, title="by", tone="accent", middle=True),
    Column("age", width=4, align="right", title="age"),
)


class Operation(Protocol):
    """What this list needs of an operation; the store's rows have this shape."""

    @property
    def summary(self) -> str: ...
    @property
    def actor(self) -> str: ...
    @property
    def timestamp(self) -> str: ...
    @property
    def entries(self) -> Sequence[str]: ...


@dataclass(frozen=True, slots=True)
class Change:
    """The newest thing that happened to an entry, and how many more did."""

    row: DigestRow
    summary: str
    actor: str
    timestamp: str
    earlier: int = 0


@dataclass(frozen=True)
class News:
    """What others changed. The provider of the list; its keys are entry ids.

    Attributes:
        changes: one an entry, newest first.
        since: when the curator was last here; None when never.
    """

    changes: tuple[Change, ...] = ()
    since: str | None = None
    now: datetime = field(default=datetime.min)
    filter_text: str = ""

    @property
    def line(self) -> str:
        """ "4 entries changed by others since you were here 2 days ago"; "" for none."""
        if not self.changes:
            return ""
        when = f"since you were here {ago(self.since, self.now)}" if self.since else "so far"
        return f"{count(len(self.changes), 'entry')} changed by others {when}"

    def row_of(self, entry_id: str) -> DigestRow | None:
        """The row of an entry in the list."""
        return next((c.row for c in self.changes if c.row.id == entry_id), None)

    def sections(self) -> Sequence[Section]:
        words = self.filter_text.casefold().split()
        keys = [c.row.id for c in self.changes if _fits(c, words)]
        return [Section(keys, "Changed by others", count(len(keys), "entry"))] if keys else []

    def page(self, keys: Sequence[Key]) -> Sequence[Row | None]:
        found = {c.row.id: c for c in self.changes}
        return [_row(found[str(key)], self.now) if key in found else None for key in keys]


def news_of(
    operations: Iterable[Operation], rows: Mapping[str, DigestRow], *, since: str | None, now: datetime,
    filter_text: str = "",
) -> News:  # fmt: skip
    """The list from the operations of others (in any order) and the rows of the entries they touched."""
    newest: dict[str, Operation] = {}
    times: dict[str, int] = {}
    for operation in sorted(operations, key=lambda o: o.timestamp, reverse=True):
        for entry_id in operation.entries:
            newest.setdefault(entry_id, operation)
            times[entry_id] = times.get(entry_id, 0) + 1
    changes = [
        Change(rows[entry_id], done.summary, done.actor, done.timestamp, times[entry_id] - 1)
        for entry_id, done in newest.items()
        if entry_id in rows
    ]
    return News(tuple(changes), since, now, filter_text)


def without_name(summary: str, name: str) -> str:
    """What happened to an entry, told beside its name: "Added to it", "Closed", "was distilled from atom_b"."""
    words = summary.split(" ")
    if name not in words:
        return summary
    place = words.index(name)
    if place == 0 or place == 1:
        return " ".join(words[:place] + words[place + 1 :])
    if words[place - 1] == "of":
        return " ".join(words[: place - 1] + words[place + 1 :])
    return " ".join([*words[:place], "it", *words[place + 1 :]])


def _fits(change: Change, words: Sequence[str]) -> bool:
    text = f"{change.row.name} {change.row.description or ''} {change.summary} {change.actor}".casefold()
    return all(word in text for word in words)


def _row(change: Change, now: datetime) -> Row:
    row = change.row
    gone = row.state != State.ACTIVE
    role = STATE_LABELS[State(row.state)] if gone else role_label(row.klass, row.status, row.type)
    more = f" (and {count(change.earlier, 'change')} before)" if change.earlier else ""
    what = without_name(change.summary, row.name) + more
    cells = (name_cell(row.name), what, Cell(role, "muted" if gone else ""), change.actor)
    return Row((*cells, age_short(change.timestamp, now)), sign="x" if gone else role_sign(row))
