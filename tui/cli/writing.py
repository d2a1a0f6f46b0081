"""Verbs that make, grow and correct entries: add, create, append, comment, edit.

Both spellings of the seeds work: `edit SLUG --body-file F` and `edit --name=SLUG --field=body --body-file=F`.
"""

from __future__ import annotations

from typing import Any

import click

from ...core.errors import UsageError
from ...core.model import State
from .call import this_call
from .flags import body_flags, given, named, rationale_flag, scope_flags, thread_status, words, workspace_flag
from .inputs import NAME, TEXT, WORD, one_text
from .receipts import give, written_json
from .shell import verb


def _must(text: str | None, flags: str, else_: str = "") -> str:
    if text is None:
        hint = "For more than one line use --body-file, or --body-file=- ."
        raise UsageError(f"A text is needed: {flags}.", f"{hint} {else_}".rstrip())
    return text


@verb(
    "add",
    examples=[
        'memdesk add --name=decision_cache --body-file=body.md --description="Cache in SQLite" --workspace=me',
        "cat note.md | memdesk add atom_port --body-file=- --description='The port' --project=x --workspace=me",
    ],
)
@click.argument("name_", metavar="[NAME]", required=False, type=NAME)
@click.option("--name", type=NAME, help="The name, <type>_<topic>; an existing one is updated.")
@click.option("--type", "type_", type=NAME, help="The type; it must agree with the name's prefix, and may be left out.")
@body_flags
@click.option("--description", "--oneline", "description", type=TEXT, help="One honest line about it.")
@click.option("--title", type=TEXT, help="A short heading.")
@click.option("--summary", "--short", "summary", type=TEXT, help="The short form.")
@click.option("--class", "klass", type=NAME, help="anchor, thread or log.")
@click.option("--status", type=WORD, help="open, carry_forward, graduated, closed, or null.")
@click.option("--audience", type=NAME, help="any, orchestrator or executor.")
@click.option("--initiative", type=WORD, help="The initiative it belongs to (else the project's).")
@click.option("--tag", "--add-tag", "tags", type=WORD, multiple=True, help="A tag; repeatable, or with commas.")
@scope_flags
@rationale_flag
@click.pass_context
def add_command(
    ctx: click.Context, name_: str | None, name: str | None, type_: str | None, body: str | None,
    body_file: str | None, description: str | None, title: str | None, summary: str | None, klass: str | None,
    status: str | None, audience: str | None, initiative: str | None, tags: tuple[str, ...], **scope: Any,
) -> None:  # fmt: skip
    """Write an entry, or update the one of that name.

    The text is always given; of an entry that is there, other fields that are not given stay as they are. To change
    only those, use edit. At least one of --workspace, --project, --project-ref is needed:
    the directory you stand in never decides.
    """
    call = this_call(ctx)
    chosen = named(name_, name, "The name")
    text = _must(one_text(body, body_file, "--body and --body-file"), "--body or --body-file",
                 "To change only other fields of an entry, use `memdesk edit`.")  # fmt: skip
    with call.desk() as desk:
        receipt = desk.add(
            name=chosen, type=type_, body=text, description=given(description), title=given(title),
            summary=given(summary), klass=klass, status=thread_status(status), audience=audience,
            initiative=initiative, tags=words(tags), **scope,
        )  # fmt: skip
    give(call, receipt, gaia=written_json(receipt.entry))


@verb(
    "create",
    examples=[
        "memdesk create --kind atom --title 'Port' --oneline 'The service listens on 8080' --workspace me",
        "memdesk create --kind comment --title 'Note' --oneline 'Confirmed on the new host.' --parent atom_port",
    ],
)
@click.option("--kind", "--type", "kind", type=NAME, required=True, help="The type of the entry.")
@click.option("--title", type=TEXT, required=True, help="A short heading.")
@click.option("--oneline", "--description", "oneline", type=TEXT, required=True, help="One honest line about it.")
@click.option("--short", "--summary", "short", type=TEXT, help="The short form.")
@click.option("--full", "--body", "full", type=TEXT, help="The body; else the shorter text.")
@click.option("--body-file", metavar="PATH|-", help="The body from a file, or from standard input.")
@click.option("--name", type=NAME, help="The name; else made from the title.")
@click.option("--parent", type=NAME, help="An entry that it becomes part of; gives the scope where none is named.")
@click.option("--tag", "--add-tag", "tags", type=WORD, multiple=True, help="A tag; repeatable, or with commas.")
@scope_flags
@rationale_flag
@click.pass_context
def create_command(
    ctx: click.Context, kind: str, title: str, oneline: str, short: str | None, full: str | None,
    body_file: str | None, name: str | None, parent: str | None, tags: tuple[str, ...], **scope: Any,
) -> None:  # fmt: skip
    """Write a new entry from its title, one line, short and full text; with --parent as part of another."""
    call = this_call(ctx)
    text = one_text(full, body_file, "--full and --body-file")
    with call.desk() as desk:
        receipt = desk.create(
            kind=kind, title=title, oneline=oneline, short=short, full=text, name=name, parent=parent,
            tags=words(tags), **scope,
        )  # fmt: skip
    give(call, receipt, gaia=written_json(receipt.entry))


