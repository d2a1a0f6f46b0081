"""Deciding on what agents ask for: approve, reject, drop, withdraw, and decisions that did not stand (DESIGN 3.3, 4).

Approving executes the request in the transaction that records the decision, so it is one operation and can be undone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from ..errors import ConfirmationNeeded, InvalidValue, MemdeskError, NotAllowed, Stale, UsageError, listed
from ..events import DECISION
from ..policy import Decision, Facts, Role, rule
from ..store import RequestRow
from ..store.waits import heard_note
from ..text import one_name
from .asked_texts import texts_of, with_texts
from .asked_words import namer, wish_words
from .composed import call_with
from .readiness import READY, STALE
from .requests import Requests
from .session import Actor, Receipt

if TYPE_CHECKING:
    from .revising import Rebase

APPROVED: Final = "approved"
REJECTED: Final = "rejected"
WITHDRAWN: Final = "withdrawn"
#: The desk method behind each verb that can be asked for.
METHODS: Final = {
    "add": "add", "create": "create", "append": "append", "edit": "edit", "reclassify": "reclassify", "link": "link",
    "unlink": "unlink", "supersede": "supersede", "delete": "delete", "restore": "restore", "erase": "erase",
    "rename": "rename", "move-workspace": "move_workspace", "checkpoint": "checkpoint", "comment": "comment",
    "graduate": "graduate", "retire": "retire", "mend": "mend", "verdict": "judge_group",
    "merge": "merge",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one request of a batch.

    Attributes:
        done: whether it was approved.
        words: what was done, or why not, in one sentence.
    """

    request_id: str
    done: bool
    words: str
    receipt: Receipt | None = None


@dataclass(frozen=True, slots=True)
class Overruled:
    """A decision that did not stand, since another one on the same request was first (DESIGN 3.3).

    Attributes:
        row: the request as it stands.
        mine_by, mine_outcome, mine_at: whose decision it was, what it said, and when.
        stands_outcome, stands_by, stands_reason: the decision that stands; pending and None where it was undone since.
    """

    row: RequestRow
    mine_by: str
    mine_outcome: str
    mine_at: str
    stands_outcome: str
    stands_by: str | None
    stands_reason: str

    @property
    def sentence(self) -> str:
        """The same for a person."""
        first = f"{self.stands_by} had {self.stands_outcome} it first" if self.stands_by else "it waits again"
        because = f": {self.stands_reason}" if self.stands_by and self.stands_reason else "."
        when = f"{self.mine_at[:10]} at {self.mine_at[11:16]} UTC"
        return f"The decision of {self.mine_by} on {when} ({self.mine_outcome}) did not stand: {first}{because}"


def decide_each(request_ids: Iterable[str], decide: Callable[[str], Receipt]) -> tuple[Outcome, ...]:
    """Decide on several requests, each in an operation of its own; one that is refused does not stop the rest.

    Args:
        decide: approves, rejects or drops the request of an id.
    """
    found = []
    for request_id in dict.fromkeys(request_ids):
        try:
            receipt = decide(request_id)
            found.append(Outcome(request_id, True, f"{receipt.summary}.", receipt))
        except MemdeskError as error:
            found.append(Outcome(request_id, False, error.message))
    return tuple(found)


