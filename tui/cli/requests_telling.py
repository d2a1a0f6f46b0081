"""A request as the commands tell it: a row of the list, everything a reviewer must see, and both as JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

from ...core.desk.asked_before import rationale_by, turned_down, turned_down_words
from ..review_words import (
    asked_words,
    change_heading,
    diff_lines,
    effect_lines,
    effect_words,
    fact_line,
    flag_lines,
    is_text,
    origin_lines,
    standing_lines,
    state_lines,
    wording_parts,
)
from .call import now
from .output import Column, put_indented, put_line, put_styled, put_table, width

if TYPE_CHECKING:
    from ...core.desk import Desk
    from ...core.desk.reviewing import Review
    from ...core.store import RequestRow

#: The least characters of an id in a list: a quarter of a second of its time.
_SHORT: Final = 12

# -- facts --------------------------------------------------------------------------------------------------------


def row_json(desk: Desk, row: RequestRow, state: str) -> dict[str, Any]:
    """What every command says of a request."""
    entries = [desk.store.entry(i) for i in row.refs]
    args = row.args
    return {
        "request_id": row.request_id, "verb": row.verb, "asked_by": row.asked_by, "asked_at": row.asked_at,
        "status": row.status, "state": state, "kind": row.payload.get("kind"),
        "refs": [
            {"id": i, "name": e.shown_name if e else i, "workspace": e.workspace if e else None}
            for i, e in zip(row.refs, entries, strict=True)
        ],
        "about": args.get("name") or args.get("title"), "rationale": row.rationale,
        "because": desk.request_reason(row), "session_id": row.session_id, "origin": row.origin,
        "revision": row.revision_id, "revised_by": row.revised_by, "revised_at": row.revised_at,
        "decided_by": row.decided_by, "decided_at": row.decided_at, "reason": row.reason, "op_id": row.op_id,
        "edited": edited_fields(desk, row),
    }  # fmt: skip


def edited_fields(desk: Desk, row: RequestRow) -> list[str]:
    """The fields that the reviewer worded when approving."""
    return list(desk.edited_fields(row))


def outcome_words(row: RequestRow, edited: Sequence[str]) -> str:
    """`approved by user:ana with edits of the body: reason`; "" while it waits."""
    if row.status == "pending":
        return ""
    by = row.decided_by or ("" if row.reason else row.asked_by)  # an erase takes it away, and nobody did
    words = f"{row.status} by {by}" if by else row.status
    words += f" with edits of {', '.join(edited)}" if edited else ""
    return words + (f": {row.reason}" if row.reason else "")


# -- the list -----------------------------------------------------------------------------------------------------


def tell_list(
    name: Callable[[str], str], rows: Sequence[RequestRow], facts: Sequence[Mapping[str, Any]], known: Iterable[str]
) -> None:
    """The list as a table, oldest first.

    Args:
        name: what to call the entry of an id.
        facts: `row_json` of each row, with `effect` and `flags`.
        known: the ids of all requests, listed or not.
    """
    from ..words import age_short, count

    columns = [Column("Request", whole=True), Column("Age", right=True), Column("State"), Column("!"), Column("By"),
               Column("What", flex=True)]  # fmt: skip
    put_table(columns, [
        (request_id, age_short(row.asked_at, now()), told["state"], "!" if told["flags"] else "", row.asked_by,
         effect_words(row, name, told["effect"]))
        for request_id, row, told in zip(short_ids([r.request_id for r in rows], known), rows, facts, strict=True)
    ])  # fmt: skip
    flagged = sum(bool(told["flags"]) for told in facts)
    tail = f" {count(flagged, 'text')} marked ! {'needs' if flagged == 1 else 'need'} a second look." if flagged else ""
    put_styled(f"{count(len(facts), 'request')}. Read one with memdesk requests show.{tail}", "dim")


def short_ids(ids: Iterable[str], known: Iterable[str]) -> list[str]:
    """The ids; at a terminal as much of them as tells each from all that are known, which every command takes."""
    if width() is None:
        return list(ids)
    size = _SHORT
    for one, other in pairwise(sorted(known)):
        while one[:size] == other[:size] and size < len(one):
            size += 1
    return [one[:size] for one in ids]


# -- one request --------------------------------------------------------------------------------------------------


def tell_review(desk: Desk, review: Review, edited: Sequence[str], overruled: Sequence[str]) -> None:
    """Everything a reviewer must see of a request, whole.

    Args:
        edited: the fields that were worded when it was approved.
        overruled: a sentence about each decision that did not stand.
    """
    row = review.row
    put_styled(row.request_id, "bold")
    asked = asked_words(row, desk.names_by_id())
    put_line(f"{asked} ({row.payload.get('kind') or 'request'}, {review.state}).")
    if review.effect:
        put_line(f"Effect: {review.effect}")
    if row.status == "pending":  # else the outcome says it
        put_indented(state_lines(review))
    put_indented(origin_lines(row, now(), desk.store.origin, review.because))
    if outcome := outcome_words(row, edited):
        from ..words import ago

        put_line(f"{outcome[0].upper()}{outcome[1:]} ({ago(row.decided_at, now())})")
    for sentence in overruled:
        put_styled(sentence, "bold")
    if before := turned_down(desk.store, row):
        put_line(turned_down_words(before))
    if row.rationale:
        put_styled(f"Why, in the words of {rationale_by(desk.store, row)}", "bold")
        put_indented([row.rationale])
    if review.flags:
        put_styled(f"Look out ({len(review.flags):,})", "bold")
        put_indented(f"! {line}" for line in flag_lines(review, desk.request_texts(row)))
    for one in filter(is_text, review.changes):
        put_line()
        put_styled(change_heading(one), "bold")
        put_indented(diff_lines(one.before, one.after))
    rest = [fact_line(one) for one in review.changes if not is_text(one)] + effect_lines(review)
    if rest:
        put_line()
        put_styled("Besides" if any(map(is_text, review.changes)) else "What changes", "bold")
        put_indented(rest)
    if standing := standing_lines(review):
        put_line()
        put_styled("As it stands", "bold")
        put_indented(standing)
    for heading, lines in wording_parts(review, now()):
        put_line()
        put_styled(heading, "bold")
        put_indented(lines)
    if row.status == "pending":
        put_line()
        _tell_commands(review, review.state == "stale" and desk.plan_rebase(row.request_id).possible)


def _tell_commands(review: Review, rebases: bool) -> None:
    request_id = review.row.request_id
    if review.state == "ready":
        token = f' --confirm "{review.token}"' if review.token else ""
        put_styled(f"memdesk requests approve {request_id}{token}", "dim")
    elif rebases:
        put_styled(f"memdesk requests rebase {request_id}", "dim")
    if review.state != "ready":
        put_styled(f"memdesk requests drop {request_id}", "dim")
    put_styled(f'memdesk requests reject {request_id} --reason "…"', "dim")
