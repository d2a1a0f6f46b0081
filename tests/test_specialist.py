"""`MEMDESK_ROLE=specialist`: no command changes a text, a state or an edge, whatever else the line says (DESIGN 4)."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import click
import pytest
from command_line import ANA, Cli
from rolled_back import Scene

from memdesk.core.desk import Actor, Desk, Role
from memdesk.core.errors import NeedsApproval
from memdesk.core.store import Store
from memdesk.tui.cli.shell import main

#: The command lines. Before a line stands `!` where it changes memory when a person gives it, `.` where it does not.
#: {name} is the id of that entry, {op:name} the newest operation on it, {req} a request of another agent, {own} one of
#: the specialist's own, {stale} one whose entry has changed, {file.…} a file.
LINES = """
! add atom_new --body "New." --description New --workspace me
! add atom_port --body "Another port." --workspace me
! add atom_port --body "The port is 8080." --title "Port" --workspace me
! add atom_port --body "The port is 8080." --initiative other --workspace me
! add atom_new --body "New." --workspace fresh --create-workspace
! create --kind atom --title Heron --oneline "A heron" --workspace me
! create --kind atom --title Heron --oneline "A heron" --parent project_run
! append atom_port --body "More."
! append user_about --body "More."
! comment atom_port "Seen again."
! edit atom_port --body-file {file.text}
! edit atom_port --append --field=body --content "More."
! edit --name=atom_port --field=description --content "Other"
! edit atom_port --add-tag water --rm-tag net
! edit atom_gone --status active
! edit decision_old --status active
! edit project_run --class log
! rename atom_port atom_harbour
! move-workspace atom_alone --to other
! move-workspace --from me --to other --name atom_alone
! reclassify project_run --status closed
! reclassify project_run atom_port --class log
! graduate project_run
! graduate project_run --into atom_alone
! graduate project_run --name atom_known --body "Known." --description Known
! supersede atom_port --by atom_alone
! supersede decision_db --by decision_new
! retire --session s1
! retire --author user:ana
. retire --author user:ana --dry-run
! delete atom_port
! delete atom_port atom_alone --yes
! delete {atom_port} --hard --confirm "DELETE {atom_port}"
. delete {atom_port} --hard
! restore atom_gone
! restore decision_old
! link atom_port atom_alone --kind=related_to
! link decision_new supersedes decision_db
! link decision_db supersedes decision_new --force
! link atom_port atom_partner --kind=related_to --delete
! unlink atom_port related_to atom_partner
! unlink decision_kept supersedes decision_old
. tree atom_port
. mend
. mend {atom_circle_a}
! mend {atom_circle_a} --fix 1
! mend {atom_circle_a} --fix 2
. export
. export graph --format dot
. export graph --format graphml --output {file.out}
. export graph --format graphml --output memdesk/memdesk.db
. conflicts
. similar atom_port
. similar --text @{file.text} --workspace me
! merge atom_twin_a atom_twin_b
! merge atom_twin_a atom_twin_b --into atom_twin_b --field body=left
! merge atom_twin_a atom_twin_b --text body=@{file.text}
! merge decision_db decision_new
. merge atom_twin_a atom_twin_b --dry-run
. judge atom_twin_a atom_twin_b different
. judge atom_twin_a atom_twin_b duplicate
! judge atom_twin_a atom_twin_b related
. judge atom_twin_a atom_twin_b later
. judge atom_port atom_alone --withdraw
. verdicts
! checkpoint --file {file.milestone} --workspace me
! checkpoint --file {file.rewrite} --workspace me
! batch --file {file.batch}
. get-relevant --workspace=me
. get-relevant --workspace=me --with project_run=closed
. list --status all --json
. list --as-of now
. show atom_port --links --history
. search port
. story atom_port
. history atom_port --diff
. diff 1d --text
. stats
. status
. status --short
. status --hook
! undo
! undo --steps 5
! undo {op:atom_port}
! undo --to {op:atom_port} --everybody
. undo --to {op:atom_port} --everybody --dry-run
! redo
! redo --steps 3
. redo --to {op:atom_port} --dry-run
. log --limit 5
. log --new
. workspace
. workspace list
. workspace add fresh
. project
. project list
. project add y --workspace me --remote https://example.org/y.git
. episode-show {episode}
. episode-add --title Turn --body "It went well." --workspace me
. episode-add --title Turn --body "It went well." --workspace fresh --create-workspace
. requests
. requests list --status all
. requests show {req}
. requests wait {req}
! requests approve {req}
! requests approve {req} --description "My own words"
. requests approve P-12345678
. requests reject {req} --reason "No."
. requests drop {stale}
. requests edit {req} --description "Reworded"
. requests edit {own} --body "Reworded."
. requests edit {own} --rationale "Because."
. requests rebase {stale} --show
. requests rebase {stale} --description "Both"
. requests withdraw {own}
. requests withdraw {req}
. requests review
. propose --file {file.contract} --workspace me
. propose --file {file.contract} --agent user:ana --workspace me
. propose --from-host
. veto
. veto list
. veto show {op:user_about}
! veto {op:user_about}
! veto take-back {op:user_about}
. veto keep {op:user_about}
. hosts
. attach gaia {file.nowhere}
. pull
. pull --force
. push
. detach gaia
. desk
. demo
. demo --into memdesk
"""
WRITES = [line[2:] for line in LINES.strip().splitlines() if line.startswith("! ")]
READS = [line[2:] for line in LINES.strip().splitlines() if line.startswith(". ")]
SCOUT = Actor("agent:scout", Role.ORCHESTRATOR, "s1")
SPECIALIST = Actor("agent:specialist", Role.SPECIALIST, "s2")


def _contract(name: str) -> dict[str, Any]:
    append = {"operation": "append", "target": {"slug": name}, "append": {"body": "More."}, "rationale": "It grew."}
    create = {"operation": "create", "scope": {"workspace": "me"}, "rationale": "It is new.", "create": {
        "slug": "atom_proposed", "type": "atom", "class": "anchor", "description": "Proposed", "body": "New.",
    }}  # fmt: skip
    return {"memory_delta": {"version": 1, "proposals": [append, create]}}


FILES: dict[str, Any] = {
    "text": "Other words.",
    "milestone": {"resumen": {"name": "project_done", "type": "project", "body": "Done.", "description": "Done"},
                  "pendientes": [{"name": "project_left", "body": "Left.", "description": "Left"}]},
    "rewrite": {"resumen": {"name": "project_run", "type": "project", "body": "Rewritten.", "description": "Running"},
                "pendientes": []},
    "batch": [
        {"op": "append", "ref": "atom_port", "text": "More."},
        {"op": "edit", "ref": "atom_port", "fields": {"description": "Other"}},
        {"op": "delete", "ref": "atom_alone"},
        {"op": "link", "source": "atom_port", "kind": "cites", "target": "atom_alone"},
        {"op": "add", "name": "atom_batched", "body": "New.", "description": "New", "workspace": "me"},
        {"op": "rename", "ref": "atom_port", "name": "atom_harbour"},
    ],
    "contract": _contract("atom_port"),
}  # fmt: skip


def _waits(call: Callable[[], Any]) -> str:
    with pytest.raises(NeedsApproval) as waits:
        call()
    return str(waits.value.extra["request_id"])


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A store with something for every command, and what stands for the words in braces."""
    place = tmp_path_factory.mktemp("specialist")
    words = {"file.out": str(place / "out"), "file.nowhere": str(place / "nowhere.db")}
    for name, content in FILES.items():
        file = place / name
        file.write_text(content if isinstance(content, str) else json.dumps(content))
        words[f"file.{name}"] = str(file)
    folder = place / "store"
    with Desk.open(folder, ANA) as desk:
        scout, specialist = (Desk(desk.store, who, desk.hosts, desk.config) for who in (SCOUT, SPECIALIST))
        _fill(desk)
        words["req"] = _waits(lambda: scout.edit("decision_db", fields={"description": "As scout has it"}))
        words["stale"] = _waits(lambda: scout.edit("decision_kept", fields={"description": "As scout has it"}))
        words["own"] = _waits(lambda: specialist.append("atom_port", "As the specialist has it"))
        desk.edit("decision_kept", fields={"description": "Kept, of late"})
        desk.mark_request_shown(desk.request(words["req"]))
        words["episode"] = desk.add_episode("Incident", "It happened.", workspace="me").id
        scout.append("user_about", "Likes herons.")
        scout.add(name="atom_scouted", body="Scouted.", description="Scouted", workspace="me")
        for name in ("atom_port", "user_about"):
            log = desk.log(entry_id=desk.find(name).id)
            words[f"op:{name}"] = next(row.op_id for row in log if row.verb in ("link", "append"))
        # Newest of all, so that a bare undo, or redo, would find something of the person's.
        desk.append("atom_alone", "By the person.")
        desk.append("atom_alone", "And undone.")
        desk.undo()
        words |= {entry.name: entry.id for entry in desk.list_entries(status="all").entries()}
    return folder, words


