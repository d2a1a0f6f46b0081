"""What Triage reads, in the reading thread: the rows that a session start may inject, and what others changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import NamedTuple

from ...core.desk import Desk
from ...core.digest import DigestRow, Mode
from ...core.model import LIVE_STATUSES, EntryClass
from ...core.store import Query, Store
from .triage_blocks import Ask, Decision, Preview, as_decided, blocks_of, preview, pushed_out
from .triage_news import News, news_of
from .triage_rows import Board, words_filter

#: The first frame does not wait for more rows than these.
FIRST_ROWS = 400
#: Anchors read, newest first. A block takes twenty.
MOST_ANCHORS = 1000
#: More operations of others than these are not listed, nor more entries; the log has them all.
MOST_OPERATIONS = 500
MOST_NEWS = 1000
#: The classes that a session start may inject.
_CLASSES = (EntryClass.THREAD, EntryClass.ANCHOR)
_LIVE = tuple(map(str, sorted(LIVE_STATUSES)))


@dataclass(frozen=True, slots=True)
class Visit:
    """An earlier visit: the newest operation then, "" for none, and its time."""

    op_id: str
    at: str | None


class Candidates(NamedTuple):
    """Rows that a session start may inject.

    Attributes:
        unread: how many older anchors there are besides: over the number of places, whatever happens.
        workspace: where they are from, None for everywhere.
        version: the store's data version before they were read.
        whole: whether they are all; the first frame waits for the newest only.
    """

    rows: Sequence[DigestRow]
    unread: int
    workspace: str | None
    version: int
    whole: bool

    @property
    def workspaces(self) -> int:
        """How many workspaces they are from."""
        return len({row.workspace for row in self.rows})


class Place(StrEnum):
    """What the list shows."""

    BLOCK = "block"
    INITIATIVE = "initiative"
    NEWS = "news"


@dataclass(frozen=True, slots=True)
class TriageQuestion:
    """What is asked of the reading thread.

    Attributes:
        ask: the block.
        initiative: its key, where the list shows a whole initiative.
        visit: the last visit, as the first reading found it; None on a first one.
        known: what was read before; while nobody writes, a filter or another budget needs no more.
    """

    place: Place
    ask: Ask
    initiative: str
    filter: str
    now: datetime
    visit: Visit | None = None
    known: Candidates | None = None


@dataclass(frozen=True, slots=True)
class TriageView:
    """What is shown: a snapshot that nothing changes any more.

    Attributes:
        found: the rows that the blocks were made of.
        board: the block, whatever the list shows.
        listed: what the list shows.
        visit: when this person was last here before.
    """

    question: TriageQuestion
    found: Candidates
    board: Board
    news: News
    listed: Board | News
    visit: Visit | None = None


def read_view(desk: Desk, question: TriageQuestion) -> TriageView:
    """Everything the view needs."""
    found = candidates(desk.store, question.ask.workspace, question.known)
    rows = found.rows
    bodies = _Bodies(desk.store)
    fits, titles = _filter(desk.store, question), partial(_titles, desk.store)

    def board(ask: Ask, filtered: bool) -> Board:
        return Board(
            blocks_of(rows, ask, bodies), now=question.now, fits=fits if filtered else None, titles=titles,
            unread=found.unread,
        )  # fmt: skip

    visit = question.visit if question.known else last_visit(desk)
    news = _news(desk, question, visit)
    block = board(question.ask, question.place is Place.BLOCK)
    listed: Board | News = block
    if question.place is Place.NEWS:
        listed = news
    elif question.place is Place.INITIATIVE:
        ask = Ask(Mode.INITIATIVE, workspace=question.ask.workspace, initiative=question.initiative)
        listed = board(ask, True)
    return TriageView(question, found, block, news, listed, visit)


def _filter(store: Store, question: TriageQuestion) -> Callable[[DigestRow], bool] | None:
    """Which rows hold the words of the filter: in what the list shows, or in their text."""
    shown = words_filter(question.filter)
    if shown is None:
        return None
    query = Query(workspace=question.ask.workspace, classes=_CLASSES, text=question.filter)
    found = {row.id for row in store.rows(store.keys(query))}
    return lambda row: row.id in found or shown(row)


def _titles(store: Store, ids: Sequence[str]) -> Mapping[str, str]:
    """The titles of a page of rows: the rows of a digest carry none."""
    return {row.id: row.title for row in store.rows(store.keys(Query(ids=tuple(ids), states=()))) if row.title}


def candidates(store: Store, workspace: str | None, known: Candidates | None = None) -> Candidates:
    """The rows that a session start may inject: live threads and anchors.

    Of the anchors a block takes twenty at most, those about the user first, then the newest; so only the newest are
    read, and the rest is counted.
    """
    version = store.data_version()
    if known is not None and known.whole and (known.version, known.workspace) == (version, workspace):
        return known
    most = FIRST_ROWS if known is None else None
    threads = Query(workspace=workspace, classes=(EntryClass.THREAD,), statuses=_LIVE, limit=most)
    anchors = Query(workspace=workspace, classes=(EntryClass.ANCHOR,), limit=most or MOST_ANCHORS)
    about_you = replace(anchors, types=("user",))
    live = store.lines(threads)
    newest = {line.id: line for query in (about_you, anchors) for line in store.lines(query)}
    unread = store.count(anchors) - len(newest)
    whole = most is None or (len(live) < most and not unread)
    return Candidates([*live, *newest.values()], unread, workspace, version, whole)


def read_preview(
    desk: Desk, rows: Sequence[DigestRow], ask: Ask, decision: Decision, ids: Sequence[str], now: str
) -> Preview:
    """The block as it would be after a decision on these entries."""
    return preview(rows, ask, _Bodies(desk.store), decision, ids, now=now)


def read_pushes(
    desk: Desk, rows: Sequence[DigestRow], ask: Ask, entry_id: str, patch: Mapping[str, object], now: str
) -> tuple[bool, list[str]]:
    """Whether this change would bring an entry into the block, and whom it would push out."""
    bodies = _Bodies(desk.store)
    after = as_decided(rows, ask, bodies, {entry_id: patch}, now=now)
    return pushed_out(blocks_of(rows, ask, bodies), after, entry_id)


class _Bodies:
    """Bodies by id, each read once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[str, str] = {}

    def __call__(self, ids: Sequence[str]) -> Mapping[str, str]:
        missing = [i for i in ids if i not in self._known]
        if missing:
            self._known.update((e.id, e.body) for e in self._store.entries_of(missing))
        return {i: self._known[i] for i in ids if i in self._known}


def _news(desk: Desk, question: TriageQuestion, since: Visit | None) -> News:
    """What others did after the operation that this person saw last; nothing on a first visit."""
    if since is None:
        return News(now=question.now)
    store = desk.store
    operations = [
        op
        for op in store.operations(after=since.op_id or None, limit=MOST_OPERATIONS)
        if op.actor != desk.actor.name and op.undoes is None and op.undone_by is None and not op.ignored
    ]
    ids = list(dict.fromkeys(i for op in operations for i in op.entries))[:MOST_NEWS]
    query = Query(workspace=question.ask.workspace, states=(), ids=tuple(ids))
    rows = {line.id: line for line in store.lines(query)} if ids else {}
    filter_text = question.filter if question.place is Place.NEWS else ""
    return news_of(operations, rows, since=since.at, now=question.now, filter_text=filter_text)


def last_visit(desk: Desk) -> Visit | None:
    """When this person was last here; None on a first visit."""
    seen = desk.store.last_seen(desk.actor.name)
    return None if seen is None else Visit(seen, desk.store.last_seen_at(desk.actor.name))
