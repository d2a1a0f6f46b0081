"""Approvals that wait in a Gaia database, and the contracts that agents handed in there (gaia/SPEC 2.9, 2.10, 9).

Everything here reads. A decision goes through Gaia's own program: its rows are chained and guarded, and approving there
makes a grant that only its own code can make (gaia/SPEC 9.3).
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sqlite3
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from ...errors import HostError
from ..asking import Handoff, Pending
from .commands import touches

PROGRAM: Final = "gaia"
#: Seconds that Gaia's program gets for one decision; it takes well under one.
TIMEOUT: Final = 30.0
_ID: Final = re.compile(r"P-[0-9A-Za-z]{1,64}\Z")
#: One of these stands in every contract that proposes something; most propose nothing, and need not be parsed.
_MARKS: Final = (b'"proposals', b'"operation', b'"memorialize_suggestions')
_OUTCOMES: Final = {True: ("approved",), False: ("rejected", "revoked")}


def handoffs(db: sqlite3.Connection, host_id: str) -> list[Handoff]:
    """Contracts that may hold proposals, oldest first; none where the database has no such table."""
    columns = _columns(db, "agent_contract_handoffs")
    if not {"id", "raw_handoff_json"} <= columns:
        return []
    wanted = ("id", "contract_id", "agent_id", "session_id", "workspace", "created_at")
    # Looking through the bytes here takes a third of the time that SQLite takes for it.
    sql = f"SELECT {_select(wanted, columns)}, CAST(raw_handoff_json AS BLOB) FROM agent_contract_handoffs ORDER BY id"
    return [
        Handoff(
            host_id, int(row[0]), _word(row[1]), _word(row[2]), _word(row[3]), _word(row[4]) or None, _word(row[5]),
            row[6].decode("utf-8", "replace"),
        )
        for row in db.execute(sql)
        if isinstance(row[0], int) and row[6] and any(mark in row[6] for mark in _MARKS)
    ]  # fmt: skip


def pending(db: sqlite3.Connection, host_id: str, path: Path) -> list[Pending]:
    """Pending approvals whose commands concern memory, oldest first; none where the database has no such table."""
    columns = _columns(db, "approvals")
    if not {"id", "status", "payload_json"} <= columns:
        return []
    wanted = ("id", "agent_id", "session_id", "created_at", "payload_json")
    sql = f"SELECT {_select(wanted, columns)} FROM approvals WHERE status = 'pending' ORDER BY 4, 1"
    found = (_pending(row, host_id, path) for row in db.execute(sql))
    return [p for p in found if p.touches]


def status_of(db: sqlite3.Connection, approval_id: str) -> str:
    """The status of one approval, or ""."""
    if not {"id", "status"} <= _columns(db, "approvals"):
        return ""
    row = db.execute("SELECT status FROM approvals WHERE id = ?", (approval_id,)).fetchone()
    return str(row[0]) if row else ""


def _pending(row: Sequence[Any], host_id: str, path: Path) -> Pending:
    payload = _object(row[4])
    commands = _commands(payload)
    return Pending(
        host_id, str(row[0]), _word(row[1]), _word(row[2]), _word(row[3]), commands,
        touches=tuple(t for c in commands for t in touches(c)),
        rationale=_word(payload.get("rationale")), risk=_word(payload.get("risk_level")),
        ordered_set=payload.get("request_type") == "COMMAND_SET",
        decide=(command_line(path, str(row[0]), approve=True), command_line(path, str(row[0]), approve=False)),
    )  # fmt: skip


def _commands(payload: Mapping[str, Any]) -> tuple[str, ...]:
    """The commands of a payload, single or an ordered set, each once and in order."""
    found = payload.get("commands")
    commands = [c for c in found if isinstance(c, str)] if isinstance(found, list) else []
    one_by_one = payload.get("command_set")
    if isinstance(one_by_one, list):
        commands += [c["command"] for c in one_by_one if isinstance(c, Mapping) and isinstance(c.get("command"), str)]
    if not commands and isinstance(payload.get("exact_content"), str):
        commands = [payload["exact_content"]]
    return tuple(dict.fromkeys(commands))


def _object(text: Any) -> Mapping[str, Any]:
    try:
        found = json.loads(text) if isinstance(text, str) else None
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _columns(db: sqlite3.Connection, table: str) -> set[str]:
    return {row[1] for row in db.execute(f"PRAGMA table_info({table})")}


def _select(wanted: Sequence[str], columns: set[str]) -> str:
    return ", ".join(c if c in columns else f"NULL AS {c}" for c in wanted)


def _word(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)


# -- deciding -----------------------------------------------------------------------------------------------------


def arguments(approval_id: str, *, approve: bool) -> list[str]:
    """What Gaia's program is called with. Approving takes the full id, a rejection whatever begins with it."""
    if approve:
        return ["approvals", "approve", approval_id, "--yes", "--json"]
    return ["approvals", "reject", approval_id, "--json"]


