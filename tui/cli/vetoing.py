"""`veto`: what agents did on their own, to be kept or taken back by a person (DESIGN 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from ...core.errors import MemdeskError
from .call import Call, now, this_call
from .flags import workspace_flag
from .inputs import WORD
from .output import Column, put_line, put_styled, put_table, warn
from .receipts import entry_json, give, receipt_json
from .shell import Verb, Verbs
from .undoing import short_operations

if TYPE_CHECKING:
    from ...core.desk import Desk
    from ...core.desk.rewinding import Step
    from ...core.desk.vetoing import Work

_SHOWN: Final = 12


class _Veto(Verbs):
    """`memdesk veto OP` is short for `memdesk veto take-back OP`."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0].casefold().startswith("op_"):
            return super().resolve_command(ctx, ["take-back", *args])
        return super().resolve_command(ctx, args)


@click.group(
    "veto", cls=_Veto, examples=["memdesk veto", "memdesk veto op_01JABCDEFG", "memdesk veto keep op_01JABCDEFG"]
)
@click.pass_context
def veto_command(ctx: click.Context) -> None:
    """What agents did on their own; without a word it lists it, and `memdesk veto OP` takes that operation back.

    What touches an entry about you (a `user_…`) is flagged and stays on the list until you keep or veto it; of the rest
    you see what came since your last visit to the desk. A pull counts as agents' work, since Gaia does not note who
    wrote.
    """
    if ctx.invoked_subcommand is None:
        _list(this_call(ctx), limit=20, flagged=False, kept=False, workspace=None)


@veto_command.command("list", cls=Verb, examples=["memdesk veto list --flagged", "memdesk veto list --kept --json"])
@click.option("--flagged", is_flag=True, help="Only what touches an entry about you.")
@click.option("--kept", is_flag=True, help="What you have kept, instead.")
@click.option("--limit", type=click.IntRange(min=0), default=20, show_default=True, help="How many; 0 for all.")
@workspace_flag
@click.pass_context
def veto_list(ctx: click.Context, flagged: bool, kept: bool, limit: int, workspace: str | None) -> None:
    """List what agents did and nobody has kept or vetoed, flagged ones on top, the newest first."""
    _list(this_call(ctx), limit=limit, flagged=flagged, kept=kept, workspace=workspace)


@veto_command.command("show", cls=Verb, examples=["memdesk veto show op_01JABCDEFG"])
@click.argument("operation", type=WORD)
@click.pass_context
def veto_show(ctx: click.Context, operation: str) -> None:
    """Show one operation: who, when, the difference it made, and what a veto would take back or why it is refused."""
    from .history import version_diff

    call = this_call(ctx)
    with call.desk() as desk:
        row = desk.logged(operation)
        [work] = desk.work_of([row.op_id])
        [step] = desk.preview_undo(row.op_id).steps
        did = []
        for entry in desk.store.entries_of(row.entries[:_SHOWN]):
            versions = [v for v in desk.history(entry.id)[1] if v.op_id == row.op_id]
            lines = [line for v in versions for line in version_diff(v)]
            did.append({**entry_json(entry), "changes": [v.summary for v in versions], "diff": lines})
        more = len(row.entries) - len(did)
        refusal = step.refusal.as_dict() if step.refusal is not None else None
        data = _work_json(work) | {"entries": did, "more_entries": more, "refusal": refusal}
        call.answer(data, lambda: _tell_one(work, did, more, step))


@veto_command.command("take-back", cls=Verb, examples=["memdesk veto take-back op_01JABCDEFG op_01JABCDEFH"])
@click.argument("operations", metavar="OP...", nargs=-1, required=True, type=WORD)
@click.pass_context
def veto_take_back(ctx: click.Context, operations: tuple[str, ...]) -> None:
    """Veto: undo what an agent did, whole. Only a person can; `memdesk undo` brings it back.

    It refuses, naming who and when, where a later change stands on top. Several go the newest first, each an operation
    of its own; exit 1 if any stays.
    """
    call = this_call(ctx)
    with call.desk() as desk:
        ids = _whole_ids(desk, operations)
        if len(ids) == 1:
            receipt = desk.veto(ids[0])
            give(call, receipt, gaia={"entries": [entry_json(e) for e in receipt.entries]})
            return
        done = desk.veto_many(ids)
    results = [
        {"op_id": d.op_id, "done": d.done, "said": d.words, "receipt": receipt_json(d.receipt) if d.receipt else None}
        for d in done
    ]

    def tell() -> None:
        for one in done:
            put_line(f"{one.words}." if one.done else f"Left as it is: {one.words}")

    call.answer({"results": results, "warnings": []}, tell)
    ctx.exit(0 if all(d.done for d in done) else 1)


