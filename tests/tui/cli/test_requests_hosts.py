"""`requests` and what waits in an attached Gaia: shown with what it touches, decided by Gaia's own program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from asking import Scene
from command_line import Cli
from gaia_asks import Program, add_tables, approval, dump
from gaia_fixture import Gaia, build


@pytest.fixture
def gaia(tmp_path: Path) -> Gaia:
    return add_tables(build(tmp_path / "gaia" / "gaia.db"))


@pytest.fixture
def seated(cli: Cli, gaia: Gaia, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    """A person at a terminal, at a store with the host attached, and no program of Gaia's."""
    cli.move(tmp_path / "hosted")
    cli.ok(f"attach gaia {gaia.path}")
    monkeypatch.setenv("MEMDESK_NOW", "2026-11-28T09:30:02Z")
    monkeypatch.setenv("PATH", "/nowhere")
    scene = Scene(cli, monkeypatch)
    scene.sit_down()
    return scene


@pytest.fixture
def asked(seated: Scene, gaia: Gaia) -> str:
    approval(gaia, 0xC4, "npm publish")
    return approval(gaia, 0xA1, "gaia memory delete project_launch --workspace me --yes")


def test_the_list_has_them_below_the_requests(seated: Scene, asked: str, gaia: Gaia) -> None:
    own = seated.ask("delete", "me/project_launch")
    rows = seated.cli.ok("requests list --json").json
    assert [(r["request_id"], r["kind"]) for r in rows] == [(own, "request"), (asked, "host")]
    assert rows[1]["refs"][0]["name"] == "project_launch" and rows[1]["effect"] == "deletes project_launch"
    assert rows[1]["approve_with"] == f"env GAIA_DB={gaia.path} gaia approvals approve {asked} --yes"
    lines = seated.cli.ok("requests").out.splitlines()
    assert "1 approval in a host, decided by its own program" in lines
    assert next(line for line in lines if line.startswith(asked)).endswith("gaia-operator  deletes project_launch")
    assert f"  {rows[1]['approve_with']}" in lines
    assert len(seated.cli.ok("requests list --asker agent:scout --json").json) == 1, "filters are for requests"
    assert seated.cli.ok("requests list --status approved --json").json == []


def test_only_they_wait(seated: Scene, asked: str) -> None:
    shown = seated.cli.ok("requests").out
    assert "1 approval in a host" in shown and "Nothing waits" not in shown


def test_show_has_the_entry_beside_it(seated: Scene, asked: str) -> None:
    shown = seated.cli.ok(f"requests show {asked[:-1]}").out
    for told in (
        asked, "gaia-operator asked", "30 min ago", "Effect: deletes project_launch", "It needs approval.",
        "  gaia memory delete project_launch --workspace me --yes", "me/project_launch as it stands",
        "  Not a Monday.", "grants nothing", f"gaia approvals reject {asked}",
    ):  # fmt: skip
        assert told in shown, told
    assert seated.cli.ok(f"requests show {asked} --json").json["request_id"] == asked
    assert seated.cli("requests show P-99 --json").error["code"] == "not_found"


def test_a_hostile_approval_shows_marks(seated: Scene, gaia: Gaia, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = approval(gaia, 0xA2, "gaia memory delete project_launch \x1b[2J\u202e --workspace me", agent_id="a\x1b[2Jb")
    seated.cli.terminal(60)
    monkeypatch.setenv("NO_COLOR", "1")
    for line in ("requests list", f"requests show {asked}"):
        shown = seated.cli.ok(line).out
        assert "\x1b" not in shown and "\u202e" not in shown and "␛" in shown


@pytest.mark.parametrize(("line", "command"), [
    ("approve {}", "gaia approvals approve {} --yes"), ("reject {} --reason no", "gaia approvals reject {}"),
])  # fmt: skip
def test_without_the_program_the_command_is_named(seated: Scene, asked: str, line: str, command: str) -> None:
    refused = seated.cli(f"requests {line.format(asked)} --json")
    assert (refused.code, refused.error["code"]) == (1, "host_decides")
    assert command.format(asked) in refused.error["hint"]


def test_the_program_decides(
    seated: Scene, asked: str, gaia: Gaia, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = Program(tmp_path / "bin", answer=json.dumps({"status": "approved", "approval_id": asked}))
    monkeypatch.setenv("PATH", f"{program.folder}:/usr/bin")
    before = dump(gaia)
    done = seated.cli.ok("requests", "approve", asked, "--json").json
    assert (done["outcome"], done["host_status"]) == ("approved", "approved") and done["warnings"]
    assert program.calls()[0]["args"][:3] == ["approvals", "approve", asked]
    assert dump(gaia) == before, "memdesk itself wrote nothing"


def test_an_agent_does_not_decide_there(seated: Scene, asked: str) -> None:
    for line in (f"requests approve {asked} --json", f"requests reject {asked} --reason x --json"):
        refused = seated.agent(*line.split())
        assert refused.code == 1 and refused.error["code"] == "not_allowed"
