"""`search`: what was written about a topic, in curated memory and in episodes."""

from __future__ import annotations

from typing import Any

import click

from ...core.errors import UsageError
from .call import this_call
from .flags import words, workspace_flag
from .inputs import WORD
from .listing import standing, statuses
from .output import put_line, put_styled
from .shell import verb

_ALL = 1_000_000
_SCOPES = {"both": "both", "memory": "memory", "curated": "memory", "episodes": "episodes"}


@verb(
    "search",
    examples=["memdesk search 'cache invalidation' --scope=memory", "memdesk search --tag project_x --status all"],
)
@click.argument("query", required=False, default="", type=WORD)
@click.option(
    "--scope",
    type=click.Choice(list(_SCOPES)),
    default="both",
    show_default=True,
    help="Curated memory, episodes, or both.",
)
@click.option("--limit", type=click.IntRange(min=0), default=10, show_default=True, help="How many; 0 for all.")
@click.option("--tag", type=WORD, help="Only with this tag; then the query may be left out.")
@click.option("--type", "--kind", "types", type=WORD, multiple=True, help="Only this type; repeatable, or with commas.")
@click.option("--status", type=WORD, help="As for list: a status, a state, all or *.")
@click.option("--include-purged", is_flag=True, help="Deleted entries too.")
@workspace_flag
@click.pass_context
def search_command(
    ctx: click.Context, query: str, scope: str, limit: int, tag: str | None, types: tuple[str, ...],
    status: str | None, include_purged: bool, workspace: str | None,
) -> None:  # fmt: skip
    """Find entries and episodes that hold these words, best first.

    No result means that no text is worded like this, not that nothing is open: read the whole initiative with
    `memdesk get-relevant --initiative KEY` before you conclude that.
    """
    call = this_call(ctx)
    if tag is not None and scope == "episodes":
        raise UsageError("Episodes are not searched by --tag.", "Use --scope=memory.")
    where = "memory" if tag is not None and scope == "both" and not query.strip() else _SCOPES[scope]
    with call.desk() as desk:
        found = desk.search(
            query, scope=where, tag=tag, types=words(types), status=statuses(status, False),
            include_purged=include_purged, workspace=workspace, limit=limit or _ALL,
        )  # fmt: skip
    call.answer(found.as_json(), lambda: _tell(found))


def _tell(found: Any) -> None:
    if not found.hits and not found.episodes:
        put_line("No text is worded like this.")
        put_styled("That does not mean that nothing is open: see memdesk get-relevant --initiative KEY.", "dim")
        return
    for hit in found.hits:
        row = hit.entry_row
        put_styled(f"{row.ref}  {standing(row)}", "bold")
        if row.description:
            put_line(f"  {row.description}")
        if hit.snippet and hit.snippet != row.description:
            put_styled(f"  {' '.join(hit.snippet.split())}", "dim")
    for episode in found.episodes:
        put_styled(f"episode {episode.id}  {episode.timestamp[:10]}", "bold")
        put_line(f"  {episode.title}")
        if episode.snippet:
            put_styled(f"  {' '.join(episode.snippet.split())}", "dim")
