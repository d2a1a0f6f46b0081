"""The README is true: its commands run, its files exist, its keys are those of the action table."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from documented import commands, run

from memdesk.tui import actions

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def test_its_commands_run_in_order(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MEMDESK_ROLE", "user")
    said = []
    for one in run(commands(TEXT), monkeypatch, capsys):
        assert one.code == one.expected, f"{one.line}: {one.said}"
        said.append(one.said)
    assert len(said) >= 10
    assert "project_lab_backup" in said[4]
    assert "Tried one" in said[5] or "restore" in said[5]


def test_every_file_that_it_links_is_there() -> None:
    links = [link for link in re.findall(r"\]\(([^)#]+)", TEXT) if "://" not in link]
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_every_key_that_it_names_does_something() -> None:
    known = {key for action in actions.TABLE for key in action.keys} | {pane for pane in "1234567"}
    walk = TEXT.split("## Five minutes")[1].split("## On your own memory")[0]
    named = {key for key in re.findall(r"`([^`\s]{1,6})`", walk) if key not in ("cut", "memdesk")}
    spelled = {"/": "slash", "?": "question_mark"}
    missing = {k for k in named if k not in known and spelled.get(k, k) not in known}
    assert missing == set()
