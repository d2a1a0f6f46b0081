"""Events on one line, and the clock that mints their ids (DESIGN 3.2; thrum/SPEC 1, 14.1)."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memdesk.core.events import (
    CREATE,
    EDGE_ADD,
    EDIT,
    BadEvent,
    Clock,
    Event,
    from_record,
    normal_event_id,
    parse_line,
    rfc3339,
    time_of,
    tombstone,
    ulid_ms,
)

ULID = "01JZX0VZ7QK3M9R5T8W2Y4ABCD"
NOW = 1_750_000_000_123


def event(**changes: Any) -> Event:
    values: dict[str, Any] = {
        "event_id": "evt_" + ULID, "type": EDIT, "timestamp": "2026-01-01T00:00:00.000Z", "agent_id": "a",
        "origin": "d_x",
        "op_id": "op_" + ULID, "payload": {"memory_id": "m"},
    }  # fmt: skip
    return Event(**(values | changes))


# -- the line -----------------------------------------------------------------------------------------------------


def test_the_canonical_line_has_sorted_keys_no_spaces_and_plain_utf8() -> None:
    line = event(payload={"memory_id": "m", "patch": {"title": "Ñ", "body": "a\nb"}}).line()
    assert line == (
        '{"agent_id":"a","event_id":"evt_' + ULID + '","memory_id":"m","op_id":"op_' + ULID + '","origin":"d_x",'
        '"patch":{"body":"a\\nb","title":"Ñ"},"timestamp":"2026-01-01T00:00:00.000Z","type":"memory.edit","v":1}'
    )
    assert "\n" not in line


@pytest.mark.parametrize(
    "extra",
    [{}, {"on_behalf_of": "b"}, {"session_id": "s"}, {"host_ref": "h:1"}, {"op_id": None}, {"origin": ""}, {"v": 2}],
)
def test_a_line_read_back_is_the_same_event(extra: dict[str, Any]) -> None:
    assert parse_line(event(**extra).line()) == event(**extra)


def test_the_type_of_a_created_entry_survives_beside_the_type_of_the_event() -> None:
    made = event(type=CREATE, payload={"memory_id": "m", "type": "atom", "name": "atom_x"})
    back = parse_line(made.line())
    assert back == made
    assert (back.type, back.payload["type"]) == (CREATE, "atom")
    assert json.loads(made.line())["kind"] == "atom"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
PAYLOADS = st.dictionaries(
    st.text().filter(lambda k: k not in {*event().__slots__, "kind", "origin_daemon", "fields"}), JSON, max_size=5
)


@given(PAYLOADS)
def test_any_payload_makes_the_round_trip_and_keeps_its_digest(payload: dict[str, Any]) -> None:
    back = parse_line(event(payload=payload).line())
    assert back == event(payload=payload)
    assert back.digest() == event(payload=payload).digest()
    event(payload=payload).line().encode()


def test_a_lone_surrogate_is_written_as_an_escape_and_comes_back() -> None:
    broken = event(payload={"memory_id": "m", "text": "\ud83d Ñ"})
    line = broken.line()
    assert "\\ud83d" in line
    assert line.encode()
    assert parse_line(line) == broken
    assert len(broken.digest()) == 64


def test_unknown_types_and_keys_are_kept_and_passed_on() -> None:
    line = event(type="memory.future", payload={"who_knows": [1, {"a": None}], "sequence": 7, "signature": "x"}).line()
    assert parse_line(line).line() == line


@pytest.mark.parametrize("spelling", [ULID, "evt_" + ULID, ULID.lower()])
def test_an_event_id_may_be_a_bare_ulid(spelling: str) -> None:
    assert normal_event_id(spelling) == "evt_" + ULID
    assert parse_line(json.dumps({"event_id": spelling, "type": EDIT})).event_id == "evt_" + ULID


@pytest.mark.parametrize(
    "bad", [None, "", 7, "evt_", "evt_123", "8" + ULID[1:], ULID[:-1] + "U", ULID + "0", "msg_" + ULID]
)
def test_what_is_no_ulid_is_no_event_id(bad: Any) -> None:
    with pytest.raises(BadEvent, match="event_id"):
        normal_event_id(bad)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("<<<<<<< ours", "not JSON"),
        ("[1]", "not a JSON object"),
        ('"x"', "not a JSON object"),
        ("null", "not a JSON object"),
        ('{"type":"memory.edit"}', "no usable event_id"),
        ('{"event_id":"' + ULID + '"}', "no type"),
        ('{"event_id":"' + ULID + '","type":7}', "no type"),
        ('{"event_id":"' + ULID + '","type":"x","n":NaN}', "NaN is not JSON"),
        ('{"event_id":"' + ULID + '","type":"x","n":-Infinity}', "-Infinity is not JSON"),
        ("[" * 200_000, "not JSON"),
        ("\ufeff{}", "not JSON"),
    ],
)
def test_a_bad_line_says_why(line: str, reason: str) -> None:
    with pytest.raises(BadEvent, match=reason):
        parse_line(line)


@pytest.mark.parametrize(
    "spelling",
    [
        {"from_id": "a", "edge_kind": "child_of", "to_id": "b"},
        {"from": "a", "kind": "child_of", "to": "b"},
        {"source_id": "a", "edge_kind": "child_of", "target_id": "b"},
    ],
)
def test_the_spellings_of_edge_keys_are_read_as_ours(spelling: dict[str, str]) -> None:
    read = from_record({"event_id": ULID, "type": EDGE_ADD, **spelling})
    assert (read.memory_id, read.payload["edge_kind"], read.other_id) == ("a", "child_of", "b")


def test_the_other_spellings_of_patch_and_origin_are_read_as_ours() -> None:
    read = from_record({"event_id": ULID, "type": EDIT, "fields": {"title": "T"}, "origin_daemon": "d_9"})
    assert (read.payload, read.origin) == ({"patch": {"title": "T"}}, "d_9")


def test_our_own_spelling_wins_over_an_alias() -> None:
    read = from_record({"event_id": ULID, "type": EDIT, "fields": {"x": 1}, "patch": {"y": 2}})
    assert read.payload == {"fields": {"x": 1}, "patch": {"y": 2}}


def test_an_envelope_key_of_the_wrong_shape_is_kept_as_payload() -> None:
    read = from_record({"event_id": ULID, "type": EDIT, "timestamp": 5, "session_id": ["s"]})
    assert read.timestamp == "" and read.session_id is None
    assert json.loads(read.line())["timestamp"] == 5


def test_who_an_event_is_about() -> None:
    assert event().memory_id == "m" and event().other_id is None
    link = event(type=EDGE_ADD, payload={"from_id": "a", "edge_kind": "x", "to_id": "b"})
    assert (link.memory_id, link.other_id) == ("a", "b")
    assert event(payload={"memory_id": 7}).memory_id is None


def test_a_tombstone_keeps_the_envelope_and_the_ids_and_nothing_of_the_text() -> None:
    full = event(
        payload={"memory_id": "m", "patch": {"body": "secret"}, "reason": "secret"}, host_ref="h", session_id="s"
    )
    bare = tombstone(full)
    assert bare.erased and not full.erased
    assert "secret" not in bare.line()
    assert {"event_id", "op_id", "host_ref", "session_id", "timestamp"} <= json.loads(bare.line()).keys()
    assert bare.payload == {"memory_id": "m", "erased": True}
    assert tombstone(bare) == bare
    assert parse_line(bare.line()) == bare


# -- the clock ----------------------------------------------------------------------------------------------------


def clock(now: int = NOW, byte: int = 0) -> Clock:
    return Clock(lambda: now, lambda n: bytes([byte]) * n)


def test_ids_of_one_transaction_count_up_and_carry_its_time() -> None:
    mint = clock(byte=0xFF).mint(None)
    ids = [mint.ulid() for _ in range(1000)]
    assert ids == sorted(set(ids))
    assert {ulid_ms(i) for i in ids} == {NOW}
    assert mint.timestamp == rfc3339(NOW)


def test_an_id_is_never_below_what_the_store_has_seen() -> None:
    ahead = clock(NOW + 5_000).mint(None).ulid()
    mint = clock(NOW).mint(ahead)
    assert mint.ulid() > ahead
    assert mint.ms == NOW + 5_001
    assert mint.timestamp == rfc3339(NOW + 5_001)


def test_a_wall_clock_that_went_back_does_not_matter() -> None:
    newest = None
    for now in (NOW, NOW - 86_400_000, 0, NOW + 3):
        fresh = clock(now).mint(newest).ulid()
        assert newest is None or fresh > newest
        newest = fresh


def test_even_the_largest_id_of_a_millisecond_is_passed() -> None:
    floor = clock().mint(None).ulid()[:10] + "Z" * 16
    assert clock().mint(floor).ulid() > floor


def test_two_machines_do_not_mint_the_same_id_in_the_same_millisecond() -> None:
    real = Clock(lambda: NOW)
    assert len({real.mint(None).ulid() for _ in range(200)}) == 200


@pytest.mark.parametrize(
    ("stamp", "micros"),
    [
        ("2026-11-30T09:08:51Z", 0),
        ("2026-11-30T09:08:51.5Z", 500_000),
        ("2026-11-30T09:08:51.123456789Z", 123_456),
        ("2026-11-30T10:08:51.12+01:00", 120_000),
        ("2026-11-30 09:08:51", 0),
        (" 2026-11-30T09:08:51.000001+00:00 ", 1),
    ],
)
def test_any_spelling_of_a_time_is_read(stamp: str, micros: int) -> None:
    assert time_of(stamp) == datetime(2026, 11, 30, 9, 8, 51, micros, tzinfo=UTC)


@pytest.mark.parametrize("stamp", [None, "", "yesterday", "2026-13-01T00:00:00Z"])
def test_what_is_no_time_is_none(stamp: str | None) -> None:
    assert time_of(stamp) is None


@given(st.integers(0, 4_000_000_000_000))
def test_milliseconds_are_told_exactly(ms: int) -> None:
    told = time_of(rfc3339(ms))
    assert told is not None and round(told.timestamp() * 1000) == ms
