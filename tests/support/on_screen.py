"""What a test asks of the screen."""

from __future__ import annotations

from typing import Any


def names(app: Any) -> list[str]:
    """The names in the list of the pane in front, from top to bottom."""
    pane = app.pane
    return [seen.name for seen in pane.seen_many(list(pane.list.keys()))]


def cursor(app: Any) -> str | None:
    """The name at the cursor."""
    seen = app.pane.current()
    return seen.name if seen else None


def put_cursor(app: Any, name: str) -> None:
    """Put the cursor on an entry."""
    pane = app.pane
    keys = list(pane.list.keys())
    pane.list.move_to(keys[[seen.name for seen in pane.seen_many(keys)].index(name)])


def message(app: Any) -> str:
    """What the message line says, its hint included."""
    from memdesk.tui.message_line import MessageLine

    line = app.screen_stack[0].query_one(MessageLine)
    return f"{line.message} {line.hint}".strip()


def stored(app: Any, name: str) -> Any:
    """The entry as the store has it."""
    (entry,) = app.live.desk.store.lookup(name)
    return entry


def screen_text(app: Any) -> str:
    """What is on screen, line by line."""
    return "\n".join("".join(segment.text for segment in strip) for strip in app.screen._compositor.render_strips())
