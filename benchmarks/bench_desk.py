"""How fast the screen is: first frame with the selected row, cursor key to frame, memory; at 100 to 100,000 entries.

    python benchmarks/bench_desk.py

Every figure comes from fresh processes: the app runs headless at 120x40, from the start of the interpreter on.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import big_store
from measure import Table

SIZES = (100, 10_000, 100_000)
RUNS = 7
KEYS = 40
PANES = ("triage", "threads")


def main() -> None:
    """Measure the sizes in turns, so that a busy moment of the machine hits all of them alike."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for size in SIZES:
            big_store.build(folder / str(size), size)
        runs: dict[tuple[str, int], list[dict[str, float]]] = {}
        empty = []
        for _ in range(RUNS):
            empty.append(child("empty", folder)["first_frame"])
            for pane in PANES:
                for size in SIZES:
                    runs.setdefault((pane, size), []).append(child(pane, folder / str(size)))
    report(statistics.median(empty), runs)


def report(empty: float, runs: dict[tuple[str, int], list[dict[str, float]]]) -> None:
    """Print the medians, each against the empty app and against the small store."""

    def median(pane: str, size: int, what: str) -> float:
        return statistics.median(run[what] for run in runs[pane, size])

    first = Table(f"First frame that shows the selected row (from process start, median of {RUNS})")
    first.add("empty Textual app, first frame", empty)
    keys = Table(f"Cursor key to frame (median of {RUNS} runs of {KEYS} keys)")
    for pane in PANES:
        for size in SIZES:
            first.add(f"{pane}, {size:,} entries", median(pane, size, "first_frame"), empty, "the empty app")
            base = median(pane, SIZES[0], "first_frame")
            first.add(f"{pane}, {size:,} entries", median(pane, size, "first_frame"), base, f"{SIZES[0]:,} entries")
            base = median(pane, SIZES[0], "key")
            keys.add(f"{pane}, {size:,} entries", median(pane, size, "key"), base, f"{SIZES[0]:,} entries")
    first.print()
    keys.print()
    memory = Table("Peak memory of the whole process")
    for (pane, size), results in runs.items():
        memory.say(f"{pane}, {size:,} entries", f"{statistics.median(r['rss_mb'] for r in results):.0f} MB")
    memory.print()


def child(what: str, folder: Path) -> dict[str, float]:
    """One fresh process; returns its figures in milliseconds and MB."""
    command = [sys.executable, __file__, "--child", what, "--folder", str(folder), "--started", repr(time.time())]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


async def run_empty(started: float) -> dict[str, float]:
    """An app with nothing in it."""
    from textual.app import App

    app: App[None] = App()
    async with app.run_test(size=(120, 40)):
        await frame(app)
        return {"first_frame": (time.time() - started) * 1000}


async def run_desk(pane: str, folder: Path, started: float) -> dict[str, float]:
    """The desk on a store: until a row is selected and drawn, then cursor keys."""
    from memdesk.core.desk import Actor, Desk
    from memdesk.tui.app import MemdeskApp

    app = MemdeskApp(lambda: Desk.open(folder, Actor("user:bench")), pane=pane, live=False, environ={})
    async with app.run_test(size=(120, 40)):
        rows = app.pane.list
        while rows.cursor_row is None:
            await asyncio.sleep(0.001)
        await frame(app)
        first = (time.time() - started) * 1000
        await asyncio.sleep(0.5)  # let the background work of the start end
        times = []
        for number in range(KEYS):
            start = time.perf_counter()
            # Down and up in turns: the cursor moves at every key, in a short list too.
            rows.action_cursor_down() if number % 2 == 0 else rows.action_cursor_up()
            await frame(app)
            times.append((time.perf_counter() - start) * 1000)
            await asyncio.sleep(0.02)
        return {"first_frame": first, "key": statistics.median(times)}


def peak_mb() -> float:
    """Peak memory of this process. (`ru_maxrss` would start from the parent's where the system copies it.)"""
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
        return int(status.split("VmHWM:")[1].split()[0]) / 1024
    except (OSError, IndexError):
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


async def frame(app: object) -> None:
    """Until the screen has been drawn."""
    drawn = asyncio.get_running_loop().create_future()
    app.call_after_refresh(lambda: drawn.done() or drawn.set_result(None))  # type: ignore[attr-defined]
    await drawn


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--child", default="")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--started", type=float, default=0.0)
    given = parser.parse_args()
    if not given.child:
        main()
    else:
        run = run_empty(given.started) if given.child == "empty" else run_desk(given.child, given.folder, given.started)
        figures = asyncio.run(run)
        figures["rss_mb"] = peak_mb()
        print(json.dumps(figures))
