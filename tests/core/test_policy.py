"""DESIGN 4's table, cell by cell, and who the actor is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from memdesk.core.errors import UsageError
from memdesk.core.policy import (
    VERBS,
    Decision,
    Facts,
    Kind,
    Role,
    is_own,
    resolve_actor,
    resolve_role,
    resolve_session,
    role_note,
    rule,
)

ALLOW, ASK, T3, PROPOSE, DENY = Decision.ALLOW, Decision.ASK, Decision.T3, Decision.PROPOSE, Decision.DENY
FLAG = "flag"

READS = [
    "show", "list", "search", "history", "story", "stats", "get-relevant", "episode-show", "log", "status", "hosts",
    "diff", "verdicts", "demo", "desk", "workspace list", "project list", "requests list", "requests show",
    "requests wait", "similar", "conflicts", "sweep", "export", "export graph", "tree", "doctor", "batch", "pull",
    "push", "sync", "episode-add", "propose", "requests edit", "requests rebase", "requests withdraw",
    "veto", "veto list", "veto show",
]  # fmt: skip
GROWS = [
    "add", "create", "append", "reclassify", "graduate", "link", "unlink", "supersede", "comment", "checkpoint",
    "verdict", "judge", "merge", "mend",
]  # fmt: skip
T3_VERBS = ["edit", "delete", "retire", "restore", "erase", "rename", "move-workspace"]
HOUSE = ["attach", "detach", "pull --force", "sync set-up", "import", "doctor --fix", "veto take-back", "veto keep"]
DECIDES = [f"requests {word}" for word in ("approve", "reject", "drop", "review")]
USER_ENTRY = Facts(types=("user",))
PLAIN = Facts(types=("atom",))
DECISION = Facts(types=("decision",), supersedes_decision=True)
CONTRADICTS = Facts(types=("atom",), contradicts_decision=True)
REPLACES = Facts(types=("atom",), replaces_text=True)

# (verbs, facts) -> user, orchestrator, operator, specialist
TABLE = [
    *[([v], PLAIN, (ALLOW, ALLOW, ALLOW, ALLOW)) for v in READS],
    (["undo", "redo"], Facts(own_operation=True), (ALLOW, ALLOW, ALLOW, ALLOW)),
    (GROWS, PLAIN, (ALLOW, ALLOW, ALLOW, PROPOSE)),
    (GROWS, USER_ENTRY, (ALLOW, FLAG, FLAG, PROPOSE)),
    (GROWS, Facts(types=("feedback",), names=("user_tone",)), (ALLOW, FLAG, FLAG, PROPOSE)),
    (GROWS, Facts(types=("atom", "user")), (ALLOW, FLAG, FLAG, PROPOSE)),
    (["workspace add", "project add"], PLAIN, (ALLOW, ALLOW, ALLOW, DENY)),
    (["supersede", "link", "merge", "mend"], DECISION, (ALLOW, ASK, ASK, PROPOSE)),
    (["add", "append", "create", "checkpoint"], CONTRADICTS, (ALLOW, ASK, ASK, PROPOSE)),
    (["add", "merge", "checkpoint"], REPLACES, (ALLOW, T3, T3, T3)),
    (["add"], replace(REPLACES, contradicts_decision=True), (ALLOW, T3, T3, T3)),
    (T3_VERBS, PLAIN, (ALLOW, T3, T3, T3)),
    (T3_VERBS, USER_ENTRY, (ALLOW, T3, T3, T3)),
    (DECIDES, Facts(terminal=True), (ALLOW, DENY, DENY, DENY)),
    (DECIDES, Facts(terminal=False), (DENY, DENY, DENY, DENY)),
    (["requests"], Facts(decides=True, terminal=True), (ALLOW, DENY, DENY, DENY)),
    (["requests"], Facts(decides=False), (ALLOW, ALLOW, ALLOW, ALLOW)),
    (["undo", "redo"], Facts(own_operation=False), (ALLOW, DENY, DENY, DENY)),
    (HOUSE, PLAIN, (ALLOW, DENY, DENY, DENY)),
]
CELLS = [
    pytest.param(verb, facts, role, wanted, id=f"{place}-{verb}-{role}")
    for place, (verbs, facts, row) in enumerate(TABLE)
    for verb in verbs
    for role, wanted in zip((Role.USER, Role.ORCHESTRATOR, Role.OPERATOR, Role.SPECIALIST), row, strict=True)
]


@pytest.mark.parametrize(("verb", "facts", "role", "wanted"), CELLS)
def test_cell(verb: str, facts: Facts, role: Role, wanted: Decision | str) -> None:
    ruling = rule(role, verb, facts)
    assert ruling.decision is (ALLOW if wanted == FLAG else wanted)
    assert ruling.flagged is (wanted == FLAG)
    assert bool(ruling.reason) is (ruling.decision is not ALLOW)
    assert ruling.allowed is (ruling.decision is ALLOW)
    assert ruling.waits is (ruling.decision in (ASK, T3, PROPOSE))


def test_every_verb_of_the_table_is_tested() -> None:
    tested = {v for verbs, _, _ in TABLE for v in verbs}
    assert set(VERBS) - tested == {"workspace", "project"}, "groups without a sub-command only list"
    assert VERBS["workspace"] is VERBS["project"] is Kind.OPEN


# The verbs of the command line.
COMMANDS = """
add create append edit reclassify link unlink supersede comment delete restore erase show list search history story
stats get-relevant checkpoint batch rename move-workspace episode-show episode-add undo redo log status attach pull push
detach hosts demo
"""
GROUPED = ["workspace add", "workspace list", "project add", "project list"] + [
    f"requests {word}" for word in ("list", "show", "approve", "reject")
]


@pytest.mark.parametrize("verb", [*COMMANDS.split(), *GROUPED])
def test_verb_stands_in_the_table(verb: str) -> None:
    assert verb in VERBS


def test_verb_without_a_row_does_not_run() -> None:
    with pytest.raises(KeyError):
        rule(Role.USER, "conjure")


@pytest.mark.parametrize(
    ("flag", "env", "terminal", "wanted"),
    [
        (None, None, True, Role.USER),
        (None, None, False, Role.ORCHESTRATOR),
        (None, "user", False, Role.USER),
        (None, "specialist", True, Role.SPECIALIST),
        (None, " Operator ", False, Role.OPERATOR),
        (None, "", False, Role.ORCHESTRATOR),
        ("specialist", None, True, Role.SPECIALIST),
        ("orchestrator", None, True, Role.ORCHESTRATOR),
        ("operator", None, False, Role.OPERATOR),
        ("user", None, False, Role.ORCHESTRATOR),
        ("user", "specialist", True, Role.SPECIALIST),
        ("operator", "specialist", True, Role.SPECIALIST),
        ("specialist", "user", False, Role.SPECIALIST),
        ("user", "user", False, Role.USER),
    ],
)
def test_role_may_be_lowered_never_raised(flag: str | None, env: str | None, terminal: bool, wanted: Role) -> None:
    environ = {} if env is None else {"MEMDESK_ROLE": env}
    assert resolve_role(flag, environ, stderr_is_terminal=terminal) is wanted


@pytest.mark.parametrize(("flag", "environ"), [("king", {}), (None, {"MEMDESK_ROLE": "king"})])
def test_unknown_role_is_a_usage_error(flag: str | None, environ: dict[str, str]) -> None:
    with pytest.raises(UsageError) as caught:
        resolve_role(flag, environ, stderr_is_terminal=True)
    assert "king" in caught.value.message
    assert "specialist" in caught.value.hint


def test_asking_for_more_is_said() -> None:
    assert "MEMDESK_ROLE" in role_note("user", Role.ORCHESTRATOR)
    assert role_note("orchestrator", Role.OPERATOR) == ""
    assert role_note(None, Role.SPECIALIST) == ""


@pytest.mark.parametrize(
    ("flag", "environ", "wanted"),
    [
        (None, {}, "user:ana"),
        (None, {"MEMDESK_ACTOR": "agent:scout"}, "agent:scout"),
        (None, {"MEMDESK_ACTOR": ""}, "user:ana"),
        ("agent:x", {"MEMDESK_ACTOR": "agent:scout"}, "agent:x"),
        (" agent:x ", {}, "agent:x"),
    ],
)
def test_actor(flag: str | None, environ: dict[str, str], wanted: str) -> None:
    assert resolve_actor(flag, environ, "ana") == wanted


@pytest.mark.parametrize("name", ["  ", "a\nb", "a\x1b[31m", "a\u202eb", "a\u3164b", "a" * 201])
def test_a_name_that_cannot_be_shown_is_refused(name: str) -> None:
    for resolve in (
        lambda: resolve_actor(name, {}, "ana"), lambda: resolve_actor(None, {"MEMDESK_ACTOR": name}, "ana"),
        lambda: resolve_session(name, {}), lambda: resolve_session(None, {"MEMDESK_SESSION_ID": name}),
    ):  # fmt: skip
        with pytest.raises(UsageError):
            resolve()


def test_a_blank_actor_is_refused() -> None:
    with pytest.raises(UsageError):
        resolve_actor("", {}, "ana")


@pytest.mark.parametrize(
    ("flag", "environ", "wanted"),
    [
        (None, {}, None),
        (None, {"MEMDESK_SESSION_ID": ""}, None),
        (None, {"MEMDESK_SESSION_ID": " s-1 "}, "s-1"),
        ("s-2", {"MEMDESK_SESSION_ID": "s-1"}, "s-2"),
    ],
)
def test_session(flag: str | None, environ: dict[str, str], wanted: str | None) -> None:
    assert resolve_session(flag, environ) == wanted


@pytest.mark.parametrize(
    ("actor", "flag", "env", "wanted"),
    [
        ("agent:scout", None, None, Role.ORCHESTRATOR),
        ("Agent:scout", None, None, Role.ORCHESTRATOR),
        ("agent:scout", "user", None, Role.ORCHESTRATOR),
        ("agent:scout", None, "user", Role.USER),
        ("agent:scout", "specialist", None, Role.SPECIALIST),
        ("user:agent", None, None, Role.USER),
    ],
)
def test_who_is_named_as_an_agent_is_no_person_at_a_terminal_either(
    actor: str, flag: str | None, env: str | None, wanted: Role
) -> None:
    environ = {} if env is None else {"MEMDESK_ROLE": env}
    assert resolve_role(flag, environ, stderr_is_terminal=True, actor=actor) is wanted


@pytest.mark.parametrize(
    ("actor", "role", "by", "by_role", "own"),
    [
        ("agent:x", Role.ORCHESTRATOR, "agent:x", "orchestrator", True),
        ("agent:x", Role.ORCHESTRATOR, "agent:x", "operator", True),
        ("agent:x", Role.OPERATOR, "agent:x", "specialist", True),
        ("agent:x", Role.ORCHESTRATOR, "agent:y", "orchestrator", False),
        ("agent:x", Role.SPECIALIST, "agent:x", "specialist", True),
        ("agent:x", Role.SPECIALIST, "agent:x", "orchestrator", False),
        ("user:ana", Role.SPECIALIST, "user:ana", "user", False),
        ("user:ana", Role.ORCHESTRATOR, "user:ana", "user", False),
        ("user:ana", Role.ORCHESTRATOR, "user:ana", None, False),
        ("user:ana", Role.ORCHESTRATOR, "user:ana", "king", False),
        ("user:ana", Role.USER, "user:ana", None, True),
        ("user:ana", Role.USER, "agent:x", "orchestrator", False),
    ],
)
def test_an_operation_is_ones_own_by_name_and_role(
    actor: str, role: Role, by: str, by_role: str | None, own: bool
) -> None:
    assert is_own(actor, role, by, by_role) is own
