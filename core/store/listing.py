"""Lists: the keys of a query in order, rows by key, counts. Made for 100,000 entries (DESIGN 9 rule 4)."""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from ..model import Entry
from ..search_text import Parsed, parse
from . import log
from .lookup import entries_where
from .reading import Reading, attached
from .rows import LINE_SELECT, ROW_SELECT, Counts, EntryRow, Line, entry_row_of, sort_key

#: Order by name -> (SQL ascending, SQL descending, descending by default). Ties go by id, so that pages are stable.
_ORDERS: Final = {
    "updated": ("e.updated_key, e.id", "e.updated_key DESC, e.id DESC", True),
    "oldest": ("e.updated_key = '', e.updated_key, e.id", "e.updated_key = '', e.updated_key DESC, e.id DESC", False),
    "created": ("e.created_key, e.id", "e.created_key DESC, e.id DESC", True),
    "name": ("e.shown_name, e.id", "e.shown_name DESC, e.id DESC", False),
    "injection": (
        "coalesce(c.injection, 0), e.updated_key, e.id", "coalesce(c.injection, 0) DESC, e.updated_key DESC, e.id DESC",
        True,
    ),
    "deliberate": (
        "coalesce(c.deliberate, 0), e.updated_key, e.id",
        "coalesce(c.deliberate, 0) DESC, e.updated_key DESC, e.id DESC", True,
    ),
    "relevance": (
        "f.rank, e.updated_key DESC, e.id DESC", "f.rank DESC, e.updated_key, e.id", False,
    ),
}  # fmt: skip
#: bm25 weights of name, title, description, summary, body.
WEIGHTS: Final = "8.0, 6.0, 4.0, 2.0, 1.0"
_UNDONE: Final = "SELECT row FROM entries WHERE creation_undone = 1"
TEXTS: Final = "e.name, e.title, e.description, e.summary, e.body"


@dataclass(frozen=True, slots=True)
class Query:
    """Which entries a list shows, and in which order. Empty filters filter nothing.

    Attributes:
        workspace: one workspace, or all.
        types: any of these.
        classes: any of these.
        statuses: any of these.
        states: any of these; () for every state.
        tags: all of these.
        initiative: this one; "" for entries without one.
        project_ref: this one; "" for entries without one.
        audience: this one.
        text: filter words as in a search, the last one may be unfinished; blank filters nothing.
        author: created or last edited by.
        since: RFC 3339; updated at or after.
        ids: only these entries.
        order: updated, oldest (null times last), created, name, injection, deliberate, relevance (needs `text`).
        descending: None for the order's own direction: newest, most, A to Z, best first.
        limit: at most so many; None for all.
        offset: skip so many.
        include_logs: False leaves out class log.
        include_undone: True lists entries whose creation was undone, too.
    """

    workspace: str | None = None
    types: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()
    statuses: tuple[str, ...] = ()
    states: tuple[str, ...] = ("active",)
    tags: tuple[str, ...] = ()
    initiative: str | None = None
    project_ref: str | None = None
    audience: str | None = None
    text: str = ""
    author: str | None = None
    since: str | None = None
    ids: tuple[str, ...] | None = None
    order: str = "updated"
    descending: bool | None = None
    limit: int | None = None
    offset: int = 0
    include_logs: bool = True
    include_undone: bool = False


