"""The requests that wait for a person, in words, each with the commands that show and decide it.

Approving is done in a terminal, where a request was shown whole before (DESIGN 4): here one reads what waits.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from ...core.desk import Desk
from ...core.store import RequestRow
from ...core.text import marks_summary
from ..widgets.blocks import Block, Facts, Gap, Heading, Plain, Title
from ..words import ago, count
from .reading import View

_STATES: Final = {
    "ready": "It can be done as it was asked.",
    "stale": "What it would change has been changed since.",
    "gone": "What it would change is no longer there.",
}
#: In the words of the screen, where those of the commands are others.
_VERBS: Final = {"supersede": "replace", "edit": "change", "append": "add to", "reclassify": "move"}
#: Longer values are read in the command that shows the request whole.
_LONG: Final = 200


def requests_view(desk: Desk, now: datetime) -> View:
    """All requests that wait, the oldest first."""
    rows = desk.requests()
    waits = count(len(rows), "request waits", "requests wait") if rows else "Nothing waits"
    blocks: list[Block] = [
        Title(f"{waits} for your decision", "Read one whole in a terminal, then approve or reject it there."),
    ]
    for row in rows:
        blocks += [Gap(), *_blocks(desk, row, now)]
    return "Requests", blocks, ""


def _blocks(desk: Desk, row: RequestRow, now: datetime) -> list[Block]:
    state = desk.request_state(row)
    because, why = row.payload.get("reason"), row.payload.get("rationale")
    told = [("it waits because", str(because or "")), ("why", str(why or "")), ("now", _STATES.get(state, state))]
    hidden = marks_summary("".join(value for value in _asked(row).values()))
    told += [(name, value if len(value) <= _LONG else f"{value[:_LONG]}…") for name, value in _asked(row).items()]
    what = f"{_VERBS.get(row.verb, row.verb)} {_about(desk, row)}".rstrip()
    blocks: list[Block] = [
        Heading(f"{row.asked_by} asked {ago(row.asked_at, now)} to {what}"),
        Facts([(label, value) for label, value in told if value]),
    ]
    if hidden:
        blocks.append(Plain(f"! Look out: {hidden}.", "warn"))
    commands = [f"memdesk requests {verb} {row.request_id}" for verb in ("show", "approve")]
    commands.append(f'memdesk requests reject {row.request_id} --reason "…"')
    return [*blocks, *(Plain(f"    {command}", "accent") for command in commands)]


def _about(desk: Desk, row: RequestRow) -> str:
    names = {entry_id: entry.shown_name if (entry := desk.store.entry(entry_id)) else entry_id for entry_id in row.refs}
    ends = {end: str(row.args.get(end)) for end in ("old", "by") if row.args.get(end)}
    if row.verb == "supersede" and len(ends) == 2:
        return " by ".join(names.get(end, end) for end in ends.values())
    return ", ".join(names.values()) or str(row.args.get("name") or row.args.get("title") or "")


def _asked(row: RequestRow) -> dict[str, str]:
    """The texts that it would write, under the names of their fields."""
    fields = row.args.get("fields")
    given: Mapping[str, Any] = {**(fields if isinstance(fields, Mapping) else {}), **row.args}
    return {
        name: value for name in ("title", "description", "summary", "body", "text", "status", "klass")
        if isinstance(value := given.get(name), str) and value
    }  # fmt: skip
