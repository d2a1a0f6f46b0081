"""Lists: filters, orders, rows, counts; 100,000 entries from the index alone (DESIGN 9 rule 4)."""

from __future__ import annotations

import shutil
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from memdesk.core.events import DELETE
from memdesk.core.store import Query, Store

from .conftest import FakeClock
from .writing import act, add, edit

MANY = 100_000


@pytest.fixture
def filled(store: Store) -> Store:
    """Six entries, a millisecond apart, the last one purged."""
    thread = {"class": "thread"}
    add(store, "atom_a", tags=["t", "u"], description="first")
    add(store, "project_b", status="open", initiative="i", project_ref="/p", **thread)
    add(store, "project_c", status="carry_forward", initiative="i", actor="agent:bo", **thread)
    add(store, "feedback_d", workspace="v", tags=["t"], **{"class": "log"})
    edit(store, add(store, "decision_e", actor="agent:bo"), body="edited by ana")
    act(store, "delete", DELETE, {"memory_id": add(store, "atom_f")})
    return store


def names(store: Store, **query: Any) -> str:
    return "".join(row.name[-1] for row in store.rows(store.keys(Query(**query))))


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ({}, "edcba"), ({"states": ()}, "fedcba"), ({"states": ("purged",)}, "f"), ({"workspace": "v"}, "d"),
        ({"types": ("project", "decision")}, "ecb"), ({"classes": ("thread",)}, "cb"), ({"statuses": ("open",)}, "b"),
        ({"tags": ("t",)}, "da"), ({"tags": ("t", "u")}, "a"), ({"initiative": "i"}, "cb"), ({"initiative": ""}, "eda"),
        ({"project_ref": "/p"}, "b"), ({"project_ref": ""}, "edca"), ({"author": "agent:bo"}, "ec"),
        ({"author": "user:ana"}, "edba"), ({"include_logs": False}, "ecba"), ({"text": "edited"}, "e"),
        ({"since": "2026-11-30T00:00:00.003Z"}, "ed"), ({"ids": ()}, ""), ({"limit": 2}, "ed"),
        ({"limit": 2, "offset": 1}, "dc"), ({"offset": 3}, "ba"), ({"order": "name"}, "aedbc"),
        ({"order": "oldest"}, "abcde"), ({"order": "created"}, "edcba"), ({"descending": False}, "abcde"),
        ({"order": "name", "descending": True}, "cbdea"), ({"order": "relevance"}, "edcba"),
        ({"text": "text", "workspace": "w"}, "cba"),
    ],
)  # fmt: skip
def test_filters_and_orders(filled: Store, query: dict[str, Any], found: str) -> None:
    assert names(filled, **query) == found
    unlimited = {k: v for k, v in query.items() if k not in ("limit", "offset")}
    assert filled.count(Query(**unlimited)) == len(names(filled, **unlimited))
    assert [e.id for e in filled.entries(Query(**query))] == [r.id for r in filled.rows(filled.keys(Query(**query)))]


@pytest.mark.parametrize("order", ["injection", "deliberate"])
def test_the_most_used_come_first(filled: Store, order: Any) -> None:
    ids = {row.name[-1]: row.id for row in filled.rows(filled.keys())}
    for _ in range(2):
        filled.bump([ids["c"]], order)
    filled.bump([ids["a"], ids["c"]], order)
    assert names(filled, order=order) == "caedb"
    row = filled.rows(filled.keys(Query(order=order)))[0]
    assert (row.injection_count + row.deliberate_count, row.name) == (3, "project_c")


def test_times_sort_whatever_their_spelling_and_none_comes_last(store: Store) -> None:
    for letter, stamp in {
        "a": "2026-01-01T00:00:00.5Z", "b": "2026-01-01T00:00:00Z", "c": "2026-01-01T02:00:00.250+02:00", "d": None,
        "e": "not a time", "f": "2026-01-01 00:00:00.750000",
    }.items():  # fmt: skip
        add(store, f"atom_{letter}", updated_at=stamp)
    assert names(store)[:4] == "facb" and set(names(store)[4:]) == {"d", "e"}
    assert names(store, order="oldest")[:4] == "bcaf"


def test_rows_of_keys_that_are_gone_are_left_out(filled: Store) -> None:
    keys = filled.keys()
    assert [r.row for r in filled.rows([keys[1], 999, keys[0]])] == [keys[1], keys[0]]
    row = filled.rows(keys[-1:])[0]
    assert (row.ref, row.body_chars, row.description) == ("w/atom_a", 4, "first")
    assert filled.row_of(row.id) == row.row


