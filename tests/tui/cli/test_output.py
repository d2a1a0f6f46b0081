"""What goes to a terminal: marks for what it would obey or hide, widths in cells, styles only where wanted."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from at_terminal import at_terminal
from command_line import Cli

from memdesk.tui.cli.output import Column, cells, cut, pad, put_table

HOSTILE = "[/red] x \x1b]52;c;AAAA\x07 \x1b[6n \x9b31m a\u200bb \u202eevil\u202c \U000e0041 [@click=app.quit]bye[/]"


@pytest.fixture
def hostile(cli: Cli) -> Cli:
    cli.ok("edit", "decision_db", "--title", HOSTILE, "--description", HOSTILE, "--body", f"{HOSTILE}\nsecond line")
    return cli


LINES = [
    "list", "list --status=all", "show decision_db", "show decision_db --links --history", "history decision_db --diff",
    "search sqlite", "search red", "story decision_db", "log", "get-relevant --types=decision",
    "get-relevant --workspace=me --sections=",
]  # fmt: skip


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("no_color", [True, False])
def test_a_terminal_gets_marks(hostile: Cli, monkeypatch: pytest.MonkeyPatch, line: str, no_color: bool) -> None:
    hostile.terminal()
    if no_color:
        monkeypatch.setenv("NO_COLOR", "1")
    shown = hostile.ok(line).out
    plain = re.sub(r"\x1b\[[012]m", "", shown)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u202a-\u202e\U000e0000-\U000e007f]", plain)
    if no_color:
        assert plain == shown


def test_markup_is_shown_as_typed_and_marks_are_seen(hostile: Cli) -> None:
    hostile.terminal(200)
    shown = hostile.ok("show decision_db").out
    assert "[/red] x ␛]52;c;AAAA" in shown and "[@click=app.quit]bye[/]" in shown and "‹U+202E›" in shown


def test_a_pipe_gets_the_text_itself(hostile: Cli) -> None:
    assert f"{HOSTILE}\nsecond line" in hostile.ok("show decision_db").out


def test_messages_are_always_marked(cli: Cli) -> None:
    assert "\x1b" not in cli("show", "a\x1b[31mb").err
    assert "\\u001b" in cli("show", "a\x1b[31mb", "--json").out


@pytest.mark.parametrize("columns", [20, 30, 40, 80, 120])
def test_tables_fit_the_terminal(cli: Cli, columns: int) -> None:
    cli.ok("edit", "decision_db", "--description", "東京の夜は長い。" * 20)
    cli.ok("edit", "project_run", "--description", "word " * 60)
    cli.terminal(columns)
    lines = [re.sub(r"\x1b\[[012]m", "", line) for line in cli.ok("list --workspace=me").out.splitlines()]
    assert max(map(cells, lines)) <= columns
    assert any("…" in line for line in lines)


def test_a_pipe_is_not_cut(cli: Cli) -> None:
    cli.ok("edit", "decision_db", "--description", "word " * 60)
    assert ("word " * 60).strip() in cli.ok("list").out


def test_columns_line_up_in_cells(capsys: pytest.CaptureFixture[str]) -> None:
    put_table([Column("A"), Column("N", right=True), Column("B")], [("東京", "1", "x"), ("abcd", "22", "y")])
    first, second, third = capsys.readouterr().out.splitlines()
    assert (first, second, third) == ("A      N  B", "東京   1  x", "abcd  22  y")


@pytest.mark.parametrize(("text", "room", "shown"), [
    ("abc", 3, "abc"), ("abcd", 3, "ab…"), ("東京都", 5, "東京…"), ("東京都", 4, "東…"), ("東京", 4, "東京"),
    ("e\u0301e\u0301e\u0301", 2, "e\u0301…"), ("abc", 1, "…"), ("abc", 0, ""),
])  # fmt: skip
def test_cut_and_pad(text: str, room: int, shown: str) -> None:
    assert cut(text, room) == shown
    assert cells(pad(cut(text, room), room)) == room


def test_styles_only_on_a_terminal(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b" not in cli.ok("list").out
    cli.terminal()
    assert "\x1b[1m" in cli.ok("list").out
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b" not in cli.ok("list").out


# -- a real terminal ------------------------------------------------------------------------------------------------


@pytest.fixture
def person(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cli]:
    """A person at a terminal: no MEMDESK_ROLE."""
    monkeypatch.delenv("MEMDESK_ROLE")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))
    yield cli


def test_a_person_edits_at_once_and_a_script_asks(person: Cli) -> None:
    terminal = at_terminal("edit", "decision_db", "--title", "At once")
    assert terminal.end() == 0, terminal.shown
    assert person.entry("decision_db").title == "At once"
    assert person("edit decision_db --title Asked").code == 3


def test_erasing_asks_for_the_token(person: Cli) -> None:
    entry_id = person.entry("decision_db").id
    terminal = at_terminal("delete", "decision_db", "--hard")
    terminal.until("to go on")
    terminal.type("y\n")
    assert terminal.end() == 1 and "confirmation_needed" in terminal.shown
    assert person.entry("decision_db").state == "active"
    terminal = at_terminal("delete", "decision_db", "--hard")
    terminal.until("to go on")
    terminal.type(f"DELETE {entry_id}\n")
    assert terminal.end() == 0, terminal.shown
    assert person("show decision_db").code == 4


def test_a_request_is_shown_whole_and_then_approved(person: Cli) -> None:
    person.role("orchestrator", "agent:scout")
    request_id = person("edit decision_db --body Postgres. --json").error["request_id"]
    environ = {"MEMDESK_ROLE": "user", "MEMDESK_ACTOR": "user:ana"}
    early = at_terminal("requests", "approve", request_id, **environ)
    assert early.end() == 1 and "not been shown" in early.shown
    person.role("user")
    person.ok(f"requests show {request_id}")  # not on a terminal: nobody has seen it
    assert at_terminal("requests", "approve", request_id, **environ).end() == 1
    shown = at_terminal("requests", "show", request_id, **environ)
    assert shown.end() == 0 and "-SQLite." in shown.shown
    done = at_terminal("requests", "approve", request_id, **environ)
    assert done.end() == 0, done.shown
    entry = person.entry("decision_db")
    assert (entry.body, entry.last_edited_by) == ("Postgres.", "user:ana")
    assert person.ok("requests list --all --json").json[0]["status"] == "approved"


def test_a_request_is_rejected_with_a_reason(person: Cli) -> None:
    person.role("orchestrator", "agent:scout")
    request_id = person("delete decision_db --json").error["request_id"]
    done = at_terminal("requests", "reject", request_id, "--reason", "still true",
                        MEMDESK_ROLE="user", MEMDESK_ACTOR="user:ana")  # fmt: skip
    assert done.end() == 0, done.shown
    row = person.ok("requests list --all --json").json[0]
    assert (row["status"], row["decided_by"]) == ("rejected", "user:ana")


@pytest.mark.parametrize("line", [["desk"], ["demo"]])
def test_a_dumb_terminal_has_no_desk(person: Cli, line: list[str]) -> None:
    terminal = at_terminal(*line, TERM="dumb")
    assert terminal.end() == 1
    assert "Error [no_screen]" in terminal.shown and "TERM=dumb" in terminal.shown


def test_alone_on_a_dumb_terminal_it_tells_how_things_stand(person: Cli) -> None:
    terminal = at_terminal(TERM="dumb")
    assert terminal.end() == 0
    assert "Nothing waits" in terminal.shown


def test_alone_on_a_terminal_it_opens_the_desk(person: Cli) -> None:
    terminal = at_terminal(TERM="xterm-256color", COLUMNS="100", LINES="30")
    terminal.until("project_run")
    terminal.type("q")
    assert terminal.end() == 0, terminal.shown[-400:]


def test_the_demo_opens_and_leaves_nothing(person: Cli, tmp_path: Path) -> None:
    (tmp_path / "temp").mkdir()
    terminal = at_terminal("demo", TERM="xterm-256color", COLUMNS="100", LINES="30", TMPDIR=str(tmp_path / "temp"))
    terminal.until("ledger")
    assert any((tmp_path / "temp").iterdir())
    terminal.type("q")
    assert terminal.end() == 0, terminal.shown[-400:]
    assert list((tmp_path / "temp").iterdir()) == []
    assert len(person.ok("list --json").json) == 4, "the person's own store is untouched"


def test_the_demo_can_be_written_to_a_folder(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "demo"
    assert cli.ok(f"demo --into={folder} --json").json["store"] == str(folder)
    assert int(cli.ok(f"--store={folder} list --format=count").out) >= 50
    assert cli(f"demo --into={folder} --json").error["code"] == "store_exists"
