"""Agents do whatever they like, in any order: nothing that DESIGN 4 forbids happens, what waits piles up, and of that
exactly what a person approves takes effect."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from guard_cases import AGAINST, DECIDED
from hypothesis import HealthCheck, Phase, event, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test
from rolled_back import Scene, rolled_back

from memdesk.core.config import Config
from memdesk.core.desk import Actor, Desk, Receipt, Role, deciding, session, undoing
from memdesk.core.desk.composed import call_with
from memdesk.core.desk.deciding import METHODS
from memdesk.core.errors import MemdeskError, NeedsApproval
from memdesk.core.hosts import Hosts
from memdesk.core.policy import Decision, Ruling
from memdesk.core.standing import chain
from memdesk.core.store import RequestRow, Store

START = (
    ("atom_a", "anchor", "Ants work."), ("atom_b", "log", "Bees fly."), (DECIDED[0], "anchor", DECIDED[1]),
    ("decision_e", "thread", "Chose eggs."), ("user_u", "anchor", "Likes tea."), ("project_p", "thread", "Paints."),
)  # fmt: skip
NAMES = [name for name, _, _ in START] + ["atom_new", "decision_new", "user_new"]
NAME = st.sampled_from(NAMES)
TEXT = st.sampled_from(["x", "Herons are back.", "Ants work.", AGAINST])
KIND = st.sampled_from(["supersedes", "related_to", "child_of", "derived_from", "cites"])
FIELD = st.sampled_from(["title", "description", "summary", "body"])
#: (name, role); names are free to choose, also a person's.
AGENTS = [
    ("agent:o", Role.ORCHESTRATOR), ("agent:p", Role.OPERATOR), ("agent:s", Role.SPECIALIST),
    ("agent:o", Role.SPECIALIST), ("user:ana", Role.SPECIALIST), ("user:ana", Role.ORCHESTRATOR),
]  # fmt: skip
WALKS = ("undo", "redo", "undo of any")
Step = Callable[[Desk, str, str, str, str, str, int], Any]


def _proposals(d: Desk, a: str, b: str, kind: str, field: str, text: str, n: int) -> Any:
    told = [
        {"operation": "append", "target": {"slug": a}, "append": {"body": text}, "rationale": "It grew."},
        {"operation": "link", "target": {"slug": a}, "link": {"to_slug": b, "kind": kind}, "rationale": "They belong."},
    ]
    return d.propose({"memory_delta": {"version": 1, "proposals": told}}, workspace="me")


def _batch(d: Desk, a: str, b: str, kind: str, field: str, text: str, n: int) -> Any:
    return d.batch([
        {"op": "append", "ref": a, "text": text}, {"op": "edit", "ref": b, "fields": {field: text}},
        {"op": "supersede", "old": a, "by": b}, {"op": "delete", "ref": b},
    ])  # fmt: skip


def _any_operation(d: Desk, n: int) -> str:
    log = d.log(None)
    return log[n % len(log)].op_id


def _any_request(d: Desk, n: int) -> str:
    rows = d.requests(None)
    return rows[n % len(rows)].request_id if rows else "req_none"


def _mend(d: Desk, a: str, b: str, kind: str, n: int) -> Any:
    edges = d.store.edges()
    gone = [list(edges[n % len(edges)].key)] if edges and n % 2 else []
    return d.mend(remove=gone, add=[[d.find(a).id, kind, d.find(b).id]])


STEPS: dict[str, Step] = {
    "add": lambda d, a, b, kind, field, text, n: d.add(name=a, body=text, description="d", workspace="me"),
    "add filling": lambda d, a, b, kind, field, text, n: d.add(
        name=a, body=d.find(a).body, workspace="me", **({field: text} if field != "body" else {"tags": [text[:3]]})
    ),
    "add elsewhere": lambda d, a, b, kind, field, text, n: d.add(
        name=a,
        body=d.find(a).body,
        workspace="me",
        project_ref=f"/repos/{n % 2}",
        audience="executor",
    ),
    "create": lambda d, a, b, kind, field, text, n: d.create(
        kind="atom",
        title=text,
        oneline="One line",
        full=text,
        parent=a if n % 2 else None,
        workspace="me",
    ),
    "append": lambda d, a, b, kind, field, text, n: d.append(a, text),
    "edit": lambda d, a, b, kind, field, text, n: d.edit(a, fields={field: text}, add_tags=["t"], rm_tags=["old"]),
    "edit state": lambda d, a, b, kind, field, text, n: d.edit(a, state="active"),
    "reclassify": lambda d, a, b, kind, field, text, n: d.reclassify([a, b], klass=("log", "anchor")[n % 2]),
    "close": lambda d, a, b, kind, field, text, n: d.reclassify(a, klass="thread", status=("closed", "open")[n % 2]),
    "graduate": lambda d, a, b, kind, field, text, n: d.graduate(
        a, anchor={"name": b, "body": text} if n % 2 else None
    ),
    "link": lambda d, a, b, kind, field, text, n: d.link(a, kind, b, force=bool(n % 2)),
    "unlink": lambda d, a, b, kind, field, text, n: d.unlink(a, kind, b),
    "relate": lambda d, a, b, kind, field, text, n: d.relate(a, b),
    "supersede": lambda d, a, b, kind, field, text, n: d.supersede(a, by=b),
    "replace": lambda d, a, b, kind, field, text, n: d.replace(a, [b, "atom_b"]),
    "comment": lambda d, a, b, kind, field, text, n: d.comment(a, text),
    "checkpoint": lambda d, a, b, kind, field, text, n: d.checkpoint(
        {"resumen": {"name": a, "type": a.partition("_")[0], "body": text}, "pendientes": []}, workspace="me"
    ),
    "judge": lambda d, a, b, kind, field, text, n: d.judge(a, b, ("different", "duplicate", "withdrawn")[n % 3]),
    "merge": lambda d, a, b, kind, field, text, n: d.merge(
        [a, b], into=(a, b)[n % 2], fields={field: {"text": text}} if n % 3 == 0 else None
    ),
    "mend": lambda d, a, b, kind, field, text, n: _mend(d, a, b, kind, n),
    "delete": lambda d, a, b, kind, field, text, n: d.delete([a, b]),
    "retire": lambda d, a, b, kind, field, text, n: d.retire(author="user:ana"),
    "restore": lambda d, a, b, kind, field, text, n: d.restore(a),
    "erase": lambda d, a, b, kind, field, text, n: d.erase(a, f"DELETE {d.find(a).id}"),
    "rename": lambda d, a, b, kind, field, text, n: d.rename(a, f"{b}_2"),
    "move": lambda d, a, b, kind, field, text, n: d.move_workspace([a], "other"),
    "batch": _batch,
    "propose": _proposals,
    "settle for": lambda d, a, b, kind, field, text, n: d.ask_owner(a, b),
    "withdraw": lambda d, a, b, kind, field, text, n: d.withdraw(_any_request(d, n)),
    "reword": lambda d, a, b, kind, field, text, n: d.edit_request(_any_request(d, n), {field: text}),
    "rebase": lambda d, a, b, kind, field, text, n: d.rebase_request(_any_request(d, n)),
    "approve": lambda d, a, b, kind, field, text, n: d.approve(_any_request(d, n)),
    "reject": lambda d, a, b, kind, field, text, n: d.reject(_any_request(d, n), "No."),
    "drop": lambda d, a, b, kind, field, text, n: d.drop(_any_request(d, n)),
    "veto": lambda d, a, b, kind, field, text, n: d.veto(_any_operation(d, n)),
    "undo": lambda d, a, b, kind, field, text, n: d.undo(),
    "redo": lambda d, a, b, kind, field, text, n: d.redo(),
    "undo of any": lambda d, a, b, kind, field, text, n: d.undo(_any_operation(d, n)),
}

VERB = st.sampled_from(sorted(STEPS))
PERSONS_VERB = st.sampled_from(["edit", "delete", "append", "restore", "supersede", "rename", "undo", "link", "add"])


# -- what the table permits an orchestrator or an operator ----------------------------------------------------------

#: Fields that an agent may fill, never replace.
_KEPT = {1: "workspace", 2: "name", 3: "type", 7: "title", 8: "description", 9: "summary", 11: "project_ref",
         12: "initiative"}  # fmt: skip
_TEXTS = (7, 8, 10)
_STATE, _BODY, _AUDIENCE = 6, 10, 13


def _is_decision(row: tuple[Any, ...]) -> bool:
    return row[3] == "decision" or row[2].startswith("decision_")


def forbidden(before: Scene, after: Scene, verb: str) -> list[str]:
    """What became of memory that no agent may do alone (DESIGN 4), whatever verb it called."""
    said = []
    for entry_id, old in before.entries.items():
        new = after.entries.get(entry_id)
        if new is None:
            said.append(f"{old[2]} is gone")
            continue
        said += [f"{what} of {old[2]} replaced" for i, what in _KEPT.items() if old[i] and new[i] != old[i]]
        if not new[_BODY].startswith(old[_BODY]):
            said.append(f"body of {old[2]} replaced")
        if new[_AUDIENCE] != old[_AUDIENCE]:
            said.append(f"audience of {old[2]} replaced")
        moved = (old[_STATE], new[_STATE])
        if moved[0] != moved[1] and (moved != ("active", "superseded") or _is_decision(old)):
            said.append(f"{old[2]} went from {moved[0]} to {moved[1]}")
    said += [f"tag {tag} taken off" for _, tag in before.tags - after.tags]
    for source, kind, target in after.edges - before.edges:
        aim = before.entries.get(target)
        if kind == "supersedes" and aim is not None and _is_decision(aim) and aim[_STATE] == "active":
            said.append(f"{aim[2]} is replaced by {source}")
    if verb not in ("unlink", "mend", "merge"):
        said += [f"link {kind} taken away" for _, kind, _ in before.edges - after.edges]
    return said + _against(before, after)


def _against(before: Scene, after: Scene) -> list[str]:
    """Texts against a decision that stands as it was made."""
    stands = any(row[2] == DECIDED[0] and row[_STATE] == "active" and row[_BODY] == DECIDED[1]
                 and row[1] == "me" for row in before.entries.values())  # fmt: skip
    said = []
    for entry_id, new in after.entries.items():
        old = before.entries.get(entry_id, ("",) * len(new))
        told = any(AGAINST in (new[i] or "") and AGAINST not in (old[i] or "") for i in _TEXTS)
        if stands and told and new[1] == "me" and new[2] != DECIDED[0]:
            said.append(f"{new[2]} says what a decision is against")
    return said


# -- the machine ----------------------------------------------------------------------------------------------------


class Agents(RuleBasedStateMachine):
    """Several agents and one person at one store, of which nothing is kept."""

    store: Store

    def __init__(self) -> None:
        super().__init__()
        self.undoing = ExitStack()
        self.undoing.enter_context(rolled_back(self.store))
        self.person = self.seat("user:ana", Role.USER)

    def seat(self, name: str, role: Role) -> Desk:
        return Desk(self.store, Actor(name, role, None, True), Hosts(self.store), Config())

    def teardown(self) -> None:
        self.undoing.close()

    def statuses(self) -> dict[str, tuple[str, str]]:
        rows = self.store.db.execute("SELECT request_id, status, asked_by FROM requests").fetchall()
        return {request_id: (status, asker) for request_id, status, asker in rows}

    @initialize()
    def begin(self) -> None:
        assert self.store.check() == []

    @rule(who=st.sampled_from(AGENTS), verb=VERB, a=NAME, b=NAME, kind=KIND, field=FIELD, text=TEXT,
          n=st.integers(0, 30))  # fmt: skip
    def an_agent_acts(
        self, who: tuple[str, Role], verb: str, a: str, b: str, kind: str, field: str, text: str, n: int
    ) -> None:
        before, asked = Scene(self.store), self.statuses()
        name, role = who
        result = None
        error: MemdeskError | None = None
        try:
            result = STEPS[verb](self.seat(name, role), a, b, kind, field, text, n)
        except MemdeskError as raised:
            error = raised
        after, asks = Scene(self.store), self.statuses()
        event(f"{verb}: {type(error).__name__ if error else 'done'}")
        if role is Role.SPECIALIST or error is not None:
            assert after == before, (who, verb, before.changes(after))
        elif verb in WALKS:
            self.only_its_own(name, role, result)
        else:
            assert forbidden(before, after, verb) == [], (who, verb)
        self.requests_pile_up(name, asked, asks)
        if isinstance(error, NeedsApproval):
            assert asks[error.extra["request_id"]] == ("pending", name)
        elif error is not None:
            assert asks == asked

    def only_its_own(self, name: str, role: Role, receipt: Any) -> None:
        """What was undone, or done again, is in the end something of that actor, in no role above."""
        header = self.store.operation(receipt.op_id)
        assert header is not None
        origin = self.store.operation(chain(header.op_id, self.store.undoes())[-1])
        assert origin is not None
        assert origin.actor == name
        assert origin.role != "user", "a person's, under whose name an agent acted"

    def requests_pile_up(self, name: str, before: dict[str, Any], after: dict[str, Any]) -> None:
        """An agent takes back only its own requests, and decides none."""
        for request_id, (status, asker) in before.items():
            now = after.get(request_id, ("withdrawn", asker))
            if now != (status, asker):
                assert asker == name
                assert {status, now[0]} == {"pending", "withdrawn"}
        assert all(after[i] == ("pending", name) for i in after.keys() - before.keys())

    @rule(verb=PERSONS_VERB, a=NAME, b=NAME, field=FIELD, text=TEXT, n=st.integers(0, 30))
    def a_person_acts(self, verb: str, a: str, b: str, field: str, text: str, n: int) -> None:
        asked = self.statuses()
        try:
            STEPS[verb](self.person, a, b, "related_to", field, text, n)
        except MemdeskError:
            return
        if verb != "undo":
            assert self.statuses() == asked

    @precondition(lambda self: self.person.request_keys())
    @rule(n=st.integers(0, 30), undone=st.booleans())
    def a_person_approves(self, n: int, undone: bool) -> None:
        keys = self.person.request_keys()
        row = self.person.request(keys[n % len(keys)])
        state = self.person.request_state(row)
        before, asked = Scene(self.store), self.statuses()
        wanted = self.foreseen(row)
        self.person.mark_request_shown(row)
        try:
            self.person.approve(row.request_id, token=f"DELETE {row.refs[0]}" if row.refs else None)
        except MemdeskError as error:
            event(f"approve {row.verb}: {state}, {error.stable_code}")
            assert Scene(self.store) == before
            assert self.statuses() == asked
            assert state != "ready" or wanted is None, error
            return
        event(f"approve {row.verb}: done")
        assert state == "ready"
        assert wanted is not None
        assert Scene(self.store).by_name() == wanted, "exactly what was asked for"
        assert self.statuses() == asked | {row.request_id: ("approved", row.asked_by)}
        if undone and row.verb != "erase":
            self.person.undo()
            assert Scene(self.store).by_name() == before.by_name()
            assert self.statuses() == asked

    def foreseen(self, row: RequestRow) -> tuple[Any, ...] | None:
        """What memory is when a person does the same with their own hands, or None where they cannot."""
        args = dict(row.args)
        with rolled_back(self.store):
            person = self.seat("user:ana", Role.USER)
            if row.verb == "erase":
                args["confirm"] = f"DELETE {row.refs[0]}"
            try:
                call_with(getattr(person, METHODS[row.verb]), args)
            except MemdeskError:
                return None
            return Scene(self.store).by_name()

    @precondition(lambda self: self.person.request_keys())
    @rule(n=st.integers(0, 30))
    def a_person_rejects(self, n: int) -> None:
        keys = self.person.request_keys()
        before, asked = Scene(self.store), self.statuses()
        row = self.person.request(keys[n % len(keys)])
        self.person.reject(row.request_id, "Not now.")
        assert Scene(self.store) == before
        assert self.statuses() == asked | {row.request_id: ("rejected", row.asked_by)}


def _run(examples: int, steps: int, **more: Any) -> None:
    with TemporaryDirectory() as folder, Store.open(Path(folder)) as store:
        person = Desk(store, Actor("user:ana", Role.USER, None, True), Hosts(store), Config())
        for name in ("me", "other"):
            person.add_workspace(name)
        for name, klass, body in START:
            status = {"status": "carry_forward"} if klass == "thread" else {}
            person.add(name=name, body=body, klass=klass, description=name, workspace="me", tags=["old"], **status)
        person.link("atom_b", "related_to", "atom_a")
        person.scorer.read_all()
        machine = type("AgentsAtThisStore", (Agents,), {"store": store})
        run_state_machine_as_test(  # type: ignore[no-untyped-call]
            machine, settings=settings(
                max_examples=examples, stateful_step_count=steps, deadline=None,
                suppress_health_check=list(HealthCheck), **more,
            ),
        )  # fmt: skip
        assert store.check() == []


def test_agents_do_nothing_that_is_forbidden() -> None:
    _run(40, 20)


@pytest.mark.soak
def test_agents_do_nothing_that_is_forbidden_soak() -> None:
    _run(2000, 40)


#: The first failure is enough, and nobody needs it small.
NOTICED: dict[str, Any] = {
    "phases": [Phase.generate],
    "database": None,
    "report_multiple_bugs": False,
    "derandomize": True,
}


def test_the_model_notices_a_table_that_says_yes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "rule", lambda role, verb, facts: Ruling(Decision.ALLOW))
    with pytest.raises(AssertionError):
        _run(200, 20, **NOTICED)


@pytest.mark.soak
def test_the_model_notices_an_undo_by_name_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(undoing, "is_own", lambda actor, role, by, by_role: actor == by)
    with pytest.raises(AssertionError):
        _run(200, 20, **NOTICED)


def test_the_model_notices_an_approval_that_does_less(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deciding, "call_with", lambda verb, args: Receipt(None, "x", "x", "noop"))
    with pytest.raises(AssertionError):
        _run(200, 20, **NOTICED)
