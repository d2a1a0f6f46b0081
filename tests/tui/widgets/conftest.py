"""An app around one widget, in memdesk's own theme."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.app import App, ComposeResult
from textual.message import Message
from textual.widget import Widget

from memdesk.tui.themes import register


class Host(App[Any]):
    """Shows the widgets it is given and remembers the messages that reach it."""

    ENABLE_COMMAND_PALETTE = False

    def __init__(self, widgets: tuple[Widget, ...], theme: str) -> None:
        super().__init__()
        self._widgets = widgets
        self._wanted = theme
        self.seen: list[Message] = []

    def compose(self) -> ComposeResult:
        yield from self._widgets

    def on_mount(self) -> None:
        register(self)
        self.theme = self._wanted

    def of(self, kind: type[Message]) -> list[Any]:
        return [message for message in self.seen if isinstance(message, kind)]

    def _remember(self, message: Message) -> None:
        self.seen.append(message)

    on_row_list_highlighted = on_row_list_selected = on_row_list_marks_changed = _remember
    on_row_list_fetch_failed = on_entry_text_end_seen = on_key_footer_chosen = _remember


@pytest.fixture
def host() -> Callable[..., Host]:
    """Build an app around widgets: `host(widget, theme="memdesk-light")`."""
    return lambda *widgets, theme="memdesk-dark": Host(widgets, theme)
