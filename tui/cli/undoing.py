"""Walking back and forth through operations, and the log of them (DESIGN 3.5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import click

from ...core.errors import UsageError
from .call import now, this_call
from .flags import workspace_flag
from .inputs import NAME, WORD
from .output import Column, put_line, put_styled, put_table, width
from .receipts import entry_json, give
from .shell import verb


def to_flags(command: Any) -> Any:
    """The flags of a walk to an operation."""
    for option in (
        click.option("--dry-run", is_flag=True, help="Show what would change; change nothing."),
        click.option("--everybody", is_flag=True, help="With --to: walk over what others did too."),
        click.option("--to", metavar="OP", type=WORD, help="Go to right after this operation, which itself stands."),
    ):
        command = option(command)
    return command


@verb(
    "undo",
    examples=["memdesk undo", "memdesk undo op_01JABCDEFG", "memdesk undo --to op_01JABCDEFG --dry-run"],
)
@click.argument("operation", required=False, type=WORD)
@click.option("--steps", type=click.IntRange(min=1), default=1, help="How many of your operations to walk back.")
@to_flags
@click.pass_context
def undo_command(ctx: click.Context, operation: str | None, steps: int, **walk: Any) -> None:
    """Take back your newest operation, or the one named. Nothing is lost: `redo` brings it back.

    It refuses, naming who and when, where a later change stands on top of it.
    """
    _walk_or(ctx, "undo", operation, lambda desk: desk.undo(operation, steps=steps), **walk)


@verb("redo", examples=["memdesk redo", "memdesk redo --to op_01JABCDEFG"])
@click.option("--steps", type=click.IntRange(min=1), default=1, help="How many of your undos to bring back.")
@to_flags
@click.pass_context
def redo_command(ctx: click.Context, steps: int, **walk: Any) -> None:
    """Bring back what your newest undo took away."""
    _walk_or(ctx, "redo", None, lambda desk: desk.redo(steps=steps), **walk)


def _walk_or(
    ctx: click.Context, verb_: str, operation: str | None, plain: Callable[[Any], Any], *, to: str | None,
    everybody: bool, dry_run: bool,
) -> None:  # fmt: skip
    call = this_call(ctx)
    if to is None and everybody:
        raise UsageError("--everybody goes with --to.", "Name the operation to go back to.")
    if to is not None and operation is not None:
        raise UsageError("An operation and --to exclude each other.", "Give one of them.")
    with call.desk() as desk:
        if to is None and not dry_run:
            receipt = plain(desk)
            give(call, receipt, gaia=_done_json(receipt))
            return
        walk = desk.walk_to(to, everybody=everybody) if to is not None else _plain_walk(desk, verb_, operation)
        if to is not None and walk.steps and walk.verb != verb_:
            stands = "is undone" if walk.verb == "redo" else "stands"
            hint = f"Use `memdesk {walk.verb} --to`."
            raise UsageError(f"That operation {stands}: there is nothing to {verb_}.", hint)
        if dry_run:
            call.answer(_walk_json(walk), lambda: _tell_walk(walk))
            return
        receipt = desk.go(walk)
    give(call, receipt, gaia=_done_json(receipt) | _walk_json(walk))


def _plain_walk(desk: Any, verb_: str, operation: str | None) -> Any:
    """The walk of plain `undo` or `redo`: one step."""
    if operation is not None:
        return desk.preview_undo(operation)
    row = desk.next_undo() if verb_ == "undo" else desk.next_redo()
    return desk.rehearse([row] if row is not None else [], verb_)


def _walk_json(walk: Any) -> dict[str, Any]:
    from .moments import change_json

    return {
        "direction": walk.verb,
        "walk": [
            {"op_id": s.operation.op_id, "verb": s.verb, "summary": s.says, "actor": s.operation.actor,
             "refusal": s.refusal.as_dict() if s.refusal is not None else None}
            for s in walk.steps
        ],
        "changes": [change_json(c, walk.names) for c in walk.changes],
    }  # fmt: skip


def _tell_walk(walk: Any) -> None:
    from ..words import ago
    from .moments import tell_change

    if not walk.steps:
        put_line("There is nothing to do: that is how things stand.")
        return
    put_styled("Would be done, in this order", "bold")
    for step in walk.able:
        row = step.operation
        put_line(f"  {step.verb}  {row.op_id}  {ago(row.timestamp, now())}  {row.actor}  {step.says}")
    if walk.refused:
        put_styled("Would stay", "bold")
        for step in walk.refused:
            put_line(f"  {step.operation.op_id}  {step.says}: {step.refusal.message}")
    put_styled("What would change", "bold")
    for change in walk.changes:
        tell_change(change, walk.names)
    if not walk.changes:
        put_line("  Nothing that shows.")


def _done_json(receipt: Any) -> dict[str, Any]:
    steps = [dict(r) for r in receipt.results] or [{"op_id": receipt.op_id, "summary": receipt.summary}]
    return {"entries": [entry_json(e) for e in receipt.entries], "steps": steps}


_ALL = 1_000_000
#: The least characters of an id in a list: a quarter of a second of its time.
_SHORT: Final = 12
#: The most ids that are looked up one by one.
_LOOKED_UP: Final = 200


@verb("log", examples=["memdesk log --limit 10", "memdesk log --new", "memdesk log project_x --json"])
@click.argument("ref", required=False, type=NAME)
@click.option("--limit", type=click.IntRange(min=0), default=20, show_default=True, help="How many; 0 for all.")
@click.option("--by", "by", type=NAME, help="Only what this actor did.")
@click.option("--session", type=NAME, help="Only what this session did.")
@click.option("--entries", "with_entries", is_flag=True, help="Name the entries that each touched.")
@click.option("--new", "new", is_flag=True, help="Only what others did since your last visit to the desk.")
@workspace_flag
@click.pass_context
def log_command(
    ctx: click.Context, ref: str | None, limit: int, by: str | None, session: str | None, with_entries: bool,
    new: bool, workspace: str | None,
) -> None:  # fmt: skip
    """List operations, newest first: of everybody, of one actor, or on one entry."""
    from ..words import ago, listing

    call = this_call(ctx)
    with call.desk() as desk:
        entry_id = desk.find(ref, workspace).id if ref else None
        if new:
            rows = [
                r for r in desk.since_last_visit(limit=_ALL).operations
                if r.actor != desk.actor.name and by in (None, r.actor) and (entry_id is None or entry_id in r.entries)
            ]  # fmt: skip
        else:
            rows = desk.log(limit=None if session else limit or None, by=by, entry_id=entry_id)
        if session is not None:
            rows = [r for r in rows if r.session_id == session]
        rows = rows[: limit or None]
        names = {e.id: e.shown_name for e in desk.store.entries_of({i for r in rows for i in r.entries})}
        shorts = short_operations(desk, [r.op_id for r in rows])
    data = [_operation_json(r, names) for r in rows]

    def tell() -> None:
        if not rows:
            narrowed = entry_id is not None or by is not None or session is not None
            put_line("Nothing new." if new else "Nothing of that has been done here." if narrowed
                     else "Nothing has been done here yet.")  # fmt: skip
            return
        columns = [Column("Operation", whole=True), Column("When"), Column("Who"), Column("What", flex=True),
                   Column("")]  # fmt: skip
        if with_entries:
            columns.insert(4, Column("Entries", flex=True))
        table = [[shorts[r.op_id], ago(r.timestamp, now()), r.actor, r.summary, _fate(r)] for r in rows]
        for line, row in zip(table, rows, strict=True):
            if with_entries:
                line.insert(4, listing([names.get(i, i) for i in row.entries]))
        put_table(columns, table)
        put_styled("Undo one with memdesk undo OPERATION.", "dim")

    call.answer(data, tell)


def short_operations(desk: Any, op_ids: Sequence[str]) -> dict[str, str]:
    """The ids; at a terminal as much of each as names it alone, which every command takes."""
    if width() is None or len(op_ids) > _LOOKED_UP:
        return {i: i for i in op_ids}
    found = {}
    for op_id in op_ids:
        size = _SHORT
        while size < len(op_id) and desk.store.operation(op_id[:size]) is None:
            size += 2
        found[op_id] = op_id[:size]
    return found


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