@verb(
    "append",
    examples=[
        "memdesk append project_x --body='One more finding: …'",
        "cat more.md | memdesk append project_x --body-file=-",
    ],
)
@click.argument("ref", type=NAME)
@body_flags
@workspace_flag
@rationale_flag
@click.pass_context
def append_command(
    ctx: click.Context, ref: str, body: str | None, body_file: str | None, workspace: str | None, rationale: str
) -> None:
    """Add text after an entry's body, a blank line between; nothing is replaced."""
    call = this_call(ctx)
    text = _must(one_text(body, body_file, "--body and --body-file"), "--body or --body-file")
    with call.desk() as desk:
        receipt = desk.append(ref, text, workspace=workspace, rationale=rationale)
    give(call, receipt, gaia={"field": "body", "action": "appended", "updated_at": receipt.entry.updated_at})


@verb("comment", examples=["memdesk comment atom_port --body='Confirmed on the new host.'"])
@click.argument("ref", type=NAME)
@click.argument("text", type=TEXT, required=False)
@body_flags
@click.option("--title", type=TEXT, help="A short heading.")
@workspace_flag
@click.pass_context
def comment_command(
    ctx: click.Context, ref: str, text: str | None, body: str | None, body_file: str | None, title: str | None,
    workspace: str | None,
) -> None:  # fmt: skip
    """Write a comment under an entry: an entry of its own that is part of it."""
    call = this_call(ctx)
    flags = "TEXT, --body and --body-file"
    said = one_text(one_text(text, None, flags) if body is None else _only(text, body, flags), body_file, flags)
    with call.desk() as desk:
        receipt = desk.comment(ref, _must(said, "TEXT, --body or --body-file"), title=title, workspace=workspace)
    give(call, receipt, gaia=written_json(receipt.entry))


def _only(first: str | None, second: str, flags: str) -> str:
    if first is not None:
        raise UsageError(f"{flags} exclude each other.", "Give one of them.")
    return second


# -- edit ---------------------------------------------------------------------------------------------------------

_FIELDS = ("title", "description", "summary", "body")


