"""The worklist: groups, order, budget, the cut and what is below it (DESIGN 5, gaia/SPEC 6)."""

from __future__ import annotations

from typing import Any

import pytest

from memdesk.core.digest import (
    DEFAULT_MAX_CHARS,
    POINTER,
    POINTER_RESERVE,
    Below,
    Item,
    PlainRow,
    Why,
    changed,
    count_by_why,
    freshness,
    groups,
    newest_first,
    oldest_first,
    render,
    shift,
)


def row(name: str, at: str | None = "2026-09-01T10:00:00Z", **fields: Any) -> PlainRow:
    defaults: dict[str, Any] = {
        "id": name, "workspace": "me", "type": "project", "klass": "thread", "status": "open", "description": "words",
        "initiative": "alpha",
    }  # fmt: skip
    return PlainRow(**{**defaults, "name": name, "updated_at": at, **fields})


def day(number: int) -> str:
    return f"2026-09-{number:02d}T10:00:00Z"


def names(rows: Any) -> list[str]:
    return [r.name for r in rows]


def test_pointer_has_the_length_that_the_format_reserves() -> None:
    assert len(POINTER) == 436
    assert len("\n\n" + POINTER) == POINTER_RESERVE
    assert "\n" not in POINTER


def test_block_is_exactly_this() -> None:
    rows = [
        row("project_a_new", day(5), description="The newest\nof alpha"),
        row("project_a_old", day(1)),
        row("project_loose", day(4), initiative=None, description=None, status="carry_forward"),
        row("project_b", day(3), initiative="beta", description="x" * 61),
    ]
    assert render(rows, pointer=False).block == (
        "## Memory — Pendientes vivos por proyecto\n"
        "\n"
        "- project_a_new [alpha]: The newest of alpha\n"
        "  +1 más en alpha\n"
        "- project_loose [otros]\n"
        f"- project_b [beta]: {'x' * 60}…"
    )
    with_pointer = render(rows)
    assert with_pointer.block == render(rows, pointer=False).block + "\n\n" + POINTER


def test_overflow_line_counts_the_groups_not_shown() -> None:
    rows = [row(f"project_{i:02d}", day(i + 1), initiative=f"g{i:02d}") for i in range(13)]
    digest = render(rows, max_chars=5000, pointer=False)
    assert len(digest.items) == 10
    assert digest.overflow_projects == 3
    assert digest.block.endswith("\n\n+3 proyectos más")
    assert [(b.row.name, b.why) for b in digest.below] == [
        ("project_02", Why.QUOTA), ("project_01", Why.QUOTA), ("project_00", Why.QUOTA),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("d" * 60, "d" * 60),
        ("d" * 61, "d" * 60 + "…"),
        ("d" * 59 + " tail", "d" * 59 + "…"),
        ("one\r\ntwo\u2028three", "one two three"),
        ("  spaced  ", "spaced"),
        ("", ""),
        (None, ""),
        ("   ", ""),
    ],
)
def test_description_is_one_line_of_sixty(text: str | None, shown: str) -> None:
    digest = render([row("project_x", description=text)], pointer=False)
    assert digest.items[0].description == shown
    assert digest.block.splitlines()[2] == ("- project_x [alpha]: " + shown if shown else "- project_x [alpha]")


@pytest.mark.parametrize(
    "fields",
    [
        {"klass": "anchor", "status": None},
        {"klass": "log", "status": None},
        {"status": "closed"},
        {"status": "graduated"},
        {"status": None},
        {"status": "weird"},
        {"state": "superseded"},
        {"state": "purged"},
    ],
)
def test_only_live_threads_are_pending(fields: dict[str, Any]) -> None:
    digest = render([row("project_x", **fields)])
    assert digest.as_json() == {"workspace": None, "items": [], "block": ""}
    assert digest.block == ""
    assert list(digest.below) == []


def test_whole_groups_drop_from_the_tail_and_the_first_stays() -> None:
    rows = [row(f"project_{i}", day(9 - i), initiative=f"group_{i}", description="d" * 50) for i in range(4)]
    whole = render(rows, max_chars=5000, pointer=False)
    for shown in (4, 3, 2, 1):
        fits = "\n".join(whole.block.splitlines()[: 2 + shown])
        size = len(fits) + (0 if shown == 4 else len(f"\n\n+{4 - shown} proyectos más"))
        assert len(render(rows, max_chars=size, pointer=False).items) == shown
        if shown > 1:
            assert len(render(rows, max_chars=size - 1, pointer=False).items) == shown - 1
    tiny = render(rows, max_chars=1, pointer=False)
    assert names(i.row for i in tiny.items) == ["project_0"]
    assert tiny.overflow_projects == 3
    assert tiny.over == tiny.used - 1


