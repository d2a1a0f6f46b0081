"""Push: what memdesk shows and the host does not hold yet, in one short transaction on the host (DESIGN 7).

Planning reads memdesk's store, sending writes the host, booking notes in the store what arrived. A crash between any
two of them repeats nothing: a host that already holds a value counts as done.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...fold import Folded
from ...model import RELATED_TO, State, edge_key
from ..books import Books
from .database import COLUMNS, Shape
from .holding import gaia_kind, holds_value, whole_seconds
from .pulling import LINKS, MEMORY, MISSING, met
from .reading import Key, Row, read_row
from .replay import DELETED, FIELDS, local_of
from .shadow import UNKNOWN, LinkShadow, Seen, Shadow, dump_key, fingerprint, load_link, load_shadow, same_seen

if TYPE_CHECKING:
    from ...store import Store

_TOGETHER = ("class", "status")


@dataclass(slots=True)
class RowTask:
    """One entry on its way.

    Attributes:
        shadow: the host row as last seen; None where there is none yet.
        wanted: column -> value that memdesk changed.
        seen: field -> the event(s) behind each wanted value.
        whole: every column, for an insert.
        updated_at: what the row's updated_at becomes.
        done, left: the columns that the host holds now, and those where it holds something else.
        history: history ids that sending caused.
        row: the row as it is on the host afterwards, where it was touched or confirmed.
    """

    entry_id: str
    ref: str
    shadow: Shadow | None
    wanted: dict[str, str | None]
    seen: dict[str, Seen]
    whole: dict[str, str | None]
    updated_at: str | None
    deleted: bool
    done: set[str] = field(default_factory=set)
    left: set[str] = field(default_factory=set)
    history: list[int] = field(default_factory=list)
    row: Row | None = None
    reason: str = ""

    @property
    def key(self) -> Key:
        """Where the row is on the host."""
        if self.row is not None:
            return self.row.key
        return self.shadow.key if self.shadow else (self.whole["workspace"] or "", self.whole["name"] or "")


@dataclass(slots=True)
class EdgeTask:
    """One edge on its way: to be there, or to be gone."""

    key: tuple[str, str, str]
    present: bool
    created_at: str | None
    done: bool = False


@dataclass(slots=True)
class Plan:
    """Everything that one push sends."""

    rows: list[RowTask] = field(default_factory=list)
    edges: list[EdgeTask] = field(default_factory=list)
    keys: dict[str, Key] = field(default_factory=dict)
    settled: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    refs: dict[str, str] = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        """Whether there is nothing to send."""
        return not self.rows and not self.edges


# -- planning -------------------------------------------------------------------------------------------------------


def plan(store: Store, books: Books, entry_ids: Collection[str], now: str) -> Plan:
    """What of these entries the host does not hold yet.

    Args:
        entry_ids: entries of this host.
        now: the time to write where the log gives none.
    """
    made = Plan()
    shadows = {i: load_shadow(key, i, text) for key, i, text in books.shadows_of(MEMORY, entry_ids)}
    for entry_id in sorted(entry_ids):
        folded = store.folded(entry_id)
        if folded is None:
            continue
        made.refs[entry_id] = folded.entry.ref
        task = _row_task(folded, shadows.get(entry_id), now)
        if task is not None and _may_go(books, task, made):
            made.rows.append(task)
        else:
            made.settled.append(entry_id)
    _plan_edges(store, books, entry_ids, made, now)
    return made


def _row_task(folded: Folded, shadow: Shadow | None, now: str) -> RowTask | None:
    entry, local = folded.entry, local_of(folded)
    values = {c: local.values[c] for c in FIELDS}
    values["status"] = str(entry.status) if entry.status else None
    values["class"] = str(entry.klass)
    there = shadow is not None and not shadow.gone
    if not there and entry.state is State.PURGED:
        return None
    stamp = whole_seconds(entry.updated_at) if entry.updated_at else None
    born = whole_seconds(entry.created_at) if entry.created_at else None
    whole = values | {"created_at": born, "updated_at": stamp, DELETED: None}
    task = RowTask(
        entry.id, entry.ref, shadow if there else None, {}, dict(local.seen), whole, stamp,
        entry.state is State.PURGED,
    )  # fmt: skip
    if not there or shadow is None:
        return task
    for column in FIELDS:
        if not same_seen(local.seen[column], shadow.seen.get(column)) and holds_value(column, values[column]):
            task.wanted[column] = values[column]
    if not same_seen(local.seen["state"], shadow.seen.get("state")):
        at = now if folded.creation_undone or stamp is None else stamp
        task.wanted[DELETED] = at if task.deleted else None
    return task if task.wanted or not shadow.holds("updated_at", stamp) else None


def _may_go(books: Books, task: RowTask, made: Plan) -> bool:
    """Whether a row that is not on the host can become one there."""
    if task.shadow is not None:
        return True
    unheld = [c for c in FIELDS if not holds_value(c, task.whole[c])]
    if unheld:
        made.warnings.append(f"Gaia cannot hold the {unheld[0]} of {task.ref}: it is kept in memdesk only.")
        return False
    found = books.shadow_at(MEMORY, dump_key(task.key))
    if found is not None and found[1] != task.entry_id and not load_shadow(*found).gone:
        made.warnings.append(f"Gaia has another {task.ref}: this one is kept in memdesk only until it is renamed.")
        return False
    return True


def _plan_edges(store: Store, books: Books, entry_ids: Collection[str], made: Plan, now: str) -> None:
    standing = {e.key: e for i in entry_ids for e in store.edges_of(i)}
    known = {
        s.key: s for i in entry_ids for s in (load_link(k, t) for k, _, t in books.shadows_like(LINKS, i))
    }
    ends = {i for key in (*standing, *known) for i in (key[0], key[2])}
    workspaces = {i: e.workspace for i in ends if not i.startswith(MISSING) and (e := store.entry(i)) is not None}
    here = {task.entry_id for task in made.rows}
    for place, entry_id, text in books.shadows_of(MEMORY, ends):
        shadow = load_shadow(place, entry_id, text)
        made.keys[entry_id] = shadow.key
        here |= set() if shadow.gone else {entry_id}
    crossing = {t.entry_id for t in made.rows if "workspace" in t.wanted}  # their links do not come along
    for key, edge in standing.items():
        before = known.get(key)
        there = before is not None and before.present and not crossing & {key[0], key[2]}
        if not there and _holdable(key, workspaces, here):
            made.edges.append(EdgeTask(key, True, whole_seconds(edge.created_at or now)))
    for key, shadow_link in known.items():
        if shadow_link.present and key not in standing:
            made.edges.append(EdgeTask(key, False, None))


def _holdable(key: tuple[str, str, str], workspaces: dict[str, str], here: set[str]) -> bool:
    source, kind, target = key
    if gaia_kind(kind) is None or not {source, target} <= here:
        return False
    return workspaces.get(source) == workspaces.get(target)


# -- sending --------------------------------------------------------------------------------------------------------


def send(db: sqlite3.Connection, shape: Shape, made: Plan) -> None:
    """Write the plan into the host, inside the caller's IMMEDIATE transaction; each task notes what became of it."""
    for task in made.rows:
        db.execute("SAVEPOINT one")
        try:
            _send_row(db, shape, task)
        except sqlite3.IntegrityError as error:
            db.execute("ROLLBACK TO one")
            task.done.clear()
            task.history.clear()
            task.row, task.left, task.reason = None, set(task.wanted), f"Gaia refused it: {error}."
        db.execute("RELEASE one")
        if task.row is not None:
            made.keys[task.entry_id] = task.row.key
    for edge in made.edges:
        _send_edge(db, edge, made.keys)