class Deciding(Requests):
    """The verbs that end a request."""

    if TYPE_CHECKING:  # of the part that words requests anew, which stands on this one

        def plan_rebase(self, request_id: str) -> Rebase:
            """See `Revising`."""

    def approve(
        self, request_id: str, *, edited: Mapping[str, str] | None = None, token: str | None = None,
        revision: str | None = None,
    ) -> Receipt:  # fmt: skip
        """Execute a request and record the decision, in one operation.

        Args:
            revision: the wording that is on the reviewer's screen: another one, though it was shown before, is refused.
            edited: field of `request_texts` -> the reviewer's own wording, which is written instead.
            token: for an erase exactly `DELETE <id>`, typed by the reviewer.

        Raises:
            NotAllowed: not role user on a terminal, or (`not_shown`) this wording was not shown to this reviewer.
            Stale: what it would change has moved since, or it was worded anew. InvalidValue: it is settled already.
            ConfirmationNeeded: the token is missing or differs. UsageError: it has no such field.
        """
        row = self._decidable("requests approve", request_id)
        if row.verb not in METHODS:
            raise InvalidValue(f"This request asks for {row.verb!r}, which this version cannot do.", "Update memdesk.")
        _same_wording(row, revision)
        if not self.was_shown(row):
            raise NotAllowed(
                "You have not been shown this request whole yet.",
                f"Read it first: `memdesk requests show {row.request_id}`.", code="not_shown",
            )  # fmt: skip
        own = {k: v for k, v in (edited or {}).items() if texts_of(row.verb, row.args).get(k) != v}
        args = self.reworded(row, own)
        self._must_be_ready(row)
        wanted = token_of(row)
        if wanted:
            _confirm(wanted, token)
            args["confirm"] = wanted
        self.refresh([e for e in map(self.store.entry, row.refs) if e is not None])
        self._approving, self.on_behalf_of = True, row.asked_by
        try:
            said = f"Approved {self.asked(row)}" + (", edited" if own else "")
            with self.operation("approve", said) as op:
                # Once more where nobody else can write: another reviewer, an agent or the host may have been faster.
                self._must_be_ready(self._as_read("requests approve", row))
                more = {"edited": sorted(own)} if own else {}
                op.write(DECISION, self._decision(row, APPROVED, "") | more)
                done = call_with(getattr(self, METHODS[row.verb]), args)
                op.summary = said  # some verbs say what they did
        finally:
            self._approving, self.on_behalf_of = False, None
        warnings = [*done.warnings, *self.prove_erased()]
        return self.receipt(
            op, warnings=warnings, action=APPROVED, entries=() if done.final else done.entries, final=done.final
        )

    def approve_many(self, request_ids: Iterable[str]) -> tuple[Outcome, ...]:
        """Approve those that are ready and were shown to this reviewer, each as its own operation; say why not else."""
        return decide_each(request_ids, self.approve)

    def reject(self, request_id: str, reason: str) -> Receipt:
        """Turn a request down, with a reason that the requester can read.

        Raises:
            NotAllowed: not role user on a terminal. InvalidValue: no reason, or settled already.
        """
        if not reason.strip():
            raise InvalidValue("A rejection needs a reason, so that the agent can learn from it.", "Give --reason.")
        row = self._decidable("requests reject", request_id)
        with self.operation("reject", f"Rejected {self.asked(row)}") as op:
            row = self._decidable("requests reject", row.request_id)
            op.write(DECISION, self._decision(row, REJECTED, reason))
        return self.receipt(op, action=REJECTED)

    def drop(self, request_id: str, reason: str = "") -> Receipt:
        """Turn down a request that cannot be carried out any more; the requester reads why.

        Args:
            reason: what the requester reads; by default why it is not ready.

        Raises:
            NotAllowed: not role user on a terminal. InvalidValue: decided already, or (`still_ready`) nothing is wrong
                with it.
        """
        row = self._decidable("requests drop", request_id)
        with self.operation("drop", f"Dropped {self.asked(row)}") as op:
            row = self._decidable("requests drop", row.request_id)
            if self.request_state(row) == READY:
                raise InvalidValue(
                    "This request can be carried out as it is, so there is no reason to drop it.",
                    f'Approve it, or reject it with a reason: `memdesk requests reject {row.request_id} --reason "…"`.',
                    code="still_ready", request_id=row.request_id,
                )  # fmt: skip
            why = reason.strip() or f"It no longer applies. {' '.join(self.why_not_ready(row))}"
            op.write(DECISION, self._decision(row, REJECTED, why) | {"dropped": True})
        return self.receipt(op, action=REJECTED)

    def withdraw(self, request_id: str, reason: str = "") -> Receipt:
        """Take a request back: the asker its own, a person at a terminal anybody's.

        Raises:
            NotAllowed: it is somebody else's. InvalidValue: decided already.
        """
        row = self._pending(request_id)
        person = self.actor.role is Role.USER and self.actor.on_terminal
        if self.actor.name != row.asked_by and not person:
            raise NotAllowed(
                f"This request is {row.asked_by}'s; only its asker, or a person at a terminal, may withdraw it.",
                "Leave it to them.", request_id=row.request_id,
            )  # fmt: skip
        with self.operation("withdraw", f"Withdrew {self.asked(row)}") as op:
            row = self._pending(row.request_id)
            op.write(DECISION, self._decision(row, WITHDRAWN, reason.strip()))
        return self.receipt(op, action=WITHDRAWN)

    # -- decisions that did not stand -----------------------------------------------------------------------------

    def overruled(self) -> tuple[Overruled, ...]:
        """This actor's decisions that lost to an earlier one, and that it has not acknowledged, oldest first."""
        return tuple(_overruled(row, lost.decision) for row, lost in self.store.overruled(self.actor.name))

    def overruled_on(self, row: RequestRow) -> tuple[Overruled, ...]:
        """Every decision on a request that did not stand, whoever made it, acknowledged or not."""
        return tuple(_overruled(row, one.decision) for one in self.store.lost_decisions(request_id=row.request_id))

    def acknowledge_overruled(self, request_id: str) -> None:
        """Note that this actor has read that its decisions on a request did not stand."""
        for lost in self.store.lost_decisions(actor=self.actor.name, request_id=request_id):
            self.store.set_note(heard_note(lost), request_id)

    # -- what every decision needs --------------------------------------------------------------------------------

    def asked(self, row: RequestRow) -> str:
        """`agent:scout's request to change atom_a`: what a request is, for a sentence."""
        what = "proposal" if row.payload.get("kind") == "proposal" else "request"
        if row.verb == "erase":  # the sentence stays when the name is gone
            return f"{row.asked_by}'s {what} to erase {', '.join(row.refs)}".rstrip()
        names = namer({e.id: e.shown_name for e in self.store.entries_of(row.refs)})
        return f"{row.asked_by}'s {what} to {wish_words(row, names, 3)}"

    def reworded(self, row: RequestRow, fields: Mapping[str, str]) -> dict[str, Any]:
        """The arguments of a request with other texts.

        Raises:
            UsageError: it would write no such text.
        """
        known = texts_of(row.verb, row.args)
        unknown = sorted(set(fields) - set(known))
        if unknown:
            has = f"Its texts are: {listed(list(known))}." if known else "It writes no text."
            raise UsageError(f"This request would write no {unknown[0]}.", has, field=unknown[0])
        return with_texts(row.verb, row.args, fields)

    def _must_be_ready(self, row: RequestRow) -> None:
        state = self.request_state(row)
        if state != READY:
            why = " ".join(self.why_not_ready(row))
            ways = f"drop it: `memdesk requests drop {row.request_id}`."
            if state == STALE and self.plan_rebase(row.request_id).possible:
                ways = f"make it again: `memdesk requests rebase {row.request_id}`; or {ways}"
            raise Stale(
                f"This request is {state}: {why}",
                f"Compare with `memdesk requests show {row.request_id}`, then {ways}",
                request_id=row.request_id, state=state,
            )  # fmt: skip

    def _as_read(self, verb: str, read: RequestRow) -> RequestRow:
        """The request as it is now, if it still says what was read.

        Raises:
            Stale: somebody has worded it anew.
        """
        row = self._decidable(verb, read.request_id)
        _same_wording(row, read.revision_id)
        return row

    def _decidable(self, verb: str, request_id: str) -> RequestRow:
        ruling = rule(self.actor.role, verb, Facts(terminal=self.actor.on_terminal))
        if ruling.decision is not Decision.ALLOW:
            raise NotAllowed(ruling.reason, left_to_the_person(self.actor, request_id))
        return self._pending(request_id)

    def _pending(self, request_id: str) -> RequestRow:
        """A request that waits.

        Raises:
            NotFound: there is none. InvalidValue: it was decided already.
        """
        row = self.request(request_id)
        if row.status != "pending":
            by = f" by {row.decided_by}" if row.decided_by else ""
            raise InvalidValue(
                f"This request was {row.status}{by} already.",
                "What was decided is taken back by `memdesk undo OP`.",
                code="already_decided",
                request_id=row.request_id, status=row.status,
            )  # fmt: skip
        return row

    def _decision(self, row: RequestRow, outcome: str, reason: str) -> dict[str, Any]:
        seen = [e.event_id for e in self.store.decisions_on(row.request_id)]
        return {
            "request_id": row.request_id, "outcome": outcome, "reason": reason, "base": seen,
            "revision": row.revision_id, "asked_by": row.asked_by,
        }  # fmt: skip


