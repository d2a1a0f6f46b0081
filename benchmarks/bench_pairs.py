"""All pairs of near-duplicates against the plain double loop and a SciPy self-join; edits, session starts, the screen.

    python benchmarks/bench_pairs.py [--sizes 5000,20000,100000] [--apt-lists DIR]

CPU seconds from word sets to pairs, the same sets for each; memory is the peak over the process that already holds the
sets. The double loop is timed on a sample of its pairs and extrapolated. SciPy is measured where it can be imported; it
is no dependency (`pip install scipy`).
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import pickle
import random
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path
from typing import Any

import real_texts
from measure import Table

from memdesk.core.tokens import words

SIZES = (5_000, 20_000, 100_000)
STORE_SIZE = 20_000
THRESHOLD = 0.3
_LOOP_PAIRS = 400_000
_EDITS = 25


def main() -> None:
    """Measure each in a process of its own, and print."""
    options = argparse.ArgumentParser()
    options.add_argument("--sizes", default=",".join(map(str, SIZES)))
    options.add_argument("--apt-lists", type=Path, default=real_texts.APT_LISTS)
    options.add_argument("--child", nargs=3, metavar=("WHAT", "TEXTS", "SIZE"))
    given = options.parse_args()
    if given.child:
        what, file, size = given.child
        print(json.dumps(CHILDREN[what](pickle.loads(Path(file).read_bytes())[: int(size)])))
        return
    sizes = [int(size) for size in given.sizes.split(",")]
    texts, kinds = real_texts.gather(max([*sizes, STORE_SIZE]), given.apt_lists)
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "texts"
        file.write_bytes(pickle.dumps(texts))
        joins(file, sizes, kinds)
        store(file)
        screen(file)


def child(what: str, file: Path, size: int) -> dict[str, Any]:
    """The figures of one measurement, taken in a fresh process."""
    run = subprocess.run(
        [sys.executable, __file__, "--child", what, str(file), str(size)], capture_output=True, text=True, check=False
    )
    if run.returncode:
        raise SystemExit(f"{what} {size}: {run.stderr}")
    found: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return found


# -- all pairs ------------------------------------------------------------------------------------------------------


def joins(file: Path, sizes: list[int], kinds: Counter[str]) -> None:
    """Print the comparison."""
    print("Texts: " + ", ".join(f"{number:,} {kind}" for kind, number in kinds.most_common()))
    for size in sizes:
        ours = child("join", file, size)
        table = Table(f"All pairs above {THRESHOLD} of {size:,} texts, {ours['mean']:.0f} words each (CPU)")
        loop = child("loop", file, size)
        table.add("memdesk: signatures and rapidfuzz", ours["cpu"] * 1000)
        table.add("plain double loop (extrapolated)", loop["cpu"] * 1000, ours["cpu"] * 1000, "memdesk")
        scipy = child("scipy", file, size)
        for run in scipy.get("runs", ()):
            table.add(run["name"], run["cpu"] * 1000, ours["cpu"] * 1000, "memdesk")
            table.say("its peak memory over the sets", f"{run['mb']:,.0f} MB")
            assert run["pairs"] == ours["pairs"], (run["pairs"], ours["pairs"])
        if not scipy:
            table.say("SciPy self-join", "not installed")
        table.say("memdesk, peak memory over the sets", f"{ours['mb']:,.0f} MB")
        table.say("memdesk, wall time", f"{ours['wall']:,.2f} s")
        table.say("pairs found", f"{ours['pairs']:,}", f"{ours['kept']:,} kept")
        table.print()


class Peak:
    """Peak memory in MB since it was made, over what the process held then."""

    def __init__(self) -> None:
        with contextlib.suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5")
        self._before = self._read("VmRSS")

    def mb(self) -> float:
        return (self._read("VmHWM") - self._before) / 1024

    @staticmethod
    def _read(name: str) -> int:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith(name + ":"):
                return int(line.split()[1])
        return 0


def join(texts: list[str]) -> dict[str, Any]:
    """All pairs by the product's own code."""
    from memdesk.core.similarity.corpus import Corpus
    from memdesk.core.similarity.join import all_pairs

    sets = [words(text) for text in texts]
    warm = Corpus()
    for own in sets[:50]:
        warm.add(own)
    all_pairs(warm, THRESHOLD)  # numpy and rapidfuzz are loaded
    peak, cpu, wall = Peak(), time.process_time(), time.perf_counter()
    corpus = Corpus()
    for own in sets:
        corpus.add(own)
    pairs = all_pairs(corpus, THRESHOLD)
    took = time.process_time() - cpu, time.perf_counter() - wall
    mb = peak.mb()
    copies = Counter(corpus.sets_of)
    sizes = {index: len(own) for index, own in zip(corpus.sets_of, sets, strict=True)}
    found = sum(copies[a] * copies[b] for a, b, _ in pairs)
    found += sum(n * (n - 1) // 2 for index, n in copies.items() if sizes[index])
    kept = len(pairs.worth_keeping())
    mean = statistics.fmean(map(len, sets))
    return {"cpu": took[0], "wall": took[1], "mb": mb, "pairs": found, "kept": kept, "mean": mean}


def loop(texts: list[str]) -> dict[str, Any]:
    """The plain double loop, some of its rows, extrapolated to all of its pairs."""
    sets = [words(text) for text in texts]
    rows = random.Random(2).sample(range(len(sets)), max(2, min(len(sets), _LOOP_PAIRS // len(sets))))
    found = []
    cpu = time.process_time()
    for i in rows:
        one = sets[i]
        for j, other in enumerate(sets):
            union = one | other
            score = len(one & other) / len(union) if union else 0.0
            if score > THRESHOLD:
                found.append((i, j, score))
    took = time.process_time() - cpu
    return {"cpu": took / (len(rows) * len(sets)) * len(sets) * (len(sets) - 1) / 2}


def scipy(texts: list[str]) -> dict[str, Any]:
    """A SciPy self-join: the upper half of the word matrix times its transpose, in blocks of rows."""
    try:
        import numpy as np
        from scipy.sparse import csr_matrix
    except ImportError:
        return {}
    sets = [words(text) for text in texts]
    csr_matrix(np.eye(3)) @ csr_matrix(np.eye(3))
    found = []
    for block in (len(sets), 2_000) if len(sets) <= 20_000 else (2_000,):
        peak, cpu = Peak(), time.process_time()
        ids: dict[str, int] = {}
        columns = np.array([ids.setdefault(word, len(ids)) for own in sets for word in own], np.int32)
        sizes = np.array([len(own) for own in sets], np.int32)
        starts = np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)
        matrix = csr_matrix((np.ones(len(columns), np.int32), columns, starts), shape=(len(sets), len(ids)))
        pairs = 0
        for begin in range(0, len(sets), block):
            shared = matrix[begin : begin + block] @ matrix[begin:].T.tocsr()
            row = np.repeat(np.arange(shared.shape[0], dtype=np.int32), np.diff(shared.indptr))
            upper = shared.indices > row
            row, column, both = row[upper], shared.indices[upper], shared.data[upper]
            pairs += int((both / (sizes[row + begin] + sizes[column + begin] - both) > THRESHOLD).sum())
        name = f"SciPy self-join, in blocks of {block:,}" if block < len(sets) else "SciPy self-join, in one"
        found.append({"cpu": time.process_time() - cpu, "mb": peak.mb(), "pairs": pairs, "name": name})
        del matrix, shared, row, upper, column, both
    return {"runs": found}


# -- a store --------------------------------------------------------------------------------------------------------


def build(folder: Path, texts: list[str]) -> Any:
    """A store of these texts, one entry each."""
    import big_store

    from memdesk.core.store import Store

    made = Store.open(folder)
    made.add_workspace("bulk")

    def events() -> Any:
        for number, event in enumerate(e for e in big_store.events(len(texts)) if e.type == "memory.create"):
            plain = {"name": f"atom_{number:06d}", "type": "atom", "class": "anchor", "description": ""}
            event.payload.update({**plain, "body": texts[number]})  # type: ignore[attr-defined]
            yield event

    made.receive(events())
    return made


def stored(texts: list[str]) -> dict[str, Any]:
    """The first full run of a store, a session start with nothing changed, edits."""
    from memdesk.core.config import Config
    from memdesk.core.desk import Actor, Desk
    from memdesk.core.hosts import Hosts

    with tempfile.TemporaryDirectory() as scratch:
        desk = Desk(build(Path(scratch), texts), Actor("user:bench"), Hosts, Config())  # type: ignore[arg-type]
        desk.hosts = Hosts(desk.store)
        cpu = time.process_time()
        first = desk.rescore()
        whole = time.process_time() - cpu
        fresh = Desk(desk.store, Actor("user:bench"), Hosts(desk.store), Config())
        cpu = time.process_time()
        again = fresh.rescore()
        start = time.process_time() - cpu
        edits, rescored = [], []
        for number, row in enumerate(desk.store.rows(list(desk.store.keys())[:_EDITS])):
            text = f"{texts[number * 7 % len(texts)]} and one more thing"
            cpu = time.process_time()
            fresh.edit(row.id, fields={"body": text})
            edits.append(time.process_time() - cpu)
            cpu, wall = time.process_time(), time.perf_counter()
            done = fresh.rescore()
            rescored.append((time.process_time() - cpu, time.perf_counter() - wall))
            assert (done.read, done.scored, done.whole) == (1, 1, False), done
        desk.store.close()
        size = sum(f.stat().st_size for f in Path(scratch).iterdir())
    return {
        "whole": whole, "pairs": first.pairs, "start": start, "start_pairs": again.pairs, "start_scored": again.scored,
        "edit": statistics.median(edits), "mb": size / 1e6, "first": rescored[0][0],
        "rescored": statistics.median(cpu for cpu, _ in rescored[1:]),
        "wall": statistics.median(wall for _, wall in rescored[1:]),
    }  # fmt: skip


def store(file: Path) -> None:
    """Print what keeping scores saves."""
    found = child("store", file, STORE_SIZE)
    whole = found["whole"] * 1000
    table = Table(f"Scores that are kept, {STORE_SIZE:,} entries (CPU)")
    table.add("first run: read, score and keep everything", whole)
    table.add("session start, nothing changed", found["start"] * 1000, whole, "first run")
    table.say("texts scored, pairs found at that start", f"{found['start_scored']}, {found['start_pairs']}")
    table.add("one edit rescored and committed (median)", found["rescored"] * 1000, whole, "first run")
    table.add("the first edit of a session: signatures are loaded", found["first"] * 1000, whole, "first run")
    table.say("pairs kept, file with its log", f"{found['pairs']:,}", f"{found['mb']:,.0f} MB")
    table.add("one edit, wall time", found["wall"] * 1000)
    table.add("the edit itself, for comparison", found["edit"] * 1000, whole, "first run")
    table.print()


# -- the screen -----------------------------------------------------------------------------------------------------


def lag(texts: list[str]) -> dict[str, Any]:
    """How late an event loop's timers are, idle and while a worker thread scores everything."""
    from memdesk.core.desk.scoring import Scorer

    async def ticks(until: Any) -> list[float]:
        late = []
        while not until():
            due = time.perf_counter() + 0.005
            await asyncio.sleep(0.005)
            late.append((time.perf_counter() - due) * 1000)
        return late

    async def both() -> dict[str, Any]:
        end = time.perf_counter() + 5
        idle = await ticks(lambda: time.perf_counter() > end)
        worker = threading.Thread(target=lambda: Scorer(made).refresh())
        worker.start()
        busy = await ticks(lambda: not worker.is_alive())
        return {name: _percentiles(late) for name, late in (("idle", idle), ("busy", busy))}

    with tempfile.TemporaryDirectory() as scratch:
        made = build(Path(scratch), texts)
        found = asyncio.run(both())
        made.close()
    return found


def _percentiles(late: list[float]) -> dict[str, float]:
    cuts = statistics.quantiles(late, n=1000)
    return {"p50": cuts[499], "p99": cuts[989], "max": max(late), "ticks": len(late)}


def screen(file: Path) -> None:
    """Print how the loop fares."""
    found = child("lag", file, STORE_SIZE)
    table = Table(f"Lag of an event loop beside a worker that reads and scores {STORE_SIZE:,} entries")
    for name in ("idle", "busy"):
        for cut in ("p50", "p99", "max"):
            table.add(f"{name}, {cut}", found[name][cut], found["idle"][cut], f"idle {cut}")
    table.say("cores", str(os.cpu_count()), f"{found['busy']['ticks']:,} ticks while scoring")
    table.print()


CHILDREN = {"join": join, "loop": loop, "scipy": scipy, "store": stored, "lag": lag}

if __name__ == "__main__":
    main()
