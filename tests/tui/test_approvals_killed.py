"""The real desk in a pseudo-terminal, killed between the key that approves and the commit: all of it, or nothing."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from typing import Any

import pytest
from at_terminal import Terminal, at_terminal
from killed import ANA
from rolled_back import Scene

from memdesk.core.desk import Actor, Desk, Role
from memdesk.core.errors import NeedsApproval
from memdesk.core.store import Store

SCOUT = Actor("agent:scout", Role.ORCHESTRATOR, "s1")

#: Put before the command: counts what SQLite begins in the first write transaction after a file has appeared.
HOOK = """
import os, signal, sqlite3
from memdesk.core.store import opening
plain, point, armed = opening.connect, os.environ["KILL_AT"], os.environ["KILL_ARMED"]
def connect(*args, **more):
    conn = plain(*args, **more)
    begun, decided = -1, False
    def trace(statement):
        nonlocal begun, decided
        if statement.startswith("BEGIN IMMEDIATE") and os.path.exists(armed):
            begun, decided = 0, False
        elif begun >= 0:
            begun += 1
            decided = decided or "desk.decision" in statement
            over = statement.startswith("COMMIT")
            if str(begun) == point or (over and decided and point == "COMMIT"):
                os.kill(os.getpid(), signal.SIGKILL)
            if over:
                begun = 10_000 if decided else -1  # the next statement of this connection comes after the commit
            elif begun > 10_000 and point == "after":
                os.kill(os.getpid(), signal.SIGKILL)
    conn.set_trace_callback(trace)
    return conn
opening.connect = connect
"""


def _start(folder: Path, point: str) -> Terminal:
    environ = {
        "MEMDESK_HOME": str(folder), "MEMDESK_ROLE": "user", "MEMDESK_ACTOR": ANA.name, "KILL_AT": point,
        "KILL_ARMED": str(folder / "armed"), "COLUMNS": "120", "LINES": "40",
    }  # fmt: skip
    return at_terminal("desk", "--pane", "approvals", before=HOOK, **environ)


#: Seconds after which it is given up: beside other work, a desk may take half a minute to open.
_GIVEN_UP = 120.0
#: Seconds between two presses: a key that comes faster is taken for one that is held down.
_AGAIN = 1.0


def _drained_until(terminal: Terminal, true: Any, key: str = "") -> None:
    """Read what the desk draws until something holds; the key is pressed now and then, as the pane may be reading."""
    begun = time.monotonic()
    pressed = begun - _AGAIN
    while (now := time.monotonic()) < begun + _GIVEN_UP:
        if true():
            return
        if key and now >= pressed + _AGAIN:
            terminal.type(key)
            pressed = now
        terminal.glance()
    raise AssertionError(f"it never came: {terminal.shown[-3000:]!r}")


@pytest.mark.timeout(3 * _GIVEN_UP)
@pytest.mark.parametrize(("point", "done"), [
    ("1", False), ("12", False), ("25", False), ("COMMIT", False), ("after", True),
])  # fmt: skip
def test_killed_after_the_key(tmp_path: Path, point: str, done: bool) -> None:
    folder = tmp_path / "store"
    with Desk.open(folder, ANA) as desk, Desk.open(folder, SCOUT) as agent:
        desk.add_workspace("me")
        desk.add(name="decision_a", body="As it was.", description="A", workspace="me")
        with pytest.raises(NeedsApproval) as waits:
            agent.edit("decision_a", fields={"body": "As the agent has it."}, add_tags=["t"])
        request_id = waits.value.extra["request_id"]
        before = Scene(desk.store).by_name()
        terminal = _start(folder, point)
        try:
            _drained_until(terminal, lambda: desk.was_shown(desk.request(request_id)))
            (folder / "armed").touch()
            _drained_until(terminal, lambda: terminal.code is not None, "a")
            assert terminal.code == -signal.SIGKILL
        finally:
            terminal.kill()
    with Store.open(folder) as store:
        assert store.integrity() == [] and store.check() == []
        row = store.request(request_id)
        assert row is not None
        after = Scene(store)
        (entry,) = after.entries.values()
        assert row.status == ("approved" if done else "pending")
        assert ("As the agent has it." in entry) is done
        assert bool(after.tags) is done
        assert (after.by_name() == before) is not done
