"""Stores of any size for the benchmarks: plain entries with the shape of real ones, the same each time."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

from memdesk.core.events import CREATE, EDIT, OPERATION, Clock, Event, rfc3339
from memdesk.core.store import Store

START_MS = 1_780_000_000_000
_STEMS = ["cache", "queue", "ledger", "deploy", "schema", "retry", "token", "route", "index", "batch"]
_WORDS = [stem + end for stem in _STEMS for end in ("", "s", "_a", "_b", "er", "ing", "2", "x", "less", "able")]


def ulid_at(ms: int, low: int) -> str:
    """A ULID with a given time and low part."""
    from ulid import ULID

    return str(ULID(((ms << 80) | low).to_bytes(16, "big")))


def fields(number: int, rng: random.Random) -> dict[str, object]:
    """One entry: 30 to 120 words, forty initiatives, a third of them live threads."""
    kind = rng.choice(["atom", "decision", "negative", "project", "feedback", "project"])
    thread = kind == "project" and rng.random() < 0.9
    status = {"status": rng.choice(["open", "carry_forward", "closed"])} if thread else {}
    return {
        "workspace": "bulk", "name": f"{kind}_bulk_{number:06d}", "type": kind,
        "class": "thread" if thread else rng.choice(["anchor", "log"]), **status,
        "description": " ".join(rng.choices(_WORDS, k=8)),
        "body": " ".join(rng.choices(_WORDS, k=rng.randint(30, 120))),
        "initiative": f"initiative_{rng.randrange(40)}",
    }  # fmt: skip


def events(entries: int, edits: int = 0, seed: int = 7) -> Iterator[Event]:
    """`entries` creates in operations of 1,000, then `edits` rewordings, each an operation of its own."""
    rng = random.Random(seed)
    ids: list[tuple[str, str]] = []
    op_id = ""
    for number in range(entries):
        ms = START_MS + number * 60_000
        if number % 1000 == 0:
            op_id = "op_" + ulid_at(ms, 1)
            yield _event(ms, 2, OPERATION, op_id, {"verb": "add", "summary": "Added 1,000 entries", "role": "user"})
        memory_id, event = ulid_at(ms, 3), _event(ms, 4, CREATE, op_id, {})
        event.payload.update({"memory_id": memory_id, **fields(number, rng)})  # type: ignore[attr-defined]
        ids.append((memory_id, event.event_id))
        yield event
    for number in range(edits):
        ms = START_MS + (entries + number) * 60_000
        place = rng.randrange(len(ids))
        memory_id, tip = ids[place]
        op_id = "op_" + ulid_at(ms, 1)
        yield _event(ms, 2, OPERATION, op_id, {"verb": "edit", "summary": "Edited one entry", "role": "user"})
        patch = {"description": " ".join(rng.choices(_WORDS, k=8))}
        event = _event(ms, 4, EDIT, op_id, {"memory_id": memory_id, "patch": patch, "base": {"description": tip}})
        ids[place] = (memory_id, event.event_id)
        yield event


def _event(ms: int, low: int, kind: str, op_id: str, payload: dict[str, object]) -> Event:
    return Event(
        event_id="evt_" + ulid_at(ms, low), type=kind, timestamp=rfc3339(ms), agent_id="user:bench", origin="d_bench",
        op_id=op_id, payload=payload,
    )  # fmt: skip


def build(folder: Path, entries: int) -> None:
    """A store with that many entries in `folder`."""
    now = START_MS + (entries + 10) * 60_000
    store = Store.open(folder, clock=Clock(lambda: now))
    try:
        store.add_workspace("bulk")
        store.receive(events(entries))
    finally:
        store.close()