def command_line(path: Path, approval_id: str, *, approve: bool) -> str:
    """The command with which a person decides it in a shell of their own."""
    words = [w for w in arguments(approval_id, approve=approve) if w != "--json"]
    return shlex.join(["env", f"GAIA_DB={path}", PROGRAM, *words])


def environment(environ: Mapping[str, str], path: Path) -> dict[str, str]:
    """The environment of Gaia's program: this database, and no agent's dispatch, which Gaia would refuse (SPEC 9.1)."""
    kept = {k: v for k, v in environ.items() if k not in ("GAIA_DISPATCH_AGENT", "GAIA_DATA_DIR")}
    return kept | {"GAIA_DB": str(path)}


def decide(path: Path, approval_id: str, *, approve: bool, environ: Mapping[str, str]) -> str:
    """Have Gaia's program decide; returns the status that its answer names.

    Raises:
        HostError: `host_decides` where the program is not on PATH (the hint is the command); `host_refused`,
            `host_answer` or `host_timeout` where it did not do what it was asked.
    """
    by_hand = command_line(path, approval_id, approve=approve)
    program = shutil.which(PROGRAM, path=environ.get("PATH", ""))
    if program is None or not _ID.match(approval_id):
        raise HostError(
            "Gaia decides this itself, and its program `gaia` is not on PATH here." if program is None else
            f"{approval_id!r} is no id that Gaia gives, so its program is not asked.",
            by_hand, code="host_decides", id=approval_id, command=by_hand,
        )  # fmt: skip
    command = [program, *arguments(approval_id, approve=approve)]
    try:
        done = subprocess.run(
            command, env=environment(environ, path), stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT,
            check=False, start_new_session=True,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise HostError(
            f"Gaia's program did not answer within {TIMEOUT:g} seconds; it may have decided all the same.",
            f"Look with `gaia approvals show {approval_id}`.", code="host_timeout", id=approval_id,
        ) from None  # fmt: skip
    except OSError as error:
        raise HostError(
            f"Gaia's program {program} cannot be run: {error.strerror or error}.", by_hand, code="host_decides",
            id=approval_id, command=by_hand,
        ) from None  # fmt: skip
    return _status(done, approval_id, by_hand, approve=approve)


def _status(done: subprocess.CompletedProcess[bytes], approval_id: str, by_hand: str, *, approve: bool) -> str:
    """The status that the answer names, once it is the one that was asked for."""
    answer = _answer(done.stdout)
    refused = answer.get("error") if answer is not None else None
    if done.returncode != 0 or refused is not None:
        said = str(refused or _last_line(done.stderr) or _last_line(done.stdout) or f"exit code {done.returncode}")
        raise HostError(
            f"Gaia did not decide {approval_id}: {said.rstrip('.')}.", f"Try it in a shell: {by_hand}",
            code="host_refused", id=approval_id, exit=done.returncode,
        )  # fmt: skip
    status = answer.get("status") if answer is not None else None
    about = answer.get("approval_id", approval_id) if answer is not None else ""
    if status not in _OUTCOMES[approve] or about != approval_id:
        raise HostError(
            f"Gaia's answer on {approval_id} is not the one expected; it may not have decided.",
            f"Look with `gaia approvals show {approval_id}`, or decide in a shell: {by_hand}",
            code="host_answer", id=approval_id, answer=done.stdout.decode("utf-8", "replace")[:500],
        )  # fmt: skip
    return str(status)


def _answer(output: bytes) -> Mapping[str, Any] | None:
    """The JSON object that the program printed; text before it is passed over."""
    text = output.decode("utf-8", "replace")
    start = text.find("{")
    try:
        found = json.loads(text[start:]) if start >= 0 else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _last_line(output: bytes) -> str:
    lines = output.decode("utf-8", "replace").strip().splitlines()
    return lines[-1].strip()[:300] if lines else ""
