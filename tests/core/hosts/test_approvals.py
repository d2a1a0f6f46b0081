"""Gaia's own approvals that concern memory: read, never written, decided by Gaia's own program (gaia/SPEC 9.3)."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from gaia_asks import Program, add_tables, approval, dump
from gaia_fixture import Gaia

from memdesk.core.config import Config
from memdesk.core.desk import Actor, Desk, Role
from memdesk.core.errors import Ambiguous, HostError, MemdeskError, NotAllowed, NotFound
from memdesk.core.hosts import Hosts, Touch
from memdesk.core.hosts.gaia import approvals, commands
from memdesk.core.hosts.gaia.commands import touches

LATER = datetime(2026, 11, 28, 9, 30, 2, tzinfo=UTC)
APPROVED = '{"status": "approved", "approval_id": "{id}"}'
REJECTED = 'note first\n{"status": "rejected", "nonce_prefix": "{id}", "reason": null}'


# -- what a command touches ---------------------------------------------------------------------------------------

COMMANDS = {
    "g'ai'a memory delete atom_x": [Touch("delete", ("atom_x",))],
    "ga\\ia memory delete --workspace": [Touch("delete")],
    "gaia memory delete atom_x --workspace me --yes": [Touch("delete", ("atom_x",), "me")],
    "gaia memory delete --hard --workspace=me atom_x": [Touch("delete", ("atom_x",), "me", hard=True)],
    "cd /x && GAIA_DB=/y timeout 5 /usr/bin/gaia memory delete 'notes: año / x'": [
        Touch("delete", ("notes: año / x",)),
    ],
    "gaia memory edit --name=atom_x --field body --content 'now; gaia memory delete y'": [Touch("edit", ("atom_x",))],
    "gaia memory edit --field body --name atom_x --append --content -": [Touch("edit", ("atom_x",))],
    "gaia memory delete a; gaia memory delete b\ngaia memory delete c|tee": [
        Touch("delete", ("a",)), Touch("delete", ("b",)), Touch("delete", ("c",)),
    ],
    'bash -c "gaia memory delete atom_x --yes"': [Touch("delete", ("atom_x",))],
    "echo $(gaia memory delete atom_x)": [Touch("delete", ("atom_x",))],
    "echo `gaia memory delete atom_x`": [Touch("delete", ("atom_x",))],
    "gaia memory link a b --kind supersedes --delete": [Touch("link", ("a", "b"))],
    "gaia context move-memory --from lab --to me --name x --name y": [Touch("move-memory", ("x", "y"), "lab", "me")],
    "gaia context wipe --workspace me": [Touch("wipe", (), "me")],
    "gaia context wipe --workspace me --purge-memory": [Touch("wipe", (), "me", hard=True)],
    "gaia memory delete -- -odd": [Touch("delete", ("-odd",))],
    "gaia memory delete 'unclosed": [Touch("delete", ("unclosed",))],
    "gaia memory delete": [Touch("delete")],
}  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_what_a_command_touches(command: str) -> None:
    assert list(touches(command)) == COMMANDS[command]


@pytest.mark.parametrize("command", [
    "npm publish", "git add gaia", "gaia memory", "gaia memory --help", "gaia context project", "gaia", "",
    "gaia approvals approve P-1", "cat gaia memory", "'", "gaiamemory delete x", "gaia context",
])  # fmt: skip
def test_what_touches_no_memory(command: str) -> None:
    assert touches(command) == ()


def test_a_long_command_is_gone_through_once(monkeypatch: pytest.MonkeyPatch) -> None:
    class Counted(list[str]):
        read = 0

        def __getitem__(self, at: Any) -> Any:
            found = super().__getitem__(at)
            self.read += len(found) if isinstance(at, slice) else 1
            return found

    words = Counted(["gaia", "-x"] * 1000)
    monkeypatch.setattr(commands, "_commands", lambda text: [words])
    assert touches("gaia") == () and words.read <= 4 * len(words)


# -- listing ------------------------------------------------------------------------------------------------------


@pytest.fixture
def asked(attached: Desk, gaia: Gaia) -> dict[str, str]:
    add_tables(gaia)
    return {
        "delete": approval(gaia, 0xA1, "gaia memory delete project_launch --workspace me --yes"),
        "set": approval(
            gaia, 0xB2, "gaia memory delete atom_cache --hard", "npm test", "gaia memory edit --name gone --field body",
            as_set=True, created_at="2026-11-28T08:00:02Z",
        ),
        "wipe": approval(gaia, 0xB3, "gaia context wipe --workspace me", created_at="2026-11-26T08:00:02Z"),
        "other": approval(gaia, 0xC4, "npm publish"),
        "decided": approval(gaia, 0xC5, "gaia memory delete user_tone", status="approved"),
        "broken": approval(gaia, 0xC6, "x", payload_json="{broken"),
    }  # fmt: skip


def test_those_that_concern_memory_with_what_they_touch(attached: Desk, asked: dict[str, str]) -> None:
    found = {a.id: a for a in attached.host_approvals(now=LATER)}
    assert list(found) == [asked["wipe"], asked["set"], asked["delete"]], "the oldest first"
    delete, many, wipe = found[asked["delete"]], found[asked["set"]], found[asked["wipe"]]
    assert delete.entry is not None
    assert (delete.entry.ref, delete.entry.body) == ("me/project_launch", "Pick a date.\n\nNot a Monday.")
    assert (delete.agent, delete.verb, delete.age) == ("gaia-operator", "delete", 1800.0)
    assert [e.name for e in many.entries] == ["atom_cache"]
    assert many.missing == ("gone",)
    assert many.effect == ("removes atom_cache for ever", "changes gone")
    assert len(many.commands) == 3
    assert wipe.entry is None
    assert wipe.effect == ("removes the history of its memory in me",)
    assert [(a.stale, a.expiring) for a in (delete, many, wipe)] == [(False, False), (True, False), (True, True)]
    assert "grants nothing" in delete.note
    assert "grants nothing" not in many.note
    assert "expire" in wipe.note
    assert "expire" not in delete.note
    assert all("no reason" in a.note for a in found.values())


def test_the_commands_name_the_database(attached: Desk, asked: dict[str, str], gaia: Gaia) -> None:
    (delete,) = [a for a in attached.host_approvals() if a.id == asked["delete"]]
    assert delete.decide == (
        f"env GAIA_DB={gaia.path} gaia approvals approve {delete.id} --yes",
        f"env GAIA_DB={gaia.path} gaia approvals reject {delete.id}",
    )


@pytest.mark.parametrize("missing", [(), ("approval_events", "approvals"), ("agent_contract_handoffs",)])
def test_an_older_database_has_none(attached: Desk, gaia: Gaia, missing: tuple[str, ...]) -> None:
    if missing:
        add_tables(gaia)
        for table in missing:
            gaia.run(f"DROP TABLE {table}")
    assert attached.host_approvals() == []
    assert attached.host_proposals() == []
    assert attached.hosts.problems == {}


def test_a_host_that_is_away_has_none(attached: Desk, asked: dict[str, str], gaia: Gaia) -> None:
    gaia.settle()
    gaia.path.rename(gaia.path.with_suffix(".away"))
    assert attached.host_approvals() == []
    assert attached.host_proposals() == []


def test_odd_rows_stop_nothing(attached: Desk, asked: dict[str, str], gaia: Gaia) -> None:
    odd_ones = (None, "[]", '{"commands": 3, "command_set": [3, {}]}', '{"commands": [3]}', b"\xff")
    for number, payload in enumerate(odd_ones):
        approval(gaia, 0xD0 + number, payload_json=payload)
    approval(gaia, 0xE0, "x", payload_json='{"exact_content": "gaia memory delete user_tone"}', created_at=None)
    odd = attached.host_approvals(now=LATER)[0]
    assert (odd.age, odd.stale, odd.asked_at) == (None, False, "")
    assert odd.entry is not None
    assert len(attached.host_approvals()) == 4


# -- deciding -----------------------------------------------------------------------------------------------------


@pytest.fixture
def with_program(attached: Desk, tmp_path: Path) -> Callable[..., tuple[Desk, Program]]:
    """A desk whose PATH holds a program `gaia`, and the program."""

    def make(**answer: object) -> tuple[Desk, Program]:
        program = Program(tmp_path / "bin", **answer)  # type: ignore[arg-type]
        environ = {
            "PATH": f"{program.folder}:/usr/bin", "GAIA_DISPATCH_AGENT": "developer", "GAIA_DATA_DIR": "/elsewhere",
            "GAIA_DB": "/elsewhere/x.db", "HOME": "/home/ana",
        }  # fmt: skip
        hosts = Hosts(attached.store, wait_ms=50, environ=environ)
        return Desk(attached.store, attached.actor, hosts, Config()), program

    return make


@pytest.mark.parametrize(("approve", "answer", "args"), [
    (True, APPROVED, ["approvals", "approve", "{id}", "--yes", "--json"]),
    (False, REJECTED, ["approvals", "reject", "{id}", "--json"]),
])  # fmt: skip
def test_gaias_own_program_decides(
    with_program: Callable[..., tuple[Desk, Program]], asked: dict[str, str], gaia: Gaia, approve: bool, answer: str,
    args: list[str],
) -> None:  # fmt: skip
    desk, program = with_program(answer=answer)
    before = dump(gaia)
    done = desk.decide_host_approval(asked["delete"], approve, "still needed")
    (call,) = program.calls()
    assert call["args"] == [a.replace("{id}", asked["delete"]) for a in args]
    assert "GAIA_DISPATCH_AGENT" not in call["env"]
    assert "GAIA_DATA_DIR" not in call["env"]
    assert (call["env"]["GAIA_DB"], call["env"]["HOME"]) == (str(gaia.path), "/home/ana")
    assert call["stdin"] == ""
    assert done.words == f"Gaia {'approved' if approve else 'rejected'} {asked['delete']}"
    assert (done.stands, len(done.warnings)) == ("pending", 2), "this program changed nothing, and that is said"
    assert dump(gaia) == before, "and memdesk itself wrote nothing"


@pytest.mark.parametrize(("approve", "answer", "status"), [(True, APPROVED, "approved"), (False, REJECTED, "revoked")])
def test_what_gaia_wrote_is_looked_at(
    with_program: Callable[..., tuple[Desk, Program]], asked: dict[str, str], approve: bool, answer: str, status: str
) -> None:
    desk, _ = with_program(answer=answer, update=status)
    done = desk.decide_host_approval(asked["delete"][:-1], approve)
    assert (done.id, done.stands) == (asked["delete"], status)
    assert len(done.warnings) == 1
    with pytest.raises(NotFound):
        desk.decide_host_approval(asked["delete"], approve)


BAD_ANSWERS = {
    "an error": ({"answer": '{"error": "Approval not found"}', "code": 1}, "host_refused", "Approval not found"),
    "an error with exit 0": ({"answer": '{"error": "no"}'}, "host_refused", "no"),
    "an exit code": ({"code": 2, "errors": "usage: gaia\ninvalid choice"}, "host_refused", "invalid choice"),
    "no answer at all": ({}, "host_answer", "not the one expected"),
    "no JSON": ({"answer": "Approved."}, "host_answer", "not the one expected"),
    "broken JSON": ({"answer": '{"status": '}, "host_answer", "not the one expected"),
    "a list": ({"answer": "[]"}, "host_answer", "not the one expected"),
    "cancelled": ({"answer": '{"status": "cancelled"}'}, "host_answer", "not the one expected"),
    "the other decision": ({"answer": REJECTED}, "host_answer", "not the one expected"),
    "another approval": (
        {"answer": '{"status": "approved", "approval_id": "P-00"}'}, "host_answer", "not the one expected",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_ANSWERS)
def test_a_failure_is_a_plain_error(
    with_program: Callable[..., tuple[Desk, Program]], asked: dict[str, str], gaia: Gaia, case: str
) -> None:
    answer, code, said = BAD_ANSWERS[case]
    desk, program = with_program(**answer)
    before = dump(gaia)
    with pytest.raises(HostError) as caught:
        desk.decide_host_approval(asked["delete"], True)
    assert caught.value.stable_code == code
    assert said in caught.value.message
    assert len(program.calls()) == 1
    assert dump(gaia) == before


def test_a_program_that_does_not_answer(
    with_program: Callable[..., tuple[Desk, Program]], asked: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(approvals, "TIMEOUT", 0.01)
    desk, _ = with_program(answer=APPROVED, sleep=30)
    with pytest.raises(HostError) as caught:
        desk.decide_host_approval(asked["delete"], True)
    assert caught.value.stable_code == "host_timeout"


def test_a_program_that_cannot_run(
    with_program: Callable[..., tuple[Desk, Program]], asked: dict[str, str]
) -> None:
    desk, program = with_program()
    (program.folder / "gaia").write_text("#!/nowhere/python\n")
    with pytest.raises(HostError) as caught:
        desk.decide_host_approval(asked["delete"], True)
    assert caught.value.stable_code == "host_decides"


@pytest.mark.parametrize("approve", [True, False])
def test_without_the_program_the_hint_is_the_command(
    attached: Desk, asked: dict[str, str], gaia: Gaia, tmp_path: Path, approve: bool
) -> None:
    hosts = Hosts(attached.store, environ={"PATH": str(tmp_path)})
    desk = Desk(attached.store, attached.actor, hosts, Config())
    (waiting,) = [a for a in desk.host_approvals() if a.id == asked["delete"]]
    before = dump(gaia)
    with pytest.raises(HostError) as caught:
        desk.decide_host_approval(asked["delete"], approve)
    assert caught.value.stable_code == "host_decides"
    assert caught.value.hint == waiting.decide[0 if approve else 1]
    assert dump(gaia) == before


@pytest.mark.parametrize(("role", "terminal"), [
    (Role.USER, False), (Role.ORCHESTRATOR, True), (Role.OPERATOR, True), (Role.SPECIALIST, True),
])  # fmt: skip
def test_who_may_decide(
    with_program: Callable[..., tuple[Desk, Program]], asked: dict[str, str], role: Role, terminal: bool
) -> None:
    desk, program = with_program(answer=APPROVED)
    other = Desk(desk.store, Actor("x", role, None, terminal), desk.hosts, Config())
    assert len(other.host_approvals()) == 3, "anybody may look"
    for approve in (True, False):
        with pytest.raises(NotAllowed):
            other.decide_host_approval(asked["delete"], approve)
    assert program.calls() == []


def test_only_what_waits_and_concerns_memory_is_decided(
    with_program: Callable[..., tuple[Desk, Program]], asked: dict[str, str], gaia: Gaia
) -> None:
    desk, program = with_program(answer=APPROVED)
    refused: list[tuple[str, type[MemdeskError]]] = [
        (asked["other"], NotFound), (asked["decided"], NotFound), ("P-", NotFound), ("", NotFound), ("P-9", NotFound),
        ("P-000000000000000000000000000000b", Ambiguous),
    ]  # fmt: skip
    for approval_id, error in refused:
        with pytest.raises(error):
            desk.decide_host_approval(approval_id, True)
    approval(gaia, 0xF0, "gaia memory delete user_tone", id="--all")
    with pytest.raises(HostError) as caught:
        desk.decide_host_approval("--all", False)
    assert caught.value.stable_code == "host_decides", "an id that could be read as a flag is never passed on"
    assert program.calls() == []


def test_the_environment_of_this_process_is_the_usual_one(attached: Desk) -> None:
    made = approvals.environment({"A": "1", "GAIA_DISPATCH_AGENT": "x"}, Path("/y/g.db"))
    assert made == {"A": "1", "GAIA_DB": "/y/g.db"}
    assert attached.hosts._environ is os.environ
