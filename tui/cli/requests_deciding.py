"""`requests approve`, `reject`, `drop`, `withdraw` and `wait`: deciding, and learning what was decided (DESIGN 4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from ...core.errors import MemdeskError, UsageError
from .call import Call, can_ask, this_call
from .inputs import TEXT, WORD
from .output import put_indented, put_line
from .receipts import entry_json, give, receipt_json
from .requests_hosts import decide_in_host
from .requests_telling import edited_fields, outcome_words, row_json
from .requests_wording import wording, wording_flags
from .shell import verb

if TYPE_CHECKING:
    from ...core.desk import Desk, Receipt
    from ...core.store import RequestRow


# -- approve ------------------------------------------------------------------------------------------------------


@verb(
    "approve",
    examples=[
        "memdesk requests approve req_01JABC",
        "memdesk requests approve req_01JABC req_01JDEF",
        "memdesk requests approve req_01JABC --body @shorter.md",
        'memdesk requests approve req_01JABC --confirm "DELETE 01JABCDEFGHJKMNPQRSTVWXYZ0"',
    ],
)
@click.argument("request_ids", metavar="REQUEST_ID...", nargs=-1, required=True, type=WORD)
@wording_flags
@click.option("--confirm", type=WORD, metavar='"DELETE ID"', help="The exact words that allow an erase.")
@click.pass_context
def requests_approve(ctx: click.Context, request_ids: tuple[str, ...], confirm: str | None, **given: Any) -> None:
    """Do what was asked, in your name on the asker's behalf. Only a person at a terminal can, and only after `show`.

    With a text of your own it is approved with edits. Several are each an operation of its own; exit 1 if any failed.
    """
    call = this_call(ctx)
    with call.desk() as desk:
        ids = _whole_ids(desk, request_ids)
        if len(ids) > 1 and (any(given.values()) or confirm is not None):
            raise UsageError("A wording or --confirm is for one request.", "Approve that one by itself.")
        if len(ids) > 1:
            _several(ctx, call, desk, ids, "approved", _approve_plainly)
            return
        if ids[0].startswith("P-"):
            decide_in_host(call, desk, ids[0], True)
            return
        row = desk.request(ids[0])
        edited = wording(desk, row, given)
        if confirm is not None and row.verb != "erase":
            raise UsageError("--confirm is for an erase, and this asks for none.", "Leave it out.")
        token = confirm if confirm is not None else _asked_token(call, desk, row)
        receipt = desk.approve(row.request_id, edited=edited or None, token=token)
    give(call, receipt, gaia={
        "request_id": row.request_id, "outcome": "approved", "asked_by": row.asked_by, "edited": list(edited),
        "entries": [entry_json(e) for e in receipt.entries],
    })  # fmt: skip


def _approve_plainly(desk: Desk, request_id: str) -> Receipt:
    return desk.approve(request_id)


def _asked_token(call: Call, desk: Desk, row: RequestRow) -> str | None:
    """The words that allow an erase, typed on the terminal; what cannot be carried out asks for none."""
    from ...core.desk.readiness import READY

    if row.verb != "erase" or call.json or not can_ask() or desk.request_state(row) != READY:
        return None
    token = desk.review(row).token
    click.echo(f"This erases {desk.names_by_id()(row.refs[0])} for ever: its text, its versions, its links.", err=True)
    typed: str = click.prompt(f'Type "{token}" to go on', default="", show_default=False, err=True)
    return typed


# -- reject, drop, withdraw ---------------------------------------------------------------------------------------


@verb(
    "reject",
    examples=[
        'memdesk requests reject req_01JABC --reason "still true"',
        'memdesk requests reject req_01JABC req_01JDEF --reason "covered by decision_db"',
    ],
)
@click.argument("request_ids", metavar="REQUEST_ID...", nargs=-1, required=True, type=WORD)
@click.option("--reason", type=TEXT, required=True, help="Why not; the asker can read it.")
@click.pass_context
def requests_reject(ctx: click.Context, request_ids: tuple[str, ...], reason: str) -> None:
    """Turn requests down, with a reason. Only a person at a terminal can."""
    call = this_call(ctx)
    with call.desk() as desk:
        if len(request_ids) == 1 and request_ids[0].startswith("P-"):
            decide_in_host(call, desk, request_ids[0], False, reason)
            return
        _each(ctx, call, desk, request_ids, "rejected", lambda d, i: d.reject(i, reason))


@verb("drop", examples=["memdesk requests drop req_01JABC", 'memdesk requests drop req_01JABC --reason "done by hand"'])
@click.argument("request_ids", metavar="REQUEST_ID...", nargs=-1, required=True, type=WORD)
@click.option("--reason", type=TEXT, default="", help="Why; by default, what has changed since it was asked.")
@click.pass_context
def requests_drop(ctx: click.Context, request_ids: tuple[str, ...], reason: str) -> None:
    """Turn down requests that no longer apply: stale, gone, or settled already. Only a person at a terminal can."""
    call = this_call(ctx)
    with call.desk() as desk:
        _each(ctx, call, desk, request_ids, "rejected", lambda d, i: d.drop(i, reason))


@verb("withdraw", examples=["memdesk requests withdraw req_01JABC", 'memdesk requests withdraw req_01J --reason "old"'])
@click.argument("request_ids", metavar="REQUEST_ID...", nargs=-1, required=True, type=WORD)
@click.option("--reason", type=TEXT, default="", help="Why; kept with the request.")
@click.pass_context
def requests_withdraw(ctx: click.Context, request_ids: tuple[str, ...], reason: str) -> None:
    """Take back requests that wait: who asked its own, a person anybody's."""
    call = this_call(ctx)
    with call.desk() as desk:
        _each(ctx, call, desk, request_ids, "withdrawn", lambda d, i: d.withdraw(i, reason))