def _send_row(db: sqlite3.Connection, shape: Shape, task: RowTask) -> None:
    if task.shadow is None:
        _insert(db, shape, task)
        return
    row = read_row(db, shape, task.shadow.key)
    if row is None:
        moved = (task.wanted.get("workspace", task.shadow.key[0]), task.wanted.get("name", task.shadow.key[1]))
        row = read_row(db, shape, (moved[0] or "", moved[1] or "")) if moved != task.shadow.key else None
    if row is None:
        task.left, task.reason = set(task.wanted), "Its row is no longer in Gaia."
        return
    sets = _settable(task, row)
    _update(db, task, row, sets)
    key = (sets.get("workspace", row.key[0]) or "", sets.get("name", row.key[1]) or "")
    task.row = read_row(db, shape, key)


def _settable(task: RowTask, row: Row) -> dict[str, str | None]:
    """The wanted columns in which the host still holds what we had seen."""
    assert task.shadow is not None
    sets: dict[str, str | None] = {}
    for column, value in task.wanted.items():
        held = row.values[column]
        same = (held is None) == (value is None) if column == DELETED else held == value
        if same:
            task.done.add(column)
        elif task.shadow.holds(column, held):
            sets[column] = value
        else:
            task.left.add(column)
    if task.left & set(_TOGETHER):  # a status means nothing without its class: both or none
        for column in _TOGETHER:
            if column in sets:
                del sets[column]
                task.left.add(column)
    if task.left:
        task.reason = "It changed in Gaia meanwhile; pull shows both."
    return sets


