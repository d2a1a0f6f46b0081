"""A store with a clock that ticks one second a transaction, and desks of three roles over it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memdesk.core.config import Config
from memdesk.core.desk import Actor, Desk, Role
from memdesk.core.events import Clock
from memdesk.core.hosts import Hosts
from memdesk.core.store import Store

NOON = 1_790_000_000_000
AsRole = Callable[..., Desk]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    ticks = itertools.count(NOON, 1000)
    opened = Store.open(tmp_path / "store", clock=Clock(lambda: next(ticks)))
    opened.add_workspace("lab")
    opened.add_workspace("me")
    yield opened
    opened.close()


@pytest.fixture
def as_role(store: Store) -> AsRole:
    def make(role: Role, name: str = "", **actor: object) -> Desk:
        return Desk(store, Actor(name or f"{role}:x", role, **actor), Hosts(store), Config())  # type: ignore[arg-type]

    return make


@pytest.fixture
def desk(as_role: AsRole) -> Desk:
    return as_role(Role.USER, "user:ana", on_terminal=True)


@pytest.fixture
def agent(as_role: AsRole) -> Desk:
    return as_role(Role.ORCHESTRATOR, "agent:one")


@pytest.fixture
def specialist(as_role: AsRole) -> Desk:
    return as_role(Role.SPECIALIST, "agent:two")
