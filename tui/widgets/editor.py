"""A text edited by the person's own editor."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import termios
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from textual.app import App

T = TypeVar("T")


class EditorFailed(Exception):
    """The editor could not be used; the message is for the person, and the text is unchanged.

    Attributes:
        left: what it left elsewhere, which the message names.
    """

    def __init__(self, message: str, left: Path | None = None) -> None:
        super().__init__(message)
        self.left = left


def editor_command(environ: Mapping[str, str]) -> list[str]:
    """Return the editor of VISUAL or EDITOR as words, else an editor that is installed. Raises EditorFailed."""
    for name in ("VISUAL", "EDITOR"):
        if environ.get(name, "").strip():
            try:
                return shlex.split(environ[name])
            except ValueError as error:
                raise EditorFailed(f"{name} cannot be read as a command: {error}.") from error
    for fallback in ("nano", "vi"):
        if shutil.which(fallback):
            return [fallback]
    raise EditorFailed("No editor is known: set EDITOR, such as EDITOR=nano.")


def hand_over(app: App[Any], work: Callable[[], T]) -> T:
    """Give the terminal to what `work` starts, and take it back however that ends; then return or raise what it did.

    `App.suspend` alone does not come back when its body raises: the screen would stay the shell's.

    Raises:
        SuspendNotSupported: the desk runs where there is no terminal to give; nothing was started.
    """
    done: list[T] = []
    failure: BaseException | None = None
    with app.suspend():
        try:
            done.append(work())
        except BaseException as error:
            failure = error
    _draw_nowhere(app)
    if failure is not None:
        raise failure
    return done[0]


def _draw_nowhere(app: App[Any]) -> None:
    """Where the terminal went away meanwhile, let the desk end in order: what it draws until then is for nobody.

    Textual has a thread that writes, does not start it again without a terminal, and waits for ever for it to write.
    """
    from textual.drivers._writer_thread import WriterThread

    writer = getattr(app._driver, "_writer_thread", None)
    if writer is None or writer.is_alive():
        return
    nowhere = WriterThread(open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 -- it is written to until the end
    nowhere.start()
    app._driver._writer_thread = nowhere  # type: ignore[union-attr]


def edit_outside(text: str, command: list[str]) -> str:
    """Return the text as the editor left it. Blocks until the editor ends. Raises EditorFailed.

    A last line end that the editor added on its own does not count as a change. Where it fails, whatever it saved by
    then stays in a folder of its own, which the message names.
    """
    try:
        folder = Path(tempfile.mkdtemp(prefix="memdesk-"))
    except OSError as error:
        raise EditorFailed(f"The text could not be handed to an editor: {error.strerror}.") from error
    path, before = folder / "text.md", text.encode("utf-8", "surrogatepass")
    try:
        path.write_bytes(before)
        run_editor(path, command)
        edited = saved_text(path)
    except EditorFailed as failure:
        left = _left_there(folder, path, before)
        kept = "The text here is as it was." if left is None else f"What it left stays at {left}."
        raise EditorFailed(f"{failure} {kept}", left) from failure
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise EditorFailed(f"The text could not be handed to an editor: {error.strerror}.") from error
    shutil.rmtree(folder, ignore_errors=True)
    if edited.endswith("\n") and not text.endswith("\n"):
        edited = edited.removesuffix("\n").removesuffix("\r")
    return edited


def _left_there(folder: Path, path: Path, before: bytes) -> Path | None:
    """What a failed editor left that is worth keeping: another text, or a file to recover one from, beside it."""
    try:
        beside = [one for one in folder.iterdir() if one != path]
        if path.is_file() and path.read_bytes() != before:
            return path
    except OSError:
        return folder
    if beside:
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    return None


def run_editor(path: Path, command: list[str]) -> None:
    """Let the person edit a file. Blocks until the editor ends. Raises EditorFailed."""
    try:
        with _terminal_lent():
            code = subprocess.call([*command, os.fspath(path)])
    except OSError as error:
        raise EditorFailed(f"The editor did not start: {error.strerror}: {command[0]}.") from error
    if code < 0:
        raise EditorFailed(f"The editor was ended by signal {-code}{_called(-code)}.")
    if code:
        raise EditorFailed(f"The editor ended with code {code}.")


def _called(number: int) -> str:
    try:
        return f" ({signal.Signals(number).name})"
    except ValueError:
        return ""


@contextmanager
def _terminal_lent() -> Iterator[None]:
    """While another program has the terminal, its keys are that program's; afterwards the terminal is as it was.

    ctrl+c reaches every process at the terminal, and is for the editor alone. ctrl+z stops them all until the shell's
    `fg`; where no shell is, it stops none. An editor that is killed puts nothing back.
    """
    handlers = {}
    if threading.current_thread() is threading.main_thread():
        # A handler, not SIG_IGN: the program that is started would ignore them too.
        lent: dict[signal.Signals, Any] = {signal.SIGINT: _nothing, signal.SIGQUIT: _nothing}
        lent[signal.SIGTSTP] = signal.SIG_DFL
        handlers = {number: signal.signal(number, handler) for number, handler in lent.items()}
    tty = _Tty.now()
    try:
        yield
    finally:
        if tty is not None:
            tty.put_back()
        for number, handler in handlers.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)


def _nothing(number: int, frame: object) -> None:
    pass


class _Tty:
    """How the terminal stood: its modes, and whose turn it was."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self._modes = termios.tcgetattr(handle)
        self._ours = os.tcgetpgrp(handle) == os.getpgrp()

    @classmethod
    def now(cls) -> _Tty | None:
        """The terminal at the standard input, or None."""
        try:
            return cls(0)
        except (OSError, termios.error):
            return None

    def put_back(self) -> None:
        """An editor with jobs of its own takes the turn; whoever writes without having it would be stopped."""
        if not self._ours:
            return
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTTOU})
        try:
            with suppress(OSError, termios.error):
                os.tcsetpgrp(self._handle, os.getpgrp())
                termios.tcsetattr(self._handle, termios.TCSADRAIN, self._modes)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def saved_text(path: Path) -> str:
    """Return what the editor saved. Raises EditorFailed."""
    if path.exists() and not path.is_file():
        raise EditorFailed("The editor left something else in place of the file.")
    try:
        return path.read_bytes().decode("utf-8", "surrogatepass")
    except FileNotFoundError as error:
        raise EditorFailed("The editor left no file.") from error
    except UnicodeDecodeError as error:
        where = f"byte {error.object[error.start]:#04x} at position {error.start:,}"
        raise EditorFailed(f"What the editor saved is not UTF-8 text ({where}).") from error
    except OSError as error:
        raise EditorFailed(f"What the editor saved cannot be read: {error.strerror}.") from error
