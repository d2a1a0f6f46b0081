"""The batch in an editor: what is left alone is approved as asked, and nothing doubtful is decided."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memdesk.core.text import marks, visible
from memdesk.tui.batch_text import CONSENT, Batch, Block, Choice, batch_text, read_batch
from memdesk.tui.line_fields import worded

A = Block("req_0A", "evt_a", "agent:scout asks to change atom_port, 3 days ago", ("Why: it moved.",),
          {"body": "The port is 9090.\n\nSince May.", "description": "Port"}, ("-The port is 8080.",))  # fmt: skip
B = Block("req_0B", "evt_b", "agent:scout asks to delete project_x, 2 days ago", ("Why: done.",))
C = Block("req_0C", "evt_c", "agent:other asks to erase atom_key, 1 day ago", alone=True)
ALL = (A, B, C)


def choices(text: str, blocks: Sequence[Block] = ALL) -> dict[str, Choice]:
    batch = read_batch(text, blocks)
    assert batch.problems == (), [str(p) for p in batch.problems]
    return {c.request_id: c for c in batch.choices}


def problems(text: str, blocks: Sequence[Block] = ALL) -> list[str]:
    return [str(p) for p in read_batch(text, blocks).problems]


def without(block: Block, blocks: Sequence[Block] = ALL) -> str:
    return batch_text([b for b in blocks if b is not block])


def line_of(text: str, line: str) -> int:
    return text.split("\n").index(line) + 1


# -- what is left alone -------------------------------------------------------------------------------------------

# Texts made of what the format itself is made of, and of everything odd.
SCRAPS = st.sampled_from([
    "approve req_0A", "end of body of req_0A", "body of req_0A:", "# no comment", "    indented", "", " ", "\t", "\r\n",
    "\n", "\r", "\n\n", "reject: no req_0B", "\u200b", "\u202e", "\U000e0041", "\u2028", "\x0b", "\x1b[31m", "‹U+200B›",
    "␛", "👩\u200d💻", "\ufeff", "\ud800", "skip req_0B (x)", "```", "---", "\x85", "\u00a0", "trailing  ",
])  # fmt: skip
TEXTS = st.one_of(st.text(), st.lists(st.one_of(SCRAPS, st.text(max_size=5)), max_size=12).map("".join))
NAMES = st.sampled_from(["body", "description", "text", "atom_a.body", "# x", "approve req_0X", "a\nb", "end of body"])
FIELDS = st.dictionaries(NAMES, TEXTS, max_size=3)
BLOCKS = st.lists(
    st.tuples(TEXTS, st.lists(TEXTS, max_size=2), FIELDS, st.lists(TEXTS, max_size=2)), min_size=1, max_size=4
).map(lambda rows: [
    Block(f"req_{n}X", f"evt_{n}", head, tuple(notes), texts, tuple(after))
    for n, (head, notes, texts, after) in enumerate(rows)
])  # fmt: skip


@given(BLOCKS, st.sampled_from(["", "trimmed", "crlf", "no end", "bom", "padded"]))
@settings(max_examples=200, deadline=None)
def test_left_alone_is_approved_as_asked(blocks: list[Block], editor: str) -> None:
    text = batch_text(blocks)
    text.encode()  # a file can hold it
    if editor == "trimmed":
        text = "\n".join(line.rstrip(" \t") for line in text.split("\n"))
    elif editor == "crlf":
        text = text.replace("\n", "\r\n")
    elif editor == "no end":
        text = text.rstrip("\n")
    elif editor == "bom":
        text = "\ufeff" + text
    elif editor == "padded":
        text = "\n".join(line + " " for line in text.split("\n"))
    batch = read_batch(text, blocks)
    assert batch.problems == ()
    assert batch.choices == tuple(Choice(b.request_id, "approve") for b in blocks)
    assert batch.untouched and not batch.emptied


@given(BLOCKS, TEXTS, st.data())
@settings(max_examples=200, deadline=None)
def test_any_rewording_is_taken_as_it_stands(blocks: list[Block], wording: str, data: st.DataObject) -> None:
    """One text is replaced as a person would type it; all others stay as asked."""
    chosen = data.draw(st.sampled_from(blocks))
    wording = visible(wording)
    if not chosen.texts or not wording.strip():
        return
    name = data.draw(st.sampled_from(sorted(chosen.texts)))
    bare = wording
    for mark in marks(chosen.texts[name]):
        bare = bare.replace(mark.shown, "")
    if not bare.strip():
        return  # nothing but marks of the text as it was asked: a problem, not a rewording
    reworded = replace(chosen, texts={**chosen.texts, name: wording})
    found = choices(batch_text([reworded if b is chosen else b for b in blocks]), blocks)
    assert all(found[b.request_id] == Choice(b.request_id, "approve") for b in blocks if b is not chosen)
    choice = found[chosen.request_id]
    wording = worded(name, wording, chosen.texts[name])
    if wording == chosen.texts[name]:
        assert choice.edited == {}
    elif lines_of(wording) == lines_of(visible(chosen.texts[name])):
        assert choice.edited == {}, "white space at line ends is no rewording"
    elif not choice.dropped_marks:
        assert choice.edited == {name: wording}


def lines_of(text: str) -> list[str]:
    return [line.rstrip(" \t") for line in text.split("\n")]


def test_the_text_that_an_editor_gets() -> None:
    text = batch_text([A])
    assert text.endswith("""