def _update(db: sqlite3.Connection, task: RowTask, row: Row, sets: dict[str, str | None]) -> None:
    assert task.shadow is not None
    held = row.values["updated_at"]
    ours_is_newer = task.shadow.holds("updated_at", held) or held is None or (task.updated_at or "") > held
    if (sets or not task.left) and ours_is_newer and held != task.updated_at:
        sets = sets | {"updated_at": task.updated_at}
    if not sets:
        return
    moved = "workspace" in sets or "name" in sets
    target = (sets.get("workspace", row.key[0]) or "", sets.get("name", row.key[1]) or "")
    if moved:
        _make_workspace(db, target[0])
    before = _last_history(db)
    assignments = ", ".join(f"{column} = ?" for column in sets)
    db.execute(
        f"UPDATE memory SET {assignments} WHERE workspace = ? AND name = ?", (*sets.values(), *row.key)
    )
    task.history = [i for (i,) in db.execute("SELECT id FROM memory_history WHERE id > ?", (before,))]
    task.done |= set(sets) & set(task.wanted)
    if moved:
        _move_links(db, row.key, target)


def _insert(db: sqlite3.Connection, shape: Shape, task: RowTask) -> None:
    key = (task.whole["workspace"] or "", task.whole["name"] or "")
    _make_workspace(db, key[0])
    columns = [c for c in COLUMNS if c in shape.columns]
    cursor = db.execute(
        f"INSERT INTO memory ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))}) "
        "ON CONFLICT (workspace, name) DO NOTHING",
        [task.whole[c] for c in columns],
    )
    task.row = read_row(db, shape, key)
    if cursor.rowcount or task.row is None:
        task.done = set(FIELDS)
        return
    held = task.row.values  # somebody wrote that name meanwhile, or we did before a crash
    task.done = {c for c in FIELDS if held[c] == task.whole[c]}
    task.left = set(FIELDS) - task.done
    if task.left:
        task.reason = "Gaia got an entry of that name meanwhile; pull shows both."


def _make_workspace(db: sqlite3.Connection, name: str) -> None:
    db.execute("INSERT INTO workspaces (name, identity) VALUES (?, ?) ON CONFLICT (name) DO NOTHING", (name, name))


def _move_links(db: sqlite3.Connection, old: Key, new: Key) -> None:
    """Links know rows by name. Within a workspace they follow; to another one none can (gaia/SPEC 2.6, 4)."""
    if old[0] == new[0]:
        for column in ("src_name", "dst_name"):
            sql = f"UPDATE OR IGNORE memory_links SET {column} = ? WHERE workspace = ? AND {column} = ?"
            db.execute(sql, (new[1], old[0], old[1]))
    db.execute("DELETE FROM memory_links WHERE workspace = ? AND (src_name = ? OR dst_name = ?)", (*old, old[1]))


