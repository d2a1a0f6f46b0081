"""`status`: one line for a prompt, a hook, or a person who asks whether anything waits (DESIGN 4)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from .call import Call, now, this_call
from .inputs import NAME
from .output import put_line
from .shell import verb

if TYPE_CHECKING:
    from ...core.waiting import StatusReport


@verb("status", examples=["memdesk status", "memdesk status --short", "memdesk status --hook", "memdesk status --json"])
@click.option("--workspace", type=NAME, help="Only of this workspace; else MEMDESK_WORKSPACE, else all.")
@click.option("--short", is_flag=True, help="A few words for a shell prompt; nothing when nothing waits.")
@click.option("--hook", is_flag=True, help="One sentence for a session-start hook; nothing when nothing waits.")
@click.pass_context
def status_command(ctx: click.Context, workspace: str | None, short: bool, hook: bool) -> None:
    """Say in one line what waits: requests and their oldest age, writes of agents about you, lost edits, hosts.

    With --short or --hook it only looks: no store is made, nothing is written, and no host is pulled.
    """
    call = this_call(ctx)
    if short or hook:
        _glance(call, workspace, brief=short)
    else:
        tell_status(call, workspace)


def tell_status(call: Call, workspace: str | None) -> None:
    """Answer with what waits."""
    from ..words import age

    with call.desk() as desk:
        report = desk.status(workspace=workspace)
        folder = desk.store.folder
        notes = list(desk.store.notes)
    data = report.as_json() | {"store": str(folder), "warnings": notes}
    call.answer(data, lambda: put_line(report.line(lambda stamp: age(stamp, now()))))


def _glance(call: Call, workspace: str | None, *, brief: bool) -> None:
    """Answer without opening the desk: a prompt asks this again and again."""
    from ...core.waiting import glance

    workspace = workspace or os.environ.get("MEMDESK_WORKSPACE", "").strip() or None
    report = glance(call.folder(), call.actor_name(), workspace=workspace)
    if report.hosts and not brief:
        report = _with_proposals(call, report)
    data = report.as_json() | {"line": _line(report, brief), "store": str(call.folder()), "warnings": []}

    def tell() -> None:
        if data["line"]:
            put_line(str(data["line"]))

    call.answer(data, tell)


def _with_proposals(call: Call, report: StatusReport) -> StatusReport:
    """A session start has the time to look through the contracts that agents handed in on a host; a prompt has not."""
    from dataclasses import replace

    from ...core.desk import Desk
    from ...core.waiting import by_kind

    with Desk.open(call.folder(), call.who(), read_only=True) as desk:
        return replace(report, host_proposals=by_kind(p.host for p in desk.host_proposals()))


def _line(report: StatusReport, brief: bool) -> str:
    from ..words import age, age_short

    if brief:
        return report.short(lambda stamp: age_short(stamp, now()))
    return report.hook_line(lambda stamp: age(stamp, now()))
