"""A Gaia database, and a desk that a person sits at."""

from __future__ import annotations

import itertools
import shutil
from collections.abc import Iterator
from pathlib import Path

import gaia_fixture
import pytest
from gaia_fixture import Gaia

from memdesk.core.config import Config
from memdesk.core.desk import Actor, Desk
from memdesk.core.events import Clock
from memdesk.core.hosts import Hosts
from memdesk.core.store import Store

NOON = 1_800_000_000_000

@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return gaia_fixture.build(tmp_path_factory.mktemp("gaia") / "g.db").path


@pytest.fixture
def gaia(tmp_path: Path, template: Path) -> Gaia:
    """A copy of its own, the file as the last program left it."""
    path = tmp_path / "gaia" / "g.db"
    path.parent.mkdir()
    shutil.copyfile(template, path)
    return Gaia(path)


@pytest.fixture
def clock() -> Clock:
    ticks = itertools.count(NOON, 1000)
    return Clock(lambda: next(ticks))


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Iterator[Store]:
    with Store.open(tmp_path / "store", clock=clock) as opened:
        yield opened


@pytest.fixture
def other(tmp_path: Path, clock: Clock) -> Iterator[Desk]:
    """A second store, of another machine or person."""
    with Store.open(tmp_path / "other", clock=clock) as opened:
        yield Desk(opened, Actor("user:bo", on_terminal=True), Hosts(opened, wait_ms=50), Config())


@pytest.fixture
def desk(store: Store) -> Desk:
    return Desk(store, Actor("user:ana", on_terminal=True), Hosts(store, wait_ms=50), Config())


@pytest.fixture
def attached(desk: Desk, gaia: Gaia) -> Desk:
    desk.attach("gaia", gaia.path)
    return desk
