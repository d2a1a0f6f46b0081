"""`get-relevant`: the block that a session start injects, with what falls below the cut (DESIGN 5)."""

from __future__ import annotations

from typing import Any

import click

from ...core.errors import UsageError
from ...core.model import EntryClass, State, Status
from .call import this_call
from .flags import words
from .inputs import NAME, WORD
from .output import put_line
from .shell import verb

#: What `--sections` takes; other words are left out, as Gaia does, and all three when none is known.
_ALL = "carry_forward,anchor,thread_open"
#: How long a session start waits for another process that writes: for a pull, and to count the injection.
_HOOK_MS = 500


@verb(
    "get-relevant",
    examples=[
        "memdesk get-relevant --workspace=me --max-chars 800 --json",
        "memdesk get-relevant --initiative=billing",
        "memdesk get-relevant --sections=carry_forward,anchor",
        "memdesk get-relevant --with project_x=closed --with project_y=carry_forward",
    ],
)
@click.option(
    "--sections",
    type=WORD,
    is_flag=False,
    flag_value=_ALL,
    help="Sections instead of the worklist: carry_forward,anchor,thread_open; all when none is named.",
)
@click.option("--initiative", type=WORD, help="Everything live of one initiative, uncapped, with bodies.")
@click.option("--types", "--type", "types", type=WORD, multiple=True, help="The newest of these types.")
@click.option("--max-chars", type=click.IntRange(min=0), help="The budget in characters: 1500, with --types 800.")
@click.option("--limit", type=click.IntRange(min=0), help="With --types: how many; 8 by default.")
@click.option("--project", type=NAME, help="Leave out what is anchored to another project.")
@click.option("--project-ref", type=WORD, help="The same, by identity.")
@click.option("--no-pointer", is_flag=True, help="Without the paragraph that tells an agent where to read more.")
@click.option("--no-count", is_flag=True, help="Do not count this as an injection.")
@click.option("--hook", is_flag=True, help="For a session start: no store is made, and others' locks cost little time.")
@click.option("--with", "changes", metavar="REF=WHAT", type=WORD, multiple=True,
              help="As it would be: closed, open, carry_forward, graduated, anchor, log or deleted; writes nothing.")
@click.option("--workspace", type=NAME, help="The workspace; else MEMDESK_WORKSPACE, else all.")
@click.pass_context
def get_relevant_command(
    ctx: click.Context, sections: str | None, initiative: str | None, types: tuple[str, ...], max_chars: int | None,
    limit: int | None, project: str | None, project_ref: str | None, no_pointer: bool, no_count: bool,
    hook: bool, changes: tuple[str, ...], workspace: str | None,
) -> None:  # fmt: skip
    """Print what the next agent session will have injected: the worklist, or sections, or one initiative whole.

    The directory one stands in never matters.
    """
    call = this_call(ctx)
    if initiative is not None and not initiative.strip():
        raise UsageError("--initiative is blank.", "Name one; `otros` is the bucket of entries without any.")
    given: dict[str, Any] = {
        "workspace": workspace, "max_chars": max_chars, "sections": words([sections or ""]), "types": words(types),
        "mode": "sections" if sections is not None and not types and initiative is None else None,
        "initiative": initiative, "project": project, "project_ref": project_ref, "pointer": not no_pointer,
    } | ({"limit": limit} if limit is not None else {})  # fmt: skip
    if hook and not call.has_store():
        from ...core.digest import render

        call.answer(_json(render(())), lambda: None)
        return
    with call.desk(**({"wait_ms": _HOOK_MS} if hook else {})) as desk:
        if changes:
            found = desk.preview(dict(_change(desk, c, workspace) for c in words(changes)), **given)
        else:
            found = desk.get_relevant(count=not no_count, **given)
    data = _json(found)
    call.answer(data, lambda: put_line(found.full_text) if found.items else None)


def _change(desk: Any, change: str, workspace: str | None) -> tuple[str, dict[str, str | None]]:
    """`project_x=closed` as the id of the entry and what an edit of it would write."""
    ref, _, what = change.rpartition("=")
    patch: dict[str, str | None]
    if what in set(Status):
        patch = {"class": str(EntryClass.THREAD), "status": what}
    elif what in (EntryClass.ANCHOR, EntryClass.LOG):
        patch = {"class": what, "status": None}
    elif what == "deleted":
        patch = {"state": str(State.PURGED)}
    else:
        raise UsageError(f"{change!r} is no change.", "Write NAME=closed, or another status, anchor, log or deleted.")
    return desk.find(ref, workspace).id, patch


def _json(found: Any) -> dict[str, Any]:
    """Gaia's object, with the id of each item."""
    data: dict[str, Any] = found.as_json()
    for item, shown in zip(data["items"], found.items, strict=True):
        item["id"] = shown.entry_id
    return data
