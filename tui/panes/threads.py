"""Threads: live work and what became of it, by status, by initiative or by age, the oldest first in each group."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final, Literal

from ...core.desk import Desk
from ...core.digest import groups, oldest_first
from ...core.model import Status, role_label
from ...core.store import EntryRow, Query, Store
from ..actions import ENTRY_ACTIONS, Seen
from ..decisions import EntryDecisions
from ..widgets.row_list import Column, Key, Row, RowList, Section
from ..words import age_short
from .pane import Pane, Question
from .triage_rows import NAME_COLUMN, SAYS_COLUMN, WRITING, name_cell, role_sign

Grouping = Literal["status", "initiative", "age"]
GROUPINGS: Final[tuple[Grouping, ...]] = ("status", "initiative", "age")

_LIVE: Final = (str(Status.CARRY_FORWARD), str(Status.OPEN))
_STATUSES: Final = (*_LIVE, str(Status.GRADUATED), str(Status.CLOSED))
#: Ages from which a bucket starts, in days, the oldest bucket first.
_AGES: Final = (
    (90, "Older than three months"), (30, "One to three months"), (7, "One to four weeks"), (1, "This week"),
    (-36500, "Today"),
)  # fmt: skip

_ROLE: Final = Column("role", width=16, title="for", tone="muted", wide=100)
_PLACE: Final = Column("initiative", width=14, title="initiative", tone="accent", wide=100)
_AGE: Final = Column("age", width=4, align="right", title="age")
_COLUMNS: Final[dict[Grouping, list[Column]]] = {
    "status": [NAME_COLUMN, SAYS_COLUMN, _PLACE, _AGE],
    "initiative": [NAME_COLUMN, SAYS_COLUMN, _ROLE, _AGE],
    "age": [NAME_COLUMN, SAYS_COLUMN, _PLACE, _AGE],
}


@dataclass(frozen=True, slots=True)
class ThreadsQuestion(Question):
    """What to read, and how to group it."""

    grouping: Grouping = "status"


@dataclass(frozen=True, slots=True)
class ThreadsView:
    """The keys of the list in groups; the rows themselves are read when they are drawn."""

    grouping: Grouping
    sections: tuple[Section, ...]
    now: datetime
    #: Entries of several workspaces: their names are told with it.
    everywhere: bool = False


class ThreadRows:
    """The provider: reads a screenful of rows at a time, and remembers what each looked like."""

    def __init__(self, pane: ThreadsPane, store: Store, view: ThreadsView) -> None:
        self._pane = pane
        self._store = store
        self._view = view
        self._seen: dict[Key, EntryRow] = {}
        self._keys: dict[str, Key] = {}

    def sections(self) -> Sequence[Section]:
        return self._view.sections

    def page(self, keys: Sequence[Key]) -> Sequence[Row | None]:
        found: dict[Key, EntryRow] = {row.row: row for row in self._store.rows([int(key) for key in keys])}
        self._seen.update(found)
        self._keys.update({row.id: key for key, row in found.items()})
        return [self._row(found[key]) if key in found else None for key in keys]

    def seen(self, key: Key) -> EntryRow | None:
        """The row as it was drawn; a row that was marked unseen is read now."""
        if key not in self._seen:
            self.page([key])
        return self._seen.get(key)

    def seen_many(self, keys: Sequence[Key]) -> list[EntryRow]:
        """The rows of many keys; those that were never drawn are read in one go."""
        unread = [key for key in keys if key not in self._seen]
        if unread:
            self.page(unread)
        return [self._seen[key] for key in keys if key in self._seen]

    def key_of(self, entry_id: str) -> Key | None:
        """The key of an entry that was drawn, or that is in the store."""
        return self._keys.get(entry_id) or self._store.row_of(entry_id)

    def _row(self, row: EntryRow) -> Row:
        busy = row.id in self._pane.busy
        says = row.description or row.title or ""
        ended = row.status not in _LIVE
        name = name_cell(row.name, "muted" if ended else "", everywhere=row.workspace if self._view.everywhere else "")
        by_initiative = self._view.grouping == "initiative"
        third = role_label(row.klass, row.status, row.type) if by_initiative else row.initiative or ""
        cells = (name, says, third, age_short(row.updated_at, self._view.now))
        return Row(cells, sign=WRITING if busy else role_sign(row))


class ThreadsPane(EntryDecisions, Pane):
    """The pane."""

    NAME = "threads"
    TITLE = "Threads"
    EMPTY = "There are no threads here.\n\nWork that must survive a session is one: memdesk add --class thread …"
    ACTIONS = (*ENTRY_ACTIONS, "threads.group")

    def __init__(self) -> None:
        super().__init__()
        self.grouping: Grouping = "status"
        self._rows: ThreadRows | None = None

    def make_list(self) -> RowList:
        return RowList(_COLUMNS["status"], titles=True, sign_width=2, empty="Opening the store…")

    def question(self) -> ThreadsQuestion:
        return ThreadsQuestion(self.workspace, self.filter_text, self.now(), self.grouping)

    def read(self, desk: Desk, question: ThreadsQuestion) -> ThreadsView:
        sections = tuple(_sections(desk.store, question))
        return ThreadsView(question.grouping, sections, question.now, question.workspace is None)

    def present(self, view: ThreadsView) -> None:
        assert self.desk is not None
        rows = ThreadRows(self, self.desk.store, view)
        self.list.set_empty("Nothing fits the filter; esc clears it." if self.filter_text else self.EMPTY)
        self.list.show(rows)
        self.list.set_columns(_COLUMNS[view.grouping])
        self._rows = rows

    def on_screen(self, key: Key) -> Seen | None:
        return None if self._rows is None else self._rows.seen(key)

    def seen_many(self, keys: Sequence[Key]) -> list[Seen]:
        return [] if self._rows is None else list(self._rows.seen_many(keys))

    def key_of(self, entry_id: str) -> Key | None:
        return None if self._rows is None else self._rows.key_of(entry_id)

    def do_threads_group(self) -> None:
        place = GROUPINGS.index(self.grouping)
        self.grouping = GROUPINGS[(place + 1) % len(GROUPINGS)]
        self.say({
            "status": "Grouped by status.",
            "initiative": "Live threads by initiative, the freshest initiative first.",
            "age": "Live threads by age, the oldest first.",
        }[self.grouping])  # fmt: skip
        self.refresh_view()


def _sections(store: Store, question: ThreadsQuestion) -> list[Section]:
    query = Query(workspace=question.workspace, classes=("thread",), text=question.filter, order="oldest")
    if question.grouping == "status":
        return _by_status(store, query)
    live = replace(query, statuses=_LIVE)
    if question.grouping == "initiative":
        return _by_initiative(store, live)
    return _by_age(store, live, question.now)


def _section(keys: Sequence[int], header: str) -> Section:
    return Section(keys, header, f"{len(keys):,}")


def _by_status(store: Store, query: Query) -> list[Section]:
    found = []
    for status in _STATUSES:
        keys = store.keys(replace(query, statuses=(status,)))
        if len(keys):
            found.append(_section(keys, role_label("thread", status, "")))
    return found


def _by_initiative(store: Store, query: Query) -> list[Section]:
    rows = {row.id: row for row in store.rows(store.keys(query))}
    found = []
    for group in groups(rows.values()):
        keys = array("q", (rows[row.id].row for row in oldest_first(group.rows)))
        found.append(_section(keys, group.initiative or "Without an initiative"))
    return found


def _by_age(store: Store, query: Query, now: datetime) -> list[Section]:
    """Cut the list of keys, the oldest first, where the buckets begin: only a few rows are read for that."""
    keys = store.keys(query)

    def stamp(key: int) -> datetime:
        return _time(store.rows([key])[0].updated_at)

    known = bisect_left(keys, True, key=lambda key: stamp(key) == _NEVER)
    found, start = [], 0
    for days, label in _AGES:
        end = bisect_right(keys, now - timedelta(days=days), lo=start, hi=known, key=stamp)
        if end > start:
            found.append(_section(keys[start:end], label))
        start = end
    if len(keys) > known:
        found.append(_section(keys[known:], "Of unknown age"))
    return found


_NEVER: Final = datetime.min.replace(tzinfo=UTC)


def _time(stamp: str | None) -> datetime:
    try:
        time = datetime.fromisoformat(stamp or "")
    except ValueError:
        return _NEVER
    return time if time.tzinfo else time.replace(tzinfo=UTC)
