"""What agents asked for and a person decides: list, show, approve, reject, wait (DESIGN 4)."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Any, Final

import click

from ...core.text import marks_summary
from .call import Call, now, this_call
from .inputs import TEXT, WORD
from .output import Column, is_stdout_terminal, put_line, put_styled, put_table
from .receipts import entry_json, give
from .shell import Verb, Verbs

_STATUSES: Final = ("pending", "approved", "rejected", "withdrawn", "all")
#: Arguments that are texts, under the name of the field that they become.
_TEXTS: Final = {
    "title": "title", "description": "description", "oneline": "description", "summary": "summary",
    "short": "summary", "body": "body", "full": "body", "text": "body",
}  # fmt: skip


@click.group("requests", cls=Verbs, examples=["memdesk requests", "memdesk requests show req_01J"])
@click.pass_context
def requests_command(ctx: click.Context) -> None:
    """What agents may not do alone, waiting for a person; without a word it lists them."""
    if ctx.invoked_subcommand is None:
        _list(this_call(ctx), "pending")


@requests_command.command("list", cls=Verb, examples=["memdesk requests list --status all --json"])
@click.option("--status", type=click.Choice(_STATUSES), default="pending", help="Which ones; pending by default.")
@click.option("--all", "every", is_flag=True, help="The same as --status all.")
@click.pass_context
def requests_list(ctx: click.Context, status: str, every: bool) -> None:
    """List requests, oldest first."""
    _list(this_call(ctx), "all" if every else status)


@requests_command.command("show", cls=Verb, examples=["memdesk requests show req_01JABC"])
@click.argument("request_id", type=WORD)
@click.pass_context
def requests_show(ctx: click.Context, request_id: str) -> None:
    """Show one request whole: what it would change, against what stands. Approving needs this, on a terminal."""
    call = this_call(ctx)
    with call.desk() as desk:
        row = desk.request(request_id)
        data = _row_json(desk, row) | {"args": dict(row.payload.get("args") or {}), "reason": row.reason}
        call.answer(data, lambda: _tell(desk, row, data))
        if not call.json and is_stdout_terminal():
            desk.mark_request_shown(row)


@requests_command.command("approve", cls=Verb, examples=["memdesk requests approve req_01JABC"])
@click.argument("request_id", type=WORD)
@click.pass_context
def requests_approve(ctx: click.Context, request_id: str) -> None:
    """Do what was asked, in your name on the asker's behalf. Only a person at a terminal can."""
    call = this_call(ctx)
    with call.desk() as desk:
        row = desk.request(request_id)
        receipt = desk.approve(row.request_id)
    give(call, receipt, gaia={
        "request_id": row.request_id, "outcome": "approved", "asked_by": row.asked_by,
        "entries": [entry_json(e) for e in receipt.entries],
    })  # fmt: skip


@requests_command.command("reject", cls=Verb, examples=['memdesk requests reject req_01JABC --reason "still true"'])
@click.argument("request_id", type=WORD)
@click.option("--reason", type=TEXT, required=True, help="Why not; the asker can read it.")
@click.pass_context
def requests_reject(ctx: click.Context, request_id: str, reason: str) -> None:
    """Turn a request down, with a reason. Only a person at a terminal can."""
    call = this_call(ctx)
    with call.desk() as desk:
        row = desk.request(request_id)
        receipt = desk.reject(row.request_id, reason)
    give(call, receipt, gaia={"request_id": row.request_id, "outcome": "rejected", "reason": reason})


@requests_command.command("wait", cls=Verb, examples=["memdesk requests wait req_01JABC --timeout 60"])
@click.argument("request_id", type=WORD)
@click.option("--timeout", type=click.FloatRange(min=0), default=0.0, help="Seconds to wait; 0 only looks.")
@click.pass_context
def requests_wait(ctx: click.Context, request_id: str, timeout: float) -> None:
    """Wait for the decision on a request: exit 0 when approved, 1 when turned down, 3 while it waits."""
    import time

    call = this_call(ctx)
    until = time.monotonic() + timeout
    with call.desk() as desk:
        row = desk.request(request_id)
        while row.status == "pending" and (left := until - time.monotonic()) > 0:
            time.sleep(min(0.3, left))
            row = desk.request(row.request_id)
        data = _row_json(desk, row) | {"reason": row.reason}
    decided = f"{row.status} by {row.decided_by}" + (f": {row.reason}" if row.reason else "")
    call.answer(data, lambda: put_line("Still waiting." if row.status == "pending" else f"{decided.capitalize()}."))
    ctx.exit({"approved": 0, "pending": 3}.get(row.status, 1))


