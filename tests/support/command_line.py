"""Command lines run in this process, against a store of their own."""

from __future__ import annotations

import io
import json
import shlex
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from memdesk.core.desk import Actor, Desk
from memdesk.core.policy import Role
from memdesk.tui.cli import main, output

ANA = Actor("user:ana", Role.USER, None, True)


@dataclass
class Done:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """The one JSON value that stdout holds, and nothing else anywhere."""
        assert self.err == "", self.err
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, Any]:
        assert set(self.json) == {"error"}, self.out
        found: dict[str, Any] = self.json["error"]
        return found


class _Stdin(io.StringIO):
    """Bytes on standard input, no terminal."""

    def __init__(self, data: bytes) -> None:
        super().__init__()
        self.buffer = io.BytesIO(data)  # type: ignore[misc]


class Cli:
    """`cli("list --json")`, or `cli("add", "--body", text)`."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self._capsys = capsys
        self._patch = monkeypatch

    def __call__(self, *words: str, stdin: str | bytes = b"") -> Done:
        args = shlex.split(words[0]) if len(words) == 1 else list(words)
        data = stdin.encode() if isinstance(stdin, str) else stdin
        self._patch.setattr(sys, "stdin", _Stdin(data))
        self._capsys.readouterr()
        code = main.main(args, standalone_mode=False)
        captured = self._capsys.readouterr()
        assert "Traceback" not in captured.err
        return Done(code, captured.out, captured.err)

    def ok(self, *words: str, stdin: str | bytes = b"") -> Done:
        done = self(*words, stdin=stdin)
        assert done.code == 0, (words, done)
        return done

    def terminal(self, columns: int = 80) -> None:
        """Standard output is a terminal of this width from now on."""
        self._patch.setattr(output, "is_terminal", lambda stream: True)
        self._patch.setenv("COLUMNS", str(columns))

    def move(self, folder: Path) -> None:
        """Use another store from now on."""
        self.folder = folder
        self._patch.setenv("MEMDESK_HOME", str(folder))

    @contextmanager
    def desk(self, actor: Actor = ANA) -> Iterator[Desk]:
        with Desk.open(self.folder, actor) as desk:
            yield desk

    def entry(self, ref: str) -> Any:
        with self.desk() as desk:
            return desk.find(ref)

    def edges(self, ref: str) -> set[tuple[str, str, str]]:
        with self.desk() as desk:
            names = {e.id: e.shown_name for e in desk.list_entries(status="all").entries()}
            return {(names[e.source], e.kind, names[e.target]) for e in desk.store.edges_of(desk.find(ref).id)}

    def role(self, role: str, actor: str = "") -> None:
        self._patch.setenv("MEMDESK_ROLE", role)
        self._patch.setenv("MEMDESK_ACTOR", actor or ("user:ana" if role == "user" else f"agent:{role}"))
