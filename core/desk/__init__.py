"""The desk: the one door to memory, for the command line and the screen alike (DESIGN 2).

`Desk` is the sum of its parts, one module a family of verbs. Neither a command nor a pane decides a rule.
"""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

from .. import config as settings
from ..config import Config
from ..events import Clock
from ..hosts import Hosts
from ..policy import Role
from ..store import Store
from ..store.store import WAIT_MS
from .graphs import Graphs
from .host_approvals import HostApprovals
from .hosting import Hosting
from .merging import Merging
from .moments import Moments
from .proposing import Proposing
from .reading import Reading
from .reviewing import Reviewing
from .revising import Revising
from .rewinding import Rewinding
from .session import UNSET, Actor, Receipt, Session, Unset
from .similar import Similar
from .sources import Sources
from .status import Status
from .versions import Versions
from .vetoing import Vetoing

__all__ = ["UNSET", "Actor", "Desk", "Receipt", "Role", "Session", "Unset"]


class Desk(
    Reviewing, Merging, Similar, Revising, Status, Proposing, Sources, Versions, Graphs, Reading, Vetoing, Rewinding,
    Moments, HostApprovals, Hosting,
):  # fmt: skip
    """Everything a person or an agent can do with one store, as one actor."""

    @classmethod
    def open(
        cls, folder: Path, actor: Actor, *, clock: Clock | None = None, config: Config | None = None,
        read_only: bool = False, wait_ms: int = WAIT_MS, at_rest: bool = False,
    ) -> Self:  # fmt: skip
        """Open (or create) the store in `folder` for one actor; with `read_only` it must exist and is never written.

        Args:
            wait_ms: how long a write waits for another process, milliseconds.
            at_rest: read-only, and nobody has it open, so that no file is put beside it (`opening.at_rest`).

        Raises:
            StoreUnusable, StoreLocked: the file cannot be used. InputError: `config.toml` is broken.
        """
        store = Store.open(folder, clock=clock, read_only=read_only, wait_ms=wait_ms, at_rest=at_rest)
        try:
            return cls(store, actor, Hosts(store, wait_ms=wait_ms), config or settings.load(folder))
        except BaseException:
            store.close()
            raise

    def close(self) -> None:
        """Close the store's connections."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
