"""What a reviewer reads: diffs in which nothing hides, and sentences on one line."""

from __future__ import annotations

import pytest

from memdesk.core.store import RequestRow
from memdesk.tui.review_words import about_words, asked_words, diff_lines, effect_words, head_words


@pytest.mark.parametrize(("before", "after", "lines"), [
    ("a\nb", "a\nc", [" a", "-b", "+c"]),
    ("a\nb\n", "a\nc\n", [" a", "-b", "+c"]),
    ("", "a\n\nb", ["+a", "+", "+b"]),
    ("a", "", ["-a"]),
    ("a", "a", []),
    ("a", "a\u200b", ["-a", "+a‹U+200B›"]),
    ("a", "\x1b[31ma", ["-a", "+␛[31ma"]),
    ("a\r\nb\r\n", "a\r\nc\r\n", [" a", "-b", "+c"]),
    ("a\r\nb\r\n", "a\nb\n", ["-a␍", "-b␍", "+a", "+b"]),
    ("a\n", "b\r\n", ["-a", "+b␍"]),
    ("a", "a\n", ["-a", "\\ No newline at end of file", "+a"]),
    ("a\rb", "a\rc", ["-a␍b", "+a␍c"]),
])  # fmt: skip
def test_diff_lines(before: str, after: str, lines: list[str]) -> None:
    shown = diff_lines(before, after)
    assert shown[1:] == lines and (not shown or shown[0].startswith("@@ -"))


def test_every_changed_line_is_there() -> None:
    before = "\n".join(f"line {n}" for n in range(60))
    after = before.replace("line 3\n", "line three\n").replace("line 50", "line fifty")
    shown = diff_lines(before, after)
    assert [line for line in shown if line[0] in "+-"] == ["-line 3", "+line three", "-line 50", "+line fifty"]


def row(verb: str, refs: tuple[str, ...] = (), kind: str = "t3", **args: object) -> RequestRow:
    payload = {"verb": verb, "refs": list(refs), "args": args, "kind": kind}
    return RequestRow("req_1", verb, "agent:scout", "2026-01-01T00:00:00Z", "pending", None, None, None, None, None,
                      "evt_1", payload)  # fmt: skip


def name(entry_id: str) -> str:
    return {"1": "atom_a", "2": "atom_b", "3": "bad\nname"}.get(entry_id, entry_id)


@pytest.mark.parametrize(("asked", "words"), [
    (row("edit", ("1",)), "agent:scout asks to change atom_a"),
    (row("delete", ("1", "2")), "agent:scout asks to delete atom_a and atom_b"),
    (row("supersede", ("1", "2"), old="1", by="2"), "agent:scout asks to replace atom_a by atom_b"),
    (row("add", kind="proposal", name="atom_new"), "agent:scout proposes to add atom_new"),
    (row("checkpoint", payload={"resumen": {"name": "project_x"}}),
     "agent:scout asks to write the checkpoint project_x"),
    (row("append", ("3",)), "agent:scout asks to add to bad name"),
    (row("retire"), "agent:scout asks to delete"),
])  # fmt: skip
def test_asked_words(asked: RequestRow, words: str) -> None:
    assert asked_words(asked, name) == words
    assert " ".join(about_words(asked, name).split()) in words


def test_head_words() -> None:
    from datetime import UTC, datetime

    now = datetime(2026, 1, 4, tzinfo=UTC)
    assert head_words(row("edit", ("1",)), name, now) == "agent:scout asks to change atom_a, 3 days ago"


def test_what_went_with_an_erased_entry_is_told_as_that() -> None:
    asked = RequestRow("req_1", "", "agent:scout", "2026-01-01T00:00:00Z", "withdrawn", None, None, "It was erased.",
                       None, None, "evt_1", {"erased": True, "memory_id": "1", "request_id": "req_1"})  # fmt: skip
    words = "what it asked was erased with its entry"
    assert asked_words(asked, name) == "agent:scout asked for something about an entry that is erased"
    assert effect_words(asked, name, words) == words
