"""All pairs and one against all give exactly what a plain double loop gives (DESIGN 6, issue 3)."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdesk.core.similarity import THRESHOLD
from memdesk.core.similarity.corpus import Corpus, TooManyWords
from memdesk.core.similarity.join import all_pairs, reach_table
from memdesk.core.similarity.nearest import Signed, one_against_all
from memdesk.core.similarity.pairs import Pairs, from_lists
from memdesk.core.similarity.ranking import partner_list, ranked
from memdesk.core.similarity.running import Stopped, sharing
from memdesk.core.similarity.signatures import BITS, BYTES, jaccard, most_apart, near_signatures, signature
from memdesk.core.tokens import words

THRESHOLDS = (0.3, 0.5, 0.8)

Found = dict[tuple[int, int], float]


def double_loop(sets: Sequence[frozenset[str]], threshold: float) -> Found:
    """The plain algorithm: every pair, by Python's own sets."""
    found: Found = {}
    for j, other in enumerate(sets):
        for i in range(j):
            union = len(sets[i] | other)
            if union and len(sets[i] & other) / union > threshold:
                found[i, j] = len(sets[i] & other) / union
    return found


def joined(sets: Iterable[frozenset[str]], threshold: float) -> Found:
    """The same by the join: pairs of equal sets included, as the corpus counts them."""
    corpus = Corpus()
    texts: dict[int, list[int]] = {}
    sizes: dict[int, int] = {}
    for place, own in enumerate(sets):
        index = corpus.add(own)
        texts.setdefault(index, []).append(place)
        sizes[index] = len(own)
    pairs = all_pairs(corpus, threshold)
    assert len({(a, b) for a, b, _ in pairs}) == len(pairs), "a pair came twice"
    found: Found = {}
    for a, b, score in pairs:
        for i in texts[a]:
            for j in texts[b]:
                found[min(i, j), max(i, j)] = score
    for index, places in texts.items():
        if sizes[index] and threshold < 1:
            found |= {(i, j): 1.0 for n, j in enumerate(places) for i in places[:n]}
    return found


# -- texts ----------------------------------------------------------------------------------------------------------

_STEMS = (
    "cache deploy staging production host token session retry queue worker index schema migration lane event entry "
    "digest thread anchor decision niño café año señal 缓存 部署 γάτα сервер 🙂face naïve ﬁle ß l'été 8080 8081 0.3 x86"
)
STEMS = _STEMS.split()


