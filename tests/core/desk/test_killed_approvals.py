"""A process that is killed while it approves leaves each request waiting or carried out, never both or neither."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import killed
import pytest
from killed import ANA
from rolled_back import Scene

from memdesk.core.desk import Actor, Desk, Role
from memdesk.core.errors import NeedsApproval
from memdesk.core.store import Store

SCOUT = Actor("agent:scout", Role.ORCHESTRATOR, "s1")
LONG = "A line that says something of its own.\n" * 60
MILESTONE = {
    "resumen": {"name": "decision_a", "type": "decision", "body": "Rewritten.", "description": "A"},
    "pendientes": [{"name": f"decision_left_{i}", "body": f"Left {i}.", "description": "Left"} for i in range(3)],
}
#: verb -> (how it is asked for, every how manieth point is tried; the soak tries them all).
ASKED: dict[str, tuple[list[Callable[[Desk], Any]], int]] = {
    "edit": ([lambda d: d.edit("decision_a", fields={"body": LONG, "title": "T"}, add_tags=["t"])], 3),
    "delete": ([lambda d: d.delete(["decision_a", "decision_b", "atom_c"])], 11),
    "merge": ([lambda d: d.merge(["decision_a", "decision_b", "atom_c"], into="atom_c")], 23),
    "checkpoint": ([lambda d: d.checkpoint(MILESTONE, workspace="me")], 29),
    "supersede": ([lambda d: d.supersede("decision_a", by="decision_b")], 11),
    "erase": ([lambda d: d.erase("atom_c", f"DELETE {d.find('atom_c').id}")], 11),
    "several": (
        [
            lambda d: d.edit("decision_a", fields={"description": "Other"}), lambda d: d.delete("decision_b"),
            lambda d: d.rename("atom_c", "atom_renamed"),
        ],
        19,
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("killed") / "store"
    with Desk.open(folder, ANA) as desk:
        desk.add_workspace("me")
        for name in ("decision_a", "decision_b", "atom_c"):
            desk.add(name=name, body=f"What {name} says, in a text of some length.", description=name, workspace="me")
        desk.link("decision_a", "related_to", "atom_c")
    return folder


def _ask(folder: Path, verbs: list[Callable[[Desk], Any]]) -> list[str]:
    """Requests that the reviewer has been shown."""
    ids = []
    with Desk.open(folder, SCOUT) as agent:
        for verb in verbs:
            with pytest.raises(NeedsApproval) as waits:
                verb(agent)
            ids.append(str(waits.value.extra["request_id"]))
    with Desk.open(folder, ANA) as desk:
        for request_id in ids:
            desk.mark_request_shown(desk.request(request_id))
    return ids


def _found(folder: Path, ids: list[str]) -> tuple[tuple[str, ...], Any]:
    """How the requests stand, and memory beside them; the store itself is sound."""
    with Store.open(folder) as store:
        assert store.integrity() == []
        assert store.check() == []
        rows = [store.request(i) for i in ids]
        for row in rows:
            assert row is not None
            assert len(store.decisions_on(row.request_id)) == (row.status == "approved")
        return tuple(row.status for row in rows if row), Scene(store).by_name()


@pytest.mark.parametrize("verb", ASKED)
def test_killed_after_so_many_statements(verb: str, prepared: Path, tmp_path: Path) -> None:
    _kill(verb, prepared, tmp_path, ASKED[verb][1])


@pytest.mark.soak
@pytest.mark.timeout(600)
@pytest.mark.parametrize("verb", ASKED)
def test_killed_after_any_statement_soak(verb: str, prepared: Path, tmp_path: Path) -> None:
    _kill(verb, prepared, tmp_path, 1)


def _kill(verb: str, prepared: Path, tmp_path: Path, step: int) -> None:
    verbs = ASKED[verb][0]
    template, place = tmp_path / "template", tmp_path / "killed"
    shutil.copytree(prepared, template)
    ids = _ask(template, verbs)
    run = subprocess.run(
        [sys.executable, killed.__file__, str(template), str(place), str(step), *ids], capture_output=True, text=True,
        timeout=500, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    # Requests of a batch are carried out one after another: memory after none, one, two, … of them.
    stages = [_found(template, ids)]
    with Desk.open(template, ANA) as desk:
        for i in ids:
            token = f"DELETE {desk.request(i).refs[0]}" if verb == "erase" else None
            desk.approve(i, token=token)
            desk.store.db.execute("PRAGMA wal_checkpoint").fetchall()
            stages.append((tuple(desk.request(other).status for other in ids), Scene(desk.store).by_name()))
    found = {folder.name: _found(folder, ids) for folder in sorted(place.iterdir())}
    assert all(one in stages for one in found.values()), {k: v[0] for k, v in found.items() if v not in stages}
    assert found.pop("whole") == stages[-1]
    assert len(found) >= 8
    assert [found[name] for name in ("0",)] == stages[:1]
    assert {one[0] for one in found.values()} >= {stage[0] for stage in stages[:-1]}


APPROVER = """
import sys
from pathlib import Path
from killed import ANA
from memdesk.core.desk import Desk
with Desk.open(Path(sys.argv[1]), ANA) as desk:
    print("ready", flush=True)
    sys.stdin.readline()
    desk.approve_many(sys.argv[2:])
"""


def test_killed_from_outside_at_any_time(prepared: Path, tmp_path: Path) -> None:
    """No hook in the process: the signal comes when it comes."""
    chance = random.Random(20261130)
    template = tmp_path / "template"
    shutil.copytree(prepared, template)
    ids = _ask(template, ASKED["several"][0])
    seen = set()
    for number in range(6):
        folder = tmp_path / f"run{number}"
        shutil.copytree(template, folder)
        pipe = subprocess.PIPE
        run = subprocess.Popen(
            [sys.executable, "-c", APPROVER, str(folder), *ids], stdin=pipe, stdout=pipe, stderr=pipe, text=True,
            env={"PYTHONPATH": str(Path(killed.__file__).parent)},
        )  # fmt: skip
        assert run.stdin is not None and run.stdout is not None
        assert run.stdout.readline() == "ready\n"
        run.stdin.write("\n")
        run.stdin.flush()
        try:
            run.wait(timeout=chance.uniform(0.0, 0.05))
        except subprocess.TimeoutExpired:
            run.kill()
        _, errors = run.communicate(timeout=20)
        assert errors == ""
        statuses, memory = _found(folder, ids)
        done = statuses.count("approved")
        assert statuses == ("approved",) * done + ("pending",) * (len(ids) - done)
        names = [row[1] for row in memory[0]]
        assert ("atom_renamed" in names) == (done == 3)
        seen.add(done)
    assert seen <= {0, 1, 2, 3}
