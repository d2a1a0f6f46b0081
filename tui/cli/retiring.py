"""Verbs that move entries through life, and give them other names and places."""

from __future__ import annotations

from typing import Any

import click

from ...core.errors import UsageError
from .call import Call, can_ask, this_call
from .flags import body_flags, rationale_flag, thread_status, words, workspace_flag
from .inputs import NAME, TEXT, WORD, one_text
from .receipts import entry_json, give
from .shell import verb


@verb(
    "reclassify",
    examples=[
        "memdesk reclassify project_x --status=closed",
        "memdesk reclassify project_x --class=anchor --status=null",
        "memdesk reclassify project_a project_b --class=thread --status=carry_forward",
    ],
)
@click.argument("refs", metavar="REF...", nargs=-1, required=True, type=NAME)
@click.option("--class", "klass", type=NAME, help="anchor, thread or log.")
@click.option("--status", type=WORD, help="open, carry_forward, graduated, closed; null clears it.")
@workspace_flag
@rationale_flag
@click.pass_context
def reclassify_command(
    ctx: click.Context, refs: tuple[str, ...], klass: str | None, status: str | None, workspace: str | None,
    rationale: str,
) -> None:  # fmt: skip
    """Change the class or status of entries: keep, carry forward, open, close, graduate, or move to the log.

    Leaving class thread clears the status.
    """
    call = this_call(ctx)
    with call.desk() as desk:
        receipt = desk.reclassify(
            refs, klass=klass, status=thread_status(status), workspace=workspace, rationale=rationale
        )
    give(call, receipt, gaia=_stands(receipt))


@verb(
    "graduate",
    examples=[
        "memdesk graduate project_x --into decision_x",
        "memdesk graduate project_x --name atom_x --body 'What is known now' --description 'X works so'",
    ],
)
@click.argument("ref", type=NAME)
@click.option("--into", type=NAME, help="The entry that it became.")
@click.option("--name", type=NAME, help="The name of a new entry that it became.")
@body_flags
@click.option("--description", "--oneline", "description", type=TEXT, help="One line about the new entry.")
@workspace_flag
@click.pass_context
def graduate_command(
    ctx: click.Context, ref: str, into: str | None, name: str | None, body: str | None, body_file: str | None,
    description: str | None, workspace: str | None,
) -> None:  # fmt: skip
    """End a thread whose work left knowledge, and keep the line to what it became."""
    call = this_call(ctx)
    text = one_text(body, body_file, "--body and --body-file")
    anchor: dict[str, Any] | None = None
    if name is not None:
        if into is not None:
            raise UsageError("--into and --name exclude each other.", "Name an existing entry, or make a new one.")
        if text is None:
            raise UsageError("A new entry needs its text.", "Add --body or --body-file.")
        anchor = {"name": name, "body": text, "description": description}
    elif text is not None or description is not None:
        raise UsageError("A text is given, but no --name for the new entry.", "Add --name, or leave the text out.")
    with call.desk() as desk:
        receipt = desk.graduate(ref, into=into, anchor=anchor, workspace=workspace)
    give(call, receipt, gaia=_stands(receipt))


@verb(
    "delete",
    examples=[
        "memdesk delete project_noise",
        'memdesk delete 01JABCDEFGHJKMNPQRSTVWXYZ0 --hard --confirm "DELETE 01JABCDEFGHJKMNPQRSTVWXYZ0"',
    ],
)
@click.argument("refs", metavar="REF...", nargs=-1, required=True, type=NAME)
@click.option("--reason", type=TEXT, help="Why; kept in the history.")
@click.option("--yes", is_flag=True, help="Accepted; a delete asks nothing, since it can be undone.")
@click.option("--hard", is_flag=True, help="Erase the text for ever. Needs --confirm, and cannot be undone.")
@click.option("--confirm", type=WORD, metavar='"DELETE ID"', help="The exact words that allow --hard.")
@workspace_flag
@rationale_flag
@click.pass_context
def delete_command(
    ctx: click.Context, refs: tuple[str, ...], reason: str | None, yes: bool, hard: bool, confirm: str | None,
    workspace: str | None, rationale: str,
) -> None:  # fmt: skip
    """Take entries out of every list and the digest; their text and links stay, and undo brings them back.

    Where an entry is obsolete, `supersede` it instead; where a thread is done, close it.
    """
    call = this_call(ctx)
    if confirm is not None and not hard:
        raise UsageError("--confirm is for --hard.", "An ordinary delete asks nothing.")
    with call.desk() as desk:
        if hard:
            _erase(call, desk, refs, confirm, workspace)
            return
        before = desk.find_all(refs, workspace)
        receipt = desk.delete([e.id for e in before], reason=reason, rationale=rationale)
    give(call, receipt, gaia={
        "deleted": True, "mode": "tombstone", "previous_type": before[0].type,
        "entries": [entry_json(e) for e in receipt.entries],
    })  # fmt: skip