def test_unknown_orders_and_facets_are_mistakes(store: Store) -> None:
    with pytest.raises(ValueError, match="no order"):
        store.keys(Query(order="size"))
    with pytest.raises(ValueError, match="no facet"):
        store.facets("body")


def test_counts_and_facets(filled: Store) -> None:
    counts = filled.counts()
    assert (counts.entries, counts.active, counts.purged, counts.superseded) == (6, 5, 1, 0)
    assert (counts.open, counts.carry_forward, counts.anchors, counts.logs) == (1, 1, 2, 1)
    assert counts.types == {"atom": 1, "project": 2, "feedback": 1, "decision": 1}
    assert filled.counts("v").entries == 1
    assert filled.facets("type") == {"project": 2, "atom": 1, "decision": 1, "feedback": 1}
    assert filled.facets("tag") == {"t": 2, "u": 1}
    assert filled.facets("workspace", Query(tags=("t",))) == {"v": 1, "w": 1}


# -- a hundred thousand -------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def many(blank: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """The rows of 100,000 entries, written straight into the table; the log plays no part in lists."""
    folder = tmp_path_factory.mktemp("many") / "s"
    shutil.copytree(blank, folder)
    with Store.open(folder, clock=FakeClock()) as store:
        with store.transaction() as tx:
            tx.db.execute("DROP TRIGGER fts_of_new")
            tx.db.execute(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) "
                "INSERT INTO entries (id, workspace, name, shown_name, type, class, status, state, audience, "
                "created_key, created_by, updated_key, last_edited_by, edit_count, creation_undone, body_chars, body) "
                "SELECT printf('%026d', i), 'w' || (i % 5), 'atom_' || i, 'atom_' || i, 'atom', "
                "iif(i % 3, 'anchor', 'thread'), iif(i % 3, NULL, 'open'), iif(i % 100, 'active', 'purged'), 'any', "
                "'', 'agent:bo', printf('%026d', i * 7919 % 99991), 'agent:bo', 0, 0, 300, hex(zeroblob(150)) FROM n",
                (MANY,),
            )
        yield store


@contextmanager
def statements(store: Store) -> Iterator[list[str]]:
    """The statements that run on this thread's connection."""
    seen: list[str] = []
    store.db.set_trace_callback(seen.append)
    try:
        yield seen
    finally:
        store.db.set_trace_callback(None)


def test_a_hundred_thousand_entries_are_a_hundred_thousand_keys(many: Store) -> None:
    with statements(many) as seen:
        keys = many.keys()
    assert isinstance(keys, array) and keys.itemsize == 8 and len(keys) == MANY * 99 // 100 == len(set(keys))
    assert len(seen) == 2  # the list, and whether a host is detached
    with statements(many) as seen:
        page = many.rows(keys[50_000:50_060])
    assert [r.row for r in page] == list(keys[50_000:50_060]) and len(seen) == 1
    assert many.count() == len(keys)
    counts = many.counts()
    assert (counts.entries, counts.purged, counts.open) == (MANY, 1000, 33_000)
    assert len(many.keys(Query(classes=("thread",), workspace="w1"))) == 6667


@pytest.mark.parametrize(
    "query",
    [
        Query(), Query(order="name"), Query(workspace="w1", types=("atom",)), Query(include_logs=False),
        Query(classes=("thread",), statuses=("open",)), Query(states=("purged",)),
    ],
    ids=str,
)  # fmt: skip
def test_lists_are_answered_from_the_index_alone(many: Store, query: Query) -> None:
    with statements(many) as seen:
        many.keys(query)
    plan = " / ".join(row[3] for row in many.db.execute("EXPLAIN QUERY PLAN " + seen[-1]))
    assert "COVERING INDEX" in plan and "SCAN e " not in plan and "TEMP B-TREE" not in plan


def test_one_write_among_a_hundred_thousand_touches_one_row(many: Store) -> None:
    assert isinstance(many.clock, FakeClock)
    memory_id = add(many)
    before = many.db.total_changes
    with statements(many) as seen:
        edit(many, memory_id, title="one")
    assert many.db.total_changes - before < 20 and len(seen) < 60
    plans = {
        sql: [row[3] for row in many.db.execute("EXPLAIN QUERY PLAN " + sql)]
        for sql in seen
        if sql.startswith(("SELECT", "UPDATE", "DELETE"))
    }
    scans = [sql for sql, plan in plans.items() for step in plan if step.startswith(("SCAN entries", "SCAN events"))]
    assert [s for s in scans if "entries_fts" not in s and "LIMIT 1" not in s] == []
