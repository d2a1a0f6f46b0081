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
    word, delete it to reject it. Nothing is decided before you have seen the plan and agreed. What you typed is kept
    until then.
    """
    call = this_call(ctx)
    if go_on and (fresh or request_ids):
        raise UsageError("--continue goes on with the kept batch as it is.", "Leave the rest out.")
    with call.desk() as desk:
        _must_decide(call, desk)
        kept = KeptBatch.of(desk)
        blocks = _blocks(desk, kept, request_ids, go_on, fresh)
        if not blocks:
            call.answer({"decided": 0, "results": []}, lambda: put_line("Nothing that is ready waits for a decision."))
            return
        batch = _edited(call, kept)
        if not batch.decides:
            kept.done()
            call.answer({"plan": batch.plan, "results": []}, lambda: put_line(f"The batch {batch.plan}."))
            return
        reasons = _agreed(kept, batch, blocks, reason, _shorts(desk, blocks))
        results = list(decide(desk, blocks, batch, reasons))
        shorts = _shorts(desk, blocks)
        if kept.finish(batch, results):
            call.notes.append(f"A wording of yours was not used; the text stays at {kept.text}.dropped.")
    failed = [r for r in results if not r.done]
    data = {
        "plan": batch.plan, "done": len(results) - len(failed), "failed": len(failed),
        "results": [_result_json(r) for r in results],
    }  # fmt: skip
    call.answer(data, lambda: _tell(results, shorts))
    ctx.exit(1 if failed else 0)


def _must_decide(call: Call, desk: Desk) -> None:
    from ...core.policy import Facts, rule

    ruling = rule(desk.actor.role, "requests review", Facts(terminal=desk.actor.on_terminal))
    if not ruling.allowed or not can_ask():
        why = ruling.reason or "A batch is reviewed at a terminal."
        raise NotAllowed(why, "Decide it yourself, in a terminal, as the person who curates this memory.")


def _blocks(
    desk: Desk, kept: KeptBatch, request_ids: Sequence[str], go_on: bool, fresh: bool
) -> tuple[Block, ...]:
    if go_on:
        if not kept.there:
            raise InputError("No batch is kept.", "Begin one: `memdesk requests review`.", code="no_batch")
        return kept.blocks()
    if kept.there and not fresh:
        raise InputError(
            f"A batch that you did not finish is kept at {kept.text}.",
            "Go on with it: `memdesk requests review --continue`; or begin a new one with --fresh.",
            code="batch_kept", path=str(kept.text),
        )  # fmt: skip
    kept.set_aside()
    named = [desk.request(i) for i in dict.fromkeys(request_ids)]
    return kept.begin(desk, named or desk.requests(), now())


def _edited(call: Call, kept: KeptBatch) -> Batch:
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
        message, f"Nothing was decided; what you typed is kept at {kept.text}. "
        "Go on with `memdesk requests review --continue`.", code=code, path=str(kept.text), **extra,
    )  # fmt: skip


def _agreed(
    kept: KeptBatch, batch: Batch, blocks: Sequence[Block], reason: str, shorts: Mapping[str, str]
) -> dict[str, str]:
    """Show the plan and ask once. Returns the reasons of rejections that carry none.

    Raises:
        InputError: the person does not agree; the batch stays kept.
    """
    heads = {b.request_id: b.head for b in blocks}
    flagged = {b.request_id for b in blocks if any(note.startswith("! ") for note in b.notes)}
    for choice in batch.choices:
        note = " (its block is gone)" if choice.deleted else " (reworded)" if choice.edited else ""
        sign = "!" if choice.request_id in flagged and choice.word == "approve" else " "
        line = f"{sign} {choice.word:8} {shorts[choice.request_id]}  {heads[choice.request_id]}{note}"
        click.echo(_safe(line), err=True)
        if choice.unused:
            click.echo(f"           your wording of its {', '.join(choice.unused)} is not used", err=True)
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
        question = "The file came back as it was. Approve all that can be approved here?"
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