def left_to_the_person(actor: Actor, request_id: str = "") -> str:
    """What who may not decide does instead; a person whose messages go to a file is told what is in the way."""
    if actor.role is Role.USER:
        return "Keyboard and messages must be a terminal there: no pipe, no `2>` to a file."
    waits = f"; `memdesk requests wait {request_id}` gives the outcome" if request_id else ""
    person = actor.name.startswith("user:") and not actor.on_terminal
    own = " (If that is you: keyboard and messages must be a terminal, with no `2>` to a file.)" if person else ""
    return f"Leave it to the person{waits}.{own}"


def token_of(row: RequestRow) -> str:
    """What a reviewer must type to approve a request; "" for all but an erase."""
    return f"DELETE {row.refs[0] if row.refs else row.args.get('ref')}" if row.verb == "erase" else ""


def _same_wording(row: RequestRow, revision: str | None) -> None:
    if revision not in (None, row.revision_id):
        raise Stale(
            f"This request was worded anew by {row.revised_by or row.asked_by} just now.",
            f"Read it again: `memdesk requests show {row.request_id}`.", request_id=row.request_id,
        )  # fmt: skip


def _confirm(wanted: str, token: str | None) -> None:
    if token != wanted:
        raise ConfirmationNeeded(
            "Erasing cannot be undone, so approving it needs the exact token from you.",
            f'Repeat with --confirm "{wanted}".', id=wanted.removeprefix("DELETE "), token=wanted,
        )  # fmt: skip


def _overruled(row: RequestRow, lost: Any) -> Overruled:
    return Overruled(
        row, one_name(lost.agent_id), str(lost.payload.get("outcome")), lost.timestamp, row.status, row.decided_by,
        row.reason or "",
    )  # fmt: skip
