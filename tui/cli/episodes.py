"""Episodes: evidence of what agents did, beside curated memory and never in a digest (memory seed)."""

from __future__ import annotations

from typing import Any

import click

from ...core.errors import UsageError
from .call import now, this_call
from .flags import body_flags, words
from .inputs import NAME, TEXT, WORD, one_text
from .output import put_line, put_styled
from .shell import verb


@verb("episode-show", examples=["memdesk episode-show ep_01JABCDEF"])
@click.argument("episode_id", type=WORD)
@click.pass_context
def episode_show_command(ctx: click.Context, episode_id: str) -> None:
    """Show one episode, of memdesk's own or of a host."""
    call = this_call(ctx)
    with call.desk() as desk:
        episode = desk.episode(episode_id)
    call.answer(_json(episode), lambda: _tell(episode))


@verb("episode-add", examples=["memdesk episode-add --title 'Cache incident' --body-file out.md --workspace me"])
@click.option("--title", type=TEXT, required=True, help="One line.")
@body_flags
@click.option("--tag", "tags", type=WORD, multiple=True, help="A tag; repeatable, or with commas.")
@click.option("--outcome", type=WORD, help="How it ended, in a word.")
@click.option("--workspace", type=NAME, help="The workspace it happened in; else none in particular.")
@click.option("--create-workspace", is_flag=True, help="Make the workspace if it does not exist.")
@click.pass_context
def episode_add_command(
    ctx: click.Context, title: str, body: str | None, body_file: str | None, tags: tuple[str, ...],
    outcome: str | None, workspace: str | None, create_workspace: bool,
) -> None:  # fmt: skip
    """Keep what a turn came to, so that a search finds it. It is no memory: no digest shows it."""
    call = this_call(ctx)
    text = one_text(body, body_file, "--body and --body-file")
    if text is None:
        raise UsageError("A text is needed: --body or --body-file.", "For standard input use --body-file=- .")
    with call.desk() as desk:
        episode = desk.add_episode(
            title, text, workspace=workspace, tags=words(tags), outcome=outcome, create_workspace=create_workspace
        )
    data = {"status": "applied", "action": "inserted", **_json(episode), "op_id": None, "warnings": []}
    call.answer(data, lambda: put_line(f"Kept episode {episode.id}: {episode.title}"))


def _json(episode: Any) -> dict[str, Any]:
    return {
        "id": episode.id, "title": episode.title, "content": episode.content, "tags": list(episode.tags),
        "age_days": _age_days(episode.timestamp), "timestamp": episode.timestamp, "workspace": episode.workspace,
    }  # fmt: skip


def _age_days(stamp: str) -> int | None:
    from datetime import UTC, datetime

    try:
        then = datetime.fromisoformat(stamp)
    except ValueError:
        return None
    return (now() - (then if then.tzinfo else then.replace(tzinfo=UTC))).days


def _tell(episode: Any) -> None:
    put_styled(f"{episode.title}", "bold")
    put_line(f"{episode.timestamp}" + (f" · {', '.join(episode.tags)}" if episode.tags else ""))
    put_line()
    put_line(episode.content)
    put_styled(f"id {episode.id}", "dim")
