"""Approve requests in processes that are killed on the way: run as a script, `killed.py TEMPLATE PLACE ACTION IDS`.

For each point a copy of the template, PLACE/<point>, is left as the killed process left it. A point is how many
statements SQLite began on the way before the process was gone; the last copy, PLACE/whole, is of one that lived.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from memdesk.core.desk import Actor, Desk, Role

ANA = Actor("user:ana", Role.USER, None, True)


def _approve(folder: Path, request_ids: Sequence[str], point: int | None) -> int:
    """Approve requests that were shown before; returns how many statements it took, if it is not killed before."""
    begun = 0

    def trace(statement: str) -> None:
        nonlocal begun
        if begun == point:
            os.kill(os.getpid(), signal.SIGKILL)
        begun += 1

    with Desk.open(folder, ANA) as desk:
        rows = [desk.request(request_id) for request_id in request_ids]
        desk.store.db.set_trace_callback(trace)
        if len(rows) > 1:
            outcomes = desk.approve_many(request_ids)
            assert all(one.done for one in outcomes), outcomes
        else:
            token = f"DELETE {rows[0].refs[0]}" if rows[0].verb == "erase" else None
            desk.approve(request_ids[0], token=token)
        desk.store.db.set_trace_callback(None)
    return begun


def _in_a_child(template: Path, folder: Path, request_ids: Sequence[str], point: int | None) -> int:
    """Approve in a process of its own; its exit status as `os.waitpid` tells it."""
    shutil.copytree(template, folder)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            begun = _approve(folder, request_ids, point)
            (folder / "begun").write_text(str(begun))
            code = 0
        finally:
            os._exit(code)
    return os.waitpid(child, 0)[1]


def main(template: str, place: str, step: str, *request_ids: str) -> None:
    whole = Path(place) / "whole"
    status = _in_a_child(Path(template), whole, request_ids, None)
    assert status == 0, status
    for point in range(0, int((whole / "begun").read_text()), int(step)):
        status = _in_a_child(Path(template), Path(place) / str(point), request_ids, point)
        assert status == signal.SIGKILL, (point, status)


if __name__ == "__main__":
    main(*sys.argv[1:])
