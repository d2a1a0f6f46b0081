"""How often the conflict lane alarms on real near-duplicates: descriptions of Debian packages that are alike.

    python benchmarks/pairs/real_alarms.py [--pairs 3000] [--show 40]

The descriptions come from the apt lists of the machine; without them nothing is measured. Packages of one kind describe
one thing in many packagings, so that nearly no pair is a contradiction: an alarm is a false one unless reading it says
else. Identical descriptions are counted once, and a description is drawn at most twice, so that no family of templates
fills the sample. The same number of pairs is drawn from each band of likeness.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

from memdesk.core.contradiction import Finding, Lane, compare
from memdesk.core.tokens import words

BANDS = ((0.3, 0.5), (0.5, 0.7), (0.7, 1.0))
MOST_OF_ONE_WORD = 60


def descriptions() -> dict[str, str]:
    """Package -> its English description; empty where the machine has no apt lists."""
    found: dict[str, str] = {}
    for text in (_printed(["apt-cache", "dumpavail"]), *_translations()):
        for block in text.split("\n\n"):
            name, lines, inside = "", list[str](), False
            for line in block.splitlines():
                if line.startswith("Package: "):
                    name = line[9:]
                elif line.startswith(("Description: ", "Description-en: ")):
                    inside, lines = True, [line.split(": ", 1)[1]]
                elif inside and line.startswith(" "):
                    lines.append("" if line.strip() == "." else line[1:])
                else:
                    inside = False
            if name and len(lines) > 1:
                found[name] = "\n".join([lines[0], "", *lines[1:]])
    return found


def _translations() -> Iterator[str]:
    """Long descriptions, which archives keep in lists of their own (`apt-get -o Acquire::Languages=en update`)."""
    for path in sorted(Path("/var/lib/apt/lists").glob("*Translation-en*")):
        yield _printed(["/usr/lib/apt/apt-helper", "cat-file", str(path)])


def _printed(command: list[str]) -> str:
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    except (OSError, subprocess.SubprocessError):
        return ""
    return run.stdout


def near_duplicates(texts: list[str], rng: random.Random) -> Iterator[tuple[float, str, str]]:
    """Pairs of different texts above the lowest band, found through words that few texts hold."""
    sets = [words(text) for text in texts]
    where: dict[str, list[int]] = defaultdict(list)
    for index, held in enumerate(sets):
        for word in sorted(held):
            where[word].append(index)
    seen: set[tuple[int, int]] = set()
    shared: Counter[int] = Counter()
    rare = [group for group in where.values() if 2 <= len(group) <= MOST_OF_ONE_WORD]
    rng.shuffle(rare)
    for group in rare:
        pairs = list(combinations(group, 2))
        for i, j in rng.sample(pairs, min(3, len(pairs))):
            if (i, j) in seen or shared[i] >= 2 or shared[j] >= 2:
                continue
            seen.add((i, j))
            score = len(sets[i] & sets[j]) / len(sets[i] | sets[j])
            if score > BANDS[0][0]:
                shared[i] += 1
                shared[j] += 1
                yield score, texts[i], texts[j]


def sample(wanted: int) -> list[tuple[float, str, str]]:
    rng = random.Random(20240501)
    texts = sorted(set(descriptions().values()))
    bands: dict[tuple[float, float], list[tuple[float, str, str]]] = {band: [] for band in BANDS}
    for pair in near_duplicates(texts, rng):
        for band, held in bands.items():
            if band[0] < pair[0] <= band[1] and len(held) < wanted // len(BANDS):
                held.append(pair)
        if all(len(held) >= wanted // len(BANDS) for held in bands.values()):
            break
    return [pair for held in bands.values() for pair in held]


def show(a: str, b: str, findings: list[Finding]) -> None:
    for f in findings:
        if f.lane is Lane.CONFLICT:
            print(f"  {a.splitlines()[0][:50]} | {b.splitlines()[0][:50]}\n    {f.kind.value}: {f.reason}")
            print(f"      {' '.join(f.left.split())[:230]}\n      {' '.join(f.right.split())[:230]}")


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure false alarms on real near-duplicates.")
    parser.add_argument("--pairs", type=int, default=3000)
    parser.add_argument("--show", type=int, default=0, help="print this many alarms")
    options = parser.parse_args()
    pairs = sample(options.pairs)
    if not pairs:
        print("no apt lists on this machine: nothing measured")
        return 1
    kinds: Counter[str] = Counter()
    shown = 0
    for low, high in BANDS:
        inside = [pair for pair in pairs if low < pair[0] <= high]
        alarms = slots = 0
        for _, a, b in inside:
            findings = compare(a, b)
            conflicts = [f for f in findings if f.lane is Lane.CONFLICT]
            alarms += bool(conflicts)
            slots += bool(findings) and not conflicts
            kinds.update({f.kind.value for f in conflicts})
            if conflicts and shown < options.show:
                shown += 1
                show(a, b, findings)
        shares = [100 * number / max(1, len(inside)) for number in (alarms, slots)]
        print(
            f"Jaccard {low}-{high}: {len(inside)} pairs, conflict {alarms} ({shares[0]:.2f} %), slot {shares[1]:.1f} %"
        )
    total = sum(1 for _, a, b in pairs if any(f.lane is Lane.CONFLICT for f in compare(a, b)))
    print(f"all: {len(pairs)} pairs, conflict {total} ({100 * total / len(pairs):.2f} %); by kind {dict(kinds)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
