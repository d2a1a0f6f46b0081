"""Deciding what agents ask for: list, show, approve, reject (DESIGN 4).

Approving executes the request in the transaction that records the decision, so it is one operation and can be undone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

from ..errors import Ambiguous, InvalidValue, NotAllowed, NotFound, Stale, listed
from ..events import DECISION
from ..model import SUPERSEDES
from ..policy import Decision, Facts, rule
from ..store import RequestRow
from .asked import concern, moved, names_made, seen_of
from .composed import Composed, call_with
from .session import Receipt

#: The desk method behind each verb that can be asked for.
_METHODS: Final = {
    "add": "add", "create": "create", "append": "append", "edit": "edit", "reclassify": "reclassify", "link": "link",
    "unlink": "unlink", "supersede": "supersede", "delete": "delete", "restore": "restore", "erase": "erase",
    "rename": "rename", "move-workspace": "move_workspace", "checkpoint": "checkpoint", "comment": "comment",
    "graduate": "graduate", "retire": "retire", "mend": "mend", "verdict": "judge_group",
    "merge": "merge",
}  # fmt: skip


class Requests(Composed):
    """The verbs on requests."""

    def requests(self, status: str | None = "pending") -> list[RequestRow]:
        """Requests, oldest first; None lists every status."""
        return self.store.requests(status)

    def request(self, request_id: str) -> RequestRow:
        """One request, by id or a unique prefix of it.

        Raises:
            NotFound: there is none.
        """
        row = self.store.request(request_id)
        if row is None:
            fits = [r.request_id for r in self.store.requests(None) if r.request_id.startswith(request_id)]
            if request_id and len(fits) > 1 and not "req_".startswith(request_id):
                raise Ambiguous(
                    f"{request_id!r} begins {len(fits)} requests: {listed(fits)}.", "Give more of it.", candidates=fits
                )
            raise NotFound(f"There is no request {request_id!r}.", "List them with `memdesk requests list --all`.")
        return row

    def request_state(self, row: RequestRow) -> str:
        """ready, stale (something it would change has moved), gone, or how it was settled. Computed each time."""
        if row.status != "pending":
            return row.status
        wanted = concern(row.verb, row.args)
        for entry_id in row.refs:
            folded = self.store.folded(entry_id)
            if folded is None:
                return "gone"
            seen = row.base.get(entry_id)
            if isinstance(seen, Mapping) and moved(seen, seen_of(folded), wanted):
                return "stale"
        return "stale" if self._edge_moved(row) or self._name_taken(row) else "ready"

    def _edge_moved(self, row: RequestRow) -> bool:
        """Whether somebody else has made, or removed, the edge of a request by now."""
        ends = {"link": ("source", "target"), "unlink": ("source", "target"), "supersede": ("by", "old")}.get(row.verb)
        if ends is None:
            return False
        kind = SUPERSEDES if row.verb == "supersede" else str(row.args.get("kind"))
        source, target = (str(row.args.get(end)) for end in ends)
        return bool(self.store.edges(kind=kind, source=source, target=target)) != (row.verb == "unlink")

    def _name_taken(self, row: RequestRow) -> bool:
        """Whether an entry that a request would make is there by now, so that it would write over that one."""
        home = self.store.entry(row.refs[0]) if row.refs else None
        for workspace, name in names_made(row.verb, row.args, home.workspace if home else None):
            owner = self.store.name_owner(workspace, name)
            if owner is not None and owner.id not in row.refs:
                return True
        return False

    def mark_request_shown(self, row: RequestRow) -> None:
        """Note that this reviewer has had the whole text on screen: approving needs it (DESIGN 4)."""
        self.store.set_note(f"shown:{self.actor.name}:{row.request_id}", _print(row))

    def approve(self, request_id: str) -> Receipt:
        """Execute a request and record the decision, in one operation.

        Raises:
            NotAllowed: not role user on a terminal, or this text was not shown to this reviewer.
            Stale: what it would change has moved since. InvalidValue: it is settled already.
        """
        row = self._decidable("requests approve", request_id)
        if self.store.note(f"shown:{self.actor.name}:{row.request_id}") != _print(row):
            raise NotAllowed(
                "You have not been shown this request whole yet.",
                f"Read it first: `memdesk requests show {row.request_id}`.",
            )
        self._must_be_ready(row)
        self.refresh([e for e in map(self.store.entry, row.refs) if e is not None])
        self._approving, self.on_behalf_of = True, row.asked_by
        try:
            with self.operation("approve", f"Approved {row.asked_by}'s {row.verb}") as op:
                # Once more where nobody else can write: another reviewer, an agent or the host may have been faster.
                self._must_be_ready(self._decidable("requests approve", row.request_id))
                op.write(DECISION, self._decision(row, "approved", ""))
                done = call_with(getattr(self, _METHODS[row.verb]), row.args)
        finally:
            self._approving, self.on_behalf_of = False, None
        warnings = [*done.warnings, *self.prove_erased()]
        return self.receipt(op, warnings=warnings, action="approved", entries=done.entries)

    def _must_be_ready(self, row: RequestRow) -> None:
        state = self.request_state(row)
        if state != "ready":
            raise Stale(
                f"This request is {state}: what it would change has moved since it was asked.",
                f"Compare with `memdesk requests show {row.request_id}`, then reject it and do what is right now.",
                request_id=row.request_id,
            )

    def reject(self, request_id: str, reason: str) -> Receipt:
        """Turn a request down, with a reason that the requester can read.

        Raises:
            NotAllowed: not role user on a terminal. InvalidValue: no reason, or settled already.
        """
        if not reason.strip():
            raise InvalidValue("A rejection needs a reason, so that the agent can learn from it.", "Give --reason.")
        row = self._decidable("requests reject", request_id)
        with self.operation("reject", f"Rejected {row.asked_by}'s {row.verb}") as op:
            row = self._decidable("requests reject", row.request_id)
            op.write(DECISION, self._decision(row, "rejected", reason))
        return self.receipt(op, action="rejected")

    def _decidable(self, verb: str, request_id: str) -> RequestRow:
        ruling = rule(self.actor.role, verb, Facts(terminal=self.actor.on_terminal))
        if ruling.decision is not Decision.ALLOW:
            raise NotAllowed(ruling.reason, "Decide it yourself, in a terminal, as the person who curates this memory.")
        row = self.request(request_id)
        if row.status != "pending":
            raise InvalidValue(f"This request was {row.status} by {row.decided_by} already.", "There is nothing to do.")
        if row.verb not in _METHODS:
            raise InvalidValue(f"This request asks for {row.verb!r}, which this version cannot do.", "Update memdesk.")
        return row

    def _decision(self, row: RequestRow, outcome: str, reason: str) -> dict[str, Any]:
        seen = [e.event_id for e in self.store.decisions_on(row.request_id)]
        return {"request_id": row.request_id, "outcome": outcome, "reason": reason, "base": seen}


def _print(row: RequestRow) -> str:
    """Fingerprint of what a request would do."""
    text = json.dumps([row.verb, row.args, row.base, row.rationale], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()
