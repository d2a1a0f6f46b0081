"""Commands in a pseudo-terminal: a person sits there, reads and types."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time


class Terminal:
    """One command in a pseudo-terminal.

    Args:
        before: Python that its process runs first.
    """

    def __init__(self, line: list[str], environ: dict[str, str], before: str = "") -> None:
        self._master, slave = pty.openpty()
        script = f"{before}\nimport sys; from memdesk.tui.cli import main; sys.argv = ['memdesk', *{line!r}]; main()"
        self._run = subprocess.Popen(
            [sys.executable, "-c", script], stdin=slave, stdout=slave, stderr=slave, env=os.environ | environ,
            start_new_session=True,
        )  # fmt: skip
        os.close(slave)
        self.shown = ""

    def until(self, text: str) -> None:
        while text not in self.shown:
            assert self._more(), f"{text!r} never came: {self.shown!r}"

    @property
    def code(self) -> int | None:
        """How the process ended, or None while it runs."""
        return self._run.poll()

    def glance(self) -> None:
        """Read what is there now, or comes within a moment."""
        if select.select([self._master], [], [], 0.05)[0]:
            try:
                self.shown += os.read(self._master, 65536).decode("utf-8", "replace")
            except OSError:  # the other end is closed: the process is ending
                self._run.wait(timeout=30)

    def kill(self) -> None:
        """Take it away, if it is still there."""
        self._run.kill()
        self._run.wait(timeout=30)
        os.close(self._master)

    def hang_up(self) -> None:
        """Close the terminal; the process is told."""
        os.close(self._master)
        self._run.send_signal(signal.SIGHUP)

    def ended(self) -> int:
        """Wait for the process after the terminal was closed."""
        return self._run.wait(timeout=30)

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def end(self) -> int:
        while self._more():
            pass
        os.close(self._master)
        return self._run.wait(timeout=30)

    def _more(self) -> bool:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            ready, _, _ = select.select([self._master], [], [], 0.2)
            if ready:
                try:
                    data = os.read(self._master, 65536)
                except OSError:  # the other end is closed
                    return False
                self.shown += data.decode("utf-8", "replace")
                return bool(data)
            if self._run.poll() is not None:
                return False
        self._run.kill()
        raise AssertionError(f"nothing happened: {self.shown!r}")


def at_terminal(*words: str, before: str = "", **environ: str) -> Terminal:
    """Start a command line at a terminal, with these variables besides the process's own."""
    return Terminal(list(words), environ, before)