def _each(
    ctx: click.Context, call: Call, desk: Desk, request_ids: Sequence[str], outcome: str,
    do: Callable[[Desk, str], Receipt],
) -> None:  # fmt: skip
    """Decide one request, or several with each result listed."""
    ids = _whole_ids(desk, request_ids)
    if len(ids) > 1:
        _several(ctx, call, desk, ids, outcome, do)
        return
    row = desk.request(ids[0])
    receipt = do(desk, row.request_id)
    after = desk.request(row.request_id)
    give(call, receipt, gaia={"request_id": row.request_id, "outcome": outcome, "reason": after.reason or ""})


def _whole_ids(desk: Desk, given: Sequence[str]) -> tuple[str, ...]:
    """Each request once, however much of its id was given; what names none stays as it is, to be told."""
    found = []
    for one in given:
        try:
            found.append(one if one.startswith("P-") else desk.request(one).request_id)
        except MemdeskError:
            found.append(one)
    return tuple(dict.fromkeys(found))


def _several(
    ctx: click.Context, call: Call, desk: Desk, ids: Sequence[str], outcome: str,
    do: Callable[[Desk, str], Receipt],
) -> None:  # fmt: skip
    """Each request is an operation of its own: one that fails does not stop the rest."""
    results: list[dict[str, Any]] = []
    for given in ids:
        try:
            request_id = desk.request(given).request_id
            receipt = do(desk, request_id)
        except MemdeskError as error:
            results.append({"request_id": given, "done": False, "error": error.as_dict()})
        else:
            results.append(
                {"request_id": request_id, "done": True, "outcome": outcome} | receipt_json(receipt)
            )
    failed = sum(not r["done"] for r in results)
    data = {"done": len(results) - failed, "failed": failed, "results": results}
    call.answer(data, lambda: _tell_results(results))
    ctx.exit(1 if failed else 0)


def _tell_results(results: Sequence[dict[str, Any]]) -> None:
    for one in results:
        if one["done"]:
            put_line(f"  {one['request_id']}  {one['summary']}.")
        else:
            put_line(f"! {one['request_id']}  {one['error']['message']} [{one['error']['code']}]")
            put_indented([one["error"]["hint"]] if one["error"]["hint"] else [], by=4)
    done = sum(one["done"] for one in results)
    put_line(f"{done:,} of {len(results):,} done. Each can be undone by itself with memdesk undo.")


# -- wait ---------------------------------------------------------------------------------------------------------


@verb("wait", examples=["memdesk requests wait req_01JABC --timeout 60"])
@click.argument("request_id", type=WORD)
@click.option("--timeout", type=click.FloatRange(min=0), default=0.0, help="Seconds to wait; else it only looks.")
@click.pass_context
def requests_wait(ctx: click.Context, request_id: str, timeout: float) -> None:
    """Give the outcome of a request and the reason; with --timeout, wait so long for the decision.

    Exit 0 when it was approved, 1 when it was rejected or withdrawn, 3 while it waits.
    """
    import time

    call = this_call(ctx)
    until = time.monotonic() + timeout
    with call.desk() as desk:
        row = desk.request(request_id)
        while row.status == "pending" and (left := until - time.monotonic()) > 0:
            time.sleep(min(0.3, left))
            row = desk.request(row.request_id)
        edited = edited_fields(desk, row)
        data = row_json(desk, row, desk.request_state(row))
    data |= {"outcome": row.status, "sentence": _outcome(row, edited, timeout)}
    call.answer(data, lambda: put_line(data["sentence"]))
    ctx.exit({"approved": 0, "pending": 3}.get(row.status, 1))


def _outcome(row: RequestRow, edited: Sequence[str], waited: float) -> str:
    words = outcome_words(row, edited)
    if not words:
        return f"Still waiting after {waited:,g} seconds." if waited else "Still waiting; --timeout N waits N seconds."
    if row.status == "approved" and row.revised_by not in (None, row.asked_by):
        words += f" (in the wording of {row.revised_by})"
    return f"{words[0].upper()}{words[1:]}" + ("" if words.endswith((".", "!", "?")) else ".")
