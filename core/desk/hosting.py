"""Verbs on hosts: attach, pull, push, detach, hosts (DESIGN 7)."""

from __future__ import annotations

import os
from dataclasses import dataclass

from ..errors import UsageError
from ..hosts import HostInfo, Pulled, Pushed
from ..policy import Facts
from .session import Session


@dataclass(frozen=True, slots=True)
class Attached:
    """What `attach` found, and what to tell the person about it."""

    pulled: Pulled
    warnings: tuple[str, ...] = ()


class Hosting(Session):
    """Memory that already exists, worked on in place."""

    def attach(self, kind: str, path: str | os.PathLike[str] | None = None) -> Attached:
        """Attach a host and pull what it holds; attaching again only pulls what is new.

        Args:
            kind: `gaia`.
            path: the database file, or its folder; by default GAIA_DB, then GAIA_DATA_DIR/gaia.db, then
                ~/.gaia/gaia.db (gaia/SPEC 1).

        Raises:
            NotAllowed: only a person attaches. UsageError: an unknown kind.
            HostError: `host_away`, `host_locked`, `host_not_gaia`, `host_mass_delete`.
        """
        self._may("attach")
        pulled, warnings = self.hosts.attach(kind, path)
        self.hosts.push(pulled.host_id)
        return Attached(pulled, tuple(warnings))

    def pull(self, host: str | None = None, *, force: bool = False) -> tuple[Pulled, ...]:
        """Turn what changed on the hosts into events; twice changes nothing.

        Args:
            host: its id or the beginning of it, or its path; all attached hosts by default.
            force: go on although more than a tenth of the rows (and more than five) are gone at once.

        Raises:
            NotFound: no such host. HostError: `host_away`, `host_locked`, `host_mass_delete`.
            NotAllowed: `force` by anybody but a person.
            UsageError: `force` without naming a host, where several are attached.
        """
        self._may("pull --force" if force else "pull")
        if force and host is None and len(self.hosts.attached()) > 1:
            raise UsageError("Several hosts are attached.", "Name the one to pull with --force.")
        return tuple(self.hosts.pull(host, force=force))

    def push(self, host: str | None = None) -> tuple[Pushed, ...]:
        """Send what has not reached the hosts yet. What still waits, and why, stands in the result: it is no error.

        Raises:
            NotFound: no such host.
        """
        self._may("push")
        return tuple(self.hosts.push(host))

    def detach(self, host: str, *, force: bool = False) -> HostInfo:
        """Put a host aside: its entries are shown no more until it is attached again. The log keeps everything.

        Args:
            force: also while changes have not reached it; they are sent when it is attached again.

        Raises:
            NotAllowed: only a person detaches. NotFound: no such host. HostError: `host_pending`.
        """
        self._may("detach")
        return self.hosts.detach(host, force=force)

    def list_hosts(self) -> tuple[HostInfo, ...]:
        """Every host that was ever attached: path, schema, in step or how much is not yet there, last pull."""
        self._may("hosts")
        return tuple(self.hosts.listed())

    def _may(self, verb: str) -> None:
        self.gate(verb, Facts(), args={})
