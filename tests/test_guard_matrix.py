"""DESIGN 4 against the real desk: role x verb x type x class, every cell; what waits or is refused changes nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import click
import pytest
from guard_cases import CASES, DECIDED, NOT_BUILT, SCREENS
from guard_rows import AWAY, ROLES, USER, Case, decides, decides_there
from rolled_back import Scene, rolled_back

from memdesk.core.config import Config
from memdesk.core.desk import Actor, Desk, Receipt, Role
from memdesk.core.errors import MemdeskError, NeedsApproval, NotAllowed
from memdesk.core.hosts import Hosts
from memdesk.core.model import Entry
from memdesk.core.policy import VERBS
from memdesk.core.store import Store
from memdesk.tui.cli.shell import main

TYPES = ("atom", "decision", "negative", "project", "user", "feedback", "comment")
CLASSES = ("anchor", "thread", "log")
#: Names that only a host brings: they are about the user, or a decision, under another type.
NAMED = (("user_tone", "feedback"), ("decision_kept", "project"))
ANA = "user:ana"


class Seat(Desk):
    """A desk that can seat others at the same store."""

    def beside(self, name: str, role: str = "user", **more: Any) -> Seat:
        return Seat(self.store, Actor(name, Role(role), **more), Hosts(self.store), Config())


@dataclass
class World:
    person: Seat
    targets: list[Entry]
    scene: Scene

    def seat(self, role: str, persons_name: bool) -> Seat:
        if role in (USER, AWAY):
            return self.person.beside(ANA, on_terminal=role == USER)
        return self.person.beside(ANA if persons_name else f"agent:{role}", role, on_terminal=True)


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """One entry of each type and class, older and newer ones beside them."""
    with Store.open(tmp_path_factory.mktemp("guard") / "store") as store:
        person = Seat(store, Actor(ANA, Role.USER, None, True), Hosts(store), Config())
        for name in ("me", "other"):
            person.add_workspace(name)
        for name, body in (("atom_root", "Roots hold."), ("decision_first", "Chose maps."), DECIDED):
            person.add(name=name, body=body, description=name, workspace="me")
        kinds = [(f"{t}_{c}", t, c) for t in TYPES for c in CLASSES] + [(n, t, "anchor") for n, t in NAMED]
        for name, type_, klass in kinds:
            desk = person.beside("agent:maker", session_id=f"s_{name}")
            with desk.operation("add", f"Added {name}") as op:
                op.create({
                    "workspace": "me", "name": name, "type": type_, "class": klass, "description": f"On {name}",
                    "status": "carry_forward" if klass == "thread" else None, "tags": ["old"],
                    "body": f"Whatever is known of {name}, and whoever said so.", "project_ref": "/repos/x/.git",
                    "initiative": "launch",
                })  # fmt: skip
        for name, body in (("atom_partner", "Partners come later."), ("decision_last", "Chose boats.")):
            person.add(name=name, body=body, description=name, workspace="me")
        targets = [person.find(name) for name, _, _ in kinds]
        person.scorer.read_all()
        yield World(person, targets, Scene(store))


def test_the_world_holds_every_type_and_class(world: World) -> None:
    assert {(it.type, str(it.klass)) for it in world.targets} >= {(t, c) for t in TYPES for c in CLASSES}


# -- the cells ------------------------------------------------------------------------------------------------------


def _outcome(case: Case, desk: Desk, it: Entry, got: Any) -> str:
    try:
        done = case.call(desk, it, got)
    except NotAllowed:
        return "refused"
    except NeedsApproval as waits:
        return "proposal" if _kind(desk, waits.extra["request_id"]) == "proposal" else "request"
    except MemdeskError as error:
        return f"invalid: {error.stable_code}"
    if case.verb == "batch" and done.results and not done.results[0]["ok"]:
        error = done.results[0]["error"]
        return str(_kind(desk, error["request_id"])) if error["code"] == "needs_approval" else "refused"
    if case.verb == "requests review":
        return "allowed" if all(one.done for one in done) else "refused"
    return "flagged" if isinstance(done, Receipt) and done.flagged else "allowed"


def _kind(desk: Desk, request_id: str) -> Any:
    return desk.request(request_id).payload.get("kind")


def _cell(world: World, case: Case, role: str, it: Entry) -> str:
    """What is wrong in one cell, or ""."""
    store = world.person.store
    with rolled_back(store):
        desk = world.seat(role, case.persons_name)
        got = case.before(world.person, desk, it) if case.before else None
        before, events = Scene(store) if case.before else world.scene, _events(store)
        known = dict(_requests(store))
        wanted = case.row(role, it)
        outcome = _outcome(case, desk, it, got)
        changed = before.changes(Scene(store))
        written = _events(store) - events
        asked = [verb for request_id, verb in _requests(store) if request_id not in known]
    if outcome.partition(":")[0] != ("allowed" if case.verb == "batch" and wanted == "flagged" else wanted):
        return f"{outcome}, not {wanted}"
    if outcome in ("request", "proposal"):
        if changed or written != 2 or asked != [case.asks or case.verb]:
            return f"asked, but {written} events, changed {changed or 'nothing'}, asked {asked}"
    elif wanted in ("refused", "invalid"):
        if changed or written:
            return f"{outcome}, but {written} events, changed {changed or 'nothing'}"
    else:
        expected = case.expected(role, it)
        proposed = [case.asks] if case.verb == "propose" and case.asks else []
        if asked != proposed or (changed != expected if expected is not None else not changed):
            return f"{outcome}: changed {changed or 'nothing'}, not {expected}; asked {asked}"
    return ""


def _events(store: Store) -> int:
    return int(store.db.execute("SELECT count(*) FROM events").fetchone()[0])


def _requests(store: Store) -> list[tuple[str, str]]:
    return store.db.execute("SELECT request_id, verb FROM requests").fetchall()


@pytest.mark.parametrize("case", CASES, ids=str)
def test_cells(world: World, case: Case) -> None:
    wrong: dict[str, list[str]] = {}
    targets = world.targets[:1] if case.whole else world.targets
    for role in ROLES:
        if role == AWAY and case.row not in (decides, decides_there):
            assert all(case.row(AWAY, it) == case.row(USER, it) for it in targets), "it matters to deciding only"
            continue
        for it in targets:
            if case.new and it.name.partition("_")[0] != it.type:
                continue  # no such name can be made here
            fault = _cell(world, case, role, it)
            if fault:
                wrong.setdefault(f"{role}: {fault}", []).append(it.name)
    assert wrong == {}
    assert Scene(world.person.store) == world.scene, "a cell left something behind"


def test_a_guard_that_lets_go_is_noticed(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The matrix can fail: with a gate that says yes to everything, what agents may not do shows as wrong."""
    from memdesk.core import policy
    from memdesk.core.desk import session

    monkeypatch.setattr(session, "rule", lambda role, verb, facts: policy.Ruling(policy.Decision.ALLOW))
    it = next(e for e in world.targets if e.name == "decision_anchor")
    for verb in ("edit", "delete", "supersede", "rename", "append", "undo"):
        case = next(c for c in CASES if c.verb == verb and (verb != "undo" or c.label == "another's"))
        assert "allowed, not" in _cell(world, case, "specialist", it), verb