def _fill(desk: Desk) -> None:
    for name in ("me", "other"):
        desk.add_workspace(name)
    texts = {
        "atom_port": "The port is 8080.", "atom_alone": "Nobody knows it.", "atom_partner": "It is linked.",
        "decision_old": "Chose files.", "decision_kept": "Chose tables.", "decision_db": "Chose SQLite.",
        "decision_new": "Chose a server.", "user_about": "Likes tea.", "atom_gone": "Gone by now.",
        "atom_twin_a": "The gate opens at nine in the morning on weekdays.",
        "atom_twin_b": "The gate opens at nine in the morning on weekdays, they say.",
        "atom_circle_a": "Round.", "atom_circle_b": "And round.",
    }  # fmt: skip
    for name, body in texts.items():
        tags = ("net",) if name == "atom_port" else ()
        desk.add(name=name, body=body, description=f"On {name}", workspace="me", initiative="launch", tags=tags)
    desk.add(name="project_run", body="Half done.", description="Running", workspace="me", klass="thread",
             status="carry_forward")  # fmt: skip
    desk.link("atom_port", "related_to", "atom_partner")
    desk.link("decision_kept", "supersedes", "decision_old")
    desk.judge("atom_port", "atom_alone", "different")
    desk.delete("atom_gone")
    one, other = desk.find("atom_circle_a").id, desk.find("atom_circle_b").id
    with desk.operation("link", "A circle, as a merge of two machines leaves it") as op:
        for source, target in ((one, other), (other, one)):
            op.link(source, "child_of", target)


