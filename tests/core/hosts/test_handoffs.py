"""Proposals in the contracts of a Gaia database: taken into the queue once each, only read (gaia/SPEC 9.2)."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest
from gaia_asks import add_tables, approval, dump, handoff
from gaia_fixture import Gaia

from memdesk.core.config import Config
from memdesk.core.desk import Actor, Desk, Role
from memdesk.core.errors import HostError, MemdeskError
from memdesk.core.hosts import Hosts

SAMPLE = Path(__file__).resolve().parents[4] / "shared" / "gaia"
LAUNCH = {"slug": "project_launch"}
APPEND = {"operation": "append", "target": LAUNCH, "append": {"body": "Soon."}, "rationale": "It was said."}
CLOSE = {"operation": "reclassify", "target": LAUNCH, "reclassify": {"status": "closed"}}
CREATE = {
    "operation": "create",
    "create": {"slug": "atom_new", "type": "atom", "class": "anchor", "description": "New", "body": "Text."},
}  # fmt: skip


def contract(*proposals: Any) -> dict[str, Any]:
    return {"agent_status": {"agent_state": "COMPLETE"}, "memory_delta": {"version": 1, "proposals": list(proposals)}}


@pytest.fixture
def handed(attached: Desk, gaia: Gaia) -> Desk:
    """Four proposals of two agents, one of them of no use, and what proposes nothing."""
    add_tables(gaia)
    handoff(gaia, contract(APPEND, {"operation": "burn"}, CREATE), contract_id="c1")
    handoff(gaia, {"memory_delta": None, "work_phase": None}, contract_id="c2")
    handoff(gaia, "{broken \"proposals", contract_id="c3")
    handoff(gaia, contract(CLOSE), contract_id="c4", agent_id="e5f6", session_id=None)
    approval(gaia, 1, "gaia memory delete project_launch")
    return attached


def test_they_are_listed_until_they_are_taken(handed: Desk) -> None:
    found = handed.host_proposals(dropped=True)
    assert [(p.handoff, p.index, p.agent, p.verb, p.about) for p in found] == [
        (1, 0, "a1b2", "append", "project_launch"), (1, 1, "a1b2", "", ""), (1, 2, "a1b2", "add", "atom_new"),
        (4, 0, "e5f6", "reclassify", "project_launch"),
    ]  # fmt: skip
    assert "'burn'" in found[1].dropped
    assert (found[0].rationale, found[0].workspace) == ("It was said.", "me")
    assert len(handed.host_proposals()) == 3
    handed.take_proposals()
    assert handed.host_proposals() == []
    assert [p.index for p in handed.host_proposals(dropped=True)] == [1]


def test_each_is_asked_by_its_agent_and_says_where_it_comes_from(handed: Desk) -> None:
    receipt = handed.take_proposals()
    assert [(r["handoff"], r["index"], r["action"]) for r in receipt.results] == [
        (1, 0, "asked"), (1, 1, "dropped"), (1, 2, "asked"), (4, 0, "asked"),
    ]  # fmt: skip
    rows = handed.requests()
    assert [(r.verb, r.asked_by, r.payload["kind"]) for r in rows] == [
        ("append", "a1b2", "proposal"), ("add", "a1b2", "proposal"), ("reclassify", "e5f6", "proposal"),
    ]  # fmt: skip
    (host,) = handed.hosts.attached()
    assert rows[0].payload["source"] == {
        "host": host.host_id, "handoff": 1, "contract": "c1", "created_at": "2026-11-27T10:00:01Z",
        "session_id": "sess-9", "index": 0,
    }  # fmt: skip
    assert rows[1].args["origin_session_id"] == "sess-9"


def test_approving_reaches_the_database(handed: Desk, gaia: Gaia) -> None:
    before = dump(gaia)
    handed.take_proposals()
    for row in handed.requests():
        handed.mark_request_shown(row)
        assert handed.approve(row.request_id).warnings is not None
    launch, made = gaia.row("me", "project_launch"), gaia.row("me", "atom_new")
    assert (launch["body"], launch["status"]) == ("Pick a date.\n\nNot a Monday.\n\nSoon.", "closed")
    assert (made["body"], made["class"], made["origin_session_id"]) == ("Text.", "anchor", "sess-9")
    assert dump(gaia) == before, "neither the contracts nor the approvals were touched"


@pytest.mark.parametrize("end", ["wait", "reject", "approve", "undo"])
def test_taking_twice_adds_nothing(handed: Desk, gaia: Gaia, end: str) -> None:
    before = dump(gaia)
    handed.take_proposals()
    for row in handed.requests():
        handed.mark_request_shown(row)
        {
            "wait": lambda: None, "reject": lambda r=row: handed.reject(r.request_id, "No."),
            "approve": lambda r=row: handed.approve(r.request_id), "undo": lambda: handed.undo(),
        }[end]()  # fmt: skip
    again = handed.take_proposals()
    assert [(r["index"], r["action"]) for r in again.results] == [(1, "dropped")]
    assert (again.action, len(handed.store.requests(None)), handed.host_proposals()) == ("noop", 3, [])
    assert dump(gaia) == before


@pytest.mark.parametrize("moved", [False, True])
def test_another_machine_that_has_them_by_sync_takes_none(
    handed: Desk, other: Desk, gaia: Gaia, tmp_path: Path, moved: bool
) -> None:
    handed.take_proposals()
    handed.reject(handed.requests()[0].request_id, "No.")
    other.store.receive(list(handed.store.events()))
    path = gaia.path
    if moved:  # the same database under another path is another host, and the contracts are the same
        gaia.settle()
        path = tmp_path / "copy.db"
        path.write_bytes(gaia.path.read_bytes())
    other.attach("gaia", path)
    assert other.host_proposals() == []
    assert other.take_proposals().action == "noop"
    assert len(other.store.requests(None)) == 3


def test_without_an_id_of_its_own_a_contract_is_known_by_its_row(attached: Desk, gaia: Gaia) -> None:
    add_tables(gaia)
    handoff(gaia, contract(APPEND))
    handoff(gaia, contract(CLOSE))
    assert attached.take_proposals().action == "asked"
    assert attached.take_proposals().results == ()
    gaia.run("DELETE FROM agent_contract_handoffs")  # as a sweep after 90 days
    handoff(gaia, contract(CREATE), created_at="2027-03-01T10:00:00Z")
    assert [(r["handoff"], r["action"]) for r in attached.take_proposals().results] == [(1, "asked")]


def test_what_was_dropped_is_tried_again_and_is_nothing_that_waits(attached: Desk, gaia: Gaia) -> None:
    add_tables(gaia)
    link = {"operation": "link", "target": LAUNCH, "link": {"to_slug": "atom_new", "kind": "relates_to"}}
    handoff(gaia, contract(CREATE, link), contract_id="c1")
    first = attached.take_proposals()
    assert [r["action"] for r in first.results] == ["asked", "dropped"]
    assert "No entry is named 'atom_new'" in first.results[1]["why"]
    assert attached.host_proposals() == []
    (row,) = attached.requests()
    attached.mark_request_shown(row)
    attached.approve(row.request_id)
    assert [(r["index"], r["action"]) for r in attached.take_proposals().results] == [(1, "asked")]
    assert attached.host_proposals(dropped=True) == []


def test_what_is_new_on_the_host_is_known_first(attached: Desk, gaia: Gaia) -> None:
    add_tables(gaia)
    gaia.add("me", "atom_fresh", "Fresh.")
    handoff(gaia, contract({**APPEND, "target": {"slug": "atom_fresh"}}), contract_id="c1")
    assert attached.take_proposals().action == "asked"


def test_what_was_carried_out_in_gaia_is_not_asked_for(handed: Desk, gaia: Gaia) -> None:
    gaia.set("me", "project_launch", body="Pick a date.\n\nNot a Monday.\n\nSoon.", status="closed")
    gaia.add("me", "atom_new", "Text.", description="New", **{"class": "anchor"})
    receipt = handed.take_proposals()
    assert {(r["action"], r["code"]) for r in receipt.results if r["index"] != 1} == {("dropped", "stands")}
    assert handed.requests() == []


@pytest.mark.parametrize("role", [Role.ORCHESTRATOR, Role.SPECIALIST])
def test_anybody_may_take_them_and_nobody_writes_memory_by_it(handed: Desk, gaia: Gaia, role: Role) -> None:
    rows = gaia.rows()
    agent = Desk(handed.store, Actor("agent:x", role), handed.hosts, Config())
    assert agent.take_proposals().action == "asked"
    assert gaia.rows() == rows
    assert {r.asked_by for r in agent.requests()} == {"a1b2", "e5f6"}


def test_odd_agents_and_places(attached: Desk, gaia: Gaia) -> None:
    add_tables(gaia)
    handoff(gaia, contract(CREATE), agent_id="bad\x1b[31m", workspace=None, contract_id="c1")
    handoff(gaia, contract(APPEND), agent_id=None, workspace="nowhere", contract_id="c2")
    receipt = attached.take_proposals()
    assert [r["action"] for r in receipt.results] == ["dropped", "asked"]
    assert receipt.results[0]["code"] == "missing_scope"
    assert receipt.results[0]["agent"] == "bad?[31m"
    assert attached.requests()[0].asked_by == "an unnamed agent"


def test_no_host_no_proposals(desk: Desk) -> None:
    assert desk.host_proposals() == []
    with pytest.raises(HostError) as caught:
        desk.take_proposals()
    assert caught.value.stable_code == "no_host"


@pytest.mark.skipif(not SAMPLE.is_dir(), reason="the sample database is not here")
def test_the_sample(desk: Desk, tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("make_sample", SAMPLE / "make_sample.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.build(tmp_path / "sample.db")
    gaia = Gaia(tmp_path / "sample.db")
    before = dump(gaia)
    desk.attach("gaia", gaia.path)
    (waiting,) = desk.host_approvals()
    assert waiting.id == "P-fa14bc28955545879a2a832e22de97a6"
    assert waiting.entry is not None
    assert (waiting.entry.ref, waiting.verb) == ("me/feedback_misfiled_note", "delete")
    receipt = desk.take_proposals()
    assert [(r["handoff"], r["index"], r["action"], r["verb"], r["about"]) for r in receipt.results] == [
        (1, 0, "asked", "append", "project_gaia_release_540"),
        (1, 1, "asked", "reclassify", "project_release_windows_smoke"),
        (1, 2, "asked", "link", "project_release_windows_smoke"),
        (1, 3, "asked", "add", "atom_windows_path_sep"),
        (2, 0, "asked", "add", "decision_rc_versioning"),
        (2, 1, "asked", "add", "project_type_outside_the_advisory_enum"),
        (2, 2, "dropped", "", ""),
    ]
    for row in desk.requests():
        desk.mark_request_shown(row)
        desk.approve(row.request_id)
    assert gaia.row("me", "project_gaia_release_540")["body"].endswith("Windows smoke has two path failures.")
    assert gaia.row("me", "decision_rc_versioning")["class"] == "anchor"
    assert [r["action"] for r in desk.take_proposals().results] == ["dropped"]
    with pytest.raises(MemdeskError):
        Desk(desk.store, desk.actor, Hosts(desk.store, environ={}), Config()).decide_host_approval(waiting.id, True)
    assert dump(gaia) == before
