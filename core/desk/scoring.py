"""Keeping the scores of all texts up to date: what did not change is never scored again.

Made for a worker thread: it takes short turns, says how far it is, and stops when asked. Everything it writes is
derived (core/store/pairs.py); another process may do the same at the same time and comes to the same.
Source: SIMILARITY "Keeping it fresh".
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from ..similarity import THRESHOLD
from ..similarity.prepared import VERSION, Prepared, prepare
from ..similarity.ranking import Likeness, partner_list, ranked
from ..similarity.running import Progress, Stop, Stopped, sharing
from ..similarity.signatures import near_signatures
from ..store.pairs import KeptText, TextValues

if TYPE_CHECKING:
    from ..similarity.nearest import Signed
    from ..similarity.pairs import Pairs
    from ..store import Store

#: The texts are read in the first part of the work, and scored in the rest.
_READING: Final = 0.3
#: So many changed texts are compared one by one, whatever part of all they are.
_FEW: Final = 20
#: Without numpy loaded, a few texts are compared in plain Python, as long as there are no more than this.
_PLAIN: Final = 40_000

Waiting = tuple[int, bytes, int, bytes]


@dataclass(frozen=True, slots=True)
class Rescored:
    """What bringing the scores up to date took.

    Attributes:
        read: entries whose text was read because it changed.
        scored: texts that were compared with the others.
        pairs: pairs found that are kept; 0 where nothing changed.
        whole: whether all texts were compared with all.
    """

    read: int = 0
    scored: int = 0
    pairs: int = 0
    whole: bool = False


class Scorer:
    """The scores of one store. Safe to use from several threads: one works, the others wait.

    Args:
        store: opened for writing, or not: then nothing is kept, and everything is scored when it is asked for.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._signing = threading.Lock()
        self._checked = False
        self._signed: Signed | None = None
        self._loaded = 0

    def refresh(self, progress: Progress | None = None, stop: Stop | None = None) -> Rescored:
        """Read and score what changed since the last time, and nothing else.

        Raises:
            Stopped: `stop` said so; what was read is kept, and so is every score that stood before.
        """
        if self._store.read_only:
            return Rescored()
        with self._lock, sharing():
            read = self._read(progress, stop)
            waiting = self._store.unscored_texts()
            if not waiting:
                return Rescored(read)
            whole = len(waiting) > _FEW and len(waiting) * 10 > self._store.count_texts()
            pairs = self._all(progress, stop) if whole else self._each(waiting, progress, stop)
            return Rescored(read, len(waiting), pairs, whole)

    def read_some(self, limit: int) -> None:
        """Read at most `limit` changed texts, so that `nearest` finds them; scores nothing."""
        # Without the lock: a write must not wait until a whole memory is scored.
        if not self._store.read_only:
            self._store.read_texts(_values, VERSION, limit=limit)

    def read_all(self) -> None:
        """Read every changed text, so that `nearest` finds it; scores nothing."""
        if not self._store.read_only:
            with self._lock, sharing():
                self._read(None, None)

    def _read(self, progress: Progress | None, stop: Stop | None) -> int:
        if not self._checked:
            self._store.check_texts(VERSION)
            self._checked = True
        total = done = 0
        while number := self._store.read_texts(_values, VERSION):
            done += number
            total = total or done + self._store.stale_texts()
            _step(progress, stop, _READING * min(1.0, done / total))
        return done

    # -- scoring --------------------------------------------------------------------------------------------------

    def _all(self, progress: Progress | None, stop: Stop | None) -> int:
        """Compare all texts with all."""
        from ..similarity.corpus import Corpus
        from ..similarity.join import all_pairs

        corpus, first, scores = Corpus(), list[int](), dict[int, int | None]()
        for key, words in self._store.all_words():
            index = corpus.add(words)
            if index == len(first):
                first.append(key)
            # Texts without a word have nothing in common, not everything.
            scores[key] = first[index] if words and first[index] != key else None
        watch = None if progress is None else (lambda part: progress(_READING + (1 - _READING) * part))
        pairs = all_pairs(corpus, THRESHOLD, progress=watch, stop=stop).worth_keeping().renamed(first)
        lists = dict(pairs.lists())
        self._store.keep_scores([(key, same, lists.get(key, b"")) for key, same in scores.items()])
        return len(pairs)

    def _each(self, waiting: list[Waiting], progress: Progress | None, stop: Stop | None) -> int:
        """Compare each of a few texts with all that were scored, and with those of the few before it."""
        known = self._store.scored_sets(word_set for _, word_set, _, _ in waiting)
        words = self._store.words_of(key for key, _, _, _ in waiting)
        scores: list[tuple[int, int | None, bytes]] = []
        alone: set[int] = set()
        found = 0
        for place, (key, word_set, size, signature) in enumerate(waiting):
            _step(progress, stop, _READING + (1 - _READING) * place / len(waiting))
            same = known.setdefault(word_set, key) if size else key
            if same != key:
                scores.append((key, same, b""))
                continue
            near = [other for other in self._candidates(signature, size, THRESHOLD, len(waiting)) if other != key]
            fit = (self._store.scored_alone(near) | alone.intersection(near)) if near else set()
            likes = ranked(words.get(key, frozenset()), self._store.words_of(fit), THRESHOLD) if fit else []
            scores.append((key, None, partner_list(likes)))
            alone.add(key)
            found += len(likes)
        self._store.keep_scores(scores)
        return found

    # -- one against all ------------------------------------------------------------------------------------------

    def nearest(self, one: Prepared, threshold: float) -> list[Likeness]:
        """Exactly the texts read so far whose Jaccard with `one` is above `threshold`, the most similar first."""
        if self._store.read_only:
            others = {text.key: prepared.words for text, prepared in live_texts(self._store)}
            return ranked(one.words, others, threshold)
        keys = self._candidates(one.signature, one.size, threshold, 1)
        return ranked(one.words, self._store.words_of(keys), threshold) if keys else []

    def _candidates(self, signature: bytes, size: int, threshold: float, queries: int) -> list[int]:
        if not size:
            return []
        if self._signed is None and queries <= 3 and "numpy" not in sys.modules:
            rows = self._store.signatures()
            if len(rows) <= _PLAIN:
                return list(near_signatures(signature, size, rows, threshold))
        with self._signing:
            return self._signatures().candidates(signature, size, threshold)

    def _signatures(self) -> Signed:
        """Every signature in memory; only those that came since are loaded."""
        from ..similarity.nearest import Signed

        if self._signed is None or len(self._signed) > 2 * self._store.count_texts() + 1000:
            self._signed, self._loaded = Signed(), 0
        rows = self._store.signatures(self._loaded)
        if rows:
            self._signed.add(rows)
            self._loaded = rows[-1][0]
        return self._signed


