"""`status`: one line for a prompt, a hook, or a person who asks whether anything waits (DESIGN 4)."""

from __future__ import annotations

import click

from .call import Call, now, this_call
from .inputs import NAME
from .output import put_line
from .shell import verb


@verb("status", examples=["memdesk status", "memdesk status --json"])
@click.option("--workspace", type=NAME, help="Only of this workspace; else MEMDESK_WORKSPACE, else all.")
@click.pass_context
def status_command(ctx: click.Context, workspace: str | None) -> None:
    """Say in one line what waits: requests and their oldest age, lost edits, hosts out of step."""
    tell_status(this_call(ctx), workspace)


def tell_status(call: Call, workspace: str | None) -> None:
    """Answer with what waits."""
    from ..words import age

    with call.desk() as desk:
        report = desk.status(workspace=workspace)
        folder = desk.store.folder
        notes = list(desk.store.notes)
    data = report.as_json() | {"store": str(folder), "warnings": notes}
    call.answer(data, lambda: put_line(report.line(lambda stamp: age(stamp, now()))))