# -- completeness ---------------------------------------------------------------------------------------------------


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Every command of the command line by its words, groups included."""
    ctx = click.Context(group)
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        yield " ".join((*path, name))
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


def missing(found: set[str]) -> dict[str, set[str]]:
    """What of the commands stands neither in the policy table nor in the matrix."""
    covered = {case.verb for case in CASES} | SCREENS
    return {"table": found - VERBS.keys(), "matrix": found - covered}


def test_every_command_stands_in_the_table_and_in_the_matrix() -> None:
    found = set(commands(main))
    assert len(found) > 50, "the walk must find them"
    assert missing(found) == {"table": set(), "matrix": set()}


def test_a_command_without_a_row_is_found() -> None:
    @click.group("memdesk")
    def group() -> None: ...

    @group.group("requests")
    def requests() -> None: ...

    group.add_command(click.Command("conjure"))
    requests.add_command(click.Command("conjure"))
    conjured = {"conjure", "requests conjure"}
    assert missing(set(commands(group))) == {"table": conjured, "matrix": conjured}


def test_every_verb_of_the_table_is_in_the_matrix() -> None:
    assert VERBS.keys() - {case.verb for case in CASES} == NOT_BUILT | SCREENS
    assert {case.verb for case in CASES} <= VERBS.keys()
    assert NOT_BUILT.isdisjoint(commands(main)), "built by now: it needs cases"
