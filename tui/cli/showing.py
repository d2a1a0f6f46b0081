"""`show` and `stats`: one entry whole, and the numbers of a memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from ...core.errors import UsageError
from ...core.text import one_name
from .call import now, this_call
from .flags import workspace_flag
from .inputs import NAME
from .listing import standing
from .moments import as_of_flag, looking, told
from .output import put_line, put_styled, warn
from .shell import verb


@verb(
    "show",
    examples=[
        "memdesk show project_x",
        "memdesk show project_x --links --history",
        "memdesk show 01JABCDEF --format json",
        "memdesk show project_x --as-of 2d",
    ],
)
@click.argument("ref", type=NAME)
@click.option("--links", is_flag=True, help="Its links instead of the text (in JSON: with it).")
@click.option("--history", is_flag=True, help="Its versions instead of the text (in JSON: with it).")
@click.option(
    "--zoom",
    type=click.Choice(["oneline", "short", "full"]),
    default="full",
    show_default=True,
    help="How much of the text.",
)
@click.option("--format", "format_", type=click.Choice(["text", "json"]), help="text by default.")
@as_of_flag
@workspace_flag
@click.pass_context
def show_command(
    ctx: click.Context, ref: str, links: bool, history: bool, zoom: str, format_: str | None, as_of: str | None,
    workspace: str | None,
) -> None:  # fmt: skip
    """Show one entry: its text, or its links and versions. This counts as reading it on purpose."""
    call = this_call(ctx)
    if call.json and format_ == "text":
        raise UsageError("--json and --format=text exclude each other.", "Give one of them.")
    call.json = call.json or format_ == "json"
    with call.desk() as desk, looking(desk, as_of) as front:
        shown = front.show(ref, workspace=workspace, count=as_of is None)
        moment = front.looks_at
    data = _zoomed(shown.as_json(links=links, history=history), zoom)
    if moment is not None:
        data["as_of"] = {"timestamp": moment.timestamp, "op_id": moment.op_id}

    def tell() -> None:
        if moment is not None:
            put_styled(told(moment), "bold")
        _tell(shown, links, history, zoom)

    call.answer(data, tell)


def _zoomed(data: dict[str, Any], zoom: str) -> dict[str, Any]:
    """Without the texts that are longer than was asked for."""
    gone = {"oneline": ("summary", "body"), "short": ("body",), "full": ()}[zoom]
    return {k: v for k, v in data.items() if k not in gone}


def _tell(shown: Any, links: bool, history: bool, zoom: str) -> None:
    from ..words import ago

    entry = shown.entry
    put_styled(entry.ref + (f"  {entry.title}" if entry.title else ""), "bold")
    changed = f"changed {ago(entry.updated_at, now())} by {one_name(entry.last_edited_by)}"
    put_line(f"{standing(entry)} · {changed}" + (f" · {', '.join(entry.tags)}" if entry.tags else ""))
    if entry.description:
        put_line(entry.description)
    for request in shown.requests:
        warn(f"A request waits for this entry: memdesk requests show {request.request_id}.")
    for edit in shown.lost:
        warn(f"MEM-009: {edit.author}'s change of the {edit.field} lost to one made beside it: {_shortly(edit.value)}")
    if links:
        _tell_links(shown)
    if history:
        _tell_versions(reversed(shown.versions))
    if not links and not history:
        if zoom != "oneline" and entry.summary:
            put_line()
            put_line(entry.summary)
        if zoom == "full":
            put_line()
            put_line(entry.body)
    put_styled(f"id {entry.id}", "dim")


def _tell_links(shown: Any) -> None:
    put_line()
    found = [*shown.links_out, *shown.links_in]
    if not found:
        put_line("No links.")
    for link in found:
        state = f" ({standing(link.other)})" if link.other is not None else " (missing)"
        put_line(f"{link.words} {link.other_name}{state}")


def _tell_versions(versions: Any) -> None:
    put_line()
    for version in versions:
        tell_version(version)


def tell_version(version: Any) -> None:
    """One version on one line: when, who, what."""
    marks = "".join(f" [{word}]" for word, on in (("undone", version.undone), ("lost", version.lost)) if on)
    for_whom = f" for {version.on_behalf_of}" if version.on_behalf_of else ""
    put_line(f"{version.timestamp}  {version.author}{for_whom}  {version.kind}: {version.summary}{marks}")


def _shortly(text: Any) -> str:
    line = " ".join(str(text).split())
    return line if len(line) <= 80 else line[:79] + "…"


@verb("stats", examples=["memdesk stats", "memdesk stats --workspace me --json"])
@click.option("--workspace", type=NAME, help="Only of this workspace; else MEMDESK_WORKSPACE, else all.")
@click.pass_context
def stats_command(ctx: click.Context, workspace: str | None) -> None:
    """Count what is there: entries by role and type, what waits, episodes."""
    call = this_call(ctx)
    with call.desk() as desk:
        found = desk.stats(workspace=workspace)

    def tell() -> None:
        put_styled("Entries" + (f" of {found.workspace}" if found.workspace else ""), "bold")
        words = {"active": "current", "superseded": "replaced", "purged": "deleted"}
        _numbers({words.get(k, k): v for k, v in found.entries.items()})
        for head, numbers in (("What they are for", found.roles), ("Types", found.types), ("Waiting", found.waiting)):
            put_styled(head, "bold")
            _numbers({str(k).replace("_", " "): v for k, v in numbers.items()})
        _numbers({"episodes": found.episodes})
        for warning in found.warnings:
            warn(warning)

    call.answer(found.as_json(), tell)


def _numbers(numbers: Mapping[str, int]) -> None:
    for name, number in numbers.items():
        put_line(f"  {number:>7,}  {name}")