@veto_command.command("keep", cls=Verb, examples=["memdesk veto keep op_01JABCDEFG"])
@click.argument("operations", metavar="OP...", nargs=-1, required=True, type=WORD)
@click.pass_context
def veto_keep(ctx: click.Context, operations: tuple[str, ...]) -> None:
    """Let what an agent did stand: it leaves the list. Only a person can; a veto stays possible."""
    call = this_call(ctx)
    kept, failed = [], list[MemdeskError]()
    with call.desk() as desk:
        ids = _whole_ids(desk, operations)
        for operation in ids:
            try:
                kept.append(desk.keep_work(operation))
            except MemdeskError as error:
                if len(ids) == 1:
                    raise
                failed.append(error)
    data = {"kept": [r.op_id for r in kept], "failed": [e.as_dict() for e in failed], "warnings": []}

    def tell() -> None:
        for row in kept:
            put_line(f"Kept: {row.summary}.")
        for error in failed:
            warn(f"{error.message} {error.hint}".rstrip())

    call.answer(data, tell)
    ctx.exit(1 if failed else 0)


def _whole_ids(desk: Desk, given: Sequence[str]) -> tuple[str, ...]:
    """Each operation once, however much of its id was given; what names none stays as it is, to be told."""
    found = []
    for one in given:
        row = desk.store.operation(one)
        found.append(one if row is None else row.op_id)
    return tuple(dict.fromkeys(found))


# -- telling ------------------------------------------------------------------------------------------------------


def _list(call: Call, *, limit: int, flagged: bool, kept: bool, workspace: str | None) -> None:
    with call.desk() as desk:
        if workspace is not None:
            workspace = desk.workspace_for_reading(workspace)
        if kept:
            groups = [("Kept", [w.op.op_id for w in desk.kept_work()])]
        else:
            keys = desk.agents_keys(workspace=workspace)
            groups = [("About you, until you keep or veto it", keys[0])]
            groups += [] if flagged else [(_since(desk), keys[1])]
        shown = [(head, len(ids), desk.work_of(ids[: limit or None])) for head, ids in groups]
        shorts = short_operations(desk, [w.op.op_id for _, _, works in shown for w in works])
    data = {
        "work": [_work_json(w) for _, _, works in shown for w in works],
        "flagged": None if kept else len(keys[0]), "rest": None if kept or flagged else len(keys[1]), "warnings": [],
    }  # fmt: skip
    call.answer(data, lambda: _tell_list(shown, shorts))


def _since(desk: Desk) -> str:
    from ..words import ago

    since = desk.store.last_seen_at(desk.actor.name)
    return f"Else since you were at the desk, {ago(since, now())}" if since else "Else so far"


def _tell_list(groups: list[tuple[str, int, list[Work]]], shorts: Mapping[str, str]) -> None:
    from ..words import age_short, listing

    if not any(number for _, number, _ in groups):
        put_line("Nothing here waits for a look.")
        return
    for head, number, works in groups:
        if not number:
            continue
        put_styled(f"{head}: {number:,}", "bold")
        columns = [Column(""), Column("Operation", whole=True), Column("Age", right=True), Column("Who"),
                   Column("What", flex=True), Column("On", flex=True)]  # fmt: skip
        put_table(columns, [
            ("!" if w.flagged else "", shorts[w.op.op_id], age_short(w.op.timestamp, now()), w.op.actor, w.op.summary,
             listing(w.names) + (f" and {w.more:,} more" if w.more else "")) for w in works
        ])  # fmt: skip
        if number > len(works):
            put_styled(f"{number - len(works):,} more; --limit 0 lists all.", "dim")
    put_styled("Read one with memdesk veto show OP, take it back with veto OP, keep it with veto keep OP.", "dim")


def _tell_one(work: Work, did: list[dict[str, Any]], more: int, step: Step) -> None:
    from ..words import ago, count

    op = work.op
    put_styled(op.summary, "bold")
    role = f", in the role {op.role}" if op.role else ""
    put_line(f"{op.op_id} by {op.actor}{role}, {ago(op.timestamp, now())}")
    if work.flagged:
        put_line("It is about you, and stays on the list until you keep or veto it.")
    for one in did:
        put_line()
        put_styled(f"{one['workspace']}/{one['name']}: {'; '.join(one['changes']) or 'nothing that shows'}", "bold")
        for line in one["diff"]:
            put_line(f"  {line}")
    if more > 0:
        put_line(f"And {count(more, 'entry')} more.")
    put_line()
    put_line(_veto_words(work, step, len(did) + more))


def _veto_words(work: Work, step: Step, entries: int) -> str:
    from ..words import count

    if work.op.undone_by:
        return "It is undone."
    if step.refusal is not None:
        return f"A veto is refused: {step.refusal.message} {step.refusal.hint}".rstrip()
    all_of_it = f"all of it, on {count(entries, 'entry')}" if entries else "it"
    return f"A veto takes back {all_of_it}: memdesk veto {work.op.op_id}"


def _work_json(work: Work) -> dict[str, Any]:
    op = work.op
    return {
        "op_id": op.op_id, "verb": op.verb, "summary": op.summary, "actor": op.actor, "role": op.role,
        "session_id": op.session_id, "timestamp": op.timestamp, "flagged": work.flagged, "kept": work.kept,
        "undone_by": op.undone_by, "names": list(work.names), "more": work.more,
    }  # fmt: skip
