"""Timing shared by the benchmarks: medians over runs in one process, printed as ratios.

Machines differ and are noisy, so a figure means little alone: each is set against something measured in the same run.
"""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field


def median_ms(work: Callable[[], object], runs: int = 7) -> float:
    """Median wall time of `work` in milliseconds over `runs` calls."""
    times = []
    for _ in range(runs):
        gc.collect()
        start = time.perf_counter()
        work()
        times.append((time.perf_counter() - start) * 1000)
    return statistics.median(times)


def once_ms(work: Callable[[], object]) -> float:
    """Wall time of one call, for work that cannot be repeated."""
    return median_ms(work, 1)


@dataclass
class Table:
    """Rows of (what, ms, ratio, against what), printed aligned."""

    title: str
    rows: list[tuple[str, str, str, str]] = field(default_factory=list)

    def add(self, what: str, ms: float, base_ms: float | None = None, against: str = "") -> None:
        """One measured row; the ratio is to `base_ms`."""
        ratio = f"{ms / base_ms:.2f}x" if base_ms else "-"
        self.rows.append((what, f"{ms:,.1f} ms" if ms < 100 else f"{ms:,.0f} ms", ratio, against))

    def say(self, what: str, value: str, note: str = "") -> None:
        """One row that is not a time."""
        self.rows.append((what, value, "-", note))

    def print(self) -> None:
        """Print as a Markdown table."""
        print(f"\n## {self.title}\n")
        print("| what | median | ratio | against |\n| --- | ---: | ---: | --- |")
        for row in self.rows:
            print("| " + " | ".join(row) + " |")
