"""What agents asked for and a person decides: the group, `list` and `show` (DESIGN 4).

Deciding stands in `requests_deciding`, wording anew in `requests_wording`, the batch in an editor in `requests_review`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from ...core.errors import NotFound, StoreLocked, StoreUnusable, UsageError
from ..review_words import review_json
from ..words import count
from .call import Call, now, this_call
from .inputs import NAME, WORD
from .output import flush, is_stdout_terminal, put_line, put_styled, warn
from .requests_deciding import (
    requests_approve,
    requests_drop,
    requests_reject,
    requests_wait,
    requests_withdraw,
)
from .requests_hosts import host_json, tell_host, tell_hosts
from .requests_review import requests_review
from .requests_telling import edited_fields, row_json, tell_list, tell_review
from .requests_wording import requests_edit, requests_rebase
from .shell import Verb, Verbs

if TYPE_CHECKING:
    from ...core.desk import Desk
    from ...core.store import RequestRow

#: How long a reading waits for somebody who writes before it goes unnoted, milliseconds.
_NOTE_MS: Final = 500
_KINDS: Final = ("request", "proposal")
_STATUSES: Final = ("pending", "approved", "rejected", "withdrawn", "all")


@click.group("requests", cls=Verbs, examples=["memdesk requests", "memdesk requests show req_01J"])
@click.pass_context
def requests_command(ctx: click.Context) -> None:
    """What agents may not do alone, waiting for a person; without a word it lists them."""
    if ctx.invoked_subcommand is None:
        _list(this_call(ctx), "pending")


@requests_command.command(
    "list", cls=Verb,
    examples=["memdesk requests list --status all --json", "memdesk requests list --asker agent:scout --kind proposal"],
)  # fmt: skip
@click.option("--status", type=click.Choice(_STATUSES), default="pending", help="Which ones; pending by default.")
@click.option("--all", "every", is_flag=True, help="The same as --status all.")
@click.option("--asker", type=NAME, help="Only what this one asked for.")
@click.option("--kind", type=NAME, help="Only one kind (request or proposal), or one verb, such as delete.")
@click.pass_context
def requests_list(ctx: click.Context, status: str, every: bool, asker: str | None, kind: str | None) -> None:
    """List requests, oldest first: their age and state, who asks, what would come of it, and ! for what needs a look.

    What waits in an attached Gaia stands below, with the command that decides it.
    """
    _list(this_call(ctx), "all" if every else status, asker, kind)


@requests_command.command("show", cls=Verb, examples=["memdesk requests show req_01JABC"])
@click.argument("request_id", type=WORD)
@click.pass_context
def requests_show(ctx: click.Context, request_id: str) -> None:
    """Show one request whole: what it would change, against what stands. Approving needs this, on a terminal."""
    from ...core.desk.asked_before import rationale_by, turned_down

    call = this_call(ctx)
    with call.desk() as desk:
        if request_id.startswith("P-"):
            _show_host(call, desk, request_id)
            return
        row = desk.request(request_id)
        review = desk.review(row)
        edited, overruled = edited_fields(desk, row), [one.sentence for one in desk.overruled_on(row)]
        texts = dict(desk.request_texts(row))
        data = row_json(desk, row, review.state) | {"args": dict(row.args), "texts": texts}
        before = turned_down(desk.store, row)
        data |= review_json(review, texts) | {
            "overruled": overruled, "rationale_by": rationale_by(desk.store, row),
            "turned_down": before.request_id if before else None,
        }  # fmt: skip
        call.answer(data, lambda: tell_review(desk, review, edited, overruled))
        if not call.json and is_stdout_terminal():
            flush()  # it counts as shown once all of it has gone out
            _note_read(call, row)


def _note_read(call: Call, row: RequestRow) -> None:
    """Note that this reviewer has read it. Where that cannot be, the reading itself was not in vain."""
    from ...core.desk import Desk

    try:
        with Desk.open(call.folder(), call.who(), wait_ms=_NOTE_MS) as desk:
            desk.mark_request_shown(row) if row.status == "pending" else desk.acknowledge_overruled(row.request_id)
    except (StoreLocked, StoreUnusable) as failure:
        sentence = "That you have read it could not be noted, so show it again before you approve it."
        warn(f"{failure.message} {sentence}" if row.status == "pending" else failure.message)


def _show_host(call: Call, desk: Desk, approval_id: str) -> None:
    found = [a for a in desk.host_approvals(now=now()) if a.id.startswith(approval_id)]
    if len(found) != 1:
        raise NotFound(f"No host has an approval {approval_id!r} waiting.", "List them with `memdesk requests list`.")
    call.answer(host_json(found[0]), lambda: tell_host(found[0]))


def _list(call: Call, status: str, asker: str | None = None, kind: str | None = None) -> None:
    with call.desk() as desk:
        every = desk.requests(None if status == "all" else status)
        _known_kind(kind, every)
        rows = [
            row for row in every if asker in (None, row.asked_by) and kind in (None, row.verb, row.payload.get("kind"))
        ]
        facts = _facts(desk, rows)
        in_hosts = status in ("pending", "all") and asker is None and kind is None
        waiting = desk.host_approvals(now=now()) if in_hosts else []

        def tell() -> None:
            if rows:
                tell_list(desk.names_by_id(), rows, facts, desk.request_keys(None))
            elif every:
                one, many = ("waits", "wait") if status == "pending" else ("is there", "are there")
                put_line(f"No request fits; {count(len(every), f'other {one}', f'others {many}')}.")
            elif not waiting:
                put_line("Nothing waits for a decision." if status == "pending" else "There are no such requests.")
            if waiting:
                tell_hosts(waiting)

        call.answer([*facts, *map(host_json, waiting)], tell)
        _tell_overruled(call, desk)


def _known_kind(kind: str | None, rows: Sequence[RequestRow]) -> None:
    """Refuse a kind that no request can have; a verb of another version counts where a request has it."""
    from ...core.desk.deciding import METHODS

    known = {*_KINDS, *METHODS}
    if kind is not None and kind not in known | {row.verb for row in rows}:
        raise UsageError(f"There is no kind {kind!r}.", f"The kinds are {', '.join([*_KINDS, *sorted(METHODS)])}.")


def _facts(desk: Desk, rows: list[RequestRow]) -> list[dict[str, Any]]:
    from ...core.screening import flags_summary

    states, effects = desk.request_states(rows), desk.request_effects(rows)
    return [
        row_json(desk, row, states[row.request_id])
        | {"effect": effects[row.request_id], "flags": flags_summary(desk.request_flags(row))}
        for row in rows
    ]


def _tell_overruled(call: Call, desk: Desk) -> None:
    lost = desk.overruled()
    if lost and not call.json:
        ids = ", ".join(one.row.request_id for one in lost[:3])
        put_styled(f"Decisions of yours that did not stand: {len(lost):,} ({ids}). Show one to read why.", "bold")


for _command in (
    requests_approve, requests_reject, requests_drop, requests_edit, requests_rebase, requests_withdraw,
    requests_wait, requests_review,
):  # fmt: skip
    requests_command.add_command(_command)
