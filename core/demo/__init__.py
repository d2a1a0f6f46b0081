"""`memdesk demo`: a throw-away store that looks like two months of real work, written through the desk itself.

Entries, versions by several authors, near-duplicates, contradictions, a replaced decision and pending requests: what
every pane is there for. The clock is an argument, so that pictures and tests are the same each time.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from ..config import Config
from ..desk import Actor, Desk
from ..errors import NeedsApproval
from ..events import Clock, wall_clock_ms
from ..hosts import Hosts
from ..policy import Role
from ..store import Store
from .asked import ON_HER_OWN, REQUESTS, REVIEWER, SETTLED
from .content import ANA, APPENDS, EDGES, OPERATOR, REWORDINGS, ROWS, Row

WORKSPACE: Final = "studio"
_ROLES: Final = {ANA: Role.USER, OPERATOR: Role.OPERATOR, REVIEWER: Role.SPECIALIST}
_DAY_MS: Final = 24 * 60 * 60 * 1000


def build(
    folder: Path, *, now_ms: int | None = None, randomness: Callable[[int], bytes] | None = None
) -> None:
    """Write the demo store into `folder`, which must not hold a store yet.

    Args:
        now_ms: the moment that the demo's ages are counted from, milliseconds; the present when left out.
        randomness: returns n random bytes, for the same ids each time.
    """
    _Builder(folder, wall_clock_ms() if now_ms is None else now_ms, randomness).run()


class _Builder:
    def __init__(self, folder: Path, now_ms: int, randomness: Callable[[int], bytes] | None) -> None:
        self._now = self._at = now_ms
        clock = Clock(lambda: self._at, randomness) if randomness else Clock(lambda: self._at)
        self._store = Store.open(folder, clock=clock)
        self._desks: dict[str, Desk] = {}

    def run(self) -> None:
        """Play everything in the order in which it happened."""
        steps: list[tuple[float, Callable[[], None]]] = [(r.days, lambda r=r: self._add(r)) for r in ROWS]  # type: ignore[misc]
        steps += [(d, lambda a=a, e=(s, k, t): self._desk(a).link(*e, force=True)) for d, a, s, k, t in EDGES]  # type: ignore[misc]
        steps += [(d, lambda a=a, n=n, t=t: self._desk(a).append(n, t)) for d, a, n, t in APPENDS]  # type: ignore[misc]
        steps += [(d, lambda a=a, n=n, t=t: self._reword(a, n, t)) for d, a, n, t in REWORDINGS]  # type: ignore[misc]
        steps += [(d, lambda a=a, n=n, t=t: self._desk(a).append(n, t)) for d, a, n, t in ON_HER_OWN]  # type: ignore[misc]
        steps += [(d, lambda a=a, v=v, g=g: self._ask(a, v, g)) for d, a, v, g in REQUESTS]  # type: ignore[misc]
        steps += [(SETTLED[0], lambda: self._reword(*SETTLED[1:]))]
        steps += [(35, self._replace_decision), (1.5, self._last_visit)]
        try:
            for days, step in sorted(steps, key=lambda s: -s[0]):
                self._at = self._now - int(days * _DAY_MS)
                step()
        finally:
            self._store.close()

    def _desk(self, author: str) -> Desk:
        if author not in self._desks:
            role = _ROLES.get(author, Role.ORCHESTRATOR)
            self._desks[author] = Desk(self._store, Actor(author, role), Hosts(self._store), Config())
        return self._desks[author]

    def _add(self, row: Row) -> None:
        lifecycle = {"status": row.status} if row.status else {}
        self._desk(row.author).add(
            name=row.name, body=row.body, description=row.description, klass=row.klass, workspace=WORKSPACE,
            initiative=row.initiative or None, create_workspace=True, tags=_tags(row), **lifecycle,
        )  # fmt: skip

    def _reword(self, author: str, name: str, description: str) -> None:
        self._desk(author).edit(name, fields={"description": description})

    def _replace_decision(self) -> None:
        """The person settles which of two decisions stands."""
        self._desk(ANA).supersede("decision_ledger_soft_edits", by="decision_ledger_append_only")

    def _last_visit(self) -> None:
        """What agents did since the person was last here is news."""
        self._store.mark_seen(ANA)

    def _ask(self, author: str, verb: str, given: dict[str, Any]) -> None:
        """An agent asks for what it may not do alone."""
        rest = {name: value for name, value in given.items() if name != "ref"}
        refs = [given["ref"]] if "ref" in given else []
        if verb == "erase":
            rest["confirm"] = f"DELETE {self._desk(author).find(given['ref']).id}"
        self._request(author, lambda d: getattr(d, verb)(*refs, **rest))

    def _request(self, author: str, ask: Callable[[Desk], object]) -> None:
        try:
            ask(self._desk(author))
        except NeedsApproval:
            return
        raise AssertionError(f"{author} was expected to have to ask")


def _tags(row: Row) -> tuple[str, ...]:
    words = {"ledger": "money", "atlas": "api", "sync": "phones", "cluster": "move", "search": "index"}
    return tuple(tag for word, tag in words.items() if word in row.name)
