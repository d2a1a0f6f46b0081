"""Killed writers: whatever was acknowledged is there, log and projection agree, the file opens (DESIGN 3)."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from memdesk.core.store import Store

WRITER = """
import sys
from pathlib import Path
from memdesk.core.store import Store
who = sys.argv[2]
with Store.open(Path(sys.argv[1]), wait_ms=30_000) as store:
    last = None
    for number in range(int(sys.argv[3])):
        with store.transaction() as tx:
            op_id = tx.begin("add", "x", actor="agent:" + who)
            name = f"atom_{who}_{number}"
            memory_id = tx.new_id()
            created = {"memory_id": memory_id, "workspace": "w", "name": name, "type": "atom", "body": name}
            tx.write("memory.create", created)
            if last:
                tx.write("memory.edge.add", {"from_id": memory_id, "edge_kind": "supersedes", "to_id": last})
            tx.write("memory.append", {"memory_id": memory_id, "text": "appended", "base": []})
        last = memory_id
        print(op_id, memory_id, flush=True)
"""
WRITERS, WRITES = 4, 50


def until_killed(run: subprocess.Popen[str], after: int) -> list[str]:
    """What a writer acknowledged: killed while it goes on, after so many lines."""
    assert run.stdout is not None and run.stderr is not None
    lines = [run.stdout.readline() for _ in range(after)]
    run.kill()
    rest, errors = run.communicate(timeout=20)
    assert errors == "" and all(lines), errors
    return [line for line in (*lines, *rest.splitlines(keepends=True)) if line.endswith("\n")]


def test_four_writers_killed_at_random_lose_nothing_acknowledged(tmp_path: Path, blank: Path) -> None:
    chance = random.Random(20261130)
    folder = tmp_path / "s"
    shutil.copytree(blank, folder)
    Store.open(folder).close()
    command, pipe = [sys.executable, "-c", WRITER, str(folder)], subprocess.PIPE
    runs = [
        subprocess.Popen([*command, str(n), str(WRITES)], stdout=pipe, stderr=pipe, text=True) for n in range(WRITERS)
    ]
    moments = [chance.randint(5, WRITES - 5) for _ in runs]
    with ThreadPoolExecutor(WRITERS) as pool:
        acknowledged = [line for lines in pool.map(until_killed, runs, moments) for line in lines]
    assert {run.returncode for run in runs} <= {-9, 0} and len(acknowledged) >= sum(moments)
    with Store.open(folder) as store:
        assert store.integrity() == [] and store.check() == []
        for line in acknowledged:
            op_id, memory_id = line.split()
            entry, operation = store.entry(memory_id), store.operation(op_id)
            assert operation is not None and entry is not None and entry.body.endswith("\n\nappended")
        for operation in store.operations(limit=None):  # and nothing is there by halves
            kinds = [e.type for e in store.events_of_op(operation.op_id)]
            assert kinds[:2] == ["desk.operation", "memory.create"] and kinds[-1] == "memory.append"
