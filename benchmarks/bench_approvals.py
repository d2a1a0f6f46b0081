"""How fast Approvals is with 10 and with 1,000 requests waiting: first frame, its rows read, cursor key to frame.

    python benchmarks/bench_approvals.py

Every figure comes from fresh processes, as in bench_desk.py. The requests are of every common kind; each third one has
a text of 60 lines.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from bench_desk import frame, peak_mb
from measure import Table

SIZES = (10, 1_000)
RUNS = 7
KEYS = 40
ENTRIES = 300


def build(folder: Path, size: int) -> None:
    """A store of 300 entries about which agents ask `size` things."""
    from memdesk.core.desk import Actor, Desk, Role
    from memdesk.core.errors import NeedsApproval

    long = "\n".join(f"Line {number} of a text that somebody has to read." for number in range(60))
    with Desk.open(folder, Actor("user:bench", Role.USER, on_terminal=True)) as desk:
        for number in range(ENTRIES):
            desk.add(
                name=f"atom_number_{number:03d}", body=f"What is known of {number}. " * 20, workspace="me",
                description=f"About number {number}", create_workspace=True,
            )  # fmt: skip
    with Desk.open(folder, Actor("agent:bench", Role.ORCHESTRATOR)) as desk:
        for number in range(size):
            name = f"atom_number_{number % ENTRIES:03d}"
            with suppress(NeedsApproval):
                if number % 3 == 0:
                    desk.edit(name, fields={"body": f"{long}\n{number}"}, rationale=f"Because of {number}.")
                elif number % 3 == 1:
                    desk.edit(name, fields={"description": f"About {number}, anew"}, rationale="It was wrong.")
                else:
                    desk.rename(name, f"atom_renamed_{number:04d}", rationale="A better name.")


def main() -> None:
    """Measure the sizes in turns, so that a busy moment of the machine hits both alike."""
    runs: dict[int, list[dict[str, float]]] = {size: [] for size in SIZES}
    with tempfile.TemporaryDirectory() as scratch:
        for size in SIZES:
            build(Path(scratch) / str(size), size)
        for _ in range(RUNS):
            for size in SIZES:
                runs[size].append(child(Path(scratch) / str(size)))

    def median(size: int, what: str) -> float:
        return statistics.median(run[what] for run in runs[size])

    for what, title in (
        ("first", f"First frame with the oldest request selected (from process start, median of {RUNS})"),
        ("whole", "The same until that request is at the right and every row on screen was read"),
        ("key", f"Cursor key to frame (median of {RUNS} runs of {KEYS} keys)"),
        ("arrived", "Cursor key until the request is at the right, the wait for the keyboard to rest included"),
    ):
        table = Table(title)
        for size in SIZES:
            table.add(f"{size:,} requests", median(size, what), median(SIZES[0], what), f"{SIZES[0]:,} requests")
        table.print()
    memory = Table("Peak memory of the whole process")
    for size in SIZES:
        memory.say(f"{size:,} requests", f"{median(size, 'rss_mb'):.0f} MB")
    memory.print()


def child(folder: Path) -> dict[str, float]:
    """One fresh process; returns its figures in milliseconds and MB."""
    command = [sys.executable, __file__, "--child", "--folder", str(folder), "--started", repr(time.time())]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    figures: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return figures


async def run_approvals(folder: Path, started: float) -> dict[str, float]:
    """The pane on a store: until the oldest is drawn, until all on screen was read, then cursor keys."""
    from memdesk.core.desk import Actor, Desk
    from memdesk.tui.app import MemdeskApp
    from memdesk.tui.panes.approvals import ApprovalsPane

    app = MemdeskApp(
        lambda: Desk.open(folder, Actor("user:bench", on_terminal=True)), pane="approvals", live=False, environ={}
    )
    async with app.run_test(size=(120, 40)):
        pane = app.pane
        assert isinstance(pane, ApprovalsPane)
        rows = pane.list
        while rows.cursor_row is None or pane.filled(rows.cursor_key) is None:
            await asyncio.sleep(0.001)
        await frame(app)
        first = (time.time() - started) * 1000
        while pane.review is None or any(pane.filled(key) is None for key in rows.on_view()):
            await asyncio.sleep(0.001)
        await frame(app)
        whole = (time.time() - started) * 1000
        await asyncio.sleep(0.5)  # let the background work of the start end
        times, arrived = [], []
        for number in range(KEYS):
            start = time.perf_counter()
            # Down and up in turns: the cursor moves at every key, in a short list too.
            rows.action_cursor_down() if number % 2 == 0 else rows.action_cursor_up()
            await frame(app)
            times.append((time.perf_counter() - start) * 1000)
            while pane.review is None:
                await asyncio.sleep(0.001)
            arrived.append((time.perf_counter() - start) * 1000)
            await asyncio.sleep(0.1)  # what came is being drawn: the next key must not wait for that
        return {
            "first": first, "whole": whole, "key": statistics.median(times), "arrived": statistics.median(arrived),
        }  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--child", action="store_true")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--started", type=float, default=0.0)
    given = parser.parse_args()
    if not given.child:
        main()
    else:
        figures = asyncio.run(run_approvals(given.folder, given.started))
        figures["rss_mb"] = peak_mb()
        print(json.dumps(figures))
