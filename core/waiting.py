"""What waits for a person: the report of `status`, for a prompt, a hook and the desk's header (DESIGN 4).

It stands beside the desk and not in it, so that a shell prompt need not load what it never uses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import MemdeskError

if TYPE_CHECKING:
    from .hosts import HostInfo, Hosts
    from .store import Store

#: Words for how long ago a time was: "3 days", or "3d" for a prompt.
Age = Callable[[str | None], str]
#: A prompt does not wait for another process.
_PROMPT_MS = 200


@dataclass(frozen=True, slots=True)
class StatusReport:
    """What waits.

    Attributes:
        workspace: requests, flagged writes, lost edits and numbers of entries are of this one; None: of all.
        oldest_request, oldest_lost_edit, oldest_flagged: RFC 3339, or None.
        flagged: live writes of agents about the user that nobody has kept or vetoed.
        overruled: decisions of this actor that another machine's earlier one has overruled, not yet acknowledged.
        waiting_events: events whose entry has not arrived yet.
        open_threads, carried: numbers of entries; None where they were not counted.
        host_approvals: kind of host -> how many of its own approvals about memory wait there.
        host_proposals: kind of host -> how many proposals of its agents nobody has taken; looking through the
            contracts takes time, so not every report counts them.
    """

    workspace: str | None = None
    requests: int = 0
    oldest_request: str | None = None
    lost_edits: int = 0
    oldest_lost_edit: str | None = None
    waiting_events: int = 0
    open_threads: int | None = None
    carried: int | None = None
    hosts: tuple[HostInfo, ...] = ()
    flagged: int = 0
    oldest_flagged: str | None = None
    overruled: int = 0
    host_approvals: Mapping[str, int] = field(default_factory=dict)
    host_proposals: Mapping[str, int] = field(default_factory=dict)

    @property
    def calm(self) -> bool:
        """Whether nothing waits."""
        numbers = (self.requests, self.lost_edits, self.waiting_events, self.flagged, self.overruled)
        return not (any(numbers) or self.in_hosts() or self._out_of_step())

    def line(self, age: Age) -> str:
        """One line for a person: what waits, then how each host stands."""
        parts = self._parts(age) or ["Nothing waits"]
        parts += [f"{h.kind} {h.path}: {h.words}" for h in self.hosts if h.state != "detached"]
        return " · ".join(parts)

    def short(self, age: Age) -> str:
        """The least, for a shell prompt; "" when nothing waits.

        Args:
            age: in few characters, such as "3d".
        """
        parts = []
        for number, words, oldest in (
            (self.requests, _count(self.requests, "request", "requests"), self.oldest_request),
            (self.flagged, f"{self.flagged:,} flagged", self.oldest_flagged),
            (self.lost_edits, _count(self.lost_edits, "lost edit", "lost edits"), self.oldest_lost_edit),
            (self.overruled, f"{self.overruled:,} overruled", None),
            (self.waiting_events, _count(self.waiting_events, "event", "events"), None),
        ):
            if number:
                parts.append(words + (f" {age(oldest)}" if oldest else ""))
        parts += [f"{number:,} in {kind}" for kind, number in self.in_hosts().items()]
        return " · ".join([*parts, *self._out_of_step(brief=True)])

    def hook_line(self, age: Age) -> str:
        """One sentence for the start of a session; "" when nothing waits."""
        if self.calm:
            return ""
        said = "; ".join([*self._parts(age), *self._out_of_step()])
        return f"memdesk: {said}. A person decides these, with `memdesk`."

    def as_json(self) -> dict[str, Any]:
        """For `--json`."""
        counted = {"open": self.open_threads, "carry_forward": self.carried}
        return {
            "workspace": self.workspace, "requests": self.requests, "oldest_request": self.oldest_request,
            "flagged": self.flagged, "oldest_flagged": self.oldest_flagged, "overruled": self.overruled,
            "lost_edits": self.lost_edits, "oldest_lost_edit": self.oldest_lost_edit,
            "waiting_events": self.waiting_events, "host_approvals": dict(self.host_approvals),
            "host_proposals": dict(self.host_proposals), **{k: v for k, v in counted.items() if v is not None},
            "hosts": [h.as_dict() for h in self.hosts], "calm": self.calm,
        }  # fmt: skip

    def _parts(self, age: Age) -> list[str]:
        """What waits, each with its oldest age."""
        flagged = _count(self.flagged, "write of an agent about you waits", "writes of agents about you wait")
        lost = _count(self.lost_edits, "lost edit", "lost edits")
        overruled = _count(self.overruled, "decision of yours was overruled", "decisions of yours were overruled")
        parts = [
            (self.requests, _count(self.requests, "request waits", "requests wait"), self.oldest_request),
            (self.flagged, f"{flagged} to be kept or vetoed", self.oldest_flagged),
            (self.lost_edits, lost, self.oldest_lost_edit),
            (self.overruled, overruled, None),
            (self.waiting_events, f"{_count(self.waiting_events, 'event waits', 'events wait')} for the rest of "
                                  "the log", None),
        ]  # fmt: skip
        said = [words + (f" (oldest {age(oldest)})" if oldest else "") for number, words, oldest in parts if number]
        for what, found in (("approval", self.host_approvals), ("proposal", self.host_proposals)):
            said += [f"{_count(n, what, what + 's')} in {kind.capitalize()}" for kind, n in found.items() if n]
        return said

    def in_hosts(self) -> dict[str, int]:
        """Kind of host -> what of its own waits there."""
        found: dict[str, int] = {}
        for numbers in (self.host_approvals, self.host_proposals):
            for kind, number in numbers.items():
                found[kind.capitalize()] = found.get(kind.capitalize(), 0) + number
        return {kind: number for kind, number in found.items() if number}

    def _out_of_step(self, *, brief: bool = False) -> list[str]:
        """The hosts that are away, or lack something; one that is read-only for good is no news at every prompt."""
        said = []
        for host in self.hosts:
            if host.state == "detached":
                continue
            name = host.kind.capitalize()
            if host.waiting:
                said.append(f"{len(host.waiting):,} not yet in {name}")
            elif host.state == "away":
                said.append(f"{name} is away" + (f": {host.problem}" if host.problem and not brief else ""))
        return said


def report(store: Store, actor: str, *, workspace: str | None = None, hosts: Hosts | None = None) -> StatusReport:
    """Read what waits for `actor`, whatever the number of entries and of contracts on the hosts.

    Args:
        workspace: only of this one, but for overruled decisions, hosts, and events that wait.
        hosts: the hosts to look at; None for none.
    """
    # Of the only one there is: also what would be written into one that would be made.
    found = store.waits(workspace if workspace is not None and len(store.workspaces()) > 1 else None)
    return StatusReport(
        workspace, found.requests, found.oldest_request, found.lost_edits, found.oldest_lost_edit, found.events,
        hosts=tuple(hosts.listed()) if hosts else (), flagged=found.flagged, oldest_flagged=found.oldest_flagged,
        overruled=len(store.overruled(actor)),
        host_approvals=by_kind(p.host_id for p in hosts.pending()) if hosts else {},
    )  # fmt: skip


def by_kind(host_ids: Iterable[str]) -> dict[str, int]:
    """Kind of host -> how many of these stand there."""
    return dict(Counter(host_id.partition(":")[0] for host_id in host_ids))


def glance(folder: Path, actor: str, *, workspace: str | None = None) -> StatusReport:
    """What waits, for a prompt: the store is neither made nor written nor pulled into; where there is none, nothing.

    Args:
        folder: the store's folder.
        actor: whose overruled decisions count.
        workspace: only of this one, as in `report`.

    Raises:
        UnknownWorkspace: there is a store, and no such place in it.
        StoreUnusable, StoreLocked: there is a store, and it cannot be read.
    """
    from .store.opening import FILE_NAME, at_rest, is_there

    path = folder / FILE_NAME
    if not is_there(folder):
        return StatusReport(workspace)
    if at_rest(path):
        before = path.stat()
        try:
            found = _glance(folder, actor, workspace, at_rest=True)
        except MemdeskError:
            found = None
        after = path.stat()
        undisturbed = (before.st_mtime_ns, before.st_size) == (after.st_mtime_ns, after.st_size) and at_rest(path)
        if found is not None and undisturbed:
            return found
    return _glance(folder, actor, workspace, at_rest=False)


def _glance(folder: Path, actor: str, workspace: str | None, *, at_rest: bool) -> StatusReport:
    from .store import Store

    with Store.open(folder, read_only=True, wait_ms=_PROMPT_MS, at_rest=at_rest) as store:
        if workspace is not None:
            from .scope import check_workspace

            check_workspace([w.name for w in store.workspaces()], workspace, reading=True)
        if not store.has_hosts():
            return report(store, actor, workspace=workspace)
        from .hosts import Hosts

        return report(store, actor, workspace=workspace, hosts=Hosts(store, wait_ms=_PROMPT_MS))


def _count(number: int, one: str, many: str) -> str:
    return f"{number:,} {one if number == 1 else many}"
