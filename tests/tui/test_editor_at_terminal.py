"""The real desk in a pseudo-terminal, and editors that fail: the desk comes back, says so, and has the text."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from at_terminal import Terminal, at_terminal

from memdesk.core.desk import Actor, Desk, Role
from memdesk.core.errors import NeedsApproval

ANA = Actor("user:ana", Role.USER, None, True)
SCOUT = Actor("agent:scout", Role.ORCHESTRATOR, "s1")

#: What an editor does -> what the desk says of it. A program is Python that has the file in `path`.
ENDS = {
    "exit 1": ("sys.exit(1)", "The editor ended with code 1."),
    "killed": ("os.kill(os.getpid(), signal.SIGKILL)", "The editor was ended by signal 9 (SIGKILL)."),
    "ctrl+c": ("os.killpg(os.getpgrp(), signal.SIGINT); signal.pause()", "The editor was ended by signal 2 (SIGINT)."),
    "missing": ("", "The editor did not start: No such file or directory"),
    "takes the terminal": (
        "signal.signal(signal.SIGTTOU, signal.SIG_IGN); os.setpgid(0, 0); os.tcsetpgrp(0, os.getpid()); sys.exit(1)",
        "The editor ended with code 1.",
    ),
}


@pytest.fixture(params=list(ENDS))
def failing(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    """An editor that fails, and what is said of it."""
    code, words = ENDS[request.param]
    program = tmp_path / "editor.py"
    program.write_text(f"import os, signal, sys\nsignal.signal(signal.SIGINT, signal.SIG_DFL)\n{code}\n")
    return (f"{sys.executable} {program}" if code else str(tmp_path / "missing editor").replace(" ", "\\ ")), words


@pytest.fixture
def desk_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Terminal]]:
    """Start the desk in Approvals with an editor; one request, which was read, is there."""
    folder = tmp_path / "store"
    with Desk.open(folder, ANA) as desk, Desk.open(folder, SCOUT) as agent:
        desk.add_workspace("me")
        desk.add(name="decision_a", body="As it was.", description="A", workspace="me")
        with pytest.raises(NeedsApproval) as waits:
            agent.edit("decision_a", fields={"description": "As the agent has it."})
        request_id = waits.value.extra["request_id"]
    monkeypatch.delenv("VISUAL", raising=False)
    started: list[Terminal] = []

    def start(editor: str) -> Terminal:
        terminal = at_terminal(
            "desk", "--pane", "approvals", EDITOR=editor, MEMDESK_HOME=str(folder), MEMDESK_ROLE="user",
            MEMDESK_ACTOR=ANA.name, COLUMNS="120", LINES="40",
        )  # fmt: skip
        started.append(terminal)
        with Desk.open(folder, ANA) as desk:
            begun = time.monotonic()
            while not desk.was_shown(desk.request(request_id)):
                assert time.monotonic() < begun + 120, terminal.shown[-2000:]
                terminal.glance()
        return terminal

    yield start
    for terminal in started:
        if terminal.code is None:
            terminal.kill()


@pytest.mark.timeout(240)
def test_the_desk_comes_back_from_an_editor_in_compose(
    desk_at: Callable[[str], Terminal], failing: tuple[str, str]
) -> None:  # fmt: skip
    editor, words = failing
    terminal = desk_at(editor)
    terminal.type("e")
    terminal.until("Saving approves it")
    terminal.type("mine \x05")
    terminal.until(words)
    terminal.type("!")  # the keys are the desk's again, and what was typed is there
    terminal.until("As the agent has it.mine !")
    terminal.type("\x11")
    assert terminal.end() == 0, terminal.shown[-2000:]


@pytest.mark.timeout(240)
def test_the_desk_comes_back_from_an_editor_with_a_batch(
    desk_at: Callable[[str], Terminal], failing: tuple[str, str]
) -> None:  # fmt: skip
    editor, words = failing
    terminal = desk_at(editor)
    terminal.type("E")
    terminal.until(words)
    terminal.type("\x11")
    assert terminal.end() == 0, terminal.shown[-2000:]


@pytest.mark.timeout(240)
def test_a_desk_whose_terminal_went_away_under_an_editor_ends_and_keeps_the_text(
    desk_at: Callable[[str], Terminal], tmp_path: Path
) -> None:  # fmt: skip
    begun = tmp_path / "begun"
    program = tmp_path / "editor.py"
    program.write_text(
        f"import os, time\nopen({str(begun)!r}, 'w')\nwhile os.path.exists({str(begun)!r}): time.sleep(0.01)\n"
    )
    terminal = desk_at(f"{sys.executable} {program}")
    terminal.type("e")
    terminal.until("Saving approves it")
    terminal.type(" mine\x05")
    while not begun.exists():
        terminal.glance()
    terminal.hang_up()
    begun.unlink()
    # By itself, no signal; which code does not matter: Python may find that nothing can be flushed any more (120).
    assert terminal.ended() >= 0
    (draft,) = (tmp_path / "store" / "drafts").glob("*-description.json")
    assert "As the agent has it. mine" in draft.read_text()
