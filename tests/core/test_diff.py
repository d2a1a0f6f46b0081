"""The diff against an independent tool: what is shown, applied to the old text, gives the new one (issue 4)."""

from __future__ import annotations

import random
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdesk.core.diff import Pair, Row, applied, as_patch, blame, compare, lines_of, pairs, rows, words

LINES = st.lists(st.sampled_from(["", "a", "b", "one two", "one three", "  ", "a\r", "é ü", "x" * 30]), max_size=14)
TEXT = st.tuples(LINES, st.booleans()).map(lambda t: "\n".join(t[0]) + ("\n" if t[1] and t[0] else ""))
#: git's own idea of a word, given as a pattern, so that both tools cut lines alike.
WORD = r"[[:alnum:]_]+|[^[:space:][:alnum:]_]"


def _git(*args: str, cwd: Path, ok: tuple[int, ...] = (0,), given: str | None = None) -> str:
    done = subprocess.run(
        ["git", "-c", "core.autocrlf=false", "-c", "core.quotepath=false", *args], cwd=cwd, capture_output=True,
        input=None if given is None else given.encode(), timeout=30, check=False,
    )  # fmt: skip
    assert done.returncode in ok, done.stderr.decode()
    return done.stdout.decode()


def _random_pairs(count: int) -> list[tuple[str, str]]:
    rng = random.Random(11)
    vocabulary = ["foo", "bar", "baz", "limit", "100", "req/min", "[x]", "naïve", "検索", "- item", "## head", ""]

    def text(lines: int) -> list[str]:
        return [" ".join(rng.choices(vocabulary, k=rng.randint(0, 7))) for _ in range(lines)]

    found = []
    for _ in range(count):
        old = text(rng.choice([0, 1, 3, 12, 60, 300]))
        new = list(old)
        for _ in range(rng.randint(0, 6)):
            at = rng.randrange(len(new) + 1)
            new[at : at + rng.randint(0, 3)] = text(rng.randint(0, 3))
        if rng.random() < 0.2 and new:  # a paragraph moves
            new.append(new.pop(rng.randrange(len(new))))
        found.append(("\n".join(old) + rng.choice(["", "\n"]), "\n".join(new) + rng.choice(["", "\n"])))
    return found


