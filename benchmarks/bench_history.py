"""How fast History is: a long difference against a short one, the log and the past at 100 to 100,000 entries.

    python benchmarks/bench_history.py
"""

from __future__ import annotations

import asyncio
import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import big_store
from measure import Table, median_ms, once_ms
from textual.app import App, ComposeResult

from memdesk.core.desk import Actor, Desk
from memdesk.core.diff import as_patch, blame, compare, rows
from memdesk.tui.panes.history_read import HistoryQuestion, operation_sheet, read_view
from memdesk.tui.widgets.diff_view import DiffBlock, DiffView

SIZES = (100, 10_000, 100_000)
WORDS = ["limit", "cache", "retry", "token", "100", "ms", "the", "of", "port", "8080"]
BODY = 256 * 1024


def texts(size: int, seed: int = 5) -> tuple[str, str]:
    """A text of about `size` bytes and one in which every fiftieth line differs."""
    rng = random.Random(seed)
    lines: list[str] = []
    left = size
    while left > 0:
        lines.append(" ".join(rng.choices(WORDS, k=6)))
        left -= len(lines[-1]) + 1
    new = [f"{line} changed" if n % 50 == 0 else line for n, line in enumerate(lines)]
    return "\n".join(lines), "\n".join(new)


class Screen(App[None]):
    """One diff view."""

    def __init__(self, block: DiffBlock) -> None:
        super().__init__()
        self.view = DiffView()
        self.block = block

    def compose(self) -> ComposeResult:
        yield self.view


async def frame(app: App[None]) -> None:
    """Until the screen has been drawn."""
    drawn = asyncio.get_running_loop().create_future()
    app.call_after_refresh(lambda: drawn.done() or drawn.set_result(None))
    await drawn


async def view(old: str, new: str, *, side: bool) -> tuple[float, float]:
    """(ms until the first screen is drawn, ms a page down) of a difference that is computed already."""
    app = Screen(DiffBlock("t", "Text", compare(old, new)))
    async with app.run_test(size=(120, 40)):
        app.view.side = side
        start = time.perf_counter()
        app.view.show_sheet([app.block])
        await frame(app)
        first = (time.perf_counter() - start) * 1000
        while app.view._pending is not None:
            await asyncio.sleep(0.01)
        app.view.toggle_fold()
        while app.view._pending is not None:
            await asyncio.sleep(0.01)
        times = []
        for number in range(40):  # one down, one up: every key moves, in a short text too
            start = time.perf_counter()
            app.view.action_page_up() if number % 2 else app.view.action_page_down()
            await frame(app)
            times.append((time.perf_counter() - start) * 1000)
        return first, statistics.median(times)


def differences() -> None:
    """A body of 256 KB against one of 4 KB."""
    table = Table("A difference of 256 KB against one of 4 KB")
    short, long = texts(4 * 1024), texts(BODY)
    for what, work in (
        ("compare", lambda pair: compare(*pair)),
        ("as a patch", lambda pair: as_patch("x", *pair)),
        ("all unified rows", lambda pair: list(rows(compare(*pair), opened=None))),
        ("blame over 20 versions", lambda pair: blame([pair[n % 2] for n in range(20)])),
    ):
        base = median_ms(lambda: work(short))  # noqa: B023
        table.add(what, median_ms(lambda: work(long)), base, "4 KB")  # noqa: B023
    for side in (False, True):
        runs = [(asyncio.run(view(*short, side=side)), asyncio.run(view(*long, side=side))) for _ in range(3)]
        for place, what in ((0, "first screen"), (1, "page key")):
            base, ms = (statistics.median(run[which][place] for run in runs) for which in (0, 1))
            table.add(f"{what}, {'two columns' if side else 'one column'}", ms, base, "4 KB")
    hostile = {
        "one line of 256 KB": ("x y " * (BODY // 4), "x y " * (BODY // 8) + "z " + "x y " * (BODY // 8)),
        "binary": ("\x00\x1b\x07" * (BODY // 3), "\x00\x1b\x08" * (BODY // 3)),
        "few lines, often": ("a\nb\n" * (BODY // 4), "b\na\nc\n" * (BODY // 6)),
    }
    for name, pair in hostile.items():
        first, page = asyncio.run(view(*pair, side=False))
        table.add(f"compare, {name}", once_ms(lambda: compare(*pair)))  # noqa: B023
        table.add(f"first screen, {name}", first)
        table.add(f"page key, {name}", page)
    table.print()


def stores(scratch: Path) -> None:
    """The log, a version list, the past, and a difference of moments, by the size of the store."""
    table = Table("The log and the past, by entries in the store")
    bases: dict[str, float] = {}
    for size in SIZES:
        folder = scratch / str(size)
        big_store.build(folder, size)
        with Desk.open(folder, Actor("user:bench")) as desk:
            ids = [e.id for e in desk.store.rows(list(desk.store.keys())[:50])]
            for number in range(50):
                desk.edit(ids[number % 10], fields={"description": f"Reworded {number}"})
            for what, work in measures(desk, ids[0]).items():
                ms = median_ms(work, 5)
                bases.setdefault(what, ms)
                table.add(f"{what}, {size:,} entries", ms, bases[what], f"{SIZES[0]:,} entries")
    table.print()


def measures(desk: Desk, entry_id: str) -> dict[str, Any]:
    """What is measured, by name."""
    from datetime import UTC, datetime

    now = datetime.now(UTC)
    recent = desk.log(20)[-1].op_id
    newest = desk.log(1)[0].op_id

    def past() -> None:
        with desk.as_of(recent) as then:
            then.store.entry(entry_id)

    return {
        "list of operations": lambda: read_view(desk, HistoryQuestion(None, "", now)),
        "versions of an entry": lambda: read_view(desk, HistoryQuestion(None, "", now, entry_id)),
        "sheet of an operation": lambda: operation_sheet(desk, newest, now),
        "the memory as it was 20 operations ago": past,
        "what changed since 20 operations ago": lambda: desk.changed_between(recent),
        "preview of walking 20 operations back": lambda: desk.walk_to(recent),
    }


def main() -> None:
    """Print the tables."""
    differences()
    with tempfile.TemporaryDirectory() as scratch:
        stores(Path(scratch))


if __name__ == "__main__":
    main()