def _send_edge(db: sqlite3.Connection, task: EdgeTask, keys: dict[str, Key]) -> None:
    source, kind, target = task.key
    one, other = _place(source, keys), _place(target, keys)
    name = gaia_kind(kind)
    if one is None or other is None or name is None or one[0] != other[0]:
        task.done = not task.present  # an end that is not there has no link either
        return
    pairs = [(one[1], other[1])] + ([(other[1], one[1])] if kind == RELATED_TO else [])
    match = "workspace = ? AND kind = ? AND src_name = ? AND dst_name = ?"
    if not task.present:
        for pair in pairs:
            db.execute(f"DELETE FROM memory_links WHERE {match}", (one[0], name, *pair))
    elif not any(db.execute(f"SELECT 1 FROM memory_links WHERE {match}", (one[0], name, *p)).fetchone() for p in pairs):
        db.execute(
            "INSERT INTO memory_links (workspace, src_name, dst_name, kind, created_at) VALUES (?, ?, ?, ?, ?)",
            (one[0], *pairs[0], name, task.created_at),
        )
    task.done = True


def _place(end: str, keys: dict[str, Key]) -> Key | None:
    if end.startswith(MISSING):
        workspace, _, name = end.removeprefix(MISSING).partition("/")
        return (workspace, name)
    return keys.get(end)


def _last_history(db: sqlite3.Connection) -> int:
    return int(db.execute("SELECT coalesce(max(id), 0) FROM memory_history").fetchone()[0])


# -- booking --------------------------------------------------------------------------------------------------------


def book(books: Books, made: Plan, now: str) -> None:
    """Note in the store what arrived and what waits."""
    fresh = {i: load_shadow(k, i, t) for k, i, t in books.shadows_of(MEMORY, [t.entry_id for t in made.rows])}
    arrived = list(made.settled)
    crossed: set[str] = set()
    for task in made.rows:
        if task.row is not None:
            before = fresh.get(task.entry_id)
            old = before.key if before else task.row.key
            shadow = _booked(task, before)
            if old != shadow.key:
                books.drop_shadows(MEMORY, [dump_key(old)])
            if old[0] != shadow.key[0]:
                crossed.add(task.entry_id)
            books.put_shadows(MEMORY, [(dump_key(shadow.key), task.entry_id, shadow.dump())])
            books.add_own_history(task.history)
            if before is None and task.left:
                books.report(*met(books.host_id, shadow.key), now)
        if task.left:
            books.wait(task.entry_id, sorted(task.left), now, task.reason)
        else:
            arrived.append(task.entry_id)
    _book_edges(books, made, crossed)
    unsent = {e.key[0] for e in made.edges if not e.done}
    books.arrived(i for i in arrived if i not in unsent)
    for entry_id in sorted(unsent):
        books.wait(entry_id, ["edges"], now, "The other end of the edge is not in Gaia yet.")


def _booked(task: RowTask, shadow: Shadow | None) -> Shadow:
    """The shadow after a push: what was sent or confirmed is as the host holds it, the rest as it was seen before."""
    assert task.row is not None
    held = task.row.values
    if shadow is None or shadow.gone:
        shadow = Shadow(task.entry_id, task.row.key, task.row.key, counters=task.row.counters)
        shadow.values = {c: fingerprint(held[c]) if c not in task.left else UNKNOWN for c in COLUMNS}
        shadow.seen = {c: task.seen[c] for c in task.done} | {"state": task.seen.get("state")}
        return shadow
    shadow.note({c: held[c] for c in (*task.done, "workspace", "name") if c not in task.left})
    if held["updated_at"] == task.updated_at:
        shadow.note({"updated_at": held["updated_at"]})
    for column in task.done:
        name = "state" if column == DELETED else column
        shadow.seen[name] = task.seen[name]
    shadow.key = task.row.key
    return shadow


def _book_edges(books: Books, made: Plan, crossed: Iterable[str]) -> None:
    write: dict[tuple[str, str, str], LinkShadow] = {}
    for entry_id in crossed:
        for key, _, text in books.shadows_like(LINKS, entry_id):
            shadow = load_link(key, text)
            shadow.present = False
            write[shadow.key] = shadow
    for task in made.edges:
        if task.done:
            found = books.shadow_at(LINKS, dump_key(task.key))
            before = load_link(found[0], found[2]) if found else None
            write[task.key] = LinkShadow(edge_key(*task.key), task.present, (before.observed if before else 0) + 1)
    books.put_shadows(LINKS, ((dump_key(s.key), s.key[0], s.dump()) for s in write.values()))