class Listing(Reading):
    """Entries as lists."""

    def keys(self, query: Query | None = None) -> array[int]:
        """The list keys (`EntryRow.row`) of a query, in order: 8 bytes an entry, however many there are."""
        query = query or Query()
        with self._reading() as conn:
            return _keys(conn, query)

    def count(self, query: Query | None = None) -> int:
        """How many entries a query finds, its limit and offset aside."""
        query = query or Query()
        with self._reading() as conn:
            parsed = parse(query.text, typing=True)
            if parsed.needs_text:
                return len(_matching(conn, query, parsed, ordered=False))
            tables, where, args = _from_where(conn, query, parsed)
            return int(conn.execute(f"SELECT count(*) FROM {tables} WHERE {where}", args).fetchone()[0])

    def rows(self, keys: Iterable[int]) -> list[EntryRow]:
        """The rows of these keys, in the given order; one that vanished meanwhile is left out."""
        wanted = list(keys)
        with self._reading() as conn:
            found: dict[int, EntryRow] = {}
            sql = f"SELECT {ROW_SELECT} FROM entries e LEFT JOIN counters c ON c.entry_id = e.id WHERE e.row IN {{}}"
            for values in log.select_in(conn, sql, wanted):
                found[values[0]] = entry_row_of(values)
            return [found[k] for k in wanted if k in found]

    def lines(self, query: Query | None = None) -> list[Line]:
        """The rows of a query as bare as a digest needs them: ten times as fast as `rows` where there are many."""
        query = query or Query()
        parsed = parse(query.text, typing=True)
        if parsed.needs_text:
            raise ValueError("lines cannot filter by signs in the text")
        with self._reading() as conn:
            tables, where, args = _from_where(conn, query, parsed)
            tables, order = _ordered(query, parsed, tables)
            sql = f"SELECT {LINE_SELECT} FROM {tables} WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?"
            limit = -1 if query.limit is None else query.limit
            return list(map(Line._make, conn.execute(sql, [*args, limit, query.offset])))

    def entries(self, query: Query | None = None) -> list[Entry]:
        """Whole entries of a query, bodies and tags included, in order."""
        with self._reading() as conn:
            keys = _keys(conn, query or Query())
            found: list[Entry] = []
            for chunk in log.chunks(keys):
                place = {k: i for i, k in enumerate(chunk)}
                rows = dict(log.select_in(conn, "SELECT id, row FROM entries WHERE row IN {}", chunk))
                entries = entries_where(conn, f"e.row IN {log.marks(chunk)}", chunk)
                found += sorted(entries, key=lambda e: place.get(rows.get(e.id, -1), -1))
            return found

    def facets(self, column: str, query: Query | None = None) -> dict[str, int]:
        """How many entries of a query have each value of a column, most first: what a filter offers.

        Args:
            column: workspace, type, class, status, state, initiative, project_ref, host or created_by; or "tag".
            query: what to count over.
        """
        if column not in {
            "workspace", "type", "class", "status", "state", "initiative", "project_ref", "host", "created_by", "tag",
        }:  # fmt: skip
            raise ValueError(f"no facet is called {column!r}")
        query = query or Query()
        with self._reading() as conn:
            tables, where, args = _from_where(conn, query, parse(query.text, typing=True))
            if column == "tag":
                tables, value = f"{tables} JOIN tags facet ON facet.entry_id = e.id", "facet.tag"
            else:
                value = f"e.{column}"
            sql = f"SELECT {value}, count(*) FROM {tables} WHERE {where} GROUP BY 1 ORDER BY 2 DESC, 1"
            return {v: n for v, n in conn.execute(sql, args) if v is not None}

    def counts(self, workspace: str | None = None) -> Counts:
        """The numbers for headers and `status`."""
        with self._reading() as conn:
            where, args = f"{attached(conn, 'e')} AND e.row NOT IN ({_UNDONE})", []
            if workspace is not None:
                # `+`: the index by role answers from itself; the one by workspace would read every entry.
                where, args = where + " AND +e.workspace = ?", [workspace]
            kinds = "e.class, e.status, e.state, e.type"
            sql = f"SELECT {kinds}, count(*) FROM entries e WHERE {where} GROUP BY {kinds}"
            found = _counted(conn.execute(sql, args).fetchall())
            asked = conn.execute("SELECT count(*), min(asked_at) FROM requests WHERE status = 'pending'").fetchone()
            lost = conn.execute(
                "SELECT count(*), min(l.timestamp) FROM lost_edits l JOIN entries e ON e.id = l.entry_id "
                f"WHERE {where} AND e.state <> 'purged'", args,
            ).fetchone()  # fmt: skip
            waiting = conn.execute("SELECT count(*) FROM waiting").fetchone()[0]
            return Counts(
                **found, requests=asked[0], oldest_request=asked[1], lost_edits=lost[0], oldest_lost_edit=lost[1],
                waiting=waiting,
            )  # fmt: skip


def _counted(rows: Iterable[tuple[Any, ...]]) -> dict[str, Any]:
    names = "entries active superseded purged open carry_forward closed graduated anchors logs"
    numbers: dict[str, Any] = dict.fromkeys(names.split(), 0)
    types: dict[str, int] = {}
    for klass, status, state, type_, number in rows:
        numbers["entries"] += number
        numbers[state] += number
        if state != "active":
            continue
        types[type_] = types.get(type_, 0) + number
        if status:
            numbers[status] += number
        if klass in ("anchor", "log"):
            numbers[klass + "s"] += number
    return {**numbers, "types": types}


# -- queries as SQL -----------------------------------------------------------------------------------------------


