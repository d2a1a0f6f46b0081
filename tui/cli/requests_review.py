"""`requests review`: everything that waits and is ready, as one text in the person's editor (DESIGN 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from ...core.errors import InputError, NotAllowed, UsageError
from ...core.text import marks_summary, visible
from ..batch import KeptBatch, decide, needs_reason
from ..batch_text import Batch, Block
from ..widgets.editor import EditorFailed
from ..words import count
from .call import Call, can_ask, now, this_call
from .inputs import TEXT, WORD
from .output import put_line, put_styled
from .requests_telling import short_ids
from .shell import verb

if TYPE_CHECKING:
    from ...core.desk import Desk
    from ...core.desk.deciding import Outcome
    from ...core.store import RequestRow


@verb("review", examples=["memdesk requests review", "memdesk requests review --continue"])
@click.argument("request_ids", metavar="[REQUEST_ID]...", nargs=-1, type=WORD)
@click.option("--editor", is_flag=True, help="In $VISUAL or $EDITOR; this is what it does anyway.")
@click.option("--continue", "go_on", is_flag=True, help="Go on with the batch that was kept.")
@click.option("--fresh", is_flag=True, help="Put a kept batch aside and begin a new one.")
@click.option("--reason", type=TEXT, default="", help="The reason of every rejection that has none of its own.")
@click.pass_context
def requests_review(
    ctx: click.Context, request_ids: tuple[str, ...], editor: bool, go_on: bool, fresh: bool, reason: str
) -> None:
    """Decide a whole batch in your editor: every request that is ready, or those named, one block each.

    Leave a block to approve it, reword its text to approve it with edits, write skip or reject: WHY for its first
    word, delete it to reject it. The line above the first block is yours to delete when you have read them all: while
    it stands nothing is decided. Then you see the plan and agree to it. What you typed is kept until then.
    """
    call = this_call(ctx)
    if go_on and (fresh or request_ids):
        raise UsageError("--continue goes on with the kept batch as it is.", "Leave the rest out.")
    with call.desk() as desk:
        _must_decide(call, desk)
        if go_on:
            kept = _taken(KeptBatch.all_of(desk))
        else:
            begun = _begun(call, desk, request_ids, fresh)
            if begun is None:
                call.answer({"decided": 0, "results": []},
                            lambda: put_line("Nothing that is ready waits for a decision."))  # fmt: skip
                return
            kept = begun
        try:
            failed = _reviewed(call, desk, kept, reason)
        except (KeyboardInterrupt, click.Abort):
            raise _Stopped(kept) from None
        finally:
            kept.release()
    ctx.exit(1 if failed else 0)


class _Stopped(InputError):
    """Ctrl+c, or the end of the input, before everything was decided."""

    code = "interrupted"
    exit_code = 130

    def __init__(self, kept: KeptBatch) -> None:
        super().__init__("Stopped.", _where_it_is(kept), path=str(kept.text))


def _reviewed(call: Call, desk: Desk, kept: KeptBatch, reason: str) -> int:
    """Edit, agree, decide, tell. Returns how many could not be decided."""
    blocks = kept.blocks()
    batch = _edited(kept)
    if batch.unread:
        why = "The line above the first request still stands, so this batch is not read to its end."
        raise _kept(why, kept, "unread")
    if not batch.decides:
        kept.done()
        call.answer({"plan": batch.plan, "results": []}, lambda: put_line(f"The batch {batch.plan}."))
        return 0
    shorts = _shorts(desk, blocks)
    reasons = _agreed(kept, batch, blocks, reason, shorts)
    results: list[Outcome] = []
    try:
        results.extend(decide(desk, blocks, batch, reasons))
    except KeyboardInterrupt:
        click.echo(f"{count(sum(r.done for r in results), 'request')} decided before you stopped it.", err=True)
        raise
    if aside := kept.finish(batch, results):
        call.notes.append(f"A wording of yours was not used; the text stays at {aside}.")
    failed = [r for r in results if not r.done]
    data = {
        "plan": batch.plan, "done": len(results) - len(failed), "failed": len(failed),
        "results": [_result_json(r) for r in results],
    }  # fmt: skip
    call.answer(data, lambda: _tell(results, shorts))
    return len(failed)


def _must_decide(call: Call, desk: Desk) -> None:
    from ...core.desk.deciding import left_to_the_person
    from ...core.policy import Facts, rule

    ruling = rule(desk.actor.role, "requests review", Facts(terminal=desk.actor.on_terminal))
    if not ruling.allowed or not can_ask():
        why = ruling.reason or "A batch is reviewed at a terminal."
        raise NotAllowed(why, left_to_the_person(desk.actor))


# -- which batch --------------------------------------------------------------------------------------------------


def _taken(found: Sequence[KeptBatch]) -> KeptBatch:
    """The newest batch that no other run holds."""
    for kept in found:
        if kept.take():
            return kept
    if found:
        raise _open_elsewhere(found[0])
    raise InputError("No batch is kept.", "Begin one: `memdesk requests review`.", code="no_batch")


def _begun(call: Call, desk: Desk, request_ids: Sequence[str], fresh: bool) -> KeptBatch | None:
    """A new batch; one that was kept is put aside for it, where the person wishes it, once the new one is there."""
    found = KeptBatch.all_of(desk)
    if not fresh:
        for kept in found:
            if kept.is_open:
                raise _open_elsewhere(kept)
        for kept in found:
            raise InputError(
                f"A batch that you did not finish is kept at {kept.text}.",
                "Go on with it: `memdesk requests review --continue`; or begin a new one with --fresh.",
                code="batch_kept", path=str(kept.text),
            )  # fmt: skip
    named = [desk.request(i) for i in dict.fromkeys(request_ids)]
    rows = list({row.request_id: row for row in named}.values())
    call.notes += _left_out(desk, rows)
    begun, _ = KeptBatch.begin(desk, rows or desk.requests(), now())
    if begun is None and rows:
        raise InputError(call.notes.pop(0), "See why: `memdesk requests show`.", code="not_ready")
    for kept in found if begun else ():
        if kept.take() and (aside := kept.set_aside()):
            click.echo(f"The batch that you did not finish stays at {aside}.", err=True)
    return begun


def _left_out(desk: Desk, rows: Sequence[RequestRow]) -> list[str]:
    """A sentence on each request that was named and cannot be decided here, and why."""
    states = desk.request_states(rows)
    return [
        f"{row.request_id} is not ready: {' '.join(desk.why_not_ready(row)) or states[row.request_id]}"
        for row in rows if states[row.request_id] != "ready"
    ]  # fmt: skip


def _open_elsewhere(kept: KeptBatch) -> InputError:
    return InputError(
        f"A batch of yours is open in another terminal since {kept.since:%Y-%m-%d %H:%M} UTC.",
        "Finish it there; or begin another one beside it with --fresh.", code="batch_open", path=str(kept.text),
    )  # fmt: skip


# -- what the person says -----------------------------------------------------------------------------------------


def _edited(kept: KeptBatch) -> Batch:
    """What came back from the editor, which is opened again as long as it cannot be read and the person wishes."""
    while True:
        try:
            batch = kept.edit()
        except EditorFailed as error:
            raise _kept(str(error), kept, "editor_failed") from None
        if not batch.problems:
            return batch
        for problem in batch.problems:
            click.echo(_safe(str(problem)), err=True)
        if not click.confirm("Nothing was decided. Open it again?", default=True, err=True):
            raise _kept(f"The batch cannot be read: {batch.problems[0]}", kept, "batch_unreadable",
                        problems=[str(p) for p in batch.problems])  # fmt: skip


def _kept(message: str, kept: KeptBatch, code: str, **extra: Any) -> InputError:
    return InputError(
        message, f"Nothing was decided. {_where_it_is(kept)}", code=code, path=str(kept.text) if kept.there else None,
        **extra,
    )  # fmt: skip


def _where_it_is(kept: KeptBatch) -> str:
    if not kept.there:
        return "Begin again: `memdesk requests review`."
    return (
        f"What you typed is kept at {kept.text}. Go on with `memdesk requests review --continue`, "
        "or begin a new one with --fresh."
    )


def _agreed(
    kept: KeptBatch, batch: Batch, blocks: Sequence[Block], reason: str, shorts: Mapping[str, str]
) -> dict[str, str]:
    """Show the plan and ask once. Returns the reasons of rejections that carry none.

    Raises:
        InputError: the person does not agree; the batch stays kept.
    """
    heads = {b.request_id: b.head for b in blocks}
    flagged = {b.request_id for b in blocks if b.flagged}
    for choice in batch.choices:
        note = " (its block is gone)" if choice.deleted else " (reworded)" if choice.edited else ""
        sign = "!" if choice.request_id in flagged and choice.word == "approve" else " "
        line = f"{sign} {choice.word:8} {shorts[choice.request_id]}  {heads[choice.request_id]}{note}"
        click.echo(_safe(line), err=True)
        if choice.unused:
            click.echo(_safe(f"           your wording of its {', '.join(choice.unused)} is not used"), err=True)
        if hidden := marks_summary("".join(choice.edited.values())):
            click.echo(f"           ! your wording holds {hidden}", err=True)
        if choice.dropped_marks:
            marks = count(choice.dropped_marks, "hidden character")
            click.echo(f"           your wording leaves out {marks}", err=True)
    click.echo(f"The batch {batch.plan}.", err=True)
    question = "Do it?"
    if batch.emptied:
        question = f"The file came back empty. Reject all {len(batch.choices):,}?"
    elif batch.untouched:
        question = "You changed nothing in it. Approve all that can be approved here?"
    if not click.confirm(question, default=False, err=True):
        raise _kept("You did not agree to the plan.", kept, "declined")
    return _reasons(batch, heads, reason)


def _reasons(batch: Batch, heads: dict[str, str], reason: str) -> dict[str, str]:
    reasons: dict[str, str] = {}
    last = reason
    for choice in needs_reason(batch):
        if reason:
            reasons[choice.request_id] = reason
            continue
        click.echo(_safe(f"Why not: {heads[choice.request_id]}"), err=True)
        last = click.prompt("Reason, which the asker reads", default=last or None, type=TEXT, err=True)
        reasons[choice.request_id] = last
    return reasons


def _result_json(outcome: Outcome) -> dict[str, Any]:
    receipt = outcome.receipt
    return {
        "request_id": outcome.request_id, "done": outcome.done, "words": outcome.words,
        "op_id": receipt.op_id if receipt else None,
    }  # fmt: skip


def _shorts(desk: Desk, blocks: Sequence[Block]) -> dict[str, str]:
    ids = [block.request_id for block in blocks]
    return dict(zip(ids, short_ids(ids, desk.request_keys(None)), strict=True))


def _tell(results: Sequence[Outcome], shorts: Mapping[str, str]) -> None:
    for one in results:
        put_line(f"{' ' if one.done else '!'} {shorts[one.request_id]}  {one.words}")
    done = sum(r.done for r in results)
    put_styled(f"{done:,} of {len(results):,} done. Each can be undone by itself with memdesk undo.", "dim")


def _safe(text: str) -> str:
    return visible(text, keep_newlines=False)