approve req_0A (agent:scout asks to change atom_port, 3 days ago)
# Why: it moved.
body of req_0A:
    The port is 9090.

    Since May.
end of body of req_0A
description of req_0A:
    Port
end of description of req_0A
# -The port is 8080.
""")
    assert text.startswith("# 1 request waits for you, oldest first.")


def test_hidden_characters_are_marks_and_come_back() -> None:
    block = replace(A, texts={"body": "a\u200bb\u202e\r\nc\rd\ud800"})
    text = batch_text([block])
    assert "    a‹U+200B›b‹U+202E›\n    c␍d‹U+D800›\n" in text
    assert choices(text, [block])["req_0A"].edited == {}


def test_a_rewording_goes_without_the_marks() -> None:
    block = replace(A, texts={"body": "a\u200bb\nline\u2028next ‹U+202E›"})
    text = batch_text([block]).replace("    a‹U+200B›b", "    new a‹U+200B›b")
    choice = choices(text, [block])["req_0A"]
    assert choice.edited == {"body": "new ab\nline\nnext ‹U+202E›"}, "a mark that the text itself spells out stays"
    assert choice.dropped_marks == 2


def test_a_line_comes_back_as_one_line() -> None:
    block = replace(A, texts={"body": "a\nb", "description": "Port", "atom_x.description": "X\nas asked", "title": "T"})
    text = batch_text([block]).replace("    Port\n", "    The port\n\n    that is open  \n")
    assert choices(text, [block])["req_0A"].edited == {"description": "The port that is open"}
    text = batch_text([block]).replace("    Port\n", "\n    Port\n\n").replace("    as asked", "    of ours")
    text = text.replace("    a\n", "    a\n\n")
    assert choices(text, [block])["req_0A"].edited == {"body": "a\n\nb", "atom_x.description": "X of ours"}


# -- what is decided ----------------------------------------------------------------------------------------------


def test_every_word() -> None:
    text = batch_text(ALL).replace("approve req_0B", "reject: still needed, see req_0A req_0B")
    found = choices(text)
    assert found["req_0A"] == Choice("req_0A", "approve")
    assert found["req_0B"] == Choice("req_0B", "reject", "still needed, see req_0A")
    assert found["req_0C"] == Choice("req_0C", "skip")
    assert read_batch(text, ALL).plan == "approves 1, rejects 1, skips 1"


@pytest.mark.parametrize(("line", "word", "reason"), [
    ("skip req_0B (agent:scout asks to delete project_x, 2 days ago)", "skip", ""),
    ("skip req_0B", "skip", ""),
    ("SKIP   req_0B", "skip", ""),
    ("reject req_0B (agent:scout asks to delete project_x, 2 days ago)", "reject", ""),
    ("reject: no req_0B (agent:scout asks to delete project_x, 2 days ago)", "reject", "no"),
    ("reject:no req_0B", "reject", "no"),
    ("reject not yet req_0B", "reject", "not yet"),
    ("Reject: (no) see req_0C req_0B", "reject", "(no) see req_0C"),
])  # fmt: skip
def test_heads(line: str, word: str, reason: str) -> None:
    text = batch_text(ALL).replace("approve req_0B (agent:scout asks to delete project_x, 2 days ago)", line)
    assert choices(text)["req_0B"] == Choice("req_0B", word, reason)  # type: ignore[arg-type]


def test_deleted_blocks_are_rejected() -> None:
    batch = read_batch(without(A), ALL)
    assert batch.choices == (Choice("req_0B", "approve"), Choice("req_0C", "skip"),
                             Choice("req_0A", "reject", deleted=True))  # fmt: skip
    assert batch.plan == "approves 1, rejects 1, skips 1" and not batch.untouched and not batch.emptied


@pytest.mark.parametrize("text", ["", "\n", batch_text([]), "# only a remark"])
def test_an_emptied_file_says_so(text: str) -> None:
    batch = read_batch(text, ALL)
    assert batch.emptied and not batch.untouched and not batch.problems
    assert [c.word for c in batch.choices] == ["reject"] * 3


def test_the_line_that_says_it_was_not_read() -> None:
    text = batch_text(ALL)
    assert text.split("\napprove ")[0].endswith(f"\n\n{CONSENT}\n"), "it stands above the first block"
    assert read_batch(text, ALL).unread and read_batch(text.replace("\n", "\r\n"), ALL).unread
    assert not read_batch(text.replace(CONSENT, ""), ALL).unread
    assert not read_batch(text.replace(CONSENT, f"# {CONSENT}"), ALL).unread
    assert problems(text.replace(CONSENT, CONSENT[:40]))
    inside = replace(A, texts={"body": CONSENT})
    assert not read_batch(batch_text([inside]).replace(CONSENT, "", 1), [inside]).unread


def test_an_untouched_file_says_so() -> None:
    assert read_batch(batch_text(ALL), ALL).untouched
    assert not read_batch(batch_text(ALL).replace("approve req_0B", "skip req_0B"), ALL).untouched
    assert not read_batch(batch_text(ALL).replace("    Port", "    The port"), ALL).untouched


def test_reworded() -> None:
    text = batch_text(ALL).replace("    Since May.", "    Since June.\n      # kept\n    approve req_0B")
    batch = read_batch(text, ALL)
    assert batch.choices[0].edited == {"body": "The port is 9090.\n\nSince June.\n  # kept\napprove req_0B"}
    assert batch.plan == "approves 2 (1 reworded), rejects 0, skips 1"


def test_a_last_blank_line_is_a_change() -> None:
    text = batch_text(ALL).replace("    Since May.\n", "    Since May.\n\n")
    assert choices(text)["req_0A"].edited == {"body": "The port is 9090.\n\nSince May.\n"}


def test_a_rewording_that_is_not_approved_is_named() -> None:
    text = batch_text(ALL).replace("    Port\n", "    The port\n").replace("approve req_0A", "skip req_0A")
    assert choices(text)["req_0A"] == Choice("req_0A", "skip", unused=("description",))


def test_a_skipped_block_needs_no_texts() -> None:
    text = batch_text(ALL).split("body of req_0A")[0].replace("approve req_0A", "skip req_0A") + without(A)
    assert choices(text)["req_0A"].word == "skip"


def test_blocks_in_another_order() -> None:
    batch = read_batch(batch_text([C, B, A]), ALL)
    assert not batch.problems and [c.request_id for c in batch.choices] == ["req_0C", "req_0B", "req_0A"]


# -- what is doubtful ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("old", "new", "told"), [
    ("approve req_0B", "aprove req_0B", "neither a block nor inside a text"),
    ("approve req_0B", "approve req_0B req_0Z", "req_0Z is not one of this batch"),
    ("approve req_0B", "approve", "names no request"),
    ("approve req_0B", "approve req_0Z", "req_0Z is not one of this batch"),
    ("approve req_0B", "approve req_0A", "What follows req_0A is not understood"),
    ("2 days ago)", "2 days ago) but shorter", "What follows req_0B is not understood"),
    ("approve req_0B", "approve gladly req_0B", "“gladly” is not understood"),
    ("skip req_0C", "approve req_0C", "An erase is decided alone"),
    ("    Since May.", "Since May.", "“Since May.” stands in the body of req_0A"),
    ("    Since May.", "# Since May.", "“# Since May.” stands in the body of req_0A"),
    ("    Since May.", "  Since May.", "“Since May.” stands in the body of req_0A"),
    ("end of body of req_0A\n", "", "The text that begins here has no end"),
    ("end of description of req_0A\n", "", "The text that begins here has no end"),
    ("description of req_0A:\n    Port\nend of description of req_0A\n", "", "The description of req_0A is missing"),
    ("description of req_0A:\n", "", "neither a block nor inside a text"),
    ("    Port\n", "", "The description is empty"),
    ("    Port\n", "    \n", "The description is empty"),
    ("    Port\n", "    Po\0rt\n", "The description holds a NUL"),
    ("    Port\n", "    Po\ud800rt\n", "The description holds a NUL or half a character"),
    ("description of req_0A:\n", "body of req_0A:\n    x\nend of body of req_0A\ndescription of req_0A:\n",
     "The body of req_0A is there twice"),
    ("approve req_0A (agent:scout asks to change atom_port, 3 days ago)\n", "", "stands outside its block"),
])  # fmt: skip
def test_doubt_decides_nothing(old: str, new: str, told: str) -> None:
    text = batch_text(ALL)
    assert text.count(old) >= 1
    found = problems(text.replace(old, new, 1))
    assert any(told in p for p in found), found
    assert all(p.startswith("Line ") for p in found)


def test_the_line_is_named() -> None:
    text = batch_text(ALL).replace("approve req_0B", "aprove req_0B")
    at = next(n for n, line in enumerate(text.split("\n"), 1) if line.startswith("aprove"))
    assert problems(text) == [f"Line {at}: “aprove req_0B (agent:scout asks to dele…” is neither a block nor inside a "
                              "text; texts are indented."]  # fmt: skip
    assert problems(text.replace("\n", "\r\n")) == problems(text)


def test_a_request_named_twice() -> None:
    text = batch_text([A, B, C, B])
    first = line_of(text, "approve req_0B (agent:scout asks to delete project_x, 2 days ago)")
    assert [p.split(": ", 1)[1] for p in problems(text)] == [f"req_0B is there twice; see line {first}."]


def test_half_of_two_blocks_does_not_make_one() -> None:
    """The end of one text and the beginning of the next are deleted: their rest is not one text."""
    other = replace(B, texts={"body": "first\nsecond"})
    text = batch_text([A, other])
    start, stop = text.index("    Since May."), text.index("    second")
    found = problems(text[:start] + text[stop:], [A, other])
    assert any("has no end" in p for p in found), found


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_no_cut_decides_on_a_text_that_nobody_asked_for(data: st.DataObject) -> None:
    """Lines are deleted anywhere: each text that is approved is one that was asked for, or a part of that one."""
    other = replace(B, texts={"body": "first\n\nsecond"})
    blocks = [A, other, C]
    lines = batch_text(blocks).split("\n")
    start = data.draw(st.integers(0, len(lines)))
    stop = data.draw(st.integers(start, len(lines)))
    batch: Batch = read_batch("\n".join(lines[:start] + lines[stop:]), blocks)
    if batch.problems:
        return
    for choice in batch.choices:
        own = next(b for b in blocks if b.request_id == choice.request_id)
        for name, text in choice.edited.items():
            rest = iter(own.texts[name].split("\n"))
            assert all(line in rest for line in text.split("\n"))
