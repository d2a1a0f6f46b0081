"""The editor: saving, leaving, drafts that survive a crash, and the person's own editor."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import sys
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from textual import events

from memdesk.tui.widgets.dialogs import Compose, Menu
from memdesk.tui.widgets.drafts import Draft, drop_draft, read_draft, text_hash, write_draft
from memdesk.tui.widgets.editor import EditorFailed, edit_outside, editor_command
from memdesk.tui.widgets.one_line import Status
from memdesk.tui.widgets.stand_ins import SafeTextArea, StandIns

NOTHING = object()
HOSTILE = "a\x1b[31m\u202eb\u200b\x85c\u2028d\U000f0000\ud800 [/red]"


class Editing:
    """A Compose on a screen."""

    def __init__(self, app: Any, pilot: Any, compose: Compose) -> None:
        self.app, self.pilot, self.compose = app, pilot, compose
        self.value: Any = NOTHING

    async def open(self) -> Editing:
        await self.app.push_screen(self.compose, lambda value: setattr(self, "value", value))
        await self.pilot.pause()
        await self.pilot.pause()
        return self

    async def press(self, *keys: str) -> None:
        await self.pilot.press(*keys)
        await self.pilot.pause()

    @property
    def message(self) -> str:
        return self.compose.query_one("#message", Status).render_line(0).text.strip()


@pytest.fixture(autouse=True)
def no_autosave(monkeypatch: pytest.MonkeyPatch) -> None:
    """A draft is written when a test says so, not when the machine is slow."""
    monkeypatch.setattr("memdesk.tui.widgets.compose.AUTOSAVE", 3600)


@pytest.fixture
def draft(tmp_path: Path) -> Path:
    return tmp_path / "drafts" / "body.json"


@pytest.mark.parametrize("key", ["ctrl+s", "f2"])
async def test_saving_returns_the_text(host: Any, key: str) -> None:
    app = host()
    async with app.run_test(size=(80, 24)) as pilot:
        editing = await Editing(app, pilot, Compose("Body", "old")).open()
        await editing.press("N", "e", "w", "enter", key)
        assert editing.value == "oldNew\n"


async def test_leaving_an_unchanged_text_asks_nothing(host: Any) -> None:
    app = host()
    async with app.run_test(size=(80, 24)) as pilot:
        editing = await Editing(app, pilot, Compose("Body", "old")).open()
        await editing.press("escape")
        assert editing.value is None


@pytest.mark.parametrize(
    ("letter", "value", "kept"),
    [("s", "oldx", "oldx"), ("k", None, "oldx"), ("d", None, None), ("escape", NOTHING, None)],
)
async def test_leaving_a_changed_text_asks_with_plain_letters(
    host: Any, draft: Path, letter: str, value: Any, kept: str | None
) -> None:
    app = host()
    async with app.run_test(size=(80, 24)) as pilot:
        editing = await Editing(app, pilot, Compose("Body", "old", draft=draft)).open()
        await editing.press("x", "escape")
        assert isinstance(app.screen, Menu)
        await editing.press(letter)
        assert editing.value == value or editing.value is value
        found = read_draft(draft)
        assert (found.text if found else None) == kept


async def test_a_crash_loses_no_draft(host: Any, draft: Path) -> None:
    app = host()
    async with app.run_test(size=(80, 24)) as pilot:
        editing = await Editing(app, pilot, Compose("Body", "old", draft=draft)).open()
        await editing.press("x")
        # The timer that writes it is the app's; a test does not wait for the clock.
        editing.compose.keep_draft()
    assert stat.S_IMODE(draft.stat().st_mode) == 0o600

    app = host()
    async with app.run_test(size=(80, 24)) as pilot:
        editing = await Editing(app, pilot, Compose("Body", "old", draft=draft)).open()
        await editing.press("enter")
        assert editing.compose.raw == "oldx"
        await editing.press("ctrl+s")
        assert editing.value == "oldx"

    # The write of the caller succeeded: the draft equals the text and goes by itself.
    app = host()
    async with app.run_test(size=(80, 24)) as pilot:
        editing = await Editing(app, pilot, Compose("Body", "oldx", draft=draft)).open()
        assert app.screen is editing.compose
        assert not draft.exists()


async def test_typing_starts_the_timer_that_keeps_the_draft(
    host: Any, draft: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Any] = []
    app = host()
    async with app.run_test(size=(80, 24)) as pilot:
        editing = await Editing(app, pilot, Compose("Body", "old", draft=draft)).open()
        set_timer = editing.compose.set_timer
        monkeypatch.setattr(
            editing.compose, "set_timer", lambda wait, call: started.append(call) or set_timer(60, call)
        )
        await editing.press("x", "y")
        assert started[-1:] == [editing.compose.keep_draft]


@pytest.mark.parametrize(
    ("key", "value", "left"), [("ctrl+n", NOTHING, False), ("f6", NOTHING, False), ("escape", None, True)]
)
async def test_an_offered_draft_can_be_dropped_or_left(
    host: Any, draft: Path, key: str, value: Any, left: bool
) -> None:
    write_draft(draft, Draft("other", text_hash("older")))
    now = datetime(2026, 3, 1, tzinfo=UTC)
    os.utime(draft, ((now - timedelta(hours=3)).timestamp(),) * 2)
    app = host()
    async with app.run_test(size=(80, 24)) as pilot:
        editing = await Editing(app, pilot, Compose("Body", "old", draft=draft, now=lambda: now)).open()
        shown = " ".join(word for strip in app.screen._compositor.render_strips() for word in strip.text.split())
        assert "3 h ago" in shown
        assert "changed since" in shown
        await editing.press(key)
        assert editing.value is value
        assert draft.exists() is left
        dropped = read_draft(draft.with_name("body.json.dropped"))
        assert (dropped.text if dropped else None) == (None if left else "other")


async def test_the_editor_takes_no_keys_before_the_draft_is_decided_on(host: Any, draft: Path) -> None:
    write_draft(draft, Draft("kept words", text_hash("")))
    app = host()
    async with app.run_test(size=(80, 24)) as pilot:
        editing = await Editing(app, pilot, Compose("Body", "", draft=draft)).open()
        await editing.press("d", "t", "n", "x", "ctrl+s", "ctrl+e")
        editing.compose.keep_draft()
        found = read_draft(draft)
        assert found is not None and found.text == "kept words"
        assert "Decide about the draft first" in editing.message
        assert editing.value is NOTHING
        await editing.press("enter", "!")
        assert editing.compose.raw == "kept words!"


async def test_dropped_changes_can_still_be_found(host: Any, draft: Path) -> None:
    app = host()
    async with app.run_test(size=(80, 24)) as pilot:
        editing = await Editing(app, pilot, Compose("Body", "old", draft=draft)).open()
        await editing.press("x", "escape", "d")
        assert editing.value is None
    found = read_draft(draft.with_name("body.json.dropped"))
    assert found is not None and found.text == "oldx"


async def test_pasted_line_ends_are_line_ends(host: Any) -> None:
    app = host()
    async with app.run_test(size=(80, 24)) as pilot:
        editing = await Editing(app, pilot, Compose("Body", "")).open()
        app._driver.send_message(events.Paste("one\rtwo\r\nthree\n"))
        await pilot.pause()
        assert editing.compose.raw == "one\ntwo\nthree\n"


async def test_keys_that_come_after_the_answer_are_ignored(host: Any) -> None:
    app = host()
    async with app.run_test(size=(80, 24)) as pilot:
        editing = await Editing(app, pilot, Compose("Body", "old")).open()
        for _ in range(5):
            app._driver.send_message(events.Key("ctrl+s", None))
        await pilot.pause()
        assert editing.value == "old"


async def test_a_text_that_may_not_be_saved_says_why(host: Any) -> None:
    app = host()
    async with app.run_test(size=(80, 24)) as pilot:
        compose = Compose("Body", "abc", limit_bytes=4, check=lambda text: "" if text.strip() else "it is blank")
        editing = await Editing(app, pilot, compose).open()
        await editing.press("d", "e", "ctrl+s")
        assert editing.value is NOTHING
        assert "5 bytes is more than the 4 bytes" in editing.message
        compose.query_one(SafeTextArea).load(" ")
        await editing.press("ctrl+s")
        assert editing.message == "! Not saved: it is blank"
        compose.query_one(SafeTextArea).load("ok")
        await editing.press("ctrl+s")
        assert editing.value == "ok"


async def test_a_draft_that_cannot_be_kept_is_said(host: Any, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    app = host()
    async with app.run_test(size=(80, 24)) as pilot:
        editing = await Editing(app, pilot, Compose("Body", "old", draft=tmp_path / "file" / "draft")).open()
        await editing.press("x")
        editing.compose.keep_draft()
        await pilot.pause()
        assert "the draft could not be kept" in editing.message
        await editing.press("escape", "k")
        assert editing.value is NOTHING


async def test_hidden_characters_are_drawn_as_pictures_and_saved_as_they_were(host: Any) -> None:
    app = host()
    async with app.run_test(size=(80, 24)) as pilot:
        editing = await Editing(app, pilot, Compose("Body", HOSTILE)).open()
        shown = "\n".join(strip.text for strip in app.screen._compositor.render_strips())
        assert not any(char in shown for char in "\x1b\u202e\u200b\x85\u2028\U000f0000")
        assert "a␛[31m▯b▯▯c▯d▯▯ [/red]" in shown
        assert "7 hidden characters" in editing.message
        area = editing.compose.query_one(SafeTextArea)
        area.insert("\x1bpasted")
        await editing.press("ctrl+s")
        assert editing.value == HOSTILE + "\x1bpasted"


def test_stand_ins_are_one_cell_each_and_come_back() -> None:
    table = StandIns()
    text = table.put(HOSTILE)
    assert len(text) == len(HOSTILE)
    assert table.take(text) == HOSTILE
    assert table.put(text) == text
    assert table.take(table.put("plain")) == "plain"


class Suspended:
    """Stands for the terminal handed over: nothing to hand over in a test."""

    back = True

    @contextmanager
    def __call__(self) -> Any:
        self.back = False
        yield  # without a finally, as Textual has it: where the body raises, the desk does not come back
        self.back = True


def program(tmp_path: Path, code: str) -> str:
    path = tmp_path / "editor.py"
    path.write_text(f"import sys\npath = sys.argv[1]\n{code}\n")
    return f"{sys.executable} {path}"


@pytest.mark.parametrize("key", ["ctrl+e", "f4"])
async def test_the_editor_of_the_person(host: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    command = program(tmp_path, "t = open(path, newline='').read(); open(path, 'w').write(t.upper() + '\\n')")
    monkeypatch.setenv("EDITOR", command)
    app = host()
    async with app.run_test(size=(80, 24)) as pilot:
        monkeypatch.setattr(app, "suspend", Suspended())
        editing = await Editing(app, pilot, Compose("Body", "old\x1b")).open()
        await editing.press(key)
        assert editing.compose.raw == "OLD\x1b"
        await editing.press("escape", "s")
        assert editing.value == "OLD\x1b"


async def test_an_editor_that_fails_changes_nothing(host: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    app = host()
    async with app.run_test(size=(80, 24)) as pilot:
        editing = await Editing(app, pilot, Compose("Body", "old")).open()
        monkeypatch.setenv("EDITOR", "nano")
        await editing.press("ctrl+e")
        assert editing.message == "! This terminal cannot be handed to another program."
        away = Suspended()
        monkeypatch.setattr(app, "suspend", away)
        for code, words in [
            ("sys.exit(3)", "ended with code 3"),
            ("import os; os.kill(os.getpid(), 9)", "was ended by signal 9 (SIGKILL)"),
            ("import os; os.unlink(path)", "left no file"),
            ("import os; os.unlink(path); os.mkdir(path)", "left something else"),
            ("import os; os.unlink(path); os.mkfifo(path)", "left something else"),
        ]:
            monkeypatch.setenv("EDITOR", program(tmp_path, code))
            await editing.press("ctrl+e")
            assert words in editing.message
            assert editing.compose.raw == "old" and away.back and app.screen is editing.compose
        for command, words in [
            (str(tmp_path / "missing"), "did not start: No such file"),
            (str(tmp_path), "did not start: Permission denied"),
            ("''", "did not start: "),
            ("'unbalanced", "cannot be read as a command"),
        ]:
            monkeypatch.setenv("EDITOR", command)
            await editing.press("ctrl+e")
            assert words in editing.message
            assert editing.compose.raw == "old" and away.back


async def test_what_a_failed_editor_saved_is_named_whole(
    host: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("EDITOR", program(tmp_path, "open(path, 'wb').write(b'half\\xff')"))
    app = host()
    async with app.run_test(size=(80, 24)) as pilot:
        monkeypatch.setattr(app, "suspend", Suspended())
        editing = await Editing(app, pilot, Compose("Body", "old")).open()
        await editing.press("ctrl+e")
        assert isinstance(app.screen, Menu)
        told = app.screen._text
        (left,) = tmp_path.glob("memdesk-*/text.md")
        assert told.startswith("What the editor saved is not UTF-8 text (byte 0xff at position 4).")
        assert str(left) in told
        assert left.read_bytes() == b"half\xff"
        await editing.press("escape")
        assert app.screen is editing.compose and editing.compose.raw == "old"


async def test_what_was_typed_just_before_does_not_hide_why_the_editor_failed(
    host: Any, draft: Path, monkeypatch: pytest.MonkeyPatch
) -> None:  # fmt: skip
    monkeypatch.setenv("EDITOR", "false")
    app = host()
    async with app.run_test(size=(80, 24)) as pilot:
        monkeypatch.setattr(app, "suspend", Suspended())
        editing = await Editing(app, pilot, Compose("Body", "old", draft=draft)).open()
        await editing.press("!", "ctrl+e")
        editing.compose.keep_draft()  # as the clock has it
        assert editing.message == "! The editor ended with code 1. The text here is as it was."
        await editing.press("!")
        assert editing.message == "5 bytes · changed" and editing.compose.raw == "old!!"


def test_what_a_failed_editor_saved_can_be_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    for code, saved in [("sys.exit(3)", False), ("open(path, 'w').write('half'); sys.exit(3)", True),
                        ("open(path + '.swp', 'w'); sys.exit(3)", True)]:  # fmt: skip
        with pytest.raises(EditorFailed) as failed:
            edit_outside("old", program(tmp_path, code).split())
        left = list((tmp_path / "temporary").iterdir())
        assert bool(left) is saved
        assert (str(left[0]) if left else "The text here is as it was.") in str(failed.value)
        for folder in left:
            shutil.rmtree(folder)
    (tmp_path / "temporary").rmdir()
    with pytest.raises(EditorFailed, match="could not be handed to an editor: No such file"):
        edit_outside("old", ["true"])


def test_keys_of_the_terminal_are_the_editors_while_it_runs(tmp_path: Path) -> None:
    def interrupt(number: int, frame: object) -> None:
        raise AssertionError("it is for the editor")

    was = signal.signal(signal.SIGINT, interrupt)
    try:
        code = "import os, signal; os.kill(os.getppid(), 2); assert signal.getsignal(2) != signal.SIG_IGN"
        assert edit_outside("old", program(tmp_path, code).split()) == "old"
        assert signal.getsignal(signal.SIGINT) is interrupt
    finally:
        signal.signal(signal.SIGINT, was)


def test_an_editor_with_arguments_and_quotes(tmp_path: Path) -> None:
    place = tmp_path / "my editor"
    place.write_text("#!/bin/sh\nprintf '%s|' \"$1\" \"$2\" > \"$3\"\n")
    place.chmod(0o700)
    command = editor_command({"EDITOR": f"'{place}' -c 'set nowrap'"})
    assert edit_outside("old", command) == "-c|set nowrap|"


async def test_the_cursor_is_behind_a_line(host: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITOR", program(tmp_path, "open(path, 'a').write(' more')"))
    app = host()
    async with app.run_test(size=(80, 24)) as pilot:
        monkeypatch.setattr(app, "suspend", Suspended())
        editing = await Editing(app, pilot, Compose("Body", "one")).open()
        await editing.press("enter", *"two!")
        assert editing.compose.raw == "one\ntwo!"
        await editing.press("ctrl+home", "<", "ctrl+end", ">")
        assert editing.compose.raw == "<one\ntwo!>"
        await editing.press("ctrl+home", "ctrl+e", ".")
        assert editing.compose.raw == "<one\ntwo!> more."


def test_which_editor(monkeypatch: pytest.MonkeyPatch) -> None:
    assert editor_command({"VISUAL": "code --wait", "EDITOR": "vi"}) == ["code", "--wait"]
    assert editor_command({"VISUAL": " ", "EDITOR": "vi -u NONE"}) == ["vi", "-u", "NONE"]
    monkeypatch.setattr("memdesk.tui.widgets.editor.shutil.which", lambda name: None)
    with pytest.raises(EditorFailed, match="set EDITOR"):
        editor_command({})


@pytest.mark.parametrize(
    ("before", "written", "after"),
    [("a", "b\n", "b"), ("a\n", "b\n", "b\n"), ("a", "b\n\n", "b\n"), ("a", "b\r\n", "b"), ("", "", "")],
)
def test_the_line_end_an_editor_adds_is_no_change(tmp_path: Path, before: str, written: str, after: str) -> None:
    command = program(tmp_path, f"open(path, 'w', newline='').write({written!r})")
    assert edit_outside(before, command.split()) == after


def test_drafts_on_disk(draft: Path) -> None:
    assert read_draft(draft) is None
    drop_draft(draft)
    write_draft(draft, Draft(HOSTILE, "base"))
    kept = read_draft(draft)
    assert kept is not None
    assert (kept.text, kept.base) == (HOSTILE, "base")
    draft.write_text('{"text": 1}')
    assert read_draft(draft) is None
    draft.write_text("torn {")
    assert read_draft(draft) is None
    assert [path.name for path in draft.parent.iterdir()] == ["body.json"]
