"""Writes docs/keys.md from the action table: `python -m memdesk.tui.keys_doc docs/keys.md`."""

from __future__ import annotations

import sys
from pathlib import Path


def page() -> str:
    """The text of docs/keys.md as it should be now."""
    from .app import MemdeskApp
    from .screens.keys import keys_page

    return keys_page([(pane.NAME, pane.TITLE, pane.ACTIONS) for pane in MemdeskApp.PANES])


if __name__ == "__main__":
    Path(sys.argv[1] if len(sys.argv) > 1 else "docs/keys.md").write_text(page(), encoding="utf-8")
