"""A blank store made once a run and copied for each test: making the tables costs more than most tests."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memdesk.core.events import Clock
from memdesk.core.store import Store

#: 2026-11-30T00:00:00Z
NOW = 1_795_996_800_000


class FakeClock(Clock):
    """Stands still unless told to move; ids differ by a counter, never by chance."""

    def __init__(self, now: int = NOW, seed: int = 0) -> None:
        self.now = now
        self._count = seed << 40
        super().__init__(lambda: self.now, self._bytes)

    def _bytes(self, number: int) -> bytes:
        self._count += 1 << 20
        return self._count.to_bytes(number, "big")


@pytest.fixture(scope="session")
def blank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a blank store, without its origin."""
    folder = tmp_path_factory.mktemp("blank")
    store = Store.open(folder)
    with store.transaction() as tx:
        tx.db.execute("DELETE FROM meta WHERE key = 'origin'")
    store.close()
    return folder


@pytest.fixture
def make_store(blank: Path, tmp_path: Path) -> Iterator[Callable[..., Store]]:
    """Opens a fresh store: `make_store(seed=1)`; every one is closed at the end."""
    opened: list[Store] = []

    def make(seed: int = 0, **options: object) -> Store:
        folder = tmp_path / f"store{len(opened)}"
        shutil.copytree(blank, folder)
        store = Store.open(folder, clock=FakeClock(seed=seed), **options)  # type: ignore[arg-type]
        opened.append(store)
        return store

    yield make
    for store in opened:
        store.close()


@pytest.fixture
def store(make_store: Callable[..., Store]) -> Store:
    return make_store()