@verb(
    "edit",
    examples=[
        "memdesk edit project_x --body-file corrected.md",
        "memdesk edit --name=project_x --field=description --content='What it is now'",
        "memdesk edit 01JABCDEF --status active",
    ],
)
@click.argument("ref", required=False, type=NAME)
@click.option("--name", type=NAME, help="The entry, in the other spelling.")
@click.option("--field", type=click.Choice([*_FIELDS, "oneline", "short", "full"]), help="The field --content is for.")
@click.option("--content", type=TEXT, help="The new text of --field.")
@click.option("--append", "append_", is_flag=True, help="Add the text to the body instead of replacing it.")
@click.option("--title", type=TEXT, help="The new heading; blank clears it.")
@click.option("--description", "--oneline", "description", type=TEXT, help="The new line; blank clears it.")
@click.option("--summary", "--short", "summary", type=TEXT, help="The new short form; blank clears it.")
@click.option("--body", "--full", "body", type=TEXT, help="The new body.")
@click.option("--body-file", metavar="PATH|-", help="The new body (or text of --field) from a file or standard input.")
@click.option("--add-tag", "add_tags", type=WORD, multiple=True, help="A tag to add; repeatable, or with commas.")
@click.option("--rm-tag", "rm_tags", type=WORD, multiple=True, help="A tag to remove; repeatable, or with commas.")
@click.option("--class", "klass", type=NAME, help="anchor, thread or log.")
@click.option("--status", type=WORD, help="A thread's status, null, or active to bring the entry back.")
@click.option("--audience", type=NAME, help="any, orchestrator or executor.")
@click.option("--project", type=NAME, help="Anchor it to a registered project of its workspace.")
@click.option("--project-ref", type=WORD, help="Anchor it to a project identity.")
@click.option("--initiative", type=WORD, help="Move it to an initiative; null clears it.")
@workspace_flag
@rationale_flag
@click.pass_context
def edit_command(
    ctx: click.Context, ref: str | None, name: str | None, field: str | None, content: str | None, append_: bool,
    body_file: str | None, add_tags: tuple[str, ...], rm_tags: tuple[str, ...], klass: str | None,
    status: str | None, audience: str | None, project: str | None, project_ref: str | None, initiative: str | None,
    workspace: str | None, rationale: str, **texts: str | None,
) -> None:  # fmt: skip
    """Correct an entry: replace texts, tags, class, status or anchor, all in one step, with its history kept."""
    call = this_call(ctx)
    chosen = named(ref, name, "The entry")
    fields = _fields(field, content, body_file, texts)
    change: dict[str, Any] = {
        "klass": klass, "audience": audience, "project": project, "project_ref": project_ref,
        "initiative": thread_status(initiative), **_status_or_state(status),
    }  # fmt: skip
    tags: dict[str, Any] = {"add_tags": words(add_tags), "rm_tags": words(rm_tags)}
    with call.desk() as desk:
        if append_:
            _only_body(fields, {**change, **tags})
            receipt = desk.append(chosen, fields["body"] or "", workspace=workspace, rationale=rationale)
            give(call, receipt, gaia={"field": "body", "action": "appended", "updated_at": receipt.entry.updated_at})
            return
        before = desk.find(chosen, workspace)
        receipt = desk.edit(before.id, fields=fields, rationale=rationale, **change, **tags)
    give(call, receipt, gaia=_edit_json(before, receipt, fields))


def _fields(
    field: str | None, content: str | None, body_file: str | None, texts: dict[str, str | None]
) -> dict[str, str | None]:
    """The texts to write, of both spellings; a blank one other than the body is null."""
    if content is not None and field is None:
        raise UsageError("--content needs --field.", "Add --field=body, or use --body.")
    plain = {"oneline": "description", "short": "summary", "full": "body"}
    target = plain.get(field or "body", field or "body")
    found = {k: v for k, v in texts.items() if v is not None}
    text = one_text(content, body_file, "--content and --body-file")
    if text is not None:
        if target in found:
            raise UsageError(f"The {target} is given twice.", "Give it once.")
        # A file ends with a line end; a line of text does not.
        found[target] = text if target == "body" else text.rstrip("\r\n")
    elif field is not None:
        raise UsageError(f"--field={field} needs its new text.", "Add --content or --body-file.")
    return {k: v if k == "body" or v.strip() else None for k, v in found.items()}


def _status_or_state(value: str | None) -> dict[str, Any]:
    """`--status` takes a thread's status or the entry's state: they share no word (DESIGN 1)."""
    if value is not None and value.strip() in set(State):
        return {"state": value.strip()}
    return {"status": thread_status(value)}


def _only_body(fields: dict[str, str | None], others: dict[str, Any]) -> None:
    from ...core.desk import UNSET

    if set(fields) != {"body"} or any(v not in (None, (), UNSET) for v in others.values()):
        raise UsageError("--append adds to the body and does nothing else.", "Give one text, and no other change.")


def _edit_json(before: Any, receipt: Any, fields: dict[str, str | None]) -> dict[str, Any]:
    after = receipt.entry
    pair = lambda name: {f"before_{name}": getattr(before, name), f"after_{name}": getattr(after, name)}  # noqa: E731
    moved = (before.klass, before.status) != (after.klass, after.status)
    action = "updated" if receipt.changed else "noop"
    return {
        "field_update": {"field": ", ".join(fields), "fields": list(fields), "action": action} if fields else None,
        "reclassify": {
            "class": str(after.klass), "memory_status": str(after.status) if after.status else None,
            "before_class": str(before.klass), "before_memory_status": str(before.status) if before.status else None,
        } if moved else None,
        "reanchor": pair("project_ref") if before.project_ref != after.project_ref else None,
        "audience": pair("audience") if before.audience != after.audience else None,
        "state": str(after.state), "tags": list(after.tags), "updated_at": after.updated_at,
    }  # fmt: skip
