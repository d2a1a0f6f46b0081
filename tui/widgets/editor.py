"""A text edited by the person's own editor."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path


class EditorFailed(Exception):
    """The editor could not be used; the message is one sentence for the person, and the text is unchanged."""


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


def edit_outside(text: str, command: list[str]) -> str:
    """Return the text as the editor left it. Blocks until the editor ends. Raises EditorFailed.

    A last line end that the editor added on its own does not count as a change.
    """
    with tempfile.TemporaryDirectory(prefix="memdesk-") as folder:
        path = Path(folder) / "text.md"
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        try:
            run_editor(path, command)
        except EditorFailed as failure:
            raise EditorFailed(f"{failure} The text is as it was before.") from failure
        edited = saved_text(path)
    if edited.endswith("\n") and not text.endswith("\n"):
        edited = edited.removesuffix("\n").removesuffix("\r")
    return edited


def run_editor(path: Path, command: list[str]) -> None:
    """Let the person edit a file. Blocks until the editor ends. Raises EditorFailed."""
    try:
        code = subprocess.call([*command, os.fspath(path)])
    except OSError as error:
        raise EditorFailed(f"The editor did not start: {error.strerror}: {command[0]}.") from error
    if code < 0:
        raise EditorFailed(f"The editor was ended by signal {-code}.")
    if code:
        raise EditorFailed(f"The editor ended with code {code}.")


def saved_text(path: Path) -> str:
    """Return what the editor saved. Raises EditorFailed."""
    try:
        return path.read_bytes().decode("utf-8", "surrogatepass")
    except FileNotFoundError as error:
        raise EditorFailed("The editor left no file.") from error
    except UnicodeDecodeError as error:
        where = f"byte {error.object[error.start]:#04x} at position {error.start:,}"
        raise EditorFailed(f"What the editor saved is not UTF-8 text ({where}).") from error
    except OSError as error:
        raise EditorFailed(f"What the editor saved cannot be read: {error.strerror}.") from error
