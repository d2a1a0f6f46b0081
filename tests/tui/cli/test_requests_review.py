"""`requests review`: a whole batch in an editor, decided after one question, and nothing typed is lost."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import click
import pytest
from asking import SCOUT, Scene
from at_terminal import at_terminal
from command_line import Cli, Done

from memdesk.tui.batch_text import CONSENT


class Seat:
    """A person with an editor that is a script, and answers given beforehand."""

    def __init__(self, scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.scene, self.cli = scene, scene.cli
        self._patch, self._script = monkeypatch, tmp_path / "editor.py"
        self.questions: list[str] = []
        scene.sit_down()

    def review(
        self, *words: str, change: str = "", answers: tuple[bool, ...] = (True,), reasons: tuple[str, ...] = ()
    ) -> Done:
        """Run it.

        Args:
            change: statements that change `text`, the whole text in the editor.
        """
        self._script.write_text(
            "import sys\npath = sys.argv[1]\ntext = open(path, encoding='utf-8', newline='').read()\n"
            f"text = text.replace({CONSENT!r}, '')\n"
            f"{change}\nopen(path, 'w', encoding='utf-8', newline='').write(text)\n",
            encoding="utf-8",
        )
        self._patch.setenv("VISUAL", shlex.join([sys.executable, str(self._script)]))
        said, whys = iter(answers), iter(reasons)

        def confirm(text: str, **_: object) -> bool:
            self.questions.append(text)
            return next(said)

        self._patch.setattr(click, "confirm", confirm)
        self._patch.setattr(click, "prompt", lambda *_, **__: next(whys))
        self.questions.clear()
        return self.cli("requests", "review", *words)

    @property
    def drafts(self) -> list[Path]:
        """Every text that is kept or put aside, the oldest first."""
        return sorted((self.cli.folder / "drafts").glob("review-user_ana-*.txt*"), key=lambda p: p.stat().st_mtime_ns)

    @property
    def kept(self) -> Path:
        """The one text that is kept; a path of nothing where none is."""
        kept = [path for path in self.drafts if path.suffix == ".txt"]
        assert len(kept) < 2, kept
        return kept[0] if kept else self.cli.folder / "nothing is kept"

    @property
    def aside(self) -> list[str]:
        """The texts that were put aside."""
        return [path.read_text(encoding="utf-8") for path in self.drafts if path.suffix == ".dropped"]

    def state(self, request_id: str) -> tuple[str, str]:
        """(status, reason)"""
        row = next(r for r in self.cli.ok("requests list --all --json").json if r["request_id"] == request_id)
        return row["status"], row["reason"] or ""


@pytest.fixture
def seat(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Seat:
    return Seat(Scene(cli, monkeypatch), tmp_path, monkeypatch)


@pytest.fixture
def three(seat: Seat) -> list[str]:
    """A text, a deletion, another text."""
    ask = seat.scene.ask
    return [
        ask("edit", "atom_port", "--workspace=me", "--body", "The port is 9090.", "--rationale", "It moved."),
        ask("delete", "project_run"), ask("edit", "decision_db", "--body", "Post\u200bgres.\nSince May."),
    ]  # fmt: skip


# -- what is decided ----------------------------------------------------------------------------------------------


def test_the_editor_gets_every_request_whole(seat: Seat, three: list[str], tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    seat.review(change=f"open({str(copy)!r}, 'w').write(text)", answers=(False,))
    text = copy.read_text(encoding="utf-8")
    for told in (
        f"approve {three[0]} (agent:scout asks to change atom_port, just now)", "# Why: It moved.", "# Effect: ",
        f"body of {three[0]}:\n    The port is 9090.\nend of body of {three[0]}\n", "# -The port is 8080.",
        f"approve {three[1]} (agent:scout asks to delete project_run", "    Post‹U+200B›gres.\n    Since May.",
        "# ! hidden:",
    ):  # fmt: skip
        assert told in text, told
    assert text.index(three[0]) < text.index(three[1]) < text.index(three[2])


def test_approve_reword_skip_reject_and_delete(seat: Seat, three: list[str]) -> None:
    fourth = seat.scene.ask("edit", "decision_db", "--description", "Data")
    done = seat.review(
        change=f"text = text.replace('The port is 9090.\\nend', 'The port is 9091.\\nend')\n"
        f"text = text.replace('approve {three[1]}', 'reject: still runs {three[1]}')\n"
        f"start, stop = text.index('approve {three[2]}'), text.index('approve {fourth}')\n"
        f"text = text[:start] + text[stop:]\n",
        reasons=("Nobody agreed.",),
    )  # fmt: skip
    assert done.code == 0, done
    assert f"  approve  {three[0]}" in done.err
    assert "The batch approves 2 (1 reworded), rejects 2, skips 0." in done.err
    assert "(its block is gone)" in done.err and "(reworded)" in done.err
    assert seat.questions == ["Do it?"]
    assert "4 of 4 done" in done.out
    assert [seat.state(i) for i in (*three, fourth)] == [
        ("approved", ""), ("rejected", "still runs"), ("rejected", "Nobody agreed."), ("approved", ""),
    ]  # fmt: skip
    assert seat.cli.entry("me/atom_port").body == "The port is 9091."
    assert (seat.cli.entry("decision_db").body, seat.cli.entry("decision_db").description) == ("SQLite.", "Data")
    assert not seat.kept.exists()


def test_what_is_left_alone_is_written_byte_for_byte(seat: Seat, three: list[str]) -> None:
    done = seat.review("--json", three[2], change="text = text.replace('\\n', '\\r\\n')")
    assert done.code == 0 and "Approve all that can be approved here?" in seat.questions[0]
    assert seat.cli.entry("decision_db").body == "Post\u200bgres.\nSince May."
    assert [seat.state(i)[0] for i in three] == ["pending", "pending", "approved"]


def test_a_rewording_leaves_hidden_characters_out(seat: Seat, three: list[str]) -> None:
    done = seat.review(three[2], change="text = text.replace('Since May.', 'Since\\u202f\\u2060June.')")
    assert "! your wording holds 1 hidden character: word joiner" in done.err
    assert f"! approve  {three[2]}" in done.err and "leaves out 1 hidden character" in done.err
    assert seat.cli.entry("decision_db").body == "Postgres.\nSince\u202f\u2060June."


def test_skipping_everything_decides_nothing(seat: Seat, three: list[str]) -> None:
    done = seat.review(change="text = text.replace('\\napprove ', '\\nskip ')", answers=())
    assert done.code == 0 and "approves 0, rejects 0, skips 3" in done.out
    assert [seat.state(i)[0] for i in three] == ["pending"] * 3 and not seat.kept.exists()


@pytest.mark.parametrize(("change", "question"), [
    ("", "You changed nothing in it. Approve all that can be approved here?"),
    ("text = ''", "The file came back empty. Reject all 3?"),
])  # fmt: skip
def test_an_untouched_or_emptied_file_asks_first(
    seat: Seat, three: list[str], change: str, question: str
) -> None:
    done = seat.review(change=change, answers=(False,))
    assert done.code == 1 and "[declined]" in done.err and seat.questions == [question]
    assert [seat.state(i)[0] for i in three] == ["pending"] * 3
    assert seat.kept.exists() and "--continue" in done.err


@pytest.mark.parametrize("change", [
    "text = open(path, encoding='utf-8').read()", "text = text.replace('\\napprove ', '\\nskip ') + CONSENT",
    "text = CONSENT", "text = text.replace('The port is 9090.', 'My port.') + CONSENT",
])  # fmt: skip
def test_while_the_line_of_the_head_stands_nothing_is_decided(seat: Seat, three: list[str], change: str) -> None:
    done = seat.review(change=change.replace("CONSENT", repr(CONSENT)), answers=())
    assert done.code == 1 and "[unread]" in done.err and f"kept at {seat.kept}." in done.err and not seat.questions
    assert [seat.state(i)[0] for i in three] == ["pending"] * 3
    if "My port." in change:
        assert seat.review("--continue").code == 0 and seat.cli.entry("me/atom_port").body == "My port."


def test_one_that_fails_does_not_stop_the_rest(seat: Seat, three: list[str]) -> None:
    """While the editor is open, one target changes, and the first request is worded anew by who asked."""
    line = lambda actor, *words: (  # noqa: E731
        f"import subprocess, os; subprocess.run([sys.executable, '-c', 'from memdesk.tui.cli import main; main()', "
        f"*{list(words)!r}], env={{**os.environ, 'MEMDESK_ACTOR': {actor!r}, "
        f"'MEMDESK_ROLE': {'orchestrator' if actor == SCOUT else 'user'!r}, 'PYTHONPATH': os.pathsep.join({sys.path!r})"
        f"}}, check=True)"
    )
    done = seat.review(
        change=line(SCOUT, "requests", "edit", three[0], "--body", "Other.") + "\n"
        + line("user:ben", "edit", "decision_db", "--body", "MariaDB.") + "\n"
        + "text = text.replace('Since May.', 'Since June.')",
    )  # fmt: skip
    assert done.code == 1 and "1 of 3 done" in done.out
    assert f"! {three[0]}  This request was worded anew by agent:scout just now." in done.out
    assert f"! {three[2]}  This request is stale" in done.out
    assert [seat.state(i)[0] for i in three] == ["pending", "approved", "pending"]
    assert "stays at" in done.err
    assert not seat.kept.exists() and len(seat.aside) == 1 and "Since June." in seat.aside[0]


def test_an_erase_is_not_approved_here(seat: Seat) -> None:
    entry_id = seat.cli.entry("decision_db").id
    request_id = seat.scene.ask("delete", "decision_db", "--hard", "--confirm", f"DELETE {entry_id}")
    done = seat.review(change=f"assert 'skip {request_id}' in text\ntext = text.replace('skip req', 'approve req')",
                       answers=(False,))  # fmt: skip
    assert done.code == 1 and "An erase is decided alone" in done.err
    assert seat.state(request_id)[0] == "pending"


def test_only_what_is_ready_is_in_it(seat: Seat, three: list[str]) -> None:
    seat.cli.ok("edit", "decision_db", "--body", "MariaDB.")
    done = seat.review(change=f"assert {three[2]!r} not in text", answers=(True,))
    assert done.code == 0 and [seat.state(i)[0] for i in three] == ["approved", "approved", "pending"]
    assert "Nothing that is ready waits" in seat.review().out


# -- nothing typed is lost ----------------------------------------------------------------------------------------


def test_what_cannot_be_read_is_kept_and_gone_on_with(seat: Seat, three: list[str]) -> None:
    broken = seat.review(change="text = text.replace('The port is 9090.\\nend of', 'My port.\\nendof')",
                         answers=(False,))  # fmt: skip
    assert broken.code == 1 and "[batch_unreadable]" in broken.err and "Line " in broken.err
    assert seat.questions == ["Nothing was decided. Open it again?"]
    assert [seat.state(i)[0] for i in three] == ["pending"] * 3
    refused = seat.review()
    assert refused.code == 1 and "[batch_kept]" in refused.err and "My port." in seat.kept.read_text(encoding="utf-8")
    done = seat.review("--continue", change="text = text.replace('endof', 'end of')")
    assert done.code == 0, done
    assert seat.cli.entry("me/atom_port").body == "My port." and not seat.kept.exists()


def test_it_is_opened_again_until_it_can_be_read(seat: Seat, three: list[str]) -> None:
    change = "text = text.replace('aprove', 'approve') if 'aprove' in text else text.replace('\\napprove', '\\naprove')"
    done = seat.review(change=change, answers=(True, True))
    assert done.code == 0 and seat.questions[0] == "Nothing was decided. Open it again?"
    assert [seat.state(i)[0] for i in three] == ["approved"] * 3


@pytest.mark.parametrize(("change", "why"), [
    ("sys.exit(3)", "ended with code 3."),
    ("import os; os.kill(os.getpid(), 9)", "The editor was ended by signal 9"),
    ("open(path, 'wb').write(b'ab\\xff'); sys.exit()", "is not UTF-8 text (byte 0xff at position 2)."),
])  # fmt: skip
def test_an_editor_that_fails_decides_nothing(seat: Seat, three: list[str], change: str, why: str) -> None:
    done = seat.review(change=change, answers=())
    assert done.code == 1 and "[editor_failed]" in done.err and why in done.err
    assert f"kept at {seat.kept}." in done.err and seat.kept.exists() and "--continue" in done.err
    assert [seat.state(i)[0] for i in three] == ["pending"] * 3


def test_an_editor_that_removes_the_file_leaves_nothing_to_go_on_with(seat: Seat, three: list[str]) -> None:
    gone = "import os; os.unlink(path); sys.exit()"
    done = seat.review(change=gone, answers=())
    assert done.code == 1 and "The editor left no file" in done.err and "kept at" not in done.err
    assert "[no_batch]" in seat.review("--continue").err
    assert seat.review(answers=(True,)).code == 0, "a new one begins without --fresh"


def test_a_fresh_batch_puts_the_old_ones_aside_and_says_where(seat: Seat, three: list[str]) -> None:
    for mine in ("# mine", "# mine too"):
        seat.review("--fresh", change=f"text += '\\n{mine}'", answers=(False,))
    done = seat.review("--fresh", answers=(False,))
    assert done.code == 1 and "# mine" not in seat.kept.read_text(encoding="utf-8")
    assert [text.splitlines()[-1] for text in seat.aside] == ["# mine", "# mine too"]
    assert all(str(path) in done.err for path in seat.drafts[1:2])
    assert seat.cli("requests review --continue --fresh").code == 2
    seat.kept.unlink()
    assert "[no_batch]" in seat.review("--continue").err


@pytest.mark.parametrize("words", [("nonsense",), ("req_",)])
def test_a_fresh_batch_that_cannot_begin_leaves_the_old_one(seat: Seat, three: list[str], words: tuple[str]) -> None:
    seat.review(change="text += '\\n# mine'", answers=(False,))
    assert seat.review("--fresh", *words).code in (1, 4)
    assert "# mine" in seat.kept.read_text(encoding="utf-8") and not seat.aside
    for request_id in three:
        seat.cli.ok("requests", "withdraw", request_id)
    assert "Nothing that is ready" in seat.review("--fresh").out
    assert "# mine" in seat.kept.read_text(encoding="utf-8") and not seat.aside


def test_two_at_once_do_not_touch_each_other(seat: Seat, three: list[str]) -> None:
    """While one is in the editor, another terminal begins a batch; the rewording of the first one holds."""
    other = (
        "import subprocess, os; run = lambda *w: subprocess.run([sys.executable, '-c', 'import memdesk.tui.cli as c; "
        "import memdesk.tui.cli.call as k; import memdesk.tui.cli.requests_review as r; k.on_terminal = lambda: True; "
        "k.can_ask = r.can_ask = lambda: True; c.main()', 'requests', 'review', *w], capture_output=True, text=True, "
        f"input='', env={{**os.environ, 'VISUAL': 'true', 'PYTHONPATH': os.pathsep.join({sys.path!r})}})\n"
        "a, b, c = run(), run('--continue'), run('--fresh')\n"
        "print(a.stderr, b.stderr, c.stderr)\n"
        "assert all('open in another terminal since' in x.stderr for x in (a, b))\n"
        "assert 'still stands' in c.stderr\n"
        "text = text.replace('The port is 9090.\\nend', 'The port is 9091.\\nend')"
    )
    done = seat.review(change=other)
    assert done.code == 0 and "(reworded)" in done.err, done
    assert seat.cli.entry("me/atom_port").body == "The port is 9091."
    assert seat.kept.exists() and not seat.aside, "the other one is still kept"
    assert "[batch_kept]" in seat.review().err


@pytest.mark.parametrize("stop", [KeyboardInterrupt, click.Abort])
def test_who_stops_at_the_question_is_told_that_it_is_kept(
    seat: Seat, three: list[str], stop: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    def confirm(*_: object, **__: object) -> bool:
        raise stop

    seat.review(change="text += '\\n# mine'", answers=(False,))
    monkeypatch.setattr(click, "confirm", confirm)
    done = seat.cli("requests review --continue")
    assert done.code == 130 and "[interrupted]" in done.err and f"kept at {seat.kept}." in done.err
    assert "# mine" in seat.kept.read_text(encoding="utf-8")


def test_a_named_request_that_is_not_ready_is_told_with_the_reason(seat: Seat, three: list[str]) -> None:
    seat.cli.ok("edit", "decision_db", "--body", "MariaDB.")
    seat.cli.ok("requests", "withdraw", three[1])
    stale = seat.review(three[2])
    assert stale.code == 1 and "[not_ready]" in stale.err and "body was changed by user:ana" in stale.err
    decided = seat.review("--json", three[1])
    assert decided.error["code"] == "not_ready" and "withdrawn by user:ana" in decided.error["message"]
    both = seat.review(three[0], three[2])
    assert both.code == 0 and f"Warning: {three[2]} is not ready" in both.err
    assert seat.state(three[0])[0] == "approved"


def test_a_kept_batch_that_is_damaged(seat: Seat, three: list[str]) -> None:
    seat.review(answers=(False,))
    seat.kept.with_suffix(".json").write_text("{", encoding="utf-8")
    done = seat.review("--continue")
    assert done.code == 1 and "cannot be gone on with" in done.err and seat.kept.exists()


# -- a real terminal ----------------------------------------------------------------------------------------------


@pytest.fixture
def environ(seat: Seat, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], dict[str, str]]]:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))

    def with_editor(change: str) -> dict[str, str]:
        seat._script.write_text(
            f"import sys\ntext = open(sys.argv[1]).read().replace({CONSENT!r}, '')\n"
            f"{change}\nopen(sys.argv[1], 'w').write(text)\n"
        )
        return {"VISUAL": shlex.join([sys.executable, str(seat._script)])}

    yield with_editor


def test_at_a_terminal(
    seat: Seat, three: list[str], environ: Callable[[str], dict[str, str]]
) -> None:
    change = f"text = text[:text.index('approve {three[2]}')]"
    terminal = at_terminal("requests", "review", **environ(change))
    terminal.until("Do it? [y/N]")
    terminal.type("y\n")
    terminal.until("Reason, which the asker reads")
    terminal.type("Not agreed.\n")
    assert terminal.end() == 0, terminal.shown
    assert "3 of 3 done" in terminal.shown and "approves 2, rejects 1, skips 0" in terminal.shown
    assert [seat.state(i) for i in three] == [("approved", ""), ("approved", ""), ("rejected", "Not agreed.")]


def test_without_a_terminal_nothing_is_opened(cli: Cli) -> None:
    assert cli("requests review --json").error["code"] == "not_allowed"


def test_the_plan_shows_marks_for_what_a_request_calls_its_texts(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:  # fmt: skip
    """A checkpoint names its texts after its entries: in the words of whoever asked."""
    import click

    from memdesk.tui.batch_text import Batch, Block, Choice
    from memdesk.tui.cli import requests_review

    monkeypatch.setattr(click, "confirm", lambda *given, **more: True)
    batch = Batch((Choice("req_1", "reject", reason="no", unused=("\x1b[2Jx\u202e.body",)),))
    requests_review._agreed(None, batch, [Block("req_1", "ev_1", "it asks")], "", {"req_1": "req_1"})  # type: ignore[arg-type]
    assert "its ␛[2Jx‹U+202E›.body" in capsys.readouterr().err