def notes(count: int, seed: int) -> list[frozenset[str]]:
    """Word sets as a memory has them: topics that overlap, near copies, equal ones, empty ones, long ones."""
    random_ = random.Random(seed)
    vocabulary = STEMS + [f"{stem}{number}" for stem in STEMS for number in range(12)]
    topics = [random_.sample(vocabulary, 30) for _ in range(max(2, count // 12))]
    found: list[frozenset[str]] = []
    for _ in range(count):
        kind = random_.random()
        if kind < 0.4 and found:
            base = set(random_.choice(found))
            for word in random_.sample(sorted(base), min(len(base), random_.randint(0, 4))):
                base.discard(word)
            base |= set(random_.sample(vocabulary, random_.randint(0, 4)))
            found.append(frozenset(base))
        elif kind < 0.45:
            found.append(frozenset())
        else:
            text = " ".join(random_.choices(random_.choice(topics), k=random_.randint(1, 60)))
            found.append(words(text))
    return found


def huge(count: int, seed: int) -> list[frozenset[str]]:
    """Sets of thousands of words, far more than a signature has bits."""
    random_ = random.Random(seed)
    pool = [f"w{number}" for number in range(4000)]
    base = random_.sample(pool, 3000)
    return [frozenset(random_.sample(base, random_.randint(1500, 3000))) for _ in range(count)]


@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_500_texts_give_what_the_double_loop_gives(threshold: float) -> None:
    sets = notes(480, seed=7) + huge(12, seed=1) + [frozenset()] * 8
    wanted = double_loop(sets, threshold)
    assert len(wanted) > 20, "the texts must have something to find"
    assert joined(sets, threshold) == wanted


@pytest.mark.soak
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("threshold", THRESHOLDS)
@pytest.mark.parametrize("seed", range(3))
def test_3000_texts_give_what_the_double_loop_gives(threshold: float, seed: int) -> None:
    sets = notes(2900, seed) + huge(60, seed) + [frozenset()] * 40
    assert joined(sets, threshold) == double_loop(sets, threshold)


WORDS = st.text("abé0_ -缓\U0001f642ß", min_size=1, max_size=3)


@given(st.lists(st.frozensets(WORDS, max_size=9), max_size=14), st.sampled_from([0.0, 0.1, 0.3, 1 / 3, 0.5, 0.8, 0.99]))
@settings(max_examples=150, deadline=None)
def test_any_sets_give_what_the_double_loop_gives(sets: list[frozenset[str]], threshold: float) -> None:
    assert joined(sets, threshold) == double_loop(sets, threshold)


@given(st.text(max_size=200), st.text(max_size=200), st.sampled_from(THRESHOLDS))
@settings(max_examples=150, deadline=None)
def test_any_two_texts(one: str, other: str, threshold: float) -> None:
    sets = [words(one), words(other), words(one + " " + other)]
    assert joined(sets, threshold) == double_loop(sets, threshold)


@pytest.mark.parametrize("sets", [[], [frozenset()], [frozenset()] * 5, [frozenset({"one"})]], ids=str)
def test_nothing_to_find(sets: list[frozenset[str]]) -> None:
    assert joined(sets, THRESHOLD) == {}


def test_exactly_the_threshold_is_not_above_it() -> None:
    three_of_ten = [frozenset("abc"), frozenset("abcdefghij")]
    assert joined(three_of_ten, 3 / 10) == {}
    assert joined(three_of_ten, 3 / 11) == {(0, 1): 0.3}


def test_lone_surrogates_are_words_like_others() -> None:
    sets = [frozenset({"\ud800x", "yy", "zz"}), frozenset({"\ud800x", "yy", "qq"})]
    assert joined(sets, THRESHOLD) == {(0, 1): 0.5}


def test_shared_words_reach_past_the_surrogates() -> None:
    """Code points of rapidfuzz strings leave the surrogates out: the 55,296th word must not become one."""
    pool = [f"w{number}" for number in range(56_000)]
    sets = [frozenset(pool), frozenset(pool), frozenset(pool[55_000:]), frozenset(pool[55_100:])]
    corpus = Corpus()
    for own in sets:
        corpus.add(own)
    assert {(a, b): round(s, 3) for a, b, s in all_pairs(corpus, 0.5)} == {(1, 2): 0.9}


def test_too_many_shared_words_are_refused_not_counted_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memdesk.core.similarity.corpus._CODES", 10)
    corpus = Corpus()
    for shift in range(2):
        corpus.add([f"w{number}" for number in range(shift, 20)])
    with pytest.raises(TooManyWords):
        all_pairs(corpus, THRESHOLD)


def test_forty_equal_texts_are_one_set_and_no_pairs() -> None:
    corpus = Corpus()
    own = words("the same text, stored forty times within a second")
    for _ in range(40):
        corpus.add(own)
    corpus.add(words("the same text, stored once"))
    assert len(corpus) == 2
    assert corpus.sets_of.tolist() == [0] * 40 + [1]
    assert len(all_pairs(corpus, THRESHOLD)) == 1


# -- watching and stopping ------------------------------------------------------------------------------------------


def _corpus(sets: Iterable[frozenset[str]]) -> Corpus:
    corpus = Corpus()
    for own in sets:
        corpus.add(own)
    return corpus


def test_progress_rises_to_one() -> None:
    parts: list[float] = []
    all_pairs(_corpus(notes(300, 1)), THRESHOLD, progress=parts.append)
    assert parts == sorted(parts)
    assert len(parts) > 5
    assert parts[-1] == 1.0


def test_stopping_between_tiles() -> None:
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked == 3

    parts: list[float] = []
    with pytest.raises(Stopped):
        all_pairs(_corpus(notes(400, 2)), THRESHOLD, progress=parts.append, stop=stop)
    assert len(parts) == 2


def test_turns_are_put_back_however_they_nest() -> None:
    before = sys.getswitchinterval()
    with sharing():
        inner = sys.getswitchinterval()
        with sharing():
            assert sys.getswitchinterval() == inner < before
        assert sys.getswitchinterval() == inner
    assert sys.getswitchinterval() == before


# -- signatures -----------------------------------------------------------------------------------------------------


@given(st.frozensets(WORDS, max_size=40), st.frozensets(WORDS, max_size=40))
@settings(max_examples=150, deadline=None)
def test_signatures_are_never_further_apart_than_their_sets(one: frozenset[str], other: frozenset[str]) -> None:
    marks = [int.from_bytes(signature(s), "little") for s in (one, other)]
    assert (marks[0] ^ marks[1]).bit_count() <= len(one ^ other)
    assert len(signature(one)) == BYTES == BITS // 8


@pytest.mark.parametrize("threshold", [0.0, 0.1, 0.3, 1 / 3, 0.5, 0.7, 0.8, 0.999])
def test_the_reach_is_exact(threshold: float) -> None:
    table = reach_table(400, threshold)
    for total in range(401):
        apart = [d for d in range(total % 2, total + 1, 2) if total + d and (total - d) / (total + d) > threshold]
        assert most_apart(total, threshold) == table[total] == max(apart, default=-1)


def _signed(sets: Sequence[frozenset[str]]) -> Signed:
    signed = Signed()
    for start in range(0, len(sets), 100):  # grows part by part
        part = sets[start : start + 100]
        signed.add((start + n, len(own), signature(own)) for n, own in enumerate(part))
    return signed


@pytest.mark.parametrize("threshold", [0.0, *THRESHOLDS])
def test_one_against_all_finds_exactly_its_pairs(threshold: float) -> None:
    sets = notes(300, seed=3) + huge(5, seed=4)
    signed = _signed(sets)
    rows = [(key, len(own), signature(own)) for key, own in enumerate(sets)]
    for one in [*sets[::17], frozenset(), words("a text that nobody wrote")]:
        wanted = {key: jaccard(one, other) for key, other in enumerate(sets) if jaccard(one, other) > threshold}
        found = one_against_all(one, signed, lambda keys: {key: sets[key] for key in keys}, threshold)
        assert {like.key: like.score for like in found} == wanted
        assert [like.score for like in found] == sorted((like.score for like in found), reverse=True)
        plain = near_signatures(signature(one), len(one), rows, threshold) if one else []
        assert wanted.keys() <= set(plain)


def test_one_against_all_passes_over_what_is_gone() -> None:
    sets = [words("a text that was here once"), words("a text that was here")]
    found = one_against_all(sets[0], _signed(sets), lambda keys: {0: sets[0]}, THRESHOLD)
    assert [like.key for like in found] == [0]


# -- keeping pairs --------------------------------------------------------------------------------------------------


def test_pairs_survive_being_kept_as_lists() -> None:
    sets = notes(200, seed=5)
    pairs = all_pairs(_corpus(sets), THRESHOLD)
    sizes = {int(a): 0 for a in [*pairs.left, *pairs.right]}
    corpus = _corpus([])
    for own in sets:
        sizes[corpus.add(own)] = len(own)
    assert sorted(from_lists(pairs.lists(), sizes)) == sorted(pairs)


def test_pairs_with_a_set_that_is_gone_are_left_out() -> None:
    sets = [words("one two three four"), words("one two three five"), words("one two three six")]
    pairs = all_pairs(_corpus(sets), THRESHOLD)
    assert [(a, b) for a, b, _ in sorted(from_lists(pairs.lists(), {0: 4, 2: 4}))] == [(0, 2)]
    assert len(from_lists(pairs.lists(), {})) == 0


def _kept_by_hand(pairs: Pairs, above: float, best: int) -> set[tuple[int, int]]:
    scored = sorted(pairs, key=lambda p: -p[2])
    kept = {(a, b) for a, b, s in scored if s > above}
    for end in {i for a, b, _ in scored for i in (a, b)}:
        own = [(a, b) for a, b, _ in scored if end in (a, b)]
        limit = scored_limit([s for a, b, s in scored if end in (a, b)], best)
        kept |= {(a, b) for a, b, s in scored if (a, b) in own and s > limit}
    return kept


def scored_limit(scores: list[float], best: int) -> float:
    """The score that the best few are strictly above, ties at the edge left open."""
    return scores[best] if len(scores) > best else -1.0


def test_what_is_worth_keeping_is_bounded_and_holds_the_best() -> None:
    pairs = all_pairs(_corpus(notes(400, seed=6)), 0.1)
    kept = pairs.worth_keeping(above=0.6, best=3)
    found = {(a, b) for a, b, _ in kept}
    assert _kept_by_hand(pairs, 0.6, 3) <= found
    low = [(a, b) for a, b, s in kept if s <= 0.6]
    assert len(low) <= 3 * 400
    assert len(kept) < len(pairs)


def test_a_single_list_is_bounded_too() -> None:
    own = frozenset(f"w{n}" for n in range(10))
    others = {key: frozenset([*sorted(own)[:5], *(f"x{key}_{n}" for n in range(4))]) for key in range(1, 400)}
    likes = ranked(own, others, 0.3)
    assert len(likes) == 399
    assert len(partner_list(likes)) == 200 * 8


def test_core_loads_no_numpy_until_something_is_scored() -> None:
    import subprocess

    code = (
        "import sys, memdesk.core.desk.similar, memdesk.core.similarity.prepared, memdesk.core.similarity.evidence\n"
        "print([m for m in ('numpy', 'rapidfuzz') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=50, check=True)
    assert run.stdout.strip() == "[]"
