"""`list`: entries as a table, as JSON, or counted."""

from __future__ import annotations

from typing import Any

import click

from ...core.errors import UsageError
from ...core.model import STATE_LABELS, State, role_label
from .call import now, this_call
from .flags import words, workspace_flag
from .inputs import NAME, WORD
from .moments import as_of_flag, looking, told
from .output import Column, put_line, put_styled, put_table
from .shell import verb


@verb(
    "list",
    examples=[
        "memdesk list --status open --sort updated",
        "memdesk list --type=decision --status all --format json",
        "memdesk list --initiative billing --format count",
    ],
)
@click.option("--type", "--kind", "types", type=WORD, multiple=True, help="Only this type; repeatable, or with commas.")
@click.option("--class", "klass", type=NAME, help="anchor, thread or log.")
@click.option(
    "--status", type=WORD, help="open, carry_forward, graduated, closed, active, superseded, purged, all or *."
)
@click.option("--include-purged", is_flag=True, help="Deleted entries too.")
@click.option("--tag", type=WORD, help="Only with this tag.")
@click.option("--initiative", type=WORD, help="Only of this initiative.")
@click.option("--project", type=NAME, help="Only anchored to this project.")
@click.option("--project-ref", type=WORD, help="Only anchored to this identity.")
@click.option("--audience", type=NAME, help="any, orchestrator or executor.")
@click.option(
    "--sort",
    type=click.Choice(["name", "injection", "deliberate", "updated", "created"]),
    default="name",
    show_default=True,
    help="The order.",
)
@click.option("--order", type=click.Choice(["asc", "desc"]), help="By default a to z, most first, newest first.")
@click.option("--limit", type=int, default=0, help="How many; 0 for all.")
@click.option("--format", "format_", type=click.Choice(["table", "json", "count"]), help="table by default.")
@as_of_flag
@workspace_flag
@click.pass_context
def list_command(
    ctx: click.Context, types: tuple[str, ...], status: str | None, include_purged: bool, format_: str | None,
    limit: int, as_of: str | None, **filters: Any,
) -> None:  # fmt: skip
    """List entries; current ones of every status unless --status says otherwise."""
    call = this_call(ctx)
    if call.json and format_ not in (None, "json"):
        raise UsageError(f"--json and --format={format_} exclude each other.", "Give one of them.")
    call.json = call.json or format_ == "json"
    with call.desk() as desk, looking(desk, as_of) as front:
        found = front.list_entries(
            types=words(types), status=statuses(status, include_purged), limit=limit or None, **filters
        )
        if format_ == "count":
            call.answer(found.total, lambda: put_line(str(found.total)))
            return
        if call.json:
            call.answer(found.as_json(), lambda: None)
            return
        if front.looks_at is not None:
            put_styled(told(front.looks_at), "bold")
        call.answer(None, lambda: _tell(found))


def statuses(status: str | None, include_purged: bool) -> list[str]:
    """The words of `--status`, with `*` for all and the deleted ones where they are asked for."""
    chosen = ["all" if w == "*" else w for w in words([status or ""])]
    if include_purged and "all" not in chosen:
        if not set(chosen) & set(State):
            chosen.append(str(State.ACTIVE))
        chosen.append(str(State.PURGED))
    return chosen


def _tell(found: Any) -> None:
    from ..words import age_short, count

    moment = now()
    with_workspace = found.workspace is None
    # Only what is shown of each entry is kept: their bodies may be large, and there may be many.
    rows = [
        ([e.workspace] if with_workspace else [])
        + [e.shown_name, standing(e), age_short(e.updated_at, moment), e.description or e.title or ""]
        for e in found.entries()
    ]
    if not rows:
        put_line("Nothing fits.")
        return
    columns = [Column("Name"), Column("For"), Column("Age", right=True), Column("Description", flex=True)]
    put_table([Column("Workspace"), *columns] if with_workspace else columns, rows)
    more = f" of {found.total:,}" if found.total > len(rows) else ""
    put_styled(f"{count(len(rows), 'entry')}{more}.", "dim")


def standing(entry: Any) -> str:
    """What an entry (or a row of one) is for, in plain words, and whether it still is."""
    role = role_label(entry.klass, entry.status, entry.type)
    return role if entry.state is State.ACTIVE else f"{role} ({STATE_LABELS[entry.state]})"
