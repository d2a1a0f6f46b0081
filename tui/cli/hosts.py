"""Hosts: memory that already exists, worked on in place (DESIGN 7)."""

from __future__ import annotations

from typing import Any

import click

from .call import this_call
from .inputs import NAME, WORD
from .output import Column, put_line, put_styled, put_table, warn
from .shell import verb


@verb("attach", examples=["memdesk attach gaia ~/.gaia/gaia.db", "memdesk attach gaia"])
@click.argument("kind", type=NAME)
@click.argument("path", required=False)
@click.pass_context
def attach_command(ctx: click.Context, kind: str, path: str | None) -> None:
    """Work on an existing memory in place. KIND is gaia; without PATH it is found as its own tools find it.

    Nothing in the host changes by attaching or by looking. Attaching again only reads what is new.
    """
    call = this_call(ctx)
    with call.desk() as desk:
        done = desk.attach(kind, path)
        pulled, warnings = done.pulled, done.warnings
        workspaces = [w.name for w in desk.workspaces() if w.host == pulled.host_id]
    data = {"status": "attached", **pulled.as_dict(), "workspaces": workspaces, "warnings": list(warnings)}

    def tell() -> None:
        put_line(f"Attached {kind} at {pulled.path}.")
        put_line(f"  {pulled.sentence}.")
        _tell_findings(pulled)
        for warning in warnings:
            warn(warning)
        put_styled("It is worked on in place. Detach with memdesk detach.", "dim")

    call.answer(data, tell)


@verb("pull", examples=["memdesk pull", "memdesk pull gaia --json"])
@click.argument("host", required=False, type=WORD)
@click.option("--force", is_flag=True, help="Go on although many rows are gone from the host at once.")
@click.pass_context
def pull_command(ctx: click.Context, host: str | None, force: bool) -> None:
    """Read what changed in the attached hosts, or in one of them."""
    call = this_call(ctx)
    with call.desk() as desk:
        found = desk.pull(host, force=force)

    def tell() -> None:
        if not found:
            put_line("No host is attached. Attach one with memdesk attach gaia PATH.")
        for pulled in found:
            put_line(f"{pulled.path}: {pulled.news_sentence}.")
            put_styled(f"  {pulled.sentence}.", "dim")
            _tell_findings(pulled)

    call.answer({"status": "pulled", "hosts": [p.as_dict() for p in found], "warnings": []}, tell)


@verb("push", examples=["memdesk push"])
@click.argument("host", required=False, type=WORD)
@click.pass_context
def push_command(ctx: click.Context, host: str | None) -> None:
    """Send to the hosts what has not reached them yet. Exit 1 while something still waits."""
    call = this_call(ctx)
    with call.desk() as desk:
        found = desk.push(host)
    waiting = [name for p in found for name in p.waiting]
    warnings = [w for p in found for w in p.warnings]

    def tell() -> None:
        if not found:
            put_line("No host is attached. Attach one with memdesk attach gaia PATH.")
        for pushed in found:
            put_line(f"{pushed.path}: {len(pushed.done)} sent, {len(pushed.waiting)} waiting.")
            if pushed.sentence:
                put_line(f"  {pushed.sentence}")
        for warning in warnings:
            warn(warning)

    call.answer({
        "status": "waiting" if waiting else "pushed", "hosts": [p.as_dict() for p in found], "warnings": warnings,
    }, tell)  # fmt: skip
    if waiting:
        ctx.exit(1)


@verb("detach", examples=["memdesk detach gaia"])
@click.argument("host", required=False, default="gaia", type=WORD)
@click.option("--force", is_flag=True, help="Although changes have not reached it yet.")
@click.pass_context
def detach_command(ctx: click.Context, host: str, force: bool) -> None:
    """Put a host aside: its entries are shown no more until it is attached again; nothing is lost."""
    call = this_call(ctx)
    with call.desk() as desk:
        info = desk.detach(host, force=force)
    call.answer({"status": "detached", **info.as_dict(), "warnings": []}, lambda: put_line(f"Detached {info.path}."))


@verb("hosts", examples=["memdesk hosts --json"])
@click.pass_context
def hosts_command(ctx: click.Context) -> None:
    """List the hosts, and whether each is in step."""
    from ..words import ago
    from .call import now

    call = this_call(ctx)
    with call.desk() as desk:
        infos = desk.list_hosts()

    def tell() -> None:
        if not infos:
            put_line("No host is attached. Attach one with memdesk attach gaia PATH.")
            return
        columns = [Column("Host"), Column("Path", flex=True), Column("Read"), Column("Now", flex=True)]
        put_table(columns, [(i.host_id, i.path, ago(i.last_pull_at, now()), i.words) for i in infos])

    call.answer([i.as_dict() for i in infos], tell)


def _tell_findings(pulled: Any) -> None:
    for line in pulled.dangling:
        put_line(f"  Link without an end: {line}")
    for line in pulled.findings:
        put_line(f"  {line}")
    if pulled.read_only:
        put_line(f"  Read-only: {pulled.read_only}")
