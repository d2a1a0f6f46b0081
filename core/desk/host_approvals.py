"""Gaia's own approvals that concern memory: shown here with what they would touch, decided by Gaia (gaia/SPEC 9.3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from ..errors import Ambiguous, NotAllowed, NotFound, listed
from ..events import time_of
from ..hosts import Pending, Touch
from ..model import Entry
from ..policy import Decision, Facts, rule
from .deciding import left_to_the_person
from .session import Session

#: Seconds after which Gaia itself calls an approval stale, and after which its sweep lets it expire.
STALE_AFTER: Final = 3600.0
EXPIRES_AFTER: Final = 24 * 3600.0

_NO_GRANT: Final = (
    "Approving a single command on Gaia's command line records the decision and grants nothing: the agent's retry is "
    "blocked and asks anew. Approve it in Gaia's chat to let it through, or do what it asks yourself and reject it."
)
_GRANTS: Final = "Approving lets the agent run these commands, in their order, within an hour; memdesk runs none."
_NO_REASON: Final = "Gaia keeps no reason for a rejection."
_EXPIRES: Final = "It is older than 24 hours: Gaia's next sweep lets it expire."


@dataclass(frozen=True, slots=True)
class HostApproval:
    """An approval that waits in Gaia, and what it would do to memory.

    Attributes:
        id: `P-…`.
        host: the id of the host; the database is named in `decide`.
        agent, session: who asks, "" where Gaia does not say.
        asked_at: as Gaia tells it; `age` in seconds, None where it does not.
        commands: all that the agent wants to run, as it stands there: untrusted text.
        verb: what the first of them that concerns memory does: delete, edit, move-memory, wipe, …
        effect: what they would do to memory, one sentence each.
        entries: the entries they name, as they stand; missing: names that answer to none there.
        stale: whether it is older than an hour; expiring: whether Gaia will let it expire.
        note: what a person should know before deciding.
        decide: (to approve, to reject) the commands that decide it in a shell.
    """

    id: str
    host: str
    agent: str
    session: str
    asked_at: str
    age: float | None
    commands: tuple[str, ...]
    verb: str
    effect: tuple[str, ...]
    entries: tuple[Entry, ...]
    missing: tuple[str, ...]
    rationale: str
    risk: str
    stale: bool
    expiring: bool
    note: str
    decide: tuple[str, str]

    @property
    def entry(self) -> Entry | None:
        """The first entry that it names, or None."""
        return self.entries[0] if self.entries else None


@dataclass(frozen=True, slots=True)
class HostDecision:
    """What came of deciding an approval in Gaia.

    Attributes:
        status: as Gaia's program names it; stands: what its database shows now, "" where that cannot be read.
        words: one plain sentence.
        warnings: what a person should know now.
    """

    id: str
    approved: bool
    status: str
    stands: str
    words: str
    warnings: tuple[str, ...] = ()


class HostApprovals(Session):
    """Looking at, and deciding, what waits in Gaia."""

    def host_approvals(self, *, now: datetime | None = None) -> list[HostApproval]:
        """Approvals that wait on attached hosts and concern memory, oldest first; a host that is away has none.

        Args:
            now: the moment against which ages are told.
        """
        moment = now or datetime.now(UTC)
        found = [self._approval(waiting, moment) for waiting in self.hosts.pending()]
        return sorted(found, key=lambda a: (a.asked_at, a.id))

    def decide_host_approval(self, approval_id: str, approve: bool, reason: str = "") -> HostDecision:
        """Decide an approval through Gaia's own program; memdesk never writes Gaia's approvals.

        Args:
            approval_id: its id, or a unique beginning of it.
            reason: for a rejection; Gaia keeps none, so it is only for the person who reads the answer.

        Raises:
            NotAllowed: not role user on a terminal. NotFound, Ambiguous: no such approval waits, or several.
            HostError: `host_decides` where Gaia's program is not on PATH (the hint is the command to run);
                `host_refused`, `host_answer`, `host_timeout`: what it did instead.
        """
        verb = "requests approve" if approve else "requests reject"
        ruling = rule(self.actor.role, verb, Facts(terminal=self.actor.on_terminal))
        if ruling.decision is not Decision.ALLOW:
            raise NotAllowed(ruling.reason, left_to_the_person(self.actor))
        waiting = self._waiting(approval_id)
        done = self.hosts.decide(waiting, approve=approve)
        words = f"Gaia {'approved' if approve else 'rejected'} {done.id}"
        warnings = tuple(_after(waiting, approve, done.stands))
        return HostDecision(done.id, approve, done.status, done.stands, words, warnings)

    def _waiting(self, approval_id: str) -> Pending:
        fits = [p for p in self.hosts.pending() if p.id.startswith(approval_id)]
        exact = [p for p in fits if p.id == approval_id]
        if len(exact or fits) > 1 and approval_id not in ("", "P", "P-"):
            ids = [p.id for p in fits]
            raise Ambiguous(f"{approval_id!r} begins {len(fits)} approvals: {listed(ids)}.", "Give more of it.",
                            candidates=ids)  # fmt: skip
        if not fits or approval_id in ("", "P", "P-"):
            raise NotFound(
                f"No approval {approval_id!r} that concerns memory waits on a host.",
                "It may have been decided or have expired meanwhile; see `memdesk requests list`.", id=approval_id,
            )  # fmt: skip
        return (exact or fits)[0]

    def _approval(self, waiting: Pending, now: datetime) -> HostApproval:
        entries: dict[str, Entry] = {}
        missing: list[str] = []
        for touch in waiting.touches:
            for name in touch.names:
                found = self._on_host(name, touch.workspace, waiting.host_id)
                entries |= {e.id: e for e in found}
                missing += [] if found else [name]
        asked = time_of(waiting.asked_at)
        age = (now - asked).total_seconds() if asked is not None else None
        expiring = age is not None and age > EXPIRES_AFTER
        notes = [_EXPIRES] if expiring else []
        notes += [_GRANTS if waiting.ordered_set else _NO_GRANT, _NO_REASON]
        return HostApproval(
            waiting.id, waiting.host_id, waiting.agent, waiting.session, waiting.asked_at, age, waiting.commands,
            waiting.touches[0].verb, tuple(_effect(t) for t in waiting.touches), tuple(entries.values()),
            tuple(dict.fromkeys(missing)), waiting.rationale, waiting.risk,
            stale=age is not None and age > STALE_AFTER, expiring=expiring, note=" ".join(notes), decide=waiting.decide,
        )  # fmt: skip

    def _on_host(self, name: str, workspace: str | None, host: str) -> list[Entry]:
        """The entries of this very name on that host."""
        return [e for e in self.store.lookup(name, workspace) if e.host == host and name in (e.name, e.shown_name)]


def _effect(touch: Touch) -> str:
    names = listed(touch.names) if touch.names else "an entry"
    if touch.verb == "wipe":
        kept = "its memory and the history of it" if touch.hard else "the history of its memory"
        return f"removes {kept} in {touch.workspace or 'the workspace of its directory'}"
    if touch.verb == "move-memory":
        return f"moves {names} from {touch.workspace or '?'} to {touch.to or '?'}"
    if touch.verb == "delete":
        return f"removes {names} for ever" if touch.hard else f"deletes {names}"
    words = {"edit": "changes", "add": "writes", "append": "adds to", "reclassify": "reclassifies"}
    return f"{words.get(touch.verb, touch.verb)} {names}"


def _after(waiting: Pending, approved: bool, stands: str) -> Iterator[str]:
    if stands == "pending":
        yield "Its row in the database still says pending; look again before you rely on it."
    if approved:
        yield _GRANTS if waiting.ordered_set else _NO_GRANT
    else:
        yield _NO_REASON