def _keys(conn: sqlite3.Connection, query: Query) -> array[int]:
    parsed = parse(query.text, typing=True)
    if parsed.needs_text:
        found = _matching(conn, query, parsed, ordered=True)
        end = None if query.limit is None else query.offset + query.limit
        return array("q", found[query.offset : end])
    tables, where, args = _from_where(conn, query, parsed)
    tables, order = _ordered(query, parsed, tables)
    sql = f"SELECT e.row FROM {tables} WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?"
    limit = -1 if query.limit is None else query.limit
    return array("q", [row for (row,) in conn.execute(sql, [*args, limit, query.offset])])


def _matching(conn: sqlite3.Connection, query: Query, parsed: Parsed, *, ordered: bool) -> list[int]:
    """Keys of entries whose text holds the signs of the query too: looked at one by one."""
    tables, where, args = _from_where(conn, query, parsed)
    order = ""
    if ordered:
        tables, by = _ordered(query, parsed, tables)
        order = f" ORDER BY {by}"
    rows = conn.execute(f"SELECT e.row, {TEXTS} FROM {tables} WHERE {where}{order}", args)
    return [row for row, *texts in rows if parsed.fits(texts)]


def _ordered(query: Query, parsed: Parsed, tables: str) -> tuple[str, str]:
    """(tables, ORDER BY) of a query."""
    name = query.order if query.order != "relevance" or parsed.terms else "updated"
    if name not in _ORDERS:
        raise ValueError(f"no order is called {query.order!r}")
    rising, falling, down = _ORDERS[name]
    if name in ("injection", "deliberate"):
        tables += " LEFT JOIN counters c ON c.entry_id = e.id"
    if query.descending is not None:
        down = query.descending
    return tables, falling if down else rising


def _from_where(conn: sqlite3.Connection, query: Query, parsed: Parsed) -> tuple[str, str, list[Any]]:
    """(tables, condition, arguments) of a query; `e` is entries, `f` the full-text index."""
    parts, args = [attached(conn, "e")], list[Any]()
    for column, values in (
        ("state", query.states), ("class", query.classes), ("status", query.statuses), ("type", query.types),
        ("id", query.ids or ()),
    ):  # fmt: skip
        if values or (column == "id" and query.ids is not None):
            parts.append(f"e.{column} IN {log.marks(values)}")
            args += [str(v) for v in values]
    if query.workspace is not None:
        parts.append("e.workspace = ?")
        args.append(query.workspace)
    for column, value in (("initiative", query.initiative), ("project_ref", query.project_ref)):
        if value is not None:
            parts.append(f"e.{column} = ?" if value else f"e.{column} IS NULL")
            args += [value] if value else []
    if query.audience is not None:
        parts.append("e.audience = ?")
        args.append(query.audience)
    for tag in query.tags:
        parts.append("EXISTS (SELECT 1 FROM tags t WHERE t.entry_id = e.id AND t.tag = ?)")
        args.append(tag)
    if query.author is not None:
        parts.append("(e.created_by = ? OR e.last_edited_by = ?)")
        args += [query.author, query.author]
    if query.since is not None:
        parts.append("e.updated_key >= ?")
        args.append(sort_key(query.since))
    if not query.include_logs:
        parts.append("e.class <> 'log'")
    if not query.include_undone and "purged" in (query.states or ("purged",)):
        # Not a condition on the row itself: the list must be answered from its index alone.
        parts.append(f"e.row NOT IN ({_UNDONE})")
    if query.order == "relevance" and parsed.terms:
        tables, first = ranked(parsed)
        return tables, " AND ".join(parts), first + args
    text_where, text_args = text_condition(parsed)
    return "entries e", " AND ".join([*parts, *text_where]), args + text_args


def text_condition(parsed: Parsed) -> tuple[list[str], list[Any]]:
    """(conditions, arguments) that keep the entries in which the index finds every term, or that hold the signs."""
    if parsed.terms:
        return ["e.row IN (SELECT rowid FROM entries_fts WHERE entries_fts MATCH ?)"], [parsed.match]
    if parsed.signs:
        columns = ("name", "title", "description", "summary", "body")
        return ["(" + " OR ".join(f"instr(e.{c}, ?)" for c in columns) + ")"], [parsed.signs] * len(columns)
    return [], []


def ranked(parsed: Parsed) -> tuple[str, list[Any]]:
    """(tables, arguments): entries `e` with the bm25 rank of their match `f`; the index is read first."""
    return (
        f"(SELECT rowid AS key, bm25(entries_fts, {WEIGHTS}) AS rank FROM entries_fts WHERE entries_fts MATCH ?) f "
        "CROSS JOIN entries e ON e.row = f.key",
        [parsed.match],
    )
