"""propose: from a file, from standard input, from a host; what it prints and how it ends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import Cli
from gaia_asks import add_tables, approval, dump, handoff
from gaia_fixture import Gaia, build

APPEND = {"operation": "append", "target": {"slug": "project_run"}, "append": {"body": "More."}}
CONTRACT = {"memory_delta": {"version": 1, "proposals": [APPEND, {"operation": "burn"}]}}


def pending(cli: Cli) -> list[Any]:
    with cli.desk() as desk:
        return desk.requests()


@pytest.mark.parametrize("how", ["file", "stdin", "suggestions"])
def test_each_proposal_has_its_request_or_the_reason(cli: Cli, tmp_path: Path, how: str) -> None:
    cli.role("orchestrator")
    if how == "suggestions":
        given = json.dumps([{"description": "Port moved", "body": "8081."}, {"description": "no body"}])
    else:
        given = json.dumps(CONTRACT)
    (tmp_path / "c.json").write_text(given)
    source = "-" if how == "stdin" else str(tmp_path / "c.json")
    done = cli.ok("propose", "--file", source, "--workspace", "me", "--json", stdin=given).json
    (row,) = pending(cli)
    kept, dropped = done["results"]
    assert (kept["request_id"], kept["index"], kept["action"]) == (row.request_id, 0, "asked")
    assert (dropped["request_id"], dropped["index"], dropped["action"]) == (None, 1, "dropped")
    assert dropped["why"]
    assert {k: done[k] for k in ("status", "total", "asked", "dropped", "waiting", "taken")} == {
        "status": "asked", "total": 2, "asked": 1, "dropped": 1, "waiting": 0, "taken": 0,
    }  # fmt: skip
    assert (row.asked_by, row.payload["kind"]) == ("agent:orchestrator", "proposal")


def test_a_person_reads_it_in_lines(cli: Cli) -> None:
    done = cli.ok("propose", "--file", "-", "--agent", "agent:scout", stdin=json.dumps(CONTRACT))
    (row,) = pending(cli)
    assert row.asked_by == "agent:scout"
    lines = done.out.splitlines()
    assert lines[0] == f"1. {row.request_id}: append project_run"
    assert lines[1].startswith("2. Dropped: ")
    assert "'burn'" in lines[2]
    assert lines[3] == "2 proposed: 1 now waiting for a person, 1 dropped."
    assert cli.entry("project_run").body == "Half done."
    again = cli.ok("propose", "--file", "-", "--agent", "agent:scout", stdin=json.dumps(CONTRACT))
    assert "waits already" in again.out.splitlines()[0]
    assert len(pending(cli)) == 1


@pytest.mark.parametrize(("given", "code"), [
    ('{"memory_delta": {"version": 1, "proposals": [{"operation": "burn"}]}}', 1), ("{}", 1), ("[]", 1), ("{", 1),
])  # fmt: skip
def test_nothing_stored_is_a_failure(cli: Cli, given: str, code: int) -> None:
    assert cli("propose", "--file", "-", "--json", stdin=given).code == code
    assert pending(cli) == []


@pytest.mark.parametrize("flags", ["", "--file x --from-host", "--from-host --agent a", "--from-host --workspace me"])
def test_wrong_usage(cli: Cli, flags: str) -> None:
    assert cli(f"propose {flags} --json").error["code"] == "usage"


def test_without_a_host_there_is_nothing_to_take(cli: Cli) -> None:
    done = cli("propose --from-host --json")
    assert (done.code, done.error["code"]) == (1, "no_host")


@pytest.fixture
def gaia(tmp_path: Path) -> Gaia:
    gaia = add_tables(build(tmp_path / "gaia" / "gaia.db"))
    return gaia


def test_those_of_a_host_are_taken_once(cli: Cli, gaia: Gaia, tmp_path: Path) -> None:
    cli.move(tmp_path / "hosted")
    approval(gaia, 1, "gaia memory delete project_launch")
    launch = {"operation": "append", "target": {"slug": "project_launch"}, "append": {"body": "Soon."}}
    handoff(gaia, {"memory_delta": {"version": 1, "proposals": [launch, {"operation": "burn"}]}}, contract_id="c1")
    before = dump(gaia)
    cli.ok(f"attach gaia {gaia.path}")
    done = cli.ok("propose --from-host --json").json
    assert [(r["action"], r["agent"], r["handoff"]) for r in done["results"]] == [
        ("asked", "a1b2", 1), ("dropped", "a1b2", 1),
    ]  # fmt: skip
    again = cli("propose --from-host --json")
    assert [r["action"] for r in again.json["results"]] == ["dropped"]
    assert again.code == 1
    gaia.run("DELETE FROM agent_contract_handoffs")
    nothing = cli.ok("propose --from-host")
    assert nothing.out == "Nothing new was proposed.\n"
    handoff(gaia, {"memory_delta": {"version": 1, "proposals": [launch, {"operation": "burn"}]}}, contract_id="c1")
    assert len(pending(cli)) == 1
    assert dump(gaia) == before