def _erase(call: Call, desk: Any, refs: tuple[str, ...], confirm: str | None, workspace: str | None) -> None:
    if len(refs) != 1:
        raise UsageError("--hard erases one entry at a time.", "Name one.")
    entry = desk.find(refs[0], workspace)
    if confirm is None and can_ask() and not call.json:
        click.echo(f"This erases {entry.ref} for ever: its text, its versions, its links.", err=True)
        confirm = click.prompt(f'Type "DELETE {entry.id}" to go on', default="", show_default=False, err=True)
    receipt = desk.erase(entry.id, confirm)
    give(call, receipt, gaia={
        "id": entry.id, "name": entry.shown_name, "workspace": entry.workspace,
        "deleted": True, "mode": "hard", "previous_type": entry.type,
    }, lines=["This cannot be undone."])  # fmt: skip


@verb("restore", examples=["memdesk restore project_noise"])
@click.argument("refs", metavar="REF...", nargs=-1, required=True, type=NAME)
@workspace_flag
@rationale_flag
@click.pass_context
def restore_command(ctx: click.Context, refs: tuple[str, ...], workspace: str | None, rationale: str) -> None:
    """Bring deleted or replaced entries back."""
    call = this_call(ctx)
    with call.desk() as desk:
        receipt = desk.restore(refs, workspace=workspace, rationale=rationale)
    give(call, receipt, gaia=_stands(receipt))


@verb("rename", examples=["memdesk rename project_x project_y"])
@click.argument("ref", type=NAME)
@click.argument("new_name", type=NAME)
@workspace_flag
@rationale_flag
@click.pass_context
def rename_command(ctx: click.Context, ref: str, new_name: str, workspace: str | None, rationale: str) -> None:
    """Give an entry another name; its links and history go with it."""
    call = this_call(ctx)
    with call.desk() as desk:
        before = desk.find(ref, workspace)
        receipt = desk.rename(before.id, new_name, rationale=rationale)
    give(call, receipt, gaia={"before_name": before.name, "type": receipt.entry.type})


@verb(
    "move-workspace",
    examples=[
        "memdesk move-workspace project_x atom_port --to other",
        "memdesk move-workspace --from a --to b --name project_x",
    ],
)
@click.argument("refs", metavar="[REF]...", nargs=-1, type=NAME)
@click.option("--name", "names", type=NAME, multiple=True, help="An entry, in Gaia's spelling; repeatable.")
@click.option("--from", "workspace", type=NAME, help="Look only in this workspace.")
@click.option("--to", type=NAME, required=True, help="The workspace they go to.")
@click.option("--create-workspace", is_flag=True, help="Make the workspace if it does not exist.")
@click.option("--yes", is_flag=True, help="Accepted; a move asks nothing, since it can be undone.")
@rationale_flag
@click.pass_context
def move_workspace_command(
    ctx: click.Context, refs: tuple[str, ...], names: tuple[str, ...], workspace: str | None, to: str,
    create_workspace: bool, yes: bool, rationale: str,
) -> None:  # fmt: skip
    """Move entries to another workspace; their links go with them."""
    call = this_call(ctx)
    chosen = (*refs, *words(names))
    if not chosen:
        raise UsageError("No entry is named.", "Give names, workspace/name, or ids.")
    with call.desk() as desk:
        receipt = desk.move_workspace(
            chosen, to, workspace=workspace, create_workspace=create_workspace, rationale=rationale
        )
    give(call, receipt, gaia={"workspace": to, "moved": [entry_json(e) for e in receipt.entries]})


def _stands(receipt: Any) -> dict[str, Any]:
    """Where the entries stand now, with Gaia's keys for the first."""
    entry = receipt.entry
    return {
        "class": str(entry.klass), "memory_status": str(entry.status) if entry.status else None,
        "state": str(entry.state), "updated_at": entry.updated_at, "entries": [entry_json(e) for e in receipt.entries],
    }  # fmt: skip