def scored_pairs(
    store: Store, threshold: float, texts: list[KeptText], progress: Progress | None, stop: Stop | None
) -> Pairs:
    """The pairs of these texts strictly above `threshold`, the most similar first; equal sets stand for one another.

    What is kept reaches down to the threshold of DESIGN 6; below it, and in a store that cannot be written, all texts
    are compared now and nothing is kept.
    """
    from ..similarity.pairs import from_lists

    if not store.read_only and threshold >= THRESHOLD:
        sizes = {text.key: text.size for text in texts}
        sizes |= {text.same_as: text.size for text in texts if text.same_as is not None}
        return from_lists(store.pair_lists(), sizes).above(threshold).worst_first()
    from ..similarity.corpus import Corpus
    from ..similarity.join import all_pairs

    corpus, first = Corpus(), list[int]()
    for text, words in _words_of(store, texts):
        if corpus.add(words) == len(first):
            first.append(text.same_as or text.key)
    with sharing():
        return all_pairs(corpus, threshold, progress=progress, stop=stop).renamed(first).worst_first()


def _words_of(store: Store, texts: list[KeptText]) -> Iterator[tuple[KeptText, Iterable[str]]]:
    if store.read_only:
        wanted = {text.key for text in texts}
        yield from ((text, one.words) for text, one in live_texts(store) if text.key in wanted)
        return
    for begin in range(0, len(texts), 500):
        part = texts[begin : begin + 500]
        words = store.words_of(text.key for text in part)
        yield from ((text, words[text.key]) for text in part if text.key in words)


def live_texts(store: Store, workspace: str | None = None) -> Iterator[tuple[KeptText, Prepared]]:
    """The texts of a store that cannot be written, read now; their keys are the entries' own."""
    from ..store import Query

    first: dict[bytes, int] = {}
    for row in store.rows(sorted(store.keys(Query(workspace=workspace)))):
        texts = store.full_texts([row.row]).get(row.row)
        if row.type == "comment" or texts is None:
            continue
        one = prepare(*texts)
        same = first.setdefault(one.word_set, row.row) if one.size else row.row
        same_as = same if same != row.row else None
        yield KeptText(row.row, same_as, one.size, one.content, row.row, row.id, row.workspace), one


def _values(name: str, type_: str, title: str | None, description: str | None, body: str) -> TextValues:
    one = prepare(name, type_, title, description, body)
    return TextValues(one.content, one.word_set, one.size, one.signature, " ".join(sorted(one.words)))


def _step(progress: Progress | None, stop: Stop | None, part: float) -> None:
    if stop is not None and stop():
        raise Stopped
    if progress is not None:
        progress(part)
