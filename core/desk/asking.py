"""Storing what somebody asks for, once: asking the same again finds the request that waits already (DESIGN 4)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ..events import REQUEST, wish_of
from ..model import Entry
from ..policy import Decision, Ruling
from ..store import RequestRow
from .asked import concern, moves, seen_of
from .asked_before import newest_rejection
from .asked_words import verb_words

if TYPE_CHECKING:
    from .session import Session


class Asked(NamedTuple):
    """A request; since when it waits where it was asked before (RFC 3339), else None; and for a new one the request for
    the same that was turned down last, if any was."""

    request_id: str
    since: str | None = None
    rejected: RequestRow | None = None


def ask(
    session: Session, verb: str, refs: Sequence[Entry], args: Mapping[str, Any], rationale: str, ruling: Ruling,
    said: Mapping[str, Any] | None = None,
) -> Asked:  # fmt: skip
    """Store a request, unless the same asker's same request waits: that one then names what stands now.

    Args:
        said: what the request says instead of the usual, such as another `asked_by`.
    """
    said = said or {}
    asker = str(said.get("asked_by") or session.actor.name)
    named = ", ".join(e.shown_name for e in refs) or str(args.get("name", ""))
    with session.operation("request", f"Asked to {verb_words(verb)} {named}".strip(), fresh=True) as op:
        base = base_of(session, [e.id for e in refs])
        asked = {"verb": verb, "refs": [e.id for e in refs], "args": dict(args)}
        wish = wish_of(asker, asked)
        row, worded_since = _waiting(session, wish, asker)
        if row is None:
            request_id = "req_" + op.tx.new_id()
            op.write(REQUEST, {
                "request_id": request_id, **asked, "base": base, "rationale": rationale, "asked_by": asker,
                "role": str(session.actor.role),
                "kind": "proposal" if ruling.decision is Decision.PROPOSE else "request", "reason": ruling.reason,
                **({"against": list(ruling.against)} if ruling.against else {}), **said,
            })  # fmt: skip
            return Asked(request_id, rejected=newest_rejection(session.store, wish))
        wanted = concern(verb, args)
        if not worded_since and any(moves(_mapping(row.base.get(i)), base[i], wanted) for i in base):
            op.summary += " again"
            why = {"rationale": rationale} if rationale else {}
            op.write(REQUEST, worded_anew(row, session.actor.name, base=base, **why))
    return Asked(row.request_id, row.asked_at)


def base_of(session: Session, entry_ids: Iterable[str]) -> dict[str, dict[str, Any]]:
    """What a request notes of each entry that is there: what its asker has seen."""
    return {i: seen_of(folded) for i, folded in session.store.folded_of(entry_ids).items()}


def worded_anew(row: RequestRow, by: str, **changes: Any) -> dict[str, Any]:
    """The payload of a revision: the request as it says now, with changes.

    Args:
        by: who words it anew.
        changes: refs, args, base, rationale. Without a base it keeps what its asker had seen.
    """
    payload = {**row.payload, "request_id": row.request_id, "revises": row.revision_id, "by": by, **changes}
    # The event at which the base was taken: a rebase looks up there what the texts were.
    payload["base_at"] = payload.get("base_at") or row.revision_id
    if "base" in changes:
        del payload["base_at"]
    return payload


def _waiting(session: Session, wish: str, asker: str) -> tuple[RequestRow | None, bool]:
    """The same request of the same asker that waits, and whether somebody has given it other words since."""
    found = session.store.requests("pending", wish=wish)
    return (found[0], wish_of(asker, found[0].payload) != wish) if found else (None, False)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
