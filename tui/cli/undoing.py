"""Walking back and forth through operations, and the log of them (DESIGN 3.5)."""

from __future__ import annotations

from typing import Any

import click

from .call import now, this_call
from .flags import workspace_flag
from .inputs import NAME, WORD
from .output import Column, put_line, put_styled, put_table
from .receipts import entry_json, give
from .shell import verb


@verb("undo", examples=["memdesk undo", "memdesk undo op_01JABCDEFG"])
@click.argument("operation", required=False, type=WORD)
@click.option("--steps", type=click.IntRange(min=1), default=1, help="How many of your operations to walk back.")
@click.pass_context
def undo_command(ctx: click.Context, operation: str | None, steps: int) -> None:
    """Take back your newest operation, or the one named. Nothing is lost: `redo` brings it back.

    It refuses, naming who and when, where a later change stands on top of it.
    """
    call = this_call(ctx)
    with call.desk() as desk:
        receipt = desk.undo(operation, steps=steps)
    give(call, receipt, gaia=_done_json(receipt))


@verb("redo", examples=["memdesk redo"])
@click.option("--steps", type=click.IntRange(min=1), default=1, help="How many of your undos to bring back.")
@click.pass_context
def redo_command(ctx: click.Context, steps: int) -> None:
    """Bring back what your newest undo took away."""
    call = this_call(ctx)
    with call.desk() as desk:
        receipt = desk.redo(steps=steps)
    give(call, receipt, gaia=_done_json(receipt))


def _done_json(receipt: Any) -> dict[str, Any]:
    steps = [dict(r) for r in receipt.results] or [{"op_id": receipt.op_id, "summary": receipt.summary}]
    return {"entries": [entry_json(e) for e in receipt.entries], "steps": steps}


@verb("log", examples=["memdesk log --limit 10", "memdesk log --new", "memdesk log project_x --json"])
@click.argument("ref", required=False, type=NAME)
@click.option("--limit", type=click.IntRange(min=0), default=20, show_default=True, help="How many; 0 for all.")
@click.option("--by", "by", type=NAME, help="Only what this actor did.")
@click.option("--new", "new", is_flag=True, help="Only what others did since your last visit to the desk.")
@workspace_flag
@click.pass_context
def log_command(
    ctx: click.Context, ref: str | None, limit: int, by: str | None, new: bool, workspace: str | None
) -> None:
    """List operations, newest first: of everybody, of one actor, or on one entry."""
    from ..words import ago

    call = this_call(ctx)
    with call.desk() as desk:
        entry_id = desk.find(ref, workspace).id if ref else None
        rows = desk.log(limit=None if new else limit or None, by=by, entry_id=entry_id)
        if new:
            known = {r.op_id for r in desk.since_last_visit(limit=1_000_000).operations}
            rows = [r for r in rows if r.op_id in known and r.actor != desk.actor.name][: limit or None]
        names = {e.id: e.shown_name for e in desk.store.entries_of({i for r in rows for i in r.entries})}
    data = [_operation_json(r, names) for r in rows]

    def tell() -> None:
        if not rows:
            put_line("Nothing new." if new else "Nothing has been done here yet.")
            return
        columns = [Column("Operation"), Column("When"), Column("Who"), Column("What", flex=True), Column("")]
        put_table(columns, [(r.op_id, ago(r.timestamp, now()), r.actor, r.summary, _fate(r)) for r in rows])
        put_styled("Undo one with memdesk undo OPERATION.", "dim")

    call.answer(data, tell)


def _fate(row: Any) -> str:
    if row.ignored:
        return "does not count"
    return "undone" if row.undone_by else ""


def _operation_json(row: Any, names: dict[str, str]) -> dict[str, Any]:
    return {
        "op_id": row.op_id, "verb": row.verb, "summary": row.summary, "actor": row.actor, "role": row.role,
        "on_behalf_of": row.on_behalf_of, "session_id": row.session_id, "timestamp": row.timestamp,
        "undoes": row.undoes, "undone_by": row.undone_by, "counts": not (row.undone_by or row.ignored),
        "entries": [{"id": i, "name": names.get(i)} for i in row.entries],
    }  # fmt: skip
