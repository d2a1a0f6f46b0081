"""What waits in Gaia, in Approvals: proposals that can be taken, and approvals that its own program decides."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import gaia_fixture
import pytest
from approvals_pilot import pane, read_through, rows, sheet
from covered_keys import presses
from gaia_asks import Program, add_tables, approval, dump, handoff
from gaia_fixture import Gaia
from on_screen import message, screen_text

from memdesk.core.desk import Desk
from memdesk.core.desk.host_approvals import HostDecision

from .conftest import open_at

LATER = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
DELTA = {
    "memory_delta": {
        "version": 1,
        "proposals": [
            {"operation": "create", "create": {
                "slug": "atom_from_gaia", "type": "atom", "class": "anchor", "body": "Found in a contract.",
                "description": "From a contract", "rationale": "Worth keeping.",
            }},
        ],
    }
}  # fmt: skip


@pytest.fixture
def gaia(tmp_path: Path) -> Gaia:
    return add_tables(gaia_fixture.build(tmp_path / "gaia" / "g.db"))


@pytest.fixture
def make_attached(make_app: Callable[..., Any], gaia: Gaia, tmp_path: Path) -> Callable[..., Any]:
    def make(**given: Any) -> Any:
        folder = tmp_path / "attached"
        with open_at(folder, LATER) as desk:
            desk.attach("gaia", str(gaia.path))
        return make_app(folder, moment=LATER, pane="approvals", workspace=None, **given)

    return make


async def press(pilot: Any, settle: Any, *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await settle(pilot)


@presses("approvals.take")
async def test_proposals_are_taken_once(make_attached: Any, settle: Any, gaia: Gaia) -> None:
    handoff(gaia, DELTA)
    before = dump(gaia)
    app = make_attached()
    async with app.run_test(size=(160, 40)) as pilot:
        await settle(pilot)
        assert "1 proposal waits in Gaia: p takes it" in screen_text(app)
        await press(pilot, settle, "p")
        assert ["atom_from_gaia" in row[3] and "(proposal)" in row[3] for row in rows(app)] == [True]
        assert "Worth keeping." in sheet(app)
        assert "waits in Gaia: p" not in screen_text(app)
        await press(pilot, settle, "p")
        assert message(app) == "No proposals wait in a host."
        assert dump(gaia) == before, "Gaia's tables are only read"


async def test_an_approval_of_gaia_is_shown_with_its_entry_and_decided_by_its_program(
    make_attached: Any, settle: Any, gaia: Gaia, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    first = approval(gaia, 7, "gaia memory delete project_launch --workspace me")
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    app = make_attached()
    async with app.run_test(size=(160, 45)) as pilot:
        await settle(pilot)
        assert "In Gaia" in screen_text(app)
        text = sheet(app)
        assert "gaia memory delete project_launch" in text and "project_launch" in text
        assert f"gaia approvals approve {first}" in text
        await press(pilot, settle, "b")
        assert message(app) == "It is decided in its host: a approves, r rejects there."
        await press(pilot, settle, "a")
        assert f"gaia approvals approve {first}" in message(app), "without the program: the command to run"
        program = Program(
            tmp_path / "bin", answer='{"status": "approved", "approval_id": "{id}"}', update="approved"
        )
        monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
        await press(pilot, settle, "a")
        assert [call["args"][:3] for call in program.calls()] == [["approvals", "approve", first]]
        assert "Nothing waits for you." in screen_text(app)
        assert pane(app).list.total == 0


async def test_an_approval_of_gaia_is_rejected_with_a_reason(
    make_attached: Any, settle: Any, gaia: Gaia, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    first = approval(gaia, 7, "gaia memory delete project_launch --workspace me")
    program = Program(tmp_path / "bin", answer='{"status": "rejected", "approval_id": "{id}"}', update="rejected")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    app = make_attached()
    async with app.run_test(size=(160, 45)) as pilot:
        await settle(pilot)
        await press(pilot, settle, "r", *"no", "enter")
        assert program.calls()[0]["args"][:3] == ["approvals", "reject", first]
        assert "Nothing waits for you." in screen_text(app)


async def test_an_approval_of_gaia_is_read_to_its_end_before_it_is_approved(
    make_attached: Any, settle: Any, gaia: Gaia, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    approval(gaia, 7, "gaia memory delete project_launch --workspace me")
    program = Program(tmp_path / "bin", answer='{"status": "approved", "approval_id": "{id}"}', update="approved")
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    app = make_attached()
    async with app.run_test(size=(100, 24)) as pilot:
        await settle(pilot)
        await press(pilot, settle, "a")
        assert message(app).startswith("Read it to its end first: ") and program.calls() == []
        await read_through(pilot, settle)
        await press(pilot, settle, "a")
        assert len(program.calls()) == 1 and "Nothing waits for you." in screen_text(app)


async def test_the_program_of_gaia_is_asked_once(
    make_attached: Any, settle: Any, gaia: Gaia, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    approval(gaia, 7, "gaia memory delete project_launch --workspace me")
    asked, go_on = [], threading.Event()

    def slow(self: Desk, approval_id: str, approve: bool, reason: str = "") -> HostDecision:
        asked.append(approval_id)
        assert go_on.wait(60)
        return HostDecision(approval_id, approve, "approved", "approved", "Approved")

    monkeypatch.setattr(Desk, "decide_host_approval", slow)
    app = make_attached()
    async with app.run_test(size=(160, 45)) as pilot:
        await settle(pilot)
        pane(app).perform("approvals.approve")
        await pilot.pause()
        try:
            pane(app)._rested()  # long after
            app.perform("approvals.reject")
            assert message(app) == "The host's own program is deciding."
        finally:
            go_on.set()
        await settle(pilot)
        assert len(asked) == 1
