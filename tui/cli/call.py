"""What every command is told about itself: which store, who acts, whether the answer is JSON."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .output import is_terminal, put_json, warn

if TYPE_CHECKING:
    from ...core.desk import Actor, Desk

APP = "memdesk"
#: Open to every role, and yet no reads.
_OPEN_WRITES = frozenset({"pull", "push", "batch", "propose", "requests edit", "requests rebase", "requests withdraw"})


@dataclass
class Call:
    """One run of a command.

    Attributes:
        store: the folder given by `--store`, or None.
        actor, role, session_id: as given on the command line, or None.
        json: whether the answer is one JSON value on stdout and nothing else.
        notes: sentences for stderr (or the `warnings` of the answer) that no verb knows of.
    """

    store: str | None = None
    actor: str | None = None
    role: str | None = None
    session_id: str | None = None
    json: bool = False
    notes: list[str] = field(default_factory=list)

    def folder(self) -> Path:
        """The store's folder: `--store`, else `MEMDESK_HOME`, else the platform's user data directory."""
        given = self.store or os.environ.get("MEMDESK_HOME")
        if given:
            return Path(given).expanduser().absolute()
        from platformdirs import user_data_path

        return user_data_path(APP, appauthor=False)

    def who(self) -> Actor:
        """The actor and the role that results (DESIGN 4)."""
        from ...core.desk import Actor
        from ...core.policy import resolve_role, resolve_session, role_note

        name = self.actor_name()
        role = resolve_role(self.role, os.environ, stderr_is_terminal=is_terminal(sys.stderr), actor=name)
        note = role_note(self.role, role)
        if note and note not in self.notes:
            self.notes.append(note)
        return Actor(name, role, resolve_session(self.session_id, os.environ), on_terminal())

    def has_store(self) -> bool:
        """Whether there is a store already; most commands make one on first use."""
        from ...core.store.opening import is_there

        return is_there(self.folder())

    def actor_name(self) -> str:
        """Who acts, by name."""
        from ...core.policy import resolve_actor

        return resolve_actor(self.actor, os.environ, _login())

    @contextmanager
    def desk(self, **opening: Any) -> Iterator[Desk]:
        """The desk on this call's store, closed afterwards. A reading command first sees what agents wrote through a
        host; a writing one must not, or it would not notice that what it was typed for has changed.

        Args:
            opening: more for `Desk.open`.
        """
        from ...core.desk import Desk
        from ...core.errors import MemdeskError, StoreUnusable

        reads, folder, who = _reads(), self.folder(), self.who()
        try:
            desk = Desk.open(folder, who, **opening)
        except StoreUnusable as refusal:
            if not reads:
                raise
            from ...core.store.opening import FILE_NAME, at_rest

            # In a folder where nothing may be put, a store can be read as long as nobody has it open.
            rest = at_rest(folder / FILE_NAME)
            try:
                desk = Desk.open(folder, who, **{**opening, "read_only": True, "at_rest": rest})
            except MemdeskError:
                raise refusal from None
            self.notes.append("The store cannot be written to; this is what it holds.")
        with desk:
            if reads and not desk.store.read_only:
                desk.hosts.look()
            yield desk

    def answer(self, data: Any, text: Callable[[], object]) -> None:
        """Print the answer: `data` as JSON, or whatever `text` prints, then the notes."""
        if self.json:
            if self.notes and isinstance(data, dict):
                data = {**data, "warnings": [*data.get("warnings", ()), *self.notes]}
            put_json(data)
            return
        text()
        for note in self.notes:
            warn(note)


def _reads() -> bool:
    """Whether the command at hand only reads (by its row in the policy table)."""
    from ...core.policy import VERBS, Kind

    ctx = click.get_current_context(silent=True)
    verb = " ".join(ctx.command_path.split()[1:]) if ctx else ""
    return VERBS.get(verb) is Kind.OPEN and verb not in _OPEN_WRITES


def this_call(ctx: click.Context) -> Call:
    """The call that a click context belongs to."""
    call: Call = ctx.ensure_object(Call)
    return call


def on_terminal() -> bool:
    """Whether a person sits there: keyboard and messages are terminals."""
    return is_terminal(sys.stdin) and is_terminal(sys.stderr)


def can_ask() -> bool:
    """Whether a question on the terminal would be seen and could be answered."""
    return on_terminal() and is_terminal(sys.stdout)


def _login() -> str:
    import getpass

    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):  # a user id without a name, in a container
        return str(os.getuid()) if hasattr(os, "getuid") else "unknown"


def now() -> datetime:
    """The time against which ages are told; MEMDESK_NOW sets it for documentation and tests."""
    given = os.environ.get("MEMDESK_NOW")
    if given:
        try:
            moment = datetime.fromisoformat(given)
            return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        except ValueError:
            pass
    return datetime.now(UTC)
