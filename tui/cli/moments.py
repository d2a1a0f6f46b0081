"""`diff`, and `--as-of` for the commands that show entries: the memory as it was (DESIGN 3.5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from ...core.model import TEXT_FIELDS
from .call import this_call
from .flags import workspace_flag
from .inputs import NAME, WORD
from .output import put_line, put_styled
from .shell import verb

if TYPE_CHECKING:
    from ...core.desk import Desk
    from ...core.moments import Changed, Moment

_SIGNS = {"added": "+", "retired": "-", "brought back": "^", "reworded": "~", "moved": ">", "relinked": "="}

as_of_flag = click.option(
    "--as-of", "as_of", type=WORD, metavar="WHEN",
    help="The memory as it was: an operation of `log`, a time (2025-06-01, 2025-06-01T14:30), or 3h, 2d, 1w ago.",
)  # fmt: skip


@contextmanager
def looking(desk: Desk, when: str | None) -> Iterator[Desk]:
    """The desk on the memory as it was, or as it is where no moment is given."""
    if when is None:
        yield desk
        return
    with desk.as_of(when) as past:
        yield past


def told(moment: Moment | None) -> str:
    """The line that says which moment is shown."""
    return f"As of {moment.timestamp}" + (f", right after: {moment.words}" if moment.op_id else "") if moment else ""


@verb("diff", examples=["memdesk diff 2d", "memdesk diff 2025-06-01 2025-06-08", "memdesk diff op_01JABCDEFG --text"])
@click.argument("since", metavar="T1", type=WORD)
@click.argument("until", metavar="[T2]", required=False, type=WORD)
@click.option("--text", is_flag=True, help="With the unified diff of every reworded text.")
@workspace_flag
@click.pass_context
def diff_command(ctx: click.Context, since: str, until: str | None, text: bool, workspace: str | None) -> None:
    """List what changed in the memory between two moments: added, retired, reworded, moved, relinked.

    A moment is an operation of `log` (right after it), a time, or how long ago: 90m, 3h, 2d, 1w. T2 is now by default.
    """
    call = this_call(ctx)
    with call.desk() as desk:
        place = desk.workspace_for_reading(workspace)
        changes, names = desk.changed_between(since, until, workspace=place)

    def tell() -> None:
        if not changes:
            put_line("Nothing changed.")
        for kind in _SIGNS:
            group = [c for c in changes if c.kinds[0] == kind]
            if group:
                put_styled(f"{kind.capitalize()}: {len(group):,}", "bold")
                for change in group:
                    tell_change(change, names, text)

    call.answer([change_json(c, names) | ({"patch": patch(c)} if text else {}) for c in changes], tell)


def tell_change(change: Changed, names: Mapping[str, str], text: bool = False) -> None:
    """One changed entry on one line, and the diffs of its texts below it."""
    from ...core.moments import sentence

    put_line(f"  {_SIGNS[change.kinds[0]]} {change.entry.ref}  {sentence(change, names)}")
    if text:
        for line in patch(change).splitlines():
            put_line(f"      {line}")


def patch(change: Changed) -> str:
    """The unified diff of every text of an entry that differs, as `git apply` reads it."""
    from ...core.diff import as_patch

    name = change.entry.shown_name
    return "".join(as_patch(f"{name}/{c.field}", c.before, c.after) for c in change.fields if c.field in TEXT_FIELDS)


def change_json(change: Changed, names: Mapping[str, str]) -> dict[str, Any]:
    """A changed entry for `--json`."""
    from ...core.moments import sentence

    entry = change.entry
    return {
        "id": entry.id, "name": entry.shown_name, "workspace": entry.workspace, "kinds": list(change.kinds),
        "summary": sentence(change, names),
        "fields": [{"field": c.field, "before": c.before, "after": c.after} for c in change.fields],
        "linked": [_edge_json(e, names) for e in change.linked],
        "unlinked": [_edge_json(e, names) for e in change.unlinked],
    }  # fmt: skip


def _edge_json(edge: Any, names: Mapping[str, str]) -> dict[str, Any]:
    return {
        "source": edge.source, "src_name": names.get(edge.source), "kind": edge.kind, "target": edge.target,
        "dst_name": names.get(edge.target),
    }  # fmt: skip


@verb(
    "retire",
    examples=["memdesk retire --session 7f3a --dry-run", "memdesk retire --author agent:scout --not-derived"],
)
@click.option("--session", type=NAME, help="Everything that this session wrote.")
@click.option("--author", type=NAME, help="Everything that this author wrote.")
@click.option("--not-derived", is_flag=True, help="Leave what was distilled from these entries, or grew out of them.")
@click.option("--dry-run", is_flag=True, help="Say what would be retired; change nothing.")
@click.option("--rationale", default="", type=NAME, help="Why, for the person who decides where you may not.")
@click.pass_context
def retire_command(
    ctx: click.Context, session: str | None, author: str | None, not_derived: bool, dry_run: bool, rationale: str
) -> None:
    """Delete everything that came from one session or author, what was made from it included, in one operation.

    Entries of others that it only changed stay: undo takes a change back. One `undo` brings everything back.
    """
    from .receipts import entry_json, give

    call = this_call(ctx)
    with call.desk() as desk:
        plan = desk.retirement(session=session, author=author, derived=not not_derived)
        rows = [{**entry_json(c.entry), "why": c.why} for c in plan.entries]
        data = {"source": plan.source, "retired": rows, "changed": [entry_json(e) for e in plan.changed]}
        if dry_run:
            call.answer(data, lambda: _tell_plan(plan))
            return
        receipt = desk.retire(session=session, author=author, derived=not not_derived, rationale=rationale)
    give(call, receipt, gaia=data, lines=[_retired(c) for c in plan.entries])


def _tell_plan(plan: Any) -> None:
    put_styled(f"Would retire {len(plan.entries):,} that came from {plan.source}", "bold")
    _put(_retired(came) for came in plan.entries)
    if plan.changed:
        put_styled("Changed by it, and left as they are", "bold")
        _put(f"  ~ {entry.ref}" for entry in plan.changed)


def _retired(came: Any) -> str:
    return f"  - {came.entry.ref}  {came.why}"


def _put(lines: Iterable[str]) -> None:
    for line in lines:
        put_line(line)
