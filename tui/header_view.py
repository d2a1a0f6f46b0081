"""The header line: which panes there are, where the desk stands, what waits and for how long. Pure but for one read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from ..core.desk import Desk
from ..core.hosts import HostInfo
from .widgets.header import Segment
from .words import age, count, number

#: In which order things get shorter where room is short, the highest first: the words of what waits, then (a host that
#: is in step has dropped at 7, and at 6 all stands closer) the tabs, which keep their keys. Only after that does
#: something that waits drop.
_REQUESTS, _LOST_EDITS, _FLAGGED, _OVERRULED, _CONTRADICTIONS, _WORKSPACE, _TABS = 13, 12, 11, 10, 9, 8, 5


@dataclass(frozen=True, slots=True)
class HeaderView:
    """What waits for the person.

    Attributes:
        flagged: writes of agents about the person that nobody has kept or vetoed.
        overruled: decisions of the person that did not stand, not yet acknowledged.
        in_hosts: approvals and proposals that wait in a host, in words.
        hosts: how each stands, in words, and whether one should look.
        held_up: how many changes have not reached their host.
    """

    requests: int = 0
    oldest_request: str | None = None
    lost_edits: int = 0
    oldest_lost_edit: str | None = None
    hosts: tuple[tuple[str, bool], ...] = ()
    held_up: int = 0
    flagged: int = 0
    overruled: int = 0
    in_hosts: tuple[str, ...] = ()


def header_view(desk: Desk, workspace: str | None) -> HeaderView:
    """Read what the header shows. Runs in the reading thread."""
    report = desk.status(workspace=workspace, counted=False)
    hosts = tuple(_host_words(host) for host in report.hosts if host.state != "detached")
    held_up = sum(len(host.waiting) for host in report.hosts)
    return HeaderView(
        report.requests, report.oldest_request, report.lost_edits, report.oldest_lost_edit, hosts, held_up,
        report.flagged, report.overruled, tuple(f"{number(n)} in {kind}" for kind, n in report.in_hosts().items()),
    )  # fmt: skip


def segments(
    tabs: Sequence[tuple[str, str, str]], front: str, workspace: str | None, view: HeaderView | None, now: datetime,
    contradictions: int = 0,
) -> tuple[list[Segment], list[Segment]]:
    """The segments at the left and at the right.

    Args:
        tabs: (key, name, title) of each pane.
        front: the name of the pane in front.
        workspace: the chosen one, None for all.
        view: what waits; None while the store is being opened.
        now: the time, for ages.
        contradictions: how many the last comparing of texts found.
    """
    left = [
        # The sign takes the place of the blank, so that no label moves when it does.
        Segment(f"{key}▸{title}", 0, "accent")
        if name == front
        else Segment(f"{key} {title}", 0, "muted", key, _TABS)
        for key, name, title in tabs
    ]
    if view is None:
        return left, [Segment("opening…", 0, "muted")]
    right = [Segment(words, 2 if look else 7, "warn" if look else "muted") for words, look in view.hosts]
    everywhere = Segment("all workspaces", 1, "", "all", _WORKSPACE)
    right.append(everywhere if workspace is None else Segment(workspace, 1))
    right += _decisions(view, now)
    if view.lost_edits:
        many, oldest = count(view.lost_edits, "lost edit"), age(view.oldest_lost_edit, now)
        right.append(Segment(f"{many}, oldest {oldest}", 3, "warn", f"{many} {oldest}", _LOST_EDITS))
    if contradictions:
        words = count(contradictions, "contradiction")
        right.append(Segment(words, 4, "warn", f"{number(contradictions)} ≠", _CONTRADICTIONS))
    return left, right


def _decisions(view: HeaderView, now: datetime) -> list[Segment]:
    """What the pane of approvals is for. Its key stands at the left: beside a number it would read as a count."""
    found = []
    if view.requests:
        many, oldest = count(view.requests, "request"), age(view.oldest_request, now)
        found.append((f"{many}, oldest {oldest}", f"{many} {oldest}", 2, _REQUESTS))
    if view.flagged:
        found.append((f"{number(view.flagged)} flagged", f"{number(view.flagged)} !", 3, _FLAGGED))
    if view.overruled:
        found.append((f"{number(view.overruled)} overruled", f"{number(view.overruled)} void", 3, _OVERRULED))
    found += [(words, words, 3, 0) for words in view.in_hosts]
    return [
        Segment(words, priority, "warn", shorter if shortens else "", shortens)
        for words, shorter, priority, shortens in found
    ]


def _host_words(host: HostInfo) -> tuple[str, bool]:
    name = host.kind.capitalize()
    if host.waiting:
        return f"{number(len(host.waiting))} not yet in {name}", True
    if host.state == "away":
        return f"{name} is away", True
    return (f"{name} is read-only", True) if host.read_only else (f"{name} in step", False)
