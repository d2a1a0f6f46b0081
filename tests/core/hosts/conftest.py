"""A Gaia database, a desk that a person sits at, and the comparison of the two."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gaia_fixture
import pytest
from gaia_fixture import Gaia

from memdesk.core.config import Config
from memdesk.core.desk import Actor, Desk
from memdesk.core.events import Clock
from memdesk.core.fold import fold_all
from memdesk.core.hosts import Hosts
from memdesk.core.model import Entry, State
from memdesk.core.store import Store

NOON = 1_800_000_000_000
COLUMNS = (
    "workspace", "name", "type", "description", "body", "class", "status", "project_ref", "initiative", "audience",
    "origin_session_id", "created_at", "updated_at",
)  # fmt: skip


@pytest.fixture
def gaia(tmp_path: Path) -> Gaia:
    return gaia_fixture.build(tmp_path / "gaia" / "g.db")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    ticks = itertools.count(NOON, 1000)
    opened = Store.open(tmp_path / "store", clock=Clock(lambda: next(ticks)))
    yield opened
    opened.close()


@pytest.fixture
def desk(store: Store) -> Desk:
    return Desk(store, Actor("user:ana", on_terminal=True), Hosts(store, wait_ms=50), Config())


@pytest.fixture
def attached(desk: Desk, gaia: Gaia) -> Desk:
    desk.attach("gaia", gaia.path)
    return desk


def entry(desk: Desk, ref: str) -> Entry:
    (found,) = desk.store.lookup(ref)
    return found


def shown(found: Entry) -> dict[str, Any]:
    """An entry as the columns of a Gaia row."""
    values = {c: getattr(found, c) for c in COLUMNS if c != "class"}
    return values | {"class": str(found.klass), "status": str(found.status) if found.status else None}


def assert_same(desk: Desk, gaia: Gaia) -> None:
    """Every host row is shown exactly as it is, every other entry of the host is gone, and the fold agrees."""
    rows = gaia.rows()
    for row in rows:
        found = entry(desk, f"{row['workspace']}/{row['name']}")
        assert shown(found) == {c: row[c] for c in COLUMNS}
        assert (found.state is State.PURGED) == (row["deleted_at"] is not None), row["name"]
    assert_folded(desk)


def assert_folded(desk: Desk) -> None:
    """The projection is what replaying the log gives."""
    memory = fold_all(desk.store.events())
    for entry_id, folded in memory.entries.items():
        stored = desk.store.entry(entry_id)
        assert stored is not None
        assert (shown(stored), stored.state) == (shown(folded.entry), folded.entry.state)


def events_of(desk: Desk, kind: str | None = None) -> list[Any]:
    return [e for e in desk.store.events() if kind is None or e.type == kind]


def log_size(desk: Desk) -> tuple[int, int]:
    """(events, operations)."""
    events = list(desk.store.events())
    return len(events), len({e.op_id for e in events})