@pytest.mark.parametrize(("asked", "budget"), [(1500, 1062), (800, 362), (518, 80), (400, 80), (0, 80), (519, 81)])
def test_budget_reserves_the_pointer_but_never_falls_under_eighty(asked: int, budget: int) -> None:
    # Two groups whose block is exactly as long as the budget: shown. One character longer: not.
    head = len("## Memory — Pendientes vivos por proyecto\n\n- p1 [a]\n- p2 [b]: ")
    rows = [row("p1", day(2), initiative="a", description=""), row("p2", day(1), initiative="b")]
    pad = max(1, min(60, budget - head))
    names_pad = budget - head - pad
    fits = [rows[0], row("p2" + "n" * names_pad, day(1), initiative="b", description="d" * pad)]
    longer = [rows[0], row("p2" + "n" * (names_pad + 1), day(1), initiative="b", description="d" * pad)]
    assert len(render(fits, max_chars=asked).items) == 2
    assert len(render(longer, max_chars=asked).items) == 1


def test_default_budget() -> None:
    assert render([row("project_x")]).max_chars == DEFAULT_MAX_CHARS == 1500


def test_item_costs_add_up_to_the_block() -> None:
    rows = [row(f"project_{i}_{j}", day(i * 3 + j + 1), initiative=f"g{i}") for i in range(4) for j in range(i + 1)]
    digest = render(rows, max_chars=5000, pointer=False)
    head = len("## Memory — Pendientes vivos por proyecto\n")
    assert head + sum(i.chars for i in digest.items) == digest.used
    assert digest.total == 10


def test_below_is_what_moves_up_next() -> None:
    rows = [
        row("project_a1", day(20)), row("project_a2", day(19)), row("project_a3", day(18)),
        row("project_b1", day(17), initiative="beta"), row("project_b2", day(2), initiative="beta"),
        row("project_c1", day(16), initiative="gamma"),
        row("project_done", day(21), status="closed"),
    ]  # fmt: skip
    digest = render(rows, max_chars=1, pointer=False)
    assert [(b.row.name, b.section, b.why) for b in digest.below] == [
        ("project_b1", "beta", Why.BUDGET), ("project_c1", "gamma", Why.BUDGET),
        ("project_a2", "alpha", Why.NOT_TOP), ("project_a3", "alpha", Why.NOT_TOP),
        ("project_b2", "beta", Why.NOT_TOP),
    ]  # fmt: skip
    assert count_by_why(digest.below) == {Why.BUDGET: 2, Why.NOT_TOP: 3}
    assert isinstance(digest.place_of("project_a1"), Item)
    assert isinstance(digest.place_of("project_a3"), Below)
    assert digest.place_of("project_done") is None
    assert digest.total == 6


def test_json_has_gaias_keys() -> None:
    rows = [row("project_a", day(2), status="carry_forward"), row("project_b", day(1))]
    record = render(rows, workspace="me").as_json()
    (item,) = record["items"]
    assert item | {"chars": 0} == {
        "name": "project_a", "type": "project", "initiative": "alpha", "memory_status": "carry_forward",
        "section": "digest", "description": "words", "pending_count": 2, "chars": 0,
    }  # fmt: skip
    assert (record["workspace"], record["overflow_projects"]) == ("me", 0)
    assert record["below"] == [{"name": "project_b", "section": "alpha", "why": "not_top"}]
    assert record["below_total"] == 1
    assert render(rows).as_json(below=0)["below"] == []


def test_empty_initiative_joins_those_without_one() -> None:
    found = groups([row("project_a", day(1), initiative=""), row("project_b", day(2), initiative=None)])
    assert [(g.label, len(g.rows)) for g in found] == [("otros", 2)]


