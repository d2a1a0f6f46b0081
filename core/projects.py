"""What identifies a project wherever it lies (DESIGN 3.4; memory-mechanics seed, "Project-scoped memory"). Runs git.

Real path of the git common directory (one for all work trees) > normalised remote > real path of the directory.
"""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from .errors import InputError

#: Seconds that one git call may take. A call that stalls is an error: another identity would split the project.
GIT_SECONDS: Final = 20.0

_SCP: Final = re.compile(r"(?:[^@/:]+@)?(?P<host>\[[^\]]+\]|[^/:]+):(?!//)(?P<path>.+)\Z")
_URL: Final = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?:[^@/]*@)?(?P<host>[^/:]*)(?::\d+)?(?P<path>/.*)?\Z")


@dataclass(frozen=True, slots=True)
class Identity:
    """A project's identity, and what it was read from.

    Attributes:
        identity: the string that `project_ref` holds.
        path: real path of the work tree or directory, None for a project known by its remote alone.
        remote_url: the remote without credentials, or None.
    """

    identity: str
    path: str | None = None
    remote_url: str | None = None


def identify(path: str | Path | None = None, remote: str | None = None) -> Identity:
    """Find what identifies a project.

    Args:
        path: a directory of it; its git repository is found from there.
        remote: the URL of a remote, for a project that is not on this machine.

    Raises:
        InputError: the path is no directory; git stalls, or refuses to read a repository that is there; nothing given.
    """
    if path is None:
        normal = normalise_remote(remote or "")
        if not normal:
            raise InputError("A project needs a directory or a remote.", "Give --path DIRECTORY or --remote URL.")
        return Identity(normal, None, without_credentials(remote or ""))
    place = Path(path).expanduser()
    if not place.is_dir():
        raise InputError(f"{place} is not a directory.", "Give the directory of the project.")
    real = os.path.realpath(place)
    common = _git(real, "rev-parse", "--git-common-dir")
    if common is None:
        normal = normalise_remote(remote or "")
        return Identity(normal or real, real, without_credentials(remote) if remote else None)
    url = remote or _remote(real)
    return Identity(os.path.realpath(os.path.join(real, common)), real, without_credentials(url) if url else None)


def _remote(place: str) -> str | None:
    """The URL of `origin`, else of the first remote."""
    names = (_git(place, "remote") or "").split()
    if not names:
        return None
    return _git(place, "remote", "get-url", "origin" if "origin" in names else names[0])


def _git(place: str, *args: str) -> str | None:
    """One line of git's answer; None outside any repository."""
    # A hook or alias that runs us sets GIT_DIR and its like: they would answer for another repository.
    environ = {k: v for k, v in os.environ.items() if not k.startswith("GIT_") or k.startswith("GIT_CONFIG")}
    try:
        run = subprocess.run(
            ["git", "-C", place, *args], capture_output=True, timeout=GIT_SECONDS, check=False,
            env=environ | {"LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"},
        )  # fmt: skip
    except FileNotFoundError:
        if _has_repository(place):
            raise InputError(f"{place} is a git repository, and git is not installed.", "Install git.") from None
        return None
    except subprocess.TimeoutExpired:
        raise InputError(f"git did not answer for {place} in {GIT_SECONDS:.0f} seconds.", "Try again.") from None
    if run.returncode == 0:
        return os.fsdecode(run.stdout).rstrip("\n") or None
    said = run.stderr.decode(errors="replace").strip()
    if "not a git repository" in said and not _has_repository(place):
        return None
    reason = (said.splitlines() or ["no reason given"])[0].removeprefix("fatal: ")
    raise InputError(f"git cannot read the repository of {place}: {reason}", "Mend that first, then run this again.")


def _has_repository(place: str) -> bool:
    here = Path(place)
    return any((folder / ".git").exists() for folder in (here, *here.parents))


def normalise_remote(url: str) -> str:
    """`github.com/acme/tool` from any spelling of a remote: no scheme, credentials, port or `.git`; "" for none.

    The host is lower case; a remote on this machine is its real path.
    """
    text = url.strip()
    found = _URL.match(text)
    if found and found["scheme"].lower() == "file":
        text = found["path"] or ""
    elif found or (found := _SCP.match(text)):
        path = (found["path"] or "").strip("/").removesuffix(".git").rstrip("/")
        host = found["host"].lower()
        return f"{host}/{path}" if path else host
    if not text:
        return ""
    return os.path.realpath(os.path.expanduser(text)) if os.path.isabs(os.path.expanduser(text)) else text


def without_credentials(url: str) -> str:
    """The URL without user and password: a token in a remote must not end up in memory."""
    return re.sub(r"\A([A-Za-z][A-Za-z0-9+.-]*://)[^@/]*@", r"\1", url.strip())
