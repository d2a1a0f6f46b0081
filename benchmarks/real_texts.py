"""Real texts for the benchmarks, as many as asked for: package descriptions, docstrings, manual pages.

Nothing is downloaded. Package descriptions come from the lists that apt keeps (long ones where the machine has the
Translation-en files), docstrings from the Python modules installed, manual pages from /usr/share/man. Where that is not
enough, texts are generated, and the caller is told how many of each there are.
"""

from __future__ import annotations

import ast
import gzip
import random
import re
import subprocess
import sys
import sysconfig
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

APT_LISTS = Path("/var/lib/apt/lists")
#: Texts are drawn from so many, so that a small run has the same mixture as a large one.
POOL = 100_000
_HELPER = "/usr/lib/apt/apt-helper"
_STANZA = re.compile(r"^Package: (\S+)\n(?:.*\n)*?Description(?:-en)?: (.*(?:\n[ \t].*)*)", re.MULTILINE)
_MAN_TEXT = re.compile(r"^(?![.'])(.+)$", re.MULTILINE)
_WORDS = range(20, 401)


def gather(count: int, lists: Path = APT_LISTS, seed: int = 1) -> tuple[list[str], Counter[str]]:
    """`count` texts in a fixed random order, and how many came from where.

    Args:
        count: how many.
        lists: the folder of apt's lists.
        seed: of the order, and of what is generated.
    """
    found: dict[str, str] = {}
    for kind, source in (("packages", packages(lists)), ("docstrings", docstrings()), ("manuals", manuals())):
        for text in source if len(found) < POOL else ():
            if len(text.split()) in _WORDS:
                found.setdefault(text, kind)
    rng = random.Random(seed)
    texts = list(found)[: max(POOL, count)]
    rng.shuffle(texts)
    texts = texts[:count]
    kinds = Counter(found[text] for text in texts)
    if len(texts) < count:
        kinds["generated"] = count - len(texts)
        texts += generated(count - len(texts), rng)
    return texts, kinds


def packages(lists: Path) -> Iterator[str]:
    """Name and description of every package that apt knows; the long description where there is one."""
    best: dict[str, str] = {}
    for file in sorted([*lists.glob("*_Packages*"), *lists.glob("*Translation-en*")]):
        run = subprocess.run([_HELPER, "cat-file", str(file)], capture_output=True, check=False)
        for name, text in _STANZA.findall(run.stdout.decode("utf-8", "replace")):
            said = f"{name} {text}"
            if len(said) > len(best.get(name, "")):
                best[name] = said
    yield from best.values()


def docstrings() -> Iterator[str]:
    """Docstrings of the modules of this Python."""
    for place in dict.fromkeys([sysconfig.get_path("stdlib"), sysconfig.get_path("purelib"), *sys.path]):
        for file in sorted(Path(place).rglob("*.py")) if place and Path(place).is_dir() else ():
            try:
                tree = ast.parse(file.read_bytes())
            except (SyntaxError, ValueError, OSError, RecursionError):
                continue
            for node in ast.walk(tree):
                if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef | ast.Module):
                    said = ast.get_docstring(node)
                    if said:
                        yield f"{getattr(node, 'name', file.stem)} {said}"


def manuals() -> Iterator[str]:
    """Paragraphs of the manual pages."""
    for file in sorted(Path("/usr/share/man").glob("man*/*.gz")):
        try:
            page = gzip.decompress(file.read_bytes()).decode("utf-8", "replace")
        except (OSError, EOFError):
            continue
        for part in re.split(r"^\.(?:SH|PP|TP|IP|P|LP).*$", page, flags=re.MULTILINE):
            said = " ".join(_MAN_TEXT.findall(part))
            yield f"{file.stem} {said}"


def generated(count: int, rng: random.Random) -> list[str]:
    """Made-up texts of 10 to 100 words: words as frequent as in prose, one in five a light rewording of another."""
    vocabulary = [f"word{number}" for number in range(30_000)]
    weights = [1 / (number + 10) for number in range(30_000)]
    made: list[str] = []
    for _ in range(count):
        if made and rng.random() < 0.2:
            words = rng.choice(made).split()
            for _ in range(rng.randint(1, 6)):
                words[rng.randrange(len(words))] = rng.choice(vocabulary)
        else:
            words = rng.choices(vocabulary, weights, k=rng.randint(10, 100))
        made.append(" ".join(words))
    return made
