"""A Gaia database under the desk: changes go there and come from there, and its lock never holds up a key."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import gaia_fixture
import pytest
from gaia_fixture import Gaia
from on_screen import message, names, put_cursor, stored

from memdesk.core.model import Status
from memdesk.tui.widgets.header import HeaderLine

from .conftest import open_at

LATER = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
NAME = "project_launch"


@pytest.fixture
def gaia(tmp_path: Path) -> Gaia:
    return gaia_fixture.build(tmp_path / "gaia" / "g.db")


@pytest.fixture
def make_attached(make_app: Callable[..., Any], gaia: Gaia, tmp_path: Path) -> Callable[..., Any]:
    def make(**given: Any) -> Any:
        folder = tmp_path / "attached"
        with open_at(folder, LATER) as desk:
            desk.attach("gaia", str(gaia.path))
        return make_app(folder, moment=LATER, **given)

    return make


def header(app: Any) -> str:
    return "".join(text for text, _ in app.query_one("#header", HeaderLine).parts(200))


@contextmanager
def locked(gaia: Gaia) -> Iterator[None]:
    other = sqlite3.connect(gaia.path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


async def test_a_decision_reaches_the_database_and_undo_too(make_attached: Any, settle: Any, gaia: Gaia) -> None:
    app = make_attached()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert "Gaia in step" in header(app)
        before, changes = gaia.row("me", NAME), gaia.history()
        put_cursor(app, NAME)
        await pilot.press("c")
        await settle(pilot)
        row = gaia.row("me", NAME)
        assert (row["status"], gaia.history()) == ("closed", changes + 1)
        assert row["updated_at"] > before["updated_at"]
        await pilot.press("u")
        await settle(pilot)
        assert (gaia.row("me", NAME)["status"], gaia.history()) == ("carry_forward", changes + 2)
        gaia.check_full_text()


async def test_a_change_in_gaia_arrives(make_attached: Any, settle: Any, gaia: Gaia) -> None:
    app = make_attached()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert names(app) == [NAME]
        gaia.add("me", "project_new_thing", **{"class": "thread", "status": "open"})
        await app.poll_hosts_now()
        await settle(pilot)
        assert names(app) == [NAME, "project_new_thing"]


async def test_the_same_field_changed_in_gaia_is_refused_and_shown(
    make_attached: Any, settle: Any, gaia: Gaia
) -> None:
    app = make_attached()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        gaia.set("me", NAME, "2026-11-29T12:00:00Z", status="open")
        await pilot.press("c")
        await settle(pilot)
        assert gaia.row("me", NAME)["status"] == "open"
        assert "“Open threads” now" in message(app)
        gaia.set("me", NAME, "2026-11-29T13:00:00Z", description="Another field")
        put_cursor(app, NAME)
        await pilot.press("c")
        await settle(pilot)
        row = gaia.row("me", NAME)
        assert (row["status"], row["description"]) == ("closed", "Another field")


async def test_a_locked_gaia_holds_up_no_key_and_the_change_arrives_later(
    make_attached: Any, settle: Any, gaia: Gaia
) -> None:
    app = make_attached()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        app.live.desk.hosts.wait_ms = 20
        with locked(gaia):
            await pilot.press("c")
            await settle(pilot)
            assert stored(app, NAME).status is Status.CLOSED
            assert gaia.row("me", NAME)["status"] == "carry_forward"
            assert "1 not yet in Gaia" in header(app)
            assert "Not yet in Gaia" in message(app)
            await app.poll_hosts_now()
            await settle(pilot)
            assert "1 not yet in Gaia" in header(app)
        await app.poll_hosts_now()
        await settle(pilot)
        assert gaia.row("me", NAME)["status"] == "closed"
        assert "Gaia in step" in header(app)
        assert message(app) == "What was held up has reached its host."


async def test_looking_changes_nothing(make_attached: Any, settle: Any, gaia: Gaia) -> None:
    app = make_attached()
    before = gaia.digest()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        for key in ("v", "z", "escape", "s", "i", "escape", "1", "j", "y", "2", "/", "a", "escape"):
            await pilot.press(key)
            await settle(pilot)
        await app.poll_hosts_now()
    assert gaia.digest() == before