# -- telling ------------------------------------------------------------------------------------------------------


def _list(call: Call, status: str) -> None:
    from ..words import ago, count

    with call.desk() as desk:
        rows = desk.requests(None if status == "all" else status)
        data = [_row_json(desk, r) for r in rows]

    def tell() -> None:
        if not data:
            put_line("Nothing waits for a decision." if status == "pending" else "There are no such requests.")
            return
        heads = ("Request", "Asked", "By", "To", "What", "Now")
        columns = [Column(h, flex=h == "What") for h in heads]
        put_table(columns, [
            (d["request_id"], ago(d["asked_at"], now()), d["asked_by"], d["verb"],
             ", ".join(r["name"] for r in d["refs"]) or str(d["about"] or ""),
             d["state"] + (", hidden characters" if d["hidden"] else "")) for d in data
        ])  # fmt: skip
        put_styled(f"{count(len(data), 'request')}. Read one with memdesk requests show.", "dim")

    call.answer(data, tell)


def _row_json(desk: Any, row: Any) -> dict[str, Any]:
    entries = [desk.store.entry(i) for i in row.refs]
    args = row.payload.get("args") or {}
    return {
        "request_id": row.request_id, "verb": row.verb, "asked_by": row.asked_by, "asked_at": row.asked_at,
        "status": row.status, "state": desk.request_state(row), "kind": row.payload.get("kind"),
        "refs": [
            {"id": i, "name": e.shown_name if e else i, "workspace": e.workspace if e else None}
            for i, e in zip(row.refs, entries, strict=True)
        ],
        "about": args.get("name") or args.get("title"), "rationale": row.payload.get("rationale") or "",
        "because": row.payload.get("reason") or "", "decided_by": row.decided_by, "decided_at": row.decided_at,
        "op_id": row.op_id, "hidden": _hidden(args),
    }  # fmt: skip


def _hidden(args: Mapping[str, Any]) -> str:
    """What a reviewer must look out for: characters in the texts that a screen would hide."""
    return marks_summary("".join(v for v in _flat(args).values() if isinstance(v, str)))


def _tell(desk: Any, row: Any, data: Mapping[str, Any]) -> None:
    from ..words import ago

    put_styled(row.request_id, "bold")
    named = ", ".join(r["name"] for r in data["refs"]) or data["about"] or ""
    put_line(f"{row.asked_by} asked {ago(row.asked_at, now())} to {row.verb} {named}".rstrip() + f" ({data['state']}).")
    if data["because"]:
        put_line(f"It waits because {data['because']}")
    if data["rationale"]:
        put_line(f"Why: {data['rationale']}")
    if row.status != "pending":
        put_line(f"{row.status.capitalize()} by {row.decided_by}" + (f": {row.reason}" if row.reason else "."))
    entry = desk.store.entry(row.refs[0]) if len(row.refs) == 1 else None
    for name, value in _flat(data["args"]).items():
        _tell_argument(name, value, entry, appended=row.verb == "append")


def _flat(args: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with the fields of an edit on the same level."""
    fields = args.get("fields")
    rest = {k: v for k, v in args.items() if k not in ("fields", "ref") and v not in (None, "", [], False)}
    if args.get("status", "") is None:
        rest["status"] = "null"
    return {**(fields if isinstance(fields, Mapping) else {}), **rest}


def _tell_argument(name: str, value: Any, entry: Any, *, appended: bool) -> None:
    from ..words import change

    field = _TEXTS.get(name)
    if field is None or not isinstance(value, str):
        put_line(f"{name}: {value}")
        return
    before = (getattr(entry, field) or "") if entry is not None else ""
    hidden = marks_summary(value)
    put_line()
    size = f", {change(len(before), len(value))}" if before and not appended else ""
    put_styled(f"{name} ({len(value):,} characters{size})", "bold")
    if hidden:
        put_styled(f"Look out: {hidden}.", "bold")
    if not before or appended:
        put_line(value)
        return
    for line in difflib.unified_diff(before.splitlines(), value.splitlines(), "now", "asked", lineterm="", n=3):
        put_line(line)
