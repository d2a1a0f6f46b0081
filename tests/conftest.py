"""Every test is alone: its own home and store, no setting of the person who runs it, a still screen."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

# Read once, when textual.constants is imported.
os.environ["TEXTUAL_ANIMATIONS"] = "none"

_PREFIXES = ("MEMDESK_", "GAIA_", "THRUM_", "GIT_", "XDG_", "TEXTUAL_")
_NAMES = ("NO_COLOR", "FORCE_COLOR", "COLORTERM", "EDITOR", "VISUAL", "PAGER", "COLUMNS", "LINES")


@pytest.fixture(autouse=True)
def hermetic(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Point HOME and MEMDESK_HOME into tmp_path and drop what the environment would decide for us."""
    for name in list(os.environ):
        # The snapshot plugin keeps its folder there.
        if name != "TEXTUAL_SNAPSHOT_TEMPDIR" and (name.startswith(_PREFIXES) or name in _NAMES):
            monkeypatch.delenv(name)
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("MEMDESK_HOME", str(tmp_path / "memdesk"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("TZ", "UTC")


@pytest.fixture(autouse=True)
def still_screen(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No animation, no cursor blink: the snapshot plugin imports Textual before the variable above is set."""
    if "textual.app" in sys.modules:
        from textual import constants
        from textual.widgets import Input, TextArea

        monkeypatch.setattr(constants, "TEXTUAL_ANIMATIONS", "none")
        monkeypatch.setattr(Input.cursor_blink, "_default", False)
        monkeypatch.setattr(TextArea.cursor_blink, "_default", False)
    yield
