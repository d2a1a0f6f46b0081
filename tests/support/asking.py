"""An agent that asks and a person who decides, in one process."""

from __future__ import annotations

import pytest
from command_line import Cli, Done

from memdesk.tui.cli import call, output

SCOUT = "agent:scout"


class Scene:
    """An agent that asks and a person at a terminal who decides, taking turns."""

    def __init__(self, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
        self.cli = cli
        self._patch = monkeypatch

    def ask(self, *words: str, actor: str = SCOUT, role: str = "orchestrator") -> str:
        """Run a command as an agent; the id of the request that it became."""
        self.cli.role(role, actor)
        done = self.cli(*(words if len(words) > 1 else words[0].split()), "--json")
        self.cli.role("user")
        assert done.code == 3, done
        return str(done.error["request_id"])

    def agent(self, *words: str, actor: str = SCOUT, stdin: str = "") -> Done:
        self.cli.role("orchestrator", actor)
        done = self.cli(*words, stdin=stdin)
        self.cli.role("user")
        return done

    def sit_down(self) -> None:
        """The person has a terminal from now on; nothing is printed to one."""
        self._patch.setattr(call, "is_terminal", lambda stream: True)

    def read(self, request_id: str) -> str:
        """What `show` prints at a terminal; it is shown from then on."""
        done = self.show(request_id)
        assert done.code == 0, done
        return done.out

    def show(self, request_id: str) -> Done:
        """`show` at a terminal."""
        with self._patch.context() as patch:
            patch.setattr(output, "is_terminal", lambda stream: True)
            patch.setenv("COLUMNS", "200")
            patch.setenv("NO_COLOR", "1")
            return self.cli("requests", "show", request_id)
