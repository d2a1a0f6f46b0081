"""Precision and recall on the labelled pairs, for the tuned and the held-out half separately.

    python benchmarks/pairs/measure.py            # the figures
    python benchmarks/pairs/measure.py --misses   # and each wrong answer of the tuned half

A pair reaches the reviewer where its Jaccard index lies above the shipped threshold. Of those, a pair with a conflict
goes to the contradictions; one in which nothing of value differs is offered as a duplicate; the rest has a remark
of what differs. A pair offered as a duplicate that is none is a wrong merge.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from memdesk.core.contradiction import Finding, Lane, Verdict, compare, offered_as_duplicate, verdict
from memdesk.core.tokens import words

PAIRS = Path(__file__).with_name("pairs.jsonl")
THRESHOLD = 0.3
STRICT_KINDS = ("negation", "number", "choice")


@dataclass(frozen=True)
class Pair:
    id: str
    kind: str
    sub: str
    split: str
    a: str
    b: str


@dataclass(frozen=True)
class Answer:
    """What the method says about a pair: its Jaccard index and the findings."""

    pair: Pair
    jaccard: float
    findings: list[Finding]

    @property
    def conflict(self) -> bool:
        return verdict(self.findings) is Verdict.CONFLICT

    @property
    def queued(self) -> bool:
        return self.jaccard > THRESHOLD

    @property
    def offered(self) -> bool:
        return self.queued and offered_as_duplicate(self.findings)

    @property
    def silent(self) -> bool:
        """Offered as a duplicate without any remark on what differs."""
        return self.queued and verdict(self.findings) is Verdict.CLEAR


def load(path: Path = PAIRS) -> list[Pair]:
    return [Pair(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]


def jaccard(a: str, b: str) -> float:
    left, right = words(a), words(b)
    return len(left & right) / len(left | right) if left | right else 0.0


def answer(pair: Pair) -> Answer:
    return Answer(pair, jaccard(pair.a, pair.b), compare(pair.a, pair.b))


def share(part: int, whole: int) -> str:
    return f"{part / whole:.3f} ({part}/{whole})" if whole else "-"


def of(answers: Sequence[Answer], kind: str, sub: str = "") -> list[Answer]:
    return [a for a in answers if a.pair.kind == kind and sub in ("", a.pair.sub)]


def count(answers: Sequence[Answer], test: Callable[[Answer], bool]) -> int:
    return sum(1 for a in answers if test(a))


def report(name: str, answers: Sequence[Answer]) -> None:
    print(f"== {name}: {len(answers)} pairs")
    truth = of(answers, "contradiction")
    alarms = [a for a in answers if a.conflict]
    right = count(alarms, lambda a: a.pair.kind == "contradiction")
    print(f"conflict lane        precision {share(right, len(alarms))}  recall {share(right, len(truth))}")
    duplicates = of(answers, "duplicate")
    offered = [a for a in answers if a.offered]
    good = count(offered, lambda a: a.pair.kind == "duplicate")
    print(f"offered as duplicate precision {share(good, len(offered))}  recall {share(good, len(duplicates))}")
    strict = [a for a in truth if a.pair.sub in STRICT_KINDS]
    others = [a for a in answers if a.pair.kind != "duplicate"]
    print(f"wrong merges         number, negation, choice {share(count(strict, lambda a: a.offered), len(strict))}"
          f"  all that are no duplicates {share(count(others, lambda a: a.offered), len(others))}"
          f"  without a remark {share(count(others, lambda a: a.silent), len(others))}")  # fmt: skip
    subs: dict[tuple[str, str], list[Answer]] = defaultdict(list)
    for a in answers:
        subs[a.pair.kind, a.pair.sub].append(a)
    print(f"{'kind':32} {'pairs':>5} {'queued':>7} {'conflict':>9} {'offered':>8} {'remark':>7}")
    for (kind, sub), group in subs.items():
        remark = count(group, lambda a: a.queued and not a.offered and not a.conflict)
        shown = [count(group, test) for test in (lambda a: a.queued, lambda a: a.conflict, lambda a: a.offered)]
        print(f"{kind + ' / ' + sub:32} {len(group):>5} {shown[0]:>7} {shown[1]:>9} {shown[2]:>8} {remark:>7}")
    print()


def misses(answers: Sequence[Answer]) -> None:
    """Every answer that is wrong: a missed contradiction, a false alarm, a wrong merge, a duplicate not offered."""
    for a in answers:
        wrong = a.conflict != (a.pair.kind == "contradiction") or (a.pair.kind == "duplicate" and not a.offered)
        if wrong or (a.offered and a.pair.kind != "duplicate"):
            found = "; ".join(f"{f.lane.value} {f.kind.value}: {f.reason}" for f in a.findings) or "nothing found"
            print(f"{a.pair.id} J={a.jaccard:.2f}\n   {a.pair.a!r}\n   {a.pair.b!r}\n   {found}")


def speed(answers: Sequence[Answer]) -> None:
    """CPU milliseconds a pair, readings not cached: each text is made new by a word in front."""
    took = []
    for number, a in enumerate(answers):
        left, right = (text.replace(" ", f" n{number} ", 1) for text in (a.pair.a, a.pair.b))
        start = time.thread_time()
        compare(left, right)
        took.append(1000 * (time.thread_time() - start))
    slow = statistics.quantiles(took, n=20)[-1]
    print(f"compare, CPU: median {statistics.median(took):.2f} ms, p95 {slow:.2f} ms a pair")


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure contradictions and duplicates on the labelled pairs.")
    parser.add_argument("--misses", action="store_true", help="list the wrong answers of the tuned half")
    parser.add_argument("--file", type=Path, default=PAIRS, help="another file of labelled pairs")
    options = parser.parse_args()
    answers = [answer(pair) for pair in load(options.file)]
    for split in sorted({a.pair.split for a in answers}, reverse=True):
        report(split, [a for a in answers if a.pair.split == split])
    lanes = defaultdict(int)
    for a in answers:
        for lane in {f.lane for f in a.findings}:
            lanes[lane] += 1
    print(f"findings: {lanes[Lane.CONFLICT]} pairs with a conflict, {lanes[Lane.SLOT]} with a slot")
    speed(answers)
    if options.misses:
        misses([a for a in answers if a.pair.split == "tune"])


if __name__ == "__main__":
    main()
