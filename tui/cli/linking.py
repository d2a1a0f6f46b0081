"""Verbs on edges. Both spellings of the seeds: `link A supersedes B`, and `link A B --kind=supersedes [--delete]`."""

from __future__ import annotations

from typing import Any

import click

from ...core.errors import UsageError
from ...core.model import EDGE_KINDS
from .call import this_call
from .flags import rationale_flag, workspace_flag
from .inputs import NAME
from .receipts import give
from .shell import verb


@verb(
    "link",
    examples=[
        "memdesk link decision_new supersedes decision_old",
        "memdesk link atom_a atom_b --kind=related_to",
        "memdesk link atom_a atom_b --kind=related_to --delete",
    ],
)
@click.argument("parts", metavar="A KIND B", nargs=-1, required=True, type=NAME)
@click.option("--kind", type=NAME, help=f"{', '.join(EDGE_KINDS)}, or any other word.")
@click.option("--delete", "remove", is_flag=True, help="Remove the link instead.")
@click.option("--force", is_flag=True, help="Go on although the older entry would replace the newer.")
@workspace_flag
@rationale_flag
@click.pass_context
def link_command(
    ctx: click.Context, parts: tuple[str, ...], kind: str | None, remove: bool, force: bool, workspace: str | None,
    rationale: str,
) -> None:  # fmt: skip
    """Connect two entries. Read it as a sentence: `A supersedes B` means A replaces B.

    To retire an entry, `memdesk supersede OLD --by NEW` cannot be read the wrong way round.
    """
    call = this_call(ctx)
    source, word, target = _sentence(parts, kind)
    with call.desk() as desk:
        if remove:
            receipt = desk.unlink(source, word, target, workspace=workspace, rationale=rationale)
        else:
            receipt = desk.link(source, word, target, workspace=workspace, force=force, rationale=rationale)
        data = _edge_json(desk, receipt)
    give(call, receipt, gaia=data)


@verb("unlink", examples=["memdesk unlink decision_new supersedes decision_old"])
@click.argument("parts", metavar="A KIND B", nargs=-1, required=True, type=NAME)
@click.option("--kind", type=NAME, help="The kind, in the other spelling.")
@workspace_flag
@rationale_flag
@click.pass_context
def unlink_command(
    ctx: click.Context, parts: tuple[str, ...], kind: str | None, workspace: str | None, rationale: str
) -> None:
    """Remove a link. An entry that was replaced stays so until `memdesk restore` (or `edit --status active`)."""
    call = this_call(ctx)
    source, word, target = _sentence(parts, kind)
    with call.desk() as desk:
        receipt = desk.unlink(source, word, target, workspace=workspace, rationale=rationale)
        data = _edge_json(desk, receipt)
    give(call, receipt, gaia=data)


@verb("supersede", examples=["memdesk supersede decision_old --by decision_new"])
@click.argument("old", type=NAME)
@click.option("--by", type=NAME, required=True, help="The entry that replaces it.")
@workspace_flag
@rationale_flag
@click.pass_context
def supersede_command(ctx: click.Context, old: str, by: str, workspace: str | None, rationale: str) -> None:
    """Retire an entry in favour of another; its text and history stay reachable."""
    call = this_call(ctx)
    with call.desk() as desk:
        receipt = desk.supersede(old, by=by, workspace=workspace, rationale=rationale)
        data = _edge_json(desk, receipt)
    give(call, receipt, gaia=data)


def _sentence(parts: tuple[str, ...], kind: str | None) -> tuple[str, str, str]:
    """`A KIND B`, or `A B` with `--kind`."""
    if kind is not None and len(parts) == 2:
        return parts[0], kind, parts[1]
    if kind is None and len(parts) == 3:
        return parts[0], parts[1], parts[2]
    raise UsageError(
        "A link has two ends and a kind.", "Write `A supersedes B`, or `A B --kind=supersedes`.", given=list(parts)
    )


def _edge_json(desk: Any, receipt: Any) -> dict[str, Any]:
    """The edge with Gaia's keys, and when it was made if it stands."""
    edge = receipt.edges[0]
    names = {e.id: e.shown_name for e in receipt.entries}
    stands = desk.store.edges(kind=edge.kind, source=edge.source, target=edge.target)
    data = {
        "src_name": names.get(edge.source, edge.source), "dst_name": names.get(edge.target, edge.target),
        "kind": edge.kind, "from_id": edge.source, "to_id": edge.target,
    }  # fmt: skip
    return data | ({"created_at": stands[0].created_at} if stands else {})
