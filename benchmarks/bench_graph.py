"""What the graph costs as a store grows: opening a node, the overview of all edges, a tree on the command line's way.

    python benchmarks/bench_graph.py
"""

from __future__ import annotations

import asyncio
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import big_store
from big_store import START_MS, ulid_at
from measure import Table, median_ms, once_ms

from memdesk.core.desk import Actor, Desk
from memdesk.core.events import EDGE_ADD, Event, rfc3339
from memdesk.core.store import Store
from memdesk.core.tree import Follow

SIZES = (100, 10_000, 100_000)
#: Children of each node of the part-of trees: opening one always shows so many rows.
FAN = 9
RUNS = 15
#: Rounds in which the pane is measured at each size in turn, and openings a round.
ROUNDS, PRESSES = 3, 8


def links(entries: int) -> Iterator[Event]:
    """Part-of trees of 91 entries each, three deep, and a lineage link for every tenth entry."""
    rng = random.Random(5)
    for number in range(entries):
        ms = START_MS + (entries + 20) * 60_000 + number
        place = number % 91
        if place:
            yield _edge(ms, number, "child_of", number - place + (place - 1) // FAN)
        if number % 10 == 9:
            yield _edge(ms, number, "derived_from", rng.randrange(number - 9, number), low=8)


def _edge(ms: int, source: int, kind: str, target: int, low: int = 6) -> Event:
    ends = [ulid_at(START_MS + number * 60_000, 3) for number in (source, target)]
    return Event(
        event_id="evt_" + ulid_at(ms, low), type=EDGE_ADD, timestamp=rfc3339(ms), agent_id="user:bench",
        origin="d_bench", op_id="op_" + ulid_at(ms, low + 1),
        payload={"from_id": ends[0], "edge_kind": kind, "to_id": ends[1]},
    )  # fmt: skip


def build(folder: Path, entries: int) -> None:
    """A store with that many entries, nearly all of them linked."""
    big_store.build(folder, entries)
    store = Store.open(folder)
    try:
        store.receive(links(entries))
    finally:
        store.close()


def open_node(desk: Desk) -> None:
    """What the right arrow does: branches of what is open, then the rows that are drawn."""
    root, child = (ulid_at(START_MS + number * 60_000, 3) for number in (0, 1))
    places = desk.branches([root], {root, child}, Follow())
    nodes = [place.node for place in places]
    assert len(nodes) > FAN
    desk.lines_of(nodes)
    desk.store.edges_at(nodes)


async def keys(folder: Path) -> float:
    """Median time from the right arrow to the frame, in the pane."""
    from memdesk.tui.app import MemdeskApp

    app = MemdeskApp(
        lambda: Desk.open(folder, Actor("user:bench", on_terminal=True)), live=False, environ={}, pane="graph"
    )
    times = []
    async with app.run_test(size=(120, 40)) as pilot:
        while app.pane.list.total == 0 or not app.is_settled:
            await app.settle()
            await pilot.pause()
        for _ in range(PRESSES):
            for key in ("right", "left"):
                before = app.pane.list.total
                start = time.perf_counter()
                await pilot.press(key)
                while app.pane.list.total == before:
                    await app.settle()
                    await pilot.pause()
                times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times)


def main() -> None:
    """Measure each size against the smallest."""
    opening = Table("Opening a node (branches, entries and edges of what is drawn)")
    pressing = Table(f"The right arrow in the pane, key to rows (best of {ROUNDS} medians)")
    looking = Table("Over all edges, once, and again after one changed")
    tree = Table("memdesk tree, depth 2, rows and overview")
    base: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for size in SIZES:
            folder = Path(scratch) / str(size)
            build(folder, size)
            label = f"{size:,} entries"
            against = f"{SIZES[0]:,} entries"
            with Desk.open(folder, Actor("user:bench", on_terminal=True)) as desk:
                open_node(desk)
                ms = median_ms(lambda desk=desk: open_node(desk), RUNS)
                opening.add(label, ms, base.setdefault("open", ms), against)
                first = once_ms(desk.overview)
                looking.add(f"{label}, first", first, base.setdefault("first", first), against)
                known = desk.overview()
                again = median_ms(lambda desk=desk, known=known: desk.overview(known), 3)
                looking.add(f"{label}, edges unchanged", again, base.setdefault("again", again), against)
                name = f"{desk.lines_of([ulid_at(START_MS, 3)]).popitem()[1].name}"
                whole = median_ms(lambda desk=desk, name=name: desk.edge_tree(name, depth=2), 3)
                tree.add(label, whole, base.setdefault("tree", whole), against)
        # In turns, so that a busy moment of the machine hits all sizes alike.
        pressed: dict[int, list[float]] = {size: [] for size in SIZES}
        for _ in range(ROUNDS):
            for size in SIZES:
                pressed[size].append(asyncio.run(keys(Path(scratch) / str(size))))
        for size in SIZES:
            ms = min(pressed[size])
            pressing.add(f"{size:,} entries", ms, min(pressed[SIZES[0]]), f"{SIZES[0]:,} entries")
    for table in (opening, pressing, looking, tree):
        table.print()


if __name__ == "__main__":
    main()
