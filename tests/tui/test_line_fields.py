"""Texts that are one line come back from any editor as one; those that are left alone, and all others, as they are."""

from __future__ import annotations

import pytest

from memdesk.tui.line_fields import worded


@pytest.mark.parametrize(("field", "text", "becomes"), [
    ("description", "one\n", "one"),
    ("description", "\n\n  one  \n two\r\n\r\nthree  four\n", "one two three  four"),
    ("description", "one\u2028two\x85three\vfour\ffive", "one two three four five"),
    ("title", " one\ttwo ", "one\ttwo"),
    ("atom_x.description", "one\rtwo", "one two"),
    ("description", "asked\nso", "asked\nso"),
    ("description", "\n \n", ""),
    ("body", " one\ntwo\n", " one\ntwo\n"),
    ("summary", "one\ntwo", "one\ntwo"),
    ("atom_description.body", "one\ntwo", "one\ntwo"),
])  # fmt: skip
def test_a_line_is_one_line(field: str, text: str, becomes: str) -> None:
    assert worded(field, text, "asked\nso") == becomes
