"""What agents ask for inside a Gaia database, beside the rows of `gaia_fixture`; and a program that plays `gaia`."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path
from typing import Any

from gaia_fixture import Gaia

TABLES = ("approvals", "approval_events", "approval_grants", "agent_contract_handoffs")
_SCHEMA = """
CREATE TABLE approvals (
  id TEXT PRIMARY KEY, agent_id TEXT, session_id TEXT,
  status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'approved', 'rejected', 'revoked', 'expired')),
  fingerprint TEXT, payload_json TEXT, created_at TEXT, decided_at TEXT);
CREATE TABLE approval_events (
  id INTEGER PRIMARY KEY AUTOINCREMENT, approval_id TEXT REFERENCES approvals (id), event_type TEXT, agent_id TEXT,
  session_id TEXT, payload_json TEXT, fingerprint TEXT, prev_hash TEXT, this_hash TEXT, metadata_json TEXT,
  created_at TEXT);
CREATE TABLE approval_grants (
  approval_id TEXT PRIMARY KEY, agent_id TEXT, session_id TEXT, command_set_json TEXT NOT NULL,
  scope TEXT NOT NULL DEFAULT 'COMMAND_SET', status TEXT DEFAULT 'PENDING');
CREATE TABLE agent_contract_handoffs (
  id INTEGER PRIMARY KEY, contract_id TEXT UNIQUE, agent_id TEXT, session_id TEXT, workspace TEXT, agent_state TEXT,
  raw_handoff_json TEXT, created_at TEXT);
"""


def add_tables(gaia: Gaia) -> Gaia:
    """The tables that a database of schema 51 has beside memory."""
    with gaia.db() as conn:
        conn.executescript(_SCHEMA)
    return gaia


def handoff(gaia: Gaia, contract: Any, **row: Any) -> None:
    """One contract that an agent handed in."""
    text = contract if isinstance(contract, str) else json.dumps(contract)
    row = {
        "contract_id": None, "agent_id": "a1b2", "session_id": "sess-9", "workspace": "me", "agent_state": "COMPLETE",
        "created_at": "2026-11-27T10:00:01Z", **row, "raw_handoff_json": text,
    }  # fmt: skip
    gaia.run(
        f"INSERT INTO agent_contract_handoffs ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", *row.values()
    )


def approval(gaia: Gaia, number: int, *commands: str, as_set: bool = False, **row: Any) -> str:
    """One approval with its first event; returns its id."""
    approval_id = row.pop("id", f"P-{number:032x}")
    payload: dict[str, Any] = {
        "commands": list(commands), "exact_content": "\n".join(commands), "risk_level": "medium",
        "rationale": "It needs approval.", "scope": "gaia",
    }  # fmt: skip
    if as_set:
        payload |= {"request_type": "COMMAND_SET", "command_set": [{"command": c} for c in commands]}
    text = json.dumps(payload, sort_keys=True)
    row = {
        "id": approval_id, "agent_id": "gaia-operator", "session_id": "sess-op", "status": "pending",
        "payload_json": text, "created_at": "2026-11-28T09:00:02Z", **row,
    }  # fmt: skip
    gaia.run(f"INSERT INTO approvals ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", *row.values())
    gaia.run(
        "INSERT INTO approval_events (approval_id, event_type, payload_json) VALUES (?, 'REQUESTED', ?)",
        approval_id, text,
    )  # fmt: skip
    return str(approval_id)


def dump(gaia: Gaia) -> bytes:
    """Every row of the four tables, to be compared byte for byte."""
    with gaia.db() as conn:
        rows = {t: [tuple(r) for r in conn.execute(f"SELECT rowid, * FROM {t} ORDER BY rowid")] for t in TABLES}
    return repr(rows).encode()


class Program:
    """A program named `gaia` in a folder of its own: it notes how it was called, then answers as it was told to.

    Args:
        answer: what it prints; `{id}` stands for the approval it was asked about.
        code: its exit code.
        errors: what it prints on stderr.
        sleep: seconds before it answers.
        update: a status that it writes to the database first, as the real one does.
    """

    def __init__(
        self, folder: Path, *, answer: str = "", code: int = 0, errors: str = "", sleep: float = 0, update: str = "",
    ) -> None:  # fmt: skip
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self._calls = folder / "calls.jsonl"
        program = folder / "gaia"
        program.write_text(f"""#!{sys.executable}
import json, os, sqlite3, sys, time
with open({str(self._calls)!r}, "a") as file:
    file.write(json.dumps({{"args": sys.argv[1:], "env": dict(os.environ), "stdin": sys.stdin.read()}}) + "\\n")
time.sleep({sleep})
if {update!r}:
    with sqlite3.connect(os.environ["GAIA_DB"]) as conn:
        conn.execute("UPDATE approvals SET status = ? WHERE id = ?", ({update!r}, sys.argv[3]))
print({answer!r}.replace("{{id}}", sys.argv[3]))
print({errors!r}, file=sys.stderr)
sys.exit({code})
""")
        program.chmod(program.stat().st_mode | stat.S_IXUSR)

    def calls(self) -> list[dict[str, Any]]:
        """Each call: args, env, stdin."""
        return [json.loads(line) for line in self._calls.read_text().splitlines()] if self._calls.exists() else []
