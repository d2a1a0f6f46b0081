"""A store in memory: writes events as a session would, with minted ids and the `base` that its author had seen."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from memdesk.core import events as ev
from memdesk.core.events import Clock, Event
from memdesk.core.fold import Folded, Memory, fold_all, fold_entry
from memdesk.core.standing import chain, standing_of
from memdesk.core.undo import UndoPlan, plan_undo, touched

START_MS = 1_750_000_000_000


class Pen:
    """One machine's log. Every write is its own operation unless it stands inside `with pen.operation(...)`.

    Args:
        author: agent id of the events.
        origin: the machine; it also seeds the randomness of its ids.
        now: the wall clock in milliseconds; it stands still unless the test moves `pen.now`.
    """

    def __init__(self, author: str = "user:ana", origin: str = "d_a", *, now: int = START_MS) -> None:
        self.author = author
        self.origin = origin
        self.now = now
        self.log: dict[str, Event] = {}
        self._random = random.Random(origin)
        self._clock = Clock(lambda: self.now, self._random.randbytes)
        self._op: str | None = None
        self._mint: Any = None

    # -- writing ------------------------------------------------------------------------------------------------

    @contextmanager
    def operation(self, verb: str = "edit", *, undoes: str | None = None, author: str | None = None) -> Iterator[str]:
        floor = max((e.order for e in self.log.values()), default=None)
        self._mint = self._clock.mint(floor)
        self._op = "op_" + self._mint.ulid()
        before, self.author = self.author, author or self.author
        try:
            self.put(ev.OPERATION, verb=verb, summary=verb, undoes=undoes)
            yield self._op
        finally:
            self._op = None
            self.author = before

    def put(self, kind: str, *, host_ref: str | None = None, **payload: Any) -> Event:
        if self._op is None:
            with self.operation(kind.removeprefix("memory.")):
                return self.put(kind, host_ref=host_ref, **payload)
        event = Event(
            "evt_" + self._mint.ulid(), kind, self._mint.timestamp, self.author, self.origin, self._op, payload,
            host_ref=host_ref,
        )  # fmt: skip
        self.log[event.event_id] = event
        return event

    def create(self, memory_id: str, *, host_ref: str | None = None, **fields: Any) -> Event:
        fields = {"workspace": "w", "name": "atom_" + memory_id, "type": "atom", "body": "first", **fields}
        if "klass" in fields:
            fields["class"] = fields.pop("klass")
        return self.put(ev.CREATE, memory_id=memory_id, host_ref=host_ref, **fields)

    def edit(self, memory_id: str, *, add: Iterable[str] = (), rm: Iterable[str] = (), **patch: Any) -> Event:
        if "klass" in patch:
            patch["class"] = patch.pop("klass")
        payload: dict[str, Any] = {"memory_id": memory_id}
        if patch:
            folded = self.folded(memory_id)
            base = {name: folded.base(name) for name in patch if folded and folded.base(name)}
            payload |= {"patch": patch, "base": base}
        if add:
            payload["add_tags"] = list(add)
        if rm:
            payload["rm_tags"] = list(rm)
        return self.put(ev.EDIT, **payload)

    def append(self, memory_id: str, text: str) -> Event:
        folded = self.folded(memory_id)
        return self.put(ev.APPEND, memory_id=memory_id, text=text, base=folded.body_heads if folded else [])

    def delete(self, memory_id: str) -> Event:
        return self.put(ev.DELETE, memory_id=memory_id)

    def link(self, source: str, kind: str, target: str) -> Event:
        return self.put(ev.EDGE_ADD, from_id=source, edge_kind=kind, to_id=target)

    def unlink(self, source: str, kind: str, target: str) -> Event:
        return self.put(ev.EDGE_REMOVE, from_id=source, edge_kind=kind, to_id=target)

    # -- undoing ------------------------------------------------------------------------------------------------

    def plan(self, op_id: str) -> UndoPlan:
        standing = standing_of(self.log.values())
        undoes = self.undoes
        ops = set(chain(op_id, undoes))
        ids = touched((e for e in self.log.values() if e.op_id in ops), standing)
        wanted = [
            e for e in self.log.values() if e.op_id in ops or e.type == ev.DECISION or touched([e], standing) & ids
        ]
        return plan_undo(op_id, wanted, standing, undoes=undoes, headers=self.headers)

    def undo(self, op_id: str) -> str:
        plan = self.plan(op_id)
        assert not plan.blockers, plan.blockers
        with self.operation("undo", undoes=op_id) as undo_id:
            for kind, payload in plan.writes:
                self.put(kind, **payload)
        return undo_id

    @property
    def headers(self) -> dict[str, Event]:
        return {e.op_id: e for e in self.log.values() if e.type == ev.OPERATION and e.op_id}

    @property
    def undoes(self) -> dict[str, str | None]:
        return {op: e.payload["undoes"] for op, e in self.headers.items() if e.payload.get("undoes")}

    # -- reading ------------------------------------------------------------------------------------------------

    def receive(self, other: Pen) -> None:
        self.log = {**other.log, **self.log}

    def memory(self) -> Memory:
        return fold_all(self.log.values())

    def folded(self, memory_id: str) -> Folded | None:
        own = [e for e in self.log.values() if memory_id in (e.memory_id, e.other_id)]
        return fold_entry(memory_id, own, standing_of(self.log.values()))

    def op_of(self, event: Event) -> str:
        assert event.op_id
        return event.op_id
