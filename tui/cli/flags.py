"""Flags that several verbs share, each spelled and explained once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import click

from ...core.errors import UsageError
from .inputs import NAME, TEXT, WORD

F = TypeVar("F", bound=Callable[..., Any])

_NULL = frozenset({"null", "none", ""})


def _stacked(*options: Callable[[F], F]) -> Callable[[F], F]:
    def apply(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return apply


def workspace_flag(command: F) -> F:
    """`--workspace` of a verb on an existing entry: look only there."""
    return click.option("--workspace", type=NAME, help="Look only in this workspace.")(command)


def rationale_flag(command: F) -> F:
    """`--rationale`: stored with the request when the change needs one."""
    return click.option("--rationale", type=TEXT, default="", help="Why; the person who decides reads it.")(command)


def scope_flags(command: F) -> F:
    """Where a new entry belongs; at least one is needed, and none is guessed (DESIGN 3.4)."""
    return _stacked(
        click.option("--workspace", type=NAME, help="The workspace it belongs to."),
        click.option("--project", type=NAME, help="A registered project; its identity is stored."),
        click.option("--project-ref", type=WORD, help="A project identity, taken as it is."),
        click.option("--create-workspace", is_flag=True, help="Make the workspace if it does not exist."),
    )(command)


def body_flags(command: F) -> F:
    """The body, inline or from a file."""
    return _stacked(
        click.option("--body", type=TEXT, help="The body, or @FILE."),
        click.option("--body-file", metavar="PATH|-", help="The body from a file, or from standard input."),
    )(command)


def given(value: str | None) -> Any:
    """A text flag as the desk takes it: not given, null when blank, else the text."""
    from ...core.desk import UNSET

    return UNSET if value is None else (value if value.strip() else None)


def thread_status(value: str | None) -> Any:
    """`--status` of a write: not given, null for `null`, else the word."""
    from ...core.desk import UNSET

    if value is None:
        return UNSET
    return None if value.strip().lower() in _NULL else value.strip()


def named(positional: str | None, flag: str | None, what: str) -> str:
    """The one reference given as an argument or as `--name`.

    Raises:
        UsageError: neither or both were given.
    """
    if (positional is None) == (flag is None):
        how = "both as an argument and with --name" if flag is not None else "neither as an argument nor with --name"
        raise UsageError(f"{what} is given {how}.", "Give it once.")
    chosen = positional if positional is not None else flag
    assert chosen is not None
    if not chosen.strip():
        raise UsageError(f"{what} is blank.", "Give a name, workspace/name, or an id.")
    return chosen


def words(values: Iterable[str]) -> tuple[str, ...]:
    """The values of a repeatable flag that also takes commas, each once."""
    parts = (part.strip() for value in values for part in value.split(","))
    return tuple(dict.fromkeys(p for p in parts if p))
