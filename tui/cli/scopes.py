"""Workspaces and projects: the places where memory belongs (DESIGN 3.4)."""

from __future__ import annotations

from typing import Any

import click

from .call import Call, this_call
from .inputs import NAME, WORD
from .output import Column, put_line, put_table
from .receipts import give
from .shell import Verb, Verbs


@click.group("workspace", cls=Verbs, examples=["memdesk workspace add me", "memdesk workspace list"])
@click.pass_context
def workspace_command(ctx: click.Context) -> None:
    """The containers of memory; without a word it lists them."""
    if ctx.invoked_subcommand is None:
        _list_workspaces(this_call(ctx))


@workspace_command.command("add", cls=Verb, examples=["memdesk workspace add me"])
@click.argument("name", type=NAME)
@click.option("--identity", type=WORD, help="What it is elsewhere, such as the remote of its root.")
@click.pass_context
def workspace_add(ctx: click.Context, name: str, identity: str | None) -> None:
    """Register a workspace."""
    call = this_call(ctx)
    with call.desk() as desk:
        receipt = desk.add_workspace(name, identity=identity)
    _tell_registered(call, receipt, {"name": name, "identity": identity})


@workspace_command.command("list", cls=Verb, examples=["memdesk workspace list --json"])
@click.pass_context
def workspace_list(ctx: click.Context) -> None:
    """List the workspaces."""
    _list_workspaces(this_call(ctx))


def _list_workspaces(call: Call) -> None:
    with call.desk() as desk:
        data: list[dict[str, Any]] = [
            {"name": w.name, "identity": w.identity, "host": w.host, "created_at": w.created_at, "status": w.status}
            for w in desk.workspaces()
        ]
    columns = [Column("Workspace"), Column("Host"), Column("Identity", flex=True), Column("State")]

    def tell() -> None:
        if not data:
            put_line("There is no workspace yet. Make one with memdesk workspace add NAME.")
            return
        put_table(columns, [(w["name"], w["host"] or "", w["identity"] or "", w["status"]) for w in data])

    call.answer(data, tell)


@click.group("project", cls=Verbs, examples=["memdesk project add x --workspace me --path ~/src/x"])
@click.pass_context
def project_command(ctx: click.Context) -> None:
    """The projects that entries can be anchored to; without a word it lists them."""
    if ctx.invoked_subcommand is None:
        _list_projects(this_call(ctx), None)


@project_command.command(
    "add",
    cls=Verb,
    examples=[
        "memdesk project add x --workspace me --path ~/src/x",
        "memdesk project add y --workspace me --remote git@github.com:acme/y.git",
    ],
)
@click.argument("name", type=NAME)
@click.option("--workspace", type=NAME, help="The workspace it belongs to.")
@click.option("--path", metavar="DIR", help="Its directory; its identity is read from the git repository there.")
@click.option("--remote", type=WORD, help="Its remote, when it is not on this machine.")
@click.option("--create-workspace", is_flag=True, help="Make the workspace if it does not exist.")
@click.pass_context
def project_add(
    ctx: click.Context, name: str, workspace: str | None, path: str | None, remote: str | None, create_workspace: bool
) -> None:
    """Register a project, or give a known one its identity.

    The identity stays when the project moves: the git common directory, else the remote, else the directory.
    """
    call = this_call(ctx)
    with call.desk() as desk:
        receipt = desk.add_project(
            name, workspace=workspace, path=path, remote=remote, create_workspace=create_workspace
        )
        found = [p for p in desk.projects() if p.name == name and workspace in (None, p.workspace)]
        data = _project_json(found[0]) if found else {"name": name}
    _tell_registered(call, receipt, data)


@project_command.command("list", cls=Verb, examples=["memdesk project list --workspace me --json"])
@click.option("--workspace", type=NAME, help="Only of this workspace.")
@click.pass_context
def project_list(ctx: click.Context, workspace: str | None) -> None:
    """List the registered projects."""
    _list_projects(this_call(ctx), workspace)


def _list_projects(call: Call, workspace: str | None) -> None:
    with call.desk() as desk:
        data = [_project_json(p) for p in desk.projects(workspace)]

    def tell() -> None:
        if not data:
            put_line("No project is registered. Add one with memdesk project add NAME --path DIR.")
            return
        columns = [Column("Workspace"), Column("Project"), Column("Identity", flex=True), Column("Path", flex=True)]
        put_table(columns, [(p["workspace"], p["name"], p["identity"] or "none yet", p["path"] or "") for p in data])

    call.answer(data, tell)


def _project_json(project: Any) -> dict[str, Any]:
    names = ("workspace", "name", "identity", "path", "remote_url", "host")
    return {n: getattr(project, n) for n in names}


def _tell_registered(call: Call, receipt: Any, data: dict[str, Any]) -> None:
    """The registry is local to this machine: no operation, and nothing to undo."""
    if call.json:
        give(call, receipt, gaia=data)
    else:
        call.answer(data, lambda: put_line(f"{receipt.summary}."))
