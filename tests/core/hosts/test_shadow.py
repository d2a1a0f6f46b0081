"""The shadow and what Gaia can hold: pure values."""

from __future__ import annotations

import pytest

from memdesk.core.hosts.gaia.holding import cannot_hold, cannot_hold_edge, holds_value, whole_seconds
from memdesk.core.hosts.gaia.shadow import (
    UNKNOWN,
    LinkShadow,
    Shadow,
    dump_key,
    fingerprint,
    load_link,
    load_shadow,
    same_seen,
)  # fmt: skip

LONG = "x" * 5000


@pytest.mark.parametrize("value", [None, "", "short", LONG, UNKNOWN, "sha256:" + "0" * 64, "añb\ud800"])
def test_equal_values_have_equal_fingerprints_and_no_value_is_unknown(value: str | None) -> None:
    assert fingerprint(value) == fingerprint(value)
    assert fingerprint(value) != UNKNOWN
    assert fingerprint(f"{value}.") != fingerprint(value)


def test_a_long_text_is_not_kept() -> None:
    assert len(fingerprint(LONG) or "") < 100


def test_a_shadow_survives_its_json() -> None:
    shadow = Shadow(
        "01ENTRY", ("me", "a/b: ñ \"q\""), ("lab", "old"), {"body": fingerprint(LONG), "status": None},
        {"body": ["evt_1", "evt_2"], "status": "evt_1", "name": ["evt_1", "evt_3"], "type": None}, 3, (1, 2, "t", None),
        gone=True,
    )  # fmt: skip
    back = load_shadow(dump_key(shadow.key), shadow.entry_id, shadow.dump())
    assert back.seen.pop("type", None) is None and shadow.seen.pop("type") is None
    assert back == shadow


def test_a_body_seen_once_is_a_list_of_heads() -> None:
    shadow = Shadow("01", ("me", "a"), ("me", "a"), {}, {"body": ["evt_1"], "name": "evt_1"})
    back = load_shadow(dump_key(shadow.key), "01", shadow.dump())
    assert (back.seen["body"], back.seen["name"], back.mark) == (["evt_1"], "evt_1", ("me", "a"))


def test_a_link_survives_its_json() -> None:
    link = LinkShadow(("01A", "related_to", "missing:me/a b"), False, 4)
    assert load_link(dump_key(link.key), link.dump()) == link


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [(None, None, True), (None, [], True), ("e", ["e"], True), (["a", "b"], ["b", "a"], True), ("a", "b", False),
     ("a", None, False)],
)  # fmt: skip
def test_same_seen(one: str | list[str] | None, other: str | list[str] | None, same: bool) -> None:
    assert same_seen(one, other) is same


@pytest.mark.parametrize(
    ("column", "value", "held"),
    [
        ("type", "atom", True), ("type", "comment", False), ("type", None, False), ("class", "thread", True),
        ("class", "x", False), ("audience", "any", True), ("audience", None, False), ("body", " \n", False),
        ("body", "b", True), ("name", "", False), ("name", "a b/ñ", True), ("status", None, True),
        ("description", None, True), ("initiative", "", True),
    ],
)  # fmt: skip
def test_what_a_column_accepts(column: str, value: str | None, held: bool) -> None:
    assert holds_value(column, value) is held


def test_what_gaia_has_no_place_for_is_said() -> None:
    assert cannot_hold({"body": "b", "description": "d", "tags": [], "title": None}) == []
    said = cannot_hold({"title": "T", "summary": "S", "tags": ["a"], "type": "comment"})
    words = ("title", "summary", "tags", "comment")
    assert all(word in text for word, text in zip(words, said, strict=True))


@pytest.mark.parametrize(
    ("kind", "same_workspace", "count"),
    [("supersedes", True, 0), ("relates_to", True, 0), ("related_to", True, 0), ("graduated_to", True, 0),
     ("child_of", True, 1), ("blocks", True, 1), ("supersedes", False, 1)],
)  # fmt: skip
def test_edges_that_gaia_has_no_place_for(kind: str, same_workspace: bool, count: int) -> None:
    assert len(cannot_hold_edge(kind, source="a", target="b", same_workspace=same_workspace)) == count


@pytest.mark.parametrize(
    ("stamp", "expected"),
    [("2026-11-30T09:08:51.123Z", "2026-11-30T09:08:51Z"), ("2026-11-30T09:08:51Z", "2026-11-30T09:08:51Z"),
     ("odd", "odd"), ("2026-11-30T09:08:51.123456+00:00", "2026-11-30T09:08:51.123456+00:00")],
)  # fmt: skip
def test_whole_seconds(stamp: str, expected: str) -> None:
    assert whole_seconds(stamp) == expected
