"""The command lines of a page, run in this process as the page tells them: one after another, on one store."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from memdesk.tui.cli import main

_ID = re.compile(r"req_[0-9A-HJKMNP-TV-Z]{26}")
#: As pages write an id that only the reader's store knows.
_PLACEHOLDER = "req_01JABC"


@dataclass
class Told:
    """One command of a page, with the exit code that the page tells and what running it gave."""

    line: str
    expected: int
    code: int | None = None
    said: str = ""


def commands(text: str) -> list[Told]:
    """The lines after `$ ` in the console blocks; `$ echo $?` and the line below it tell the exit code."""
    found: list[Told] = []
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        lines = block.splitlines()
        for place, line in enumerate(lines):
            if line == "$ echo $?":
                found[-1].expected = int(lines[place + 1])
            elif line.startswith("$ "):
                found.append(Told(line[2:], 0))
    return found


def run(
    told: list[Told], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Told]:
    """Run them; each is handed out once it has run. An id in the page stands for the first one that was printed."""
    known = ""
    for one in told:
        words = shlex.split(one.line.replace(_PLACEHOLDER, known or _PLACEHOLDER))
        if words[0] == "export":
            name, _, value = words[1].partition("=")
            monkeypatch.setenv(name, value)
            one.code = 0
        else:
            monkeypatch.setattr("sys.argv", words)
            with pytest.raises(SystemExit) as left:
                main()
            out = capsys.readouterr()
            one.code, one.said = int(left.value.code or 0), out.out + out.err
            known = known or next(iter(_ID.findall(one.said)), "")
        yield one
