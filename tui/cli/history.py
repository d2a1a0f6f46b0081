"""`history` and `story`: the versions of an entry, and how it came to be among its neighbours."""

from __future__ import annotations

from typing import Any

import click

from ...core.model import TEXT_FIELDS
from .call import this_call
from .flags import workspace_flag
from .inputs import NAME
from .listing import standing
from .output import put_line, put_styled
from .shell import verb
from .showing import tell_version


@verb("history", examples=["memdesk history project_x", "memdesk history project_x --diff"])
@click.argument("ref", type=NAME)
@click.option("--diff", is_flag=True, help="The unified diff of every field that a version changed.")
@workspace_flag
@click.pass_context
def history_command(ctx: click.Context, ref: str, diff: bool, workspace: str | None) -> None:
    """List every version of an entry, oldest first: when, who, and what it changed."""
    from ...core.desk.shown import version_json
    from ...core.history import as_it_happened

    call = this_call(ctx)
    with call.desk() as desk:
        entry, versions = desk.history(ref, workspace=workspace)
    rows = [version_json(v, values=diff) | ({"diff": version_diff(v)} if diff else {}) for v in versions]
    data = {"id": entry.id, "name": entry.shown_name, "workspace": entry.workspace, "versions": rows}

    def tell() -> None:
        put_styled(f"{entry.ref}  {standing(entry)}", "bold")
        for version in as_it_happened(versions):
            tell_version(version)
            if diff:
                for line in version_diff(version):
                    put_line(f"    {line}")

    call.answer(data, tell)


def version_diff(version: Any) -> list[str]:
    """The unified diffs of a version; of the first one only its texts, since everything in it is new."""
    from ...core.history import field_diff

    changes = [c for c in version.changes if version.kind != "create" or c.field in (*TEXT_FIELDS, "tags")]
    return [line for c in changes for line in field_diff(c.field, c.before, c.after)]


@verb("story", examples=["memdesk story project_x", "memdesk story decision_x --max-depth 2 --json"])
@click.argument("ref", type=NAME)
@click.option("--max-depth", type=click.IntRange(min=0), default=5, show_default=True, help="How many links away.")
@workspace_flag
@click.pass_context
def story_command(ctx: click.Context, ref: str, max_depth: int, workspace: str | None) -> None:
    """Tell how an entry came to be and what became of it, with everything linked to it, on one time line."""
    call = this_call(ctx)
    with call.desk() as desk:
        story = desk.story(ref, max_depth=max_depth, workspace=workspace, count=True)
    call.answer(story.as_json(), lambda: _tell(story))


def _tell(story: Any) -> None:
    put_styled(f"The story of {story.seed.ref}", "bold")
    for moment in story.timeline:
        put_line(f"{moment.timestamp}  {moment.name}  {moment.kind}: {moment.detail} ({moment.author})")
    put_line()
    put_styled("Where they stand", "bold")
    for node in story.nodes:
        entry = story.entries.get(node.node)
        where = standing(entry) if entry is not None else "missing"
        put_line(f"{'  ' * node.depth}{story.name_of(node.node)} · {node.role.replace('_', ' ')} · {where}")
