"""Verbs of several writes: checkpoint (all or nothing) and batch (best effort, one result each)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import click

from .call import this_call
from .flags import rationale_flag, scope_flags
from .inputs import check_texts, read_json
from .output import put_indented, put_line, put_styled, warn
from .receipts import give
from .shell import verb

if TYPE_CHECKING:
    from ...core.desk import Receipt

#: The exit code of what waits for a person.
_WAITS: Final = 3

@verb(
    "checkpoint",
    examples=[
        "memdesk checkpoint --file milestone.json --workspace me",
        "cat milestone.json | memdesk checkpoint --file - --project x --workspace me",
    ],
)
@click.option("--file", "path", metavar="PATH|-", required=True, help="The payload, as JSON.")
@scope_flags
@rationale_flag
@click.pass_context
def checkpoint_command(ctx: click.Context, path: str, **scope: Any) -> None:
    """Record a milestone and its pending threads in one step: all of it, or nothing.

    \b
    The payload:
      {"resumen": {"name", "type", "body", "description"},
       "pendientes": [{"name", "body", "description"}]}

    The record becomes knowledge, each pending a thread carried forward that was derived from it.
    """
    call = this_call(ctx)
    payload = check_texts(read_json(path), "The payload")
    with call.desk() as desk:
        receipt = desk.checkpoint(payload, **scope)
    rows = [dict(r) for r in receipt.results if "id" in r]
    links = [{k: v for k, v in r.items() if k != "link"} for r in receipt.results if r.get("link")]
    anchor, threads = rows[0], rows[1:]
    workspace = receipt.entry.workspace
    updated = max((e.updated_at for e in receipt.entries if e.updated_at), default=None)
    give(call, receipt, gaia={
        "workspace": workspace, "anchor": anchor, "threads": threads, "links": links,
        "project_ref": receipt.entry.project_ref, "updated_at": updated,
    })  # fmt: skip


@verb("batch", examples=['echo \'[{"op": "append", "ref": "project_x", "text": "more"}]\' | memdesk batch --file -'])
@click.option("--file", "path", metavar="PATH|-", required=True, help="The operations, as a JSON list.")
@click.pass_context
def batch_command(ctx: click.Context, path: str) -> None:
    """Run independent operations in order; a failure does not stop the rest, and each has its own result.

    \b
    An operation is {"op": VERB, ...}; names are as for the command of that verb:
      add         name, body, workspace or project or project_ref; type description title
                  summary class status audience initiative tags create_workspace
      create      kind, title, oneline; short full name parent tags and a scope
      append      ref, text            comment    ref, text; title
      edit        ref; fields {title description summary body}, add_tags, rm_tags,
                  class, status, state, audience, project, project_ref, initiative
      reclassify  ref (one or a list); class, status
      link        from, kind, to       unlink     from, kind, to
      supersede   old, by              rename     ref, name
      delete      ref; reason          restore    ref

    Every verb but add and create takes a workspace to look in. `memdesk undo` takes the operations back one by one.
    """
    call = this_call(ctx)
    operations = check_texts(read_json(path), "The batch")
    with call.desk() as desk:
        receipt = desk.batch(operations)
    failed = [r for r in receipt.results if not r["ok"]]
    data = {
        "status": receipt.action, "summary": receipt.summary, "total": len(receipt.results),
        "failed": len(failed), "waits": sum(r["exit_code"] == _WAITS for r in failed),
        "results": [dict(r) for r in receipt.results], "warnings": list(receipt.warnings),
    }  # fmt: skip

    call.answer(data, lambda: _tell_batch(receipt))
    if failed:
        # Everything that only waits for a person is not a failure of the batch.
        ctx.exit(_WAITS if all(r["exit_code"] == _WAITS for r in failed) else 1)


def _tell_batch(receipt: Receipt) -> None:
    for result in receipt.results:
        if result["ok"]:
            put_line(f"{result['index'] + 1}. {result['summary']}.")
            for warning in result["warnings"]:
                warn(warning)
        else:
            _tell_not_done(result["index"] + 1, result["op"], result["error"], result["exit_code"] == _WAITS)
    put_line(f"{receipt.summary}.")


def _tell_not_done(number: int, op: str, error: Mapping[str, Any], waits: bool) -> None:
    """One operation that was not done: it waits for a person, or failed; and the next step."""
    if waits:
        put_styled(f"{number}. {error['request_id']}: {op} waits.", "bold")
        put_indented([error["message"]], by=3)
        return
    put_styled(f"{number}. {op} failed [{error['code']}]: {error['message']}", "bold")
    put_indented([error["hint"]] if error["hint"] else [], by=3)
