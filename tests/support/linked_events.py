"""Events of two machines that link the same entries without knowing of each other: what a merge leaves behind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ulid import ULID

from memdesk.core.events import CREATE, EDGE_ADD, OPERATION, Event, rfc3339

START_MS = 1_790_000_000_000
Link = tuple[str, str, str]


def ulid(ms: int, low: int) -> str:
    return str(ULID(((ms << 80) | low).to_bytes(16, "big")))


def entry_id(number: int) -> str:
    """The id of the entry with this number, the same in every run."""
    return ulid(START_MS + number, 1)


def entries(numbers: Iterable[int], workspace: str = "me", kind: str = "atom") -> Iterator[Event]:
    """One anchor a number, in one operation."""
    op_id = "op_" + ulid(START_MS - 1000, 1)
    yield Event(
        "evt_" + ulid(START_MS - 1000, 2), OPERATION, rfc3339(START_MS - 1000), "agent:one", "d_one", op_id,
        {"verb": "add", "summary": "Added them", "role": "user"},
    )  # fmt: skip
    for number in numbers:
        yield Event(
            "evt_" + ulid(START_MS + number, 2), CREATE, rfc3339(START_MS + number), "agent:one", "d_one", op_id,
            {
                "memory_id": entry_id(number), "workspace": workspace, "name": f"{kind}_n{number:06d}", "type": kind,
                "class": "anchor", "body": f"Number {number}.", "description": f"Number {number}",
            },
        )  # fmt: skip


def links(wanted: Iterable[Link]) -> Iterator[Event]:
    """One edge each, in turns by two authors on two machines, an operation apiece."""
    for place, (source, kind, target) in enumerate(wanted):
        ms, who = START_MS + 1_000_000 + place, ("one", "two")[place % 2]
        yield Event(
            "evt_" + ulid(ms, 3), EDGE_ADD, rfc3339(ms), f"agent:{who}", f"d_{who}", "op_" + ulid(ms, 4),
            {"from_id": source, "edge_kind": kind, "to_id": target},
        )  # fmt: skip