# -- order ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        (None, "2000-01-01T00:00:00Z"),
        ("not a time", "2000-01-01T00:00:00Z"),
        ("2026-09-01T10:00:00Z", "2026-09-01T10:00:00.001Z"),
        ("2026-09-01T10:00:00.120Z", "2026-09-01T10:00:00.2Z"),
        ("2026-09-01T10:00:00.123456+00:00", "2026-09-01T10:00:00.124Z"),
        ("2026-09-01T12:30:00+02:00", "2026-09-01T10:30:01Z"),
        ("2026-09-01 09:00:00", "2026-09-01T10:00:00Z"),
    ],
)
def test_times_compare_by_what_they_mean(older: str | None, newer: str) -> None:
    assert freshness(older) < freshness(newer)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("2026-09-01T10:00:00Z", "2026-09-01T10:00:00.000Z"),
        ("2026-09-01T10:00:00.120Z", "2026-09-01T10:00:00.12+00:00"),
        ("2026-09-01T10:00:00Z", "2026-09-01T12:00:00+02:00"),
        (None, ""),
        (None, "yesterday"),
    ],
)
def test_equal_times_of_different_spelling(one: str | None, other: str | None) -> None:
    assert freshness(one) == freshness(other)


def test_order_is_the_same_whatever_order_rows_arrive_in() -> None:
    rows = [row("a", day(1)), row("b", day(1)), row("c", day(2)), row("n2", None), row("n1", None)]
    for arrival in (rows, rows[::-1], rows[2:] + rows[:2]):
        assert names(newest_first(arrival)) == ["c", "a", "b", "n1", "n2"]
        assert names(oldest_first(arrival)) == ["a", "b", "c", "n1", "n2"]
        assert render(arrival).items[0].row.name == "c"


def test_groups_of_one_moment_stand_in_order_of_their_ids() -> None:
    rows = [row("b", day(1), initiative="x"), row("a", day(1), initiative="y")]
    assert names(i.row for i in render(rows).items) == names(i.row for i in render(rows[::-1]).items) == ["a", "b"]


# -- as it would be ---------------------------------------------------------------------------------------------------

NOW = "2026-10-01T00:00:00.000Z"


def test_preview_closes_and_lets_the_next_one_up() -> None:
    rows = [row("project_a1", day(3)), row("project_a2", day(2)), row("project_b", day(1), initiative="beta")]
    before = render(rows)
    after = render(changed(rows, {"project_a1": {"status": "closed"}}, now=NOW))
    assert names(i.row for i in after.items) == ["project_a2", "project_b"]
    moved = shift(before, after)
    assert names(i.row for i in moved.entered) == ["project_a2"]
    assert names(i.row for i in moved.left) == ["project_a1"]


def test_preview_says_what_a_bump_pushes_out() -> None:
    rows = [row(f"project_{i}", day(20 - i), initiative=f"g{i}") for i in range(11)]
    after = render(changed(rows, {"project_10": {"status": "carry_forward"}}, now=NOW), max_chars=5000)
    moved = shift(render(rows, max_chars=5000), after)
    assert after.items[0].row.name == "project_10"
    assert names(i.row for i in moved.left) == ["project_9"]


@pytest.mark.parametrize(
    ("patch", "shown"),
    [
        ({"status": "open"}, True),
        ({}, True),
        ({"class": "anchor"}, False),
        ({"state": "superseded"}, False),
        ({"state": "purged"}, False),
        ({"status": "graduated"}, False),
        ({"initiative": "beta"}, True),
        ({"description": "new words"}, True),
    ],
)
def test_preview_of_one_patch(patch: dict[str, Any], shown: bool) -> None:
    after = render(changed([row("project_a")], {"project_a": patch}, now=NOW))
    assert bool(after.items) is shown
    if shown:
        assert after.items[0].group == patch.get("initiative", "alpha")
        assert after.items[0].description == patch.get("description", "words")


def test_a_patch_that_changes_nothing_keeps_the_place() -> None:
    rows = [row("project_a", day(1)), row("project_b", day(2), initiative="beta")]
    assert changed(rows, {"project_a": {"status": "open"}}, now=NOW) == rows


def test_an_anchor_made_a_thread_is_carried_forward() -> None:
    (after,) = changed([row("project_a", klass="anchor", status=None)], {"project_a": {"class": "thread"}}, now=NOW)
    assert (after.klass, after.status, after.updated_at) == ("thread", "carry_forward", NOW)


def test_preview_shows_entries_that_would_be_made() -> None:
    after = render(changed([], {}, now=NOW, added=[row("project_new", NOW)]))
    assert names(i.row for i in after.items) == ["project_new"]


def test_project_narrows_but_keeps_what_has_no_project() -> None:
    rows = [
        row("project_mine", day(3), project_ref="/src/mine/.git", initiative="mine"),
        row("project_other", day(2), project_ref="/src/other/.git", initiative="other"),
        row("project_loose", day(1), initiative="loose"),
    ]
    digest = render(rows, project_ref="/src/mine/.git")
    assert names(i.row for i in digest.items) == ["project_mine", "project_loose"]
