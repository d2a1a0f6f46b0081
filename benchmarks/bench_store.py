"""How fast the log and its projection are: append, fold, lists of three sizes, pull of a Gaia database.

    python benchmarks/bench_store.py
"""

from __future__ import annotations

import sqlite3
import sys
import tempfile
from pathlib import Path

import big_store
from measure import Table, median_ms, once_ms

from memdesk.core.config import Config
from memdesk.core.desk import Actor, Desk
from memdesk.core.events import EDIT
from memdesk.core.fold import fold_all
from memdesk.core.hosts import Hosts
from memdesk.core.store import Query, Store

SIZES = (100, 10_000, 100_000)


def main() -> None:
    """Measure everything and print it."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        writes(folder)
        folding()
        lists(folder)
        pulling(folder)


def raw_inserts(path: Path, rows: int, *, one_transaction: bool) -> float:
    """What plain sqlite3 takes for as many inserts of such a row, in WAL, synchronous as ours."""
    path.unlink(missing_ok=True)
    db = sqlite3.connect(path, isolation_level=None)
    db.execute("PRAGMA journal_mode=WAL")
    db.execute("CREATE TABLE entry (id TEXT PRIMARY KEY, workspace, name, body)")
    body = "x" * 500

    def work() -> None:
        if one_transaction:
            db.execute("BEGIN IMMEDIATE")
        for number in range(rows):
            db.execute("INSERT INTO entry VALUES (?,?,?,?)", (str(number), "bulk", f"atom_{number}", body))
        if one_transaction:
            db.execute("COMMIT")

    took = once_ms(work)
    db.close()
    return took


def writes(folder: Path) -> None:
    """Single appends, each its own operation and commit, in a small and a large store."""
    table = Table("Writes, each an operation of its own")
    raw = raw_inserts(folder / "raw.db", 200, one_transaction=False) / 200
    table.add("raw sqlite3: one insert and commit", raw)
    for size in (100, 10_000):
        home = folder / f"writes-{size}"
        big_store.build(home, size)
        store = Store.open(home)
        desk = Desk(store, Actor("user:bench"), Hosts(store), Config())
        names = [row.id for row in store.rows(store.keys(Query(classes=("thread",)))[:50])]
        took = once_ms(lambda desk=desk, names=names: [desk.append(n, "One more finding.") for n in names]) / len(names)
        table.add(f"memdesk append among {size:,} entries", took, raw, "raw insert and commit")
        store.close()
    table.print()


def folding() -> None:
    """The pure fold of 100,000 events, linear in their number."""
    table = Table("Fold (pure, no database)")
    small = list(big_store.events(1_000, 4_500))
    large = list(big_store.events(10_000, 45_000))
    base = median_ms(lambda: fold_all(small), 3)
    table.add(f"fold of {len(small):,} events", base)
    table.add(f"fold of {len(large):,} events", median_ms(lambda: fold_all(large), 3), base, f"{len(small):,} events")
    table.print()


def lists(folder: Path) -> None:
    """Receiving a whole store, and the first page of a list in it."""
    received = Table("Receive another store's events (one create an entry)")
    listed = Table("List: all keys in order, and one page of 50 rows")
    base_keys = base_page = 0.0
    for size in SIZES:
        home = folder / f"lists-{size}"
        raw = raw_inserts(folder / "raw.db", size, one_transaction=True)
        took = once_ms(lambda home=home, size=size: big_store.build(home, size))
        received.add(f"{size:,} entries", took, raw, "raw inserts in one transaction")
        store = Store.open(home)
        query = Query(workspace="bulk")
        keys = store.keys(query)
        key_ms = median_ms(lambda store=store, query=query: store.keys(query))
        page_ms = median_ms(lambda store=store, keys=keys: store.rows(keys[len(keys) // 2 :][:50]))
        base_keys, base_page = base_keys or key_ms, base_page or page_ms
        listed.add(f"keys of {size:,} entries", key_ms, base_keys, "100 entries")
        listed.add(f"a page of 50 among {size:,}", page_ms, base_page, "100 entries")
        found = median_ms(lambda store=store: store.search("cache ledger", limit=10), 3)
        listed.add(f"search among {size:,}", found)
        one = store.entry(store.rows(keys[:1])[0].id)
        assert one is not None
        assert store.events_of(one.id)[0].type != EDIT
        store.close()
    received.print()
    listed.print()


def pulling(folder: Path) -> None:
    """The first pull of a Gaia database of 5,000 rows, and a pull that finds nothing new."""
    sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))
    import gaia_fixture

    table = Table("Pull of a Gaia database, 5,000 rows")
    host = folder / "gaia.db"
    gaia_fixture.many(gaia_fixture.empty(host), 5_000)
    store = Store.open(folder / "pull")
    desk = Desk(store, Actor("user:bench"), Hosts(store), Config())
    raw = raw_inserts(folder / "raw.db", 5_000, one_transaction=True)
    table.add("raw sqlite3: 5,000 inserts in one transaction", raw)
    table.add("first pull", once_ms(lambda: desk.attach("gaia", str(host))), raw, "raw inserts")
    table.add("pull again, nothing new", once_ms(lambda: desk.pull()), raw, "raw inserts")
    store.close()
    table.print()


if __name__ == "__main__":
    main()