@pytest.fixture
def run(
    prepared: tuple[Path, dict[str, str]], tmp_path: Path, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Callable[..., tuple[Any, set[str]]]]:  # fmt: skip
    """Run a line on a copy of the store; what came of it, and what changed in memory."""
    template, words = prepared
    cli = Cli(tmp_path / "memdesk", capsys, monkeypatch)
    monkeypatch.chdir(tmp_path)

    def run(line: str, *more: str, again: bool = False) -> tuple[Any, set[str]]:
        if not again and cli.folder.exists():
            shutil.rmtree(cli.folder)
        if not again:
            shutil.copytree(template, cli.folder)
        with Store.open(cli.folder) as store:
            before = Scene(store)
        told = re.sub(r"\{([\w.:]+)\}", lambda m: words[m[1]], line)
        done = cli(*shlex.split(told), *more)
        with Store.open(cli.folder) as store:
            return done, before.changes(Scene(store))

    run.cli = cli  # type: ignore[attr-defined]
    yield run


@pytest.mark.parametrize("line", WRITES)
def test_a_person_changes_something_with_the_line(run: Any, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    """So the same line of a specialist really asks for a change. Approving needs a terminal beside."""
    monkeypatch.setattr("memdesk.tui.cli.call.on_terminal", lambda: True)
    run.cli.role("user")
    done, changed = run(line)
    assert done.code in (0, 3), done
    assert changed != set(), done


@pytest.mark.parametrize("line", [*WRITES, *READS])
def test_nothing_changes(run: Any, monkeypatch: pytest.MonkeyPatch, line: str) -> None:
    """Plain, with `--role user`, under a person's name, with both, and with a terminal there."""
    monkeypatch.setattr("memdesk.tui.cli.call.on_terminal", lambda: True)
    for actor, again in (("agent:specialist", False), ("user:ana", True), ("agent:scout", True)):
        run.cli.role("specialist", actor)
        for more in ((), ("--role", "user"), ("--actor", "user:ana", "--role=user")):
            done, changed = run(line, *more, again=again or bool(more))
            assert changed == set(), (actor, more, done)
            assert done.code in (0, 1, 2, 3, 4)
            assert "Traceback" not in done.err


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[str]:
    ctx = click.Context(group)
    for name in group.list_commands(ctx):
        command = group.get_command(ctx, name)
        yield " ".join((*path, name))
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))


def _unused(found: set[str]) -> set[str]:
    """The commands of which no line is here."""
    lines = [f"{line} " for line in (*WRITES, *READS)]
    return {command for command in found if not any(line.startswith(f"{command} ") for line in lines)}


def test_every_command_has_a_line() -> None:
    assert _unused(set(commands(main))) == set()
    assert _unused({"conjure", "requests conjure"}) == {"conjure", "requests conjure"}


def test_it_says_that_the_role_cannot_be_raised(run: Any) -> None:
    run.cli.role("specialist")
    done, _ = run("stats --role user")
    assert "--role cannot raise the role, which is specialist here" in done.err


def test_its_own_request_can_be_taken_back_and_nothing_else(run: Any) -> None:
    """Undo and redo of a specialist reach its requests, also under a name that has done more in another role."""
    run.cli.role("specialist")
    done, changed = run("append atom_port --body Mine. --json")
    request_id = done.json["error"]["request_id"]
    for line, status in (("undo", "withdrawn"), ("redo", "pending"), ("undo", "withdrawn")):
        done, changed = run(line, again=True)
        assert (done.code, changed) == (0, set()), done
        with run.cli.desk() as desk:
            assert desk.request(request_id).status == status
    run.cli.role("specialist", "user:ana")
    done, changed = run("undo --json", again=True)
    assert (done.code, done.error["code"], changed) == (1, "nothing_to_undo", set())