def _real_pairs(count: int) -> list[tuple[str, str]]:
    """Neighbouring files of this repository, which share much and differ in much, and files with sections turned."""
    root = Path(__file__).resolve().parents[2]
    files = sorted([*root.glob("core/*.py"), *root.glob("*.md"), *root.glob("docs/*.md")])
    texts = [f.read_text(encoding="utf-8") for f in files if f.stat().st_size < 60_000]
    found = list(pairwise(texts))[: count // 2]
    for text in texts[: count - len(found)]:
        parts = text.split("\n\n")
        found.append((text, "\n\n".join([*parts[2:], *parts[:2]]).replace("the", "a", 5)))
    return found


RANDOM = _random_pairs(200)
REAL = _real_pairs(20)


def test_there_are_as_many_pairs_as_are_promised() -> None:
    assert (len(RANDOM), len(REAL)) == (200, 20)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pairs")


@pytest.mark.parametrize("start", range(0, 220, 20))
def test_git_applies_our_patch_and_sees_a_difference_where_we_do(place: Path, start: int) -> None:
    chosen = [*RANDOM, *REAL][start : start + 20]
    for name in ("a", "b", "work"):
        (place / name).mkdir(exist_ok=True)
    for number, (old, new) in enumerate(chosen):
        for side, text in (("a", old), ("b", new), ("work", old)):
            (place / side / f"t{number}").write_bytes(text.encode())
    patch = "".join(as_patch(f"t{n}", old, new) for n, (old, new) in enumerate(chosen))
    _git("apply", "--unidiff-zero", "-", cwd=place / "work", given=patch)
    theirs = _git("diff", "--no-index", "--no-prefix", "--numstat", "a", "b", cwd=place, ok=(0, 1))
    differing = {line.rsplit("/", 1)[-1].rstrip("}") for line in theirs.splitlines()}
    for number, (old, new) in enumerate(chosen):
        assert (place / "work" / f"t{number}").read_bytes().decode() == new
        assert (f"t{number}" in differing) == (old != new)


@pytest.mark.parametrize(("old", "new"), [*RANDOM, *REAL], ids=range(220))
def test_what_is_shown_applied_to_the_old_text_gives_the_new_one(old: str, new: str) -> None:
    diff = compare(old, new)
    assert applied(old, rows(diff)) == new
    assert applied(old, rows(diff, opened=None)) == new
    assert applied(old, rows(diff, context=0)) == new
    left = [p.left for p in pairs(diff, opened=None) if p.old >= 0]
    right = [p.right for p in pairs(diff, opened=None) if p.new >= 0]
    assert (left, right) == (lines_of(old), lines_of(new))


@pytest.mark.parametrize("start", range(0, 220, 55))
def test_words_marked_within_lines_agree_with_git_word_diff(place: Path, start: int) -> None:
    """Git's word diff and ours are both read back into the two texts; ours marks a word on every line that changed."""
    for old, new in [*RANDOM, *REAL][start : start + 55 : 5]:
        (place / "old").write_bytes(old.encode())
        (place / "new").write_bytes(new.encode())
        told = _git(
            "diff", "--no-index", "--word-diff=porcelain", f"--word-diff-regex={WORD}", "-U100000", "old", "new",
            cwd=place, ok=(0, 1),
        )  # fmt: skip
        gone, came = _read_porcelain(told) if told else (old, new)
        diff = compare(old, new)
        for old_line, new_line in diff.beside.items():
            left, right = words(diff.old[old_line], diff.new[new_line])
            assert "".join(t for t, _ in left) == diff.old[old_line]
            assert "".join(t for t, _ in right) == diff.new[new_line]
            assert any(differs for _, differs in [*left, *right])
            assert "".join(t for t, d in left if not d) == "".join(t for t, d in right if not d)
        assert _bare(gone) == _bare(old) and _bare(came) == _bare(new)


def _read_porcelain(told: str) -> tuple[str, str]:
    gone: list[str] = []
    came: list[str] = []
    for line in told.split("\n")[5:]:
        sign, text = line[:1], line[1:]
        if sign in (" ", "-"):
            gone.append(text)
        if sign in (" ", "+"):
            came.append(text)
        if sign == "~":
            gone.append("\n")
            came.append("\n")
    return "".join(gone), "".join(came)


def _bare(text: str) -> str:
    """Without white space, which a word diff does not tell."""
    return "".join(text.split())


# -- properties ---------------------------------------------------------------------------------------------------


@settings(max_examples=300, deadline=None)
@given(TEXT, TEXT, st.integers(0, 4))
def test_apply_gives_the_new_text_whatever_the_texts(old: str, new: str, context: int) -> None:
    diff = compare(old, new)
    assert applied(old, rows(diff, context=context)) == new
    folds = [r.old for r in rows(diff, context=context) if r.kind == "fold"]
    assert applied(old, rows(diff, context=context, opened=folds[:1])) == new
    shown = list(pairs(diff, context=context))
    assert sum(p.count if p.kind == "fold" else p.old >= 0 for p in shown) == len(lines_of(old))
    assert not diff.changes or old != new


def test_rows_that_do_not_fit_the_text_are_refused() -> None:
    diff = compare("a\nb", "a\nc")
    with pytest.raises(ValueError, match="line 2"):
        applied("a\nx", rows(diff))
    with pytest.raises(ValueError, match="ends at line 2 of 3"):
        applied("a\nb\nc", rows(diff))


def test_long_unchanged_stretches_are_folded_and_opened_one_by_one() -> None:
    text = "\n".join(f"line {n}" for n in range(50))
    diff = compare(text, text.replace("line 25", "LINE 25"))
    shown = [(r.kind, r.old, r.count) for r in rows(diff, context=2) if r.kind == "fold"]
    assert shown == [("fold", 0, 23), ("fold", 28, 22)]
    opened = list(rows(diff, context=2, opened=[0]))
    assert [r.old for r in opened if r.kind == "fold"] == [28]
    assert sum(r.kind == "same" for r in opened) == 23 + 4


def test_a_paragraph_that_moved_is_recognised_and_one_too_short_to_tell_is_not() -> None:
    long = "This paragraph is long enough to be told\nfrom any other one in the text."
    one = compare(f"{long}\n\nshort\n\nmiddle part of it\n\nend", f"short\n\nmiddle part of it\n\nend\n\n{long}")
    assert one.moves == {0: 6, 1: 7}
    moved = [(r.kind, r.moved) for r in rows(one) if r.moved >= 0]
    assert moved == [("gone", 6), ("gone", 7), ("new", 0), ("new", 1)]
    assert compare("short\n\nx\n\ny", "x\n\ny\n\nshort").moves == {}


def test_changed_lines_stand_beside_each_other_with_their_words_marked() -> None:
    diff = compare("keep\nlimit is 100 req/min\ngone for good\nend", "keep\nlimit is 1000 req/min\nend")
    shown = [p for p in pairs(diff) if p.kind != "same"]
    assert shown == [
        Pair("change", 1, 1, "limit is 100 req/min", "limit is 1000 req/min"), Pair("gone", 2, -1, "gone for good"),
    ]  # fmt: skip
    left, right = words("limit is 100 req/min", "limit is 1000 req/min")
    assert left == [("limit is ", False), ("100", True), (" req/min", False)]
    assert right == [("limit is ", False), ("1000", True), (" req/min", False)]
    unified = [r for r in rows(diff) if r.kind != "same"]
    assert unified[0] == Row("gone", 1, -1, "limit is 100 req/min", beside=1)


def test_null_and_the_empty_text_have_no_lines() -> None:
    assert compare(None, "").changes == [] == compare("", None).changes
    assert [r.kind for r in rows(compare(None, "a\n"))] == ["new", "new"]
    assert as_patch("x", None, "") == ""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x\n" * 131_072, "y\n" * 131_072),
        ("a\nb\n" * 65_536, "b\na\nc\n" * 43_690),
        ("word " * 52_000, "word " * 26_000 + "other " + "word " * 26_000),
        ("\x00\x01\x1b" * 87_000, "\x00\x01\x1c" * 87_000),
        ("z" * 262_144, "z" * 262_143 + "y"),
        ("\n" * 262_144, "\n" * 262_143 + "x"),
    ],
    ids=["all lines other", "few lines often", "one long line", "binary", "one word", "empty lines"],
)
def test_hostile_texts_of_256_kb_are_compared_in_bounded_work(old: str, new: str) -> None:
    """Nothing quadratic: the test's own time limit would end it."""
    diff = compare(old, new)
    assert applied(old, rows(diff)) == new
    left, right = words(old[:262_144].replace("\n", " "), new[:262_144].replace("\n", " "))
    assert "".join(t for t, _ in left) == old[:262_144].replace("\n", " ")
    assert "".join(t for t, _ in right) == new[:262_144].replace("\n", " ")


def test_blame_names_the_version_that_brought_each_line() -> None:
    texts = ["a\nb\nc", "a\nB\nc", "", "a\nB\nc\nd", "top\na\nB\nc\nd"]
    assert blame(texts[:2]) == [0, 1, 0]
    assert blame(texts) == [4, 3, 3, 3, 3]  # what was taken away and came back was brought anew
    assert blame([]) == [] == blame([""])


@settings(max_examples=150, deadline=None)
@given(st.lists(TEXT, max_size=6))
def test_every_blamed_line_stands_in_the_version_it_is_blamed_on(texts: list[str]) -> None:
    found = blame(texts)
    lines = lines_of(texts[-1]) if texts else []
    assert len(found) == len(lines)
    for origin, line in zip(found, lines, strict=True):
        assert line in lines_of(texts[origin])
