"""What waits for a person, in numbers and with the age of the oldest: for the header, a prompt, a hook (DESIGN 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .agents import AgentsLog
from .asking import OF_WORKSPACE, Asking, Lost
from .reading import attached
from .rows import RequestRow


@dataclass(frozen=True, slots=True)
class Waits:
    """Numbers, with RFC 3339 times or None.

    Attributes:
        flagged: live writes of agents about the user, not kept yet.
        events: events whose entry has not arrived.
    """

    requests: int = 0
    oldest_request: str | None = None
    lost_edits: int = 0
    oldest_lost_edit: str | None = None
    flagged: int = 0
    oldest_flagged: str | None = None
    events: int = 0


def heard_note(lost: Lost) -> str:
    """The key of the note by which the author of a decision acknowledges that it did not stand."""
    return f"overruled:{lost.decision.event_id}"


class Waiting(AgentsLog, Asking):
    """Counting what waits, whatever the number of entries."""

    def waits(self, workspace: str | None = None) -> Waits:
        """The numbers of one workspace, or of all; which one an event waits for is not known."""
        with self._reading() as conn:
            where, args = f"{attached(conn, 'e')} AND e.creation_undone = 0 AND e.state <> 'purged'", list[Any]()
            if workspace is not None:
                where, args = where + " AND e.workspace = ?", [workspace]
            sql, places = "SELECT count(*), min(asked_at) FROM requests WHERE status = 'pending'", list[Any]()
            if workspace is not None:
                sql, places = f"{sql} AND {OF_WORKSPACE}", [workspace] * OF_WORKSPACE.count("?")
            requests, oldest_request = conn.execute(sql, places).fetchone()
            # From the few lost edits to their entries, never the other way round.
            lost_edits, oldest_lost_edit = conn.execute(
                "SELECT count(*), min(l.timestamp) FROM lost_edits l CROSS JOIN entries e ON e.id = l.entry_id "
                f"WHERE {where}", args,
            ).fetchone()  # fmt: skip
            events = conn.execute("SELECT count(*) FROM waiting").fetchone()[0]
            flagged, oldest_flagged = self.count_flagged(workspace)
            return Waits(
                requests, oldest_request, lost_edits, oldest_lost_edit, flagged, oldest_flagged, events
            )  # fmt: skip

    def overruled(self, actor: str) -> list[tuple[RequestRow, Lost]]:
        """Decisions of `actor` that lost to an earlier one without its having acknowledged that, each with its request,
        oldest first."""
        lost = [one for one in self.lost_decisions(actor=actor) if self.note(heard_note(one)) is None]
        rows = {row.request_id: row for row in self.requests_of({one.request_id for one in lost})}
        return [(rows[one.request_id], one) for one in lost if one.request_id in rows]

    def has_hosts(self) -> bool:
        """Whether a host was ever attached."""
        with self._reading() as conn:
            return bool(conn.execute("SELECT EXISTS (SELECT 1 FROM hosts)").fetchone()[0])
