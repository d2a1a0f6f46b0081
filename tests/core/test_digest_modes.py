"""The other modes: sections, one initiative, by type (DESIGN 5, gaia/SPEC 6); and the sample as Gaia shows it."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from memdesk.core.digest import POINTER, Bodies, PlainRow, Why, changed, patched_bodies, render


def row(name: str, at: str | None = "2026-09-01T10:00:00Z", **fields: Any) -> PlainRow:
    defaults: dict[str, Any] = {
        "id": name, "workspace": "me", "type": name.split("_")[0], "klass": "thread", "status": "carry_forward",
        "description": f"about {name}", "initiative": "alpha", "body_chars": 10,
    }  # fmt: skip
    return PlainRow(**{**defaults, "name": name, "updated_at": at, **fields})


def anchor(name: str, at: str | None = "2026-09-01T10:00:00Z", **fields: Any) -> PlainRow:
    return row(name, at, **{"klass": "anchor", "status": None, **fields})


def day(number: int) -> str:
    return f"2026-09-{number:02d}T10:00:00Z"


def texts(**bodies: str) -> Bodies:
    def load(ids: Sequence[str]) -> Mapping[str, str]:
        return {i: bodies.get(i, f"body of {i}") for i in ids}

    return load


def names(rows: Any) -> list[str]:
    return [r.name for r in rows]


# -- sections ---------------------------------------------------------------------------------------------------------


def test_sections_block_is_exactly_this() -> None:
    rows = [
        row("project_live", day(2), project_ref="/src/Big App/.git"),
        row("project_open", day(1), status="open", project_ref="github.com/acme/tool.git"),
        anchor("user_tone", description="ignored", id="u"),
        anchor("decision_db", description="SQLite it is"),
    ]
    digest = render(rows, mode="sections", bodies=texts(u="Plain words.\nShort lines."), pointer=False)
    assert digest.block == (
        "## Memory — For this session\n\n- project_live [Big App]: about project_live\n\n"
        "## Memory — About you / What I know\n\n- user_tone: Plain words.\nShort lines.\n"
        "- decision_db: SQLite it is\n\n"
        "## Memory — Open threads\n\n- project_open [tool]: about project_open"
    )
    assert digest.overflow == digest.carry_forward_dropped == 0
    assert list(digest.below) == []
    assert render(rows, mode="sections", bodies=texts()).block.endswith("\n\n" + POINTER)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ((), ["For this session", "About you / What I know", "Open threads"]),
        (("thread_open", "carry_forward"), ["For this session", "Open threads"]),
        (("anchor",), ["About you / What I know"]),
        (("anchor", "nonsense"), ["About you / What I know"]),
        (("nonsense",), ["For this session", "About you / What I know", "Open threads"]),
    ],
)
def test_wanted_sections_in_their_fixed_order(wanted: tuple[str, ...], found: list[str]) -> None:
    rows = [row("project_a"), row("project_b", status="open"), anchor("user_c")]
    block = render(rows, mode="sections", wanted=wanted, bodies=texts()).block
    headers = [line.removeprefix("## Memory — ") for line in block.splitlines() if line.startswith("## ")]
    assert headers == found


def test_quotas_and_orders() -> None:
    rows = [row(f"project_cf{i:02d}", day(i + 1)) for i in range(10)]
    rows += [row(f"project_op{i:02d}", day(i + 1), status="open") for i in range(6)]
    rows += [row("project_op_null", None, status="open"), row("project_cf_null", None)]
    rows += [anchor(f"user_{i:02d}", day(i + 1)) for i in range(22)]
    digest = render(rows, mode="sections", bodies=texts(), max_chars=100_000)
    by_section: dict[str, list[str]] = {}
    for item in digest.items:
        by_section.setdefault(item.section, []).append(item.row.name)
    assert by_section["carry_forward"] == [f"project_cf{i:02d}" for i in range(9, 1, -1)]
    assert by_section["thread_open"] == [f"project_op{i:02d}" for i in range(4)]
    assert by_section["anchor"] == [f"user_{i:02d}" for i in range(21, 1, -1)]
    assert (digest.overflow, digest.carry_forward_dropped) == (3, 3)
    assert [(b.row.name, b.why) for b in digest.below] == [
        *[(n, Why.QUOTA) for n in ("project_cf01", "project_cf00", "project_cf_null")],
        *[(n, Why.QUOTA) for n in ("user_01", "user_00")],
        *[(n, Why.QUOTA) for n in ("project_op04", "project_op05", "project_op_null")],
    ]
    assert digest.total == len(rows)
    assert "... (3 more item(s) not shown" in digest.block


def test_null_times_fill_the_open_threads_only_when_nothing_else_does() -> None:
    rows = [row(f"project_{i}", None if i < 3 else day(i), status="open") for i in range(6)]
    digest = render(rows, mode="sections", bodies=texts())
    assert names(i.row for i in digest.items) == ["project_3", "project_4", "project_5", "project_0"]


def test_own_store_shows_user_anchors_first_and_a_gaia_host_only_these() -> None:
    rows = [anchor("decision_new", day(9)), anchor("user_old", day(1)), anchor("atom_mid", day(5))]
    own = render(rows, mode="sections", bodies=texts())
    assert names(i.row for i in own.items) == ["user_old", "decision_new", "atom_mid"]
    hosted = [anchor(r.name, r.updated_at, host="gaia:/x/gaia.db") for r in rows]
    assert names(i.row for i in render(hosted, mode="sections", bodies=texts()).items) == ["user_old"]
    assert list(render(hosted, mode="sections", bodies=texts()).below) == []
    lanes = [anchor(r.name, r.updated_at, host="thrum:/x") for r in rows]
    assert names(i.row for i in render(lanes, mode="sections", bodies=texts()).items) == names(i.row for i in own.items)


@pytest.mark.parametrize(("length", "why"), [(20_000, None), (20_001, Why.TOO_LONG), (0, Why.EMPTY)])
def test_anchor_too_long_or_empty_is_not_injected(length: int, why: Why | None) -> None:
    rows = [anchor("user_a", body_chars=length), anchor("user_b")]
    digest = render(rows, mode="sections", bodies=texts(user_a="x" * length))
    assert ("user_a" in names(i.row for i in digest.items)) is (why is None)
    assert [(b.row.name, b.why) for b in digest.below] == ([] if why is None else [("user_a", why)])


def test_long_body_is_not_even_read() -> None:
    asked: list[str] = []

    def load(ids: Sequence[str]) -> Mapping[str, str]:
        asked.extend(ids)
        return dict.fromkeys(ids, "text")

    rows = [anchor("user_a", body_chars=20_001), anchor("user_b"), anchor("atom_c"), row("project_d", description=" ")]
    render(rows, mode="sections", bodies=load)
    assert sorted(asked) == ["project_d", "user_b"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("w" * 150, "w" * 150),
        ("w" * 151, "w" * 150 + "…"),
        ("w" * 91 + " " + "x" * 80, "w" * 91 + "…"),
        ("w" * 90 + " " + "x" * 80, "w" * 90 + " " + "x" * 59 + "…"),
        ("w" * 150 + " tail", "w" * 150 + "…"),
    ],
)
def test_line_is_cut_at_a_word_past_sixty_percent(text: str, shown: str) -> None:
    digest = render([row("project_a", description=text)], mode="sections", bodies=texts())
    assert digest.items[0].description == shown


def test_body_stands_in_for_a_missing_description() -> None:
    digest = render([row("project_a", description=None)], mode="sections", bodies=texts(project_a="one\n\ntwo"))
    assert digest.items[0].text == "- project_a: one  two"


def mixed() -> list[PlainRow]:
    rows = [row(f"project_cf{i}", day(i + 1)) for i in range(3)]
    rows += [row(f"project_op{i}", day(i + 1), status="open") for i in range(3)]
    return [*rows, anchor("user_me"), anchor("atom_a", day(2)), anchor("atom_b", day(1))]


def test_trimming_takes_open_threads_then_other_anchors_then_carried_ones_never_the_users() -> None:
    order: list[str] = []
    before = names(i.row for i in render(mixed(), mode="sections", bodies=texts(), max_chars=9_000).items)
    for size in range(1500, 0, -1):
        now = names(
            i.row for i in render(mixed(), mode="sections", bodies=texts(), max_chars=size, pointer=False).items
        )
        order += [n for n in reversed(before) if n not in now and n not in order]
        before = now
    assert order == [
        "project_op2", "project_op1", "project_op0", "atom_b", "atom_a", "project_cf0", "project_cf1", "project_cf2",
    ]  # fmt: skip
    assert before == ["user_me"]


def test_trimmed_block_has_its_footer_and_fits() -> None:
    whole = render(mixed(), mode="sections", bodies=texts(), max_chars=9_000, pointer=False)
    digest = render(mixed(), mode="sections", bodies=texts(), max_chars=whole.used - 1, pointer=False)
    assert digest.overflow > 0
    assert digest.used <= digest.max_chars
    assert digest.block.splitlines()[-1].startswith(f"... ({digest.overflow} more item(s) not shown")
    assert [b.why for b in digest.below] == [Why.BUDGET] * digest.overflow
    assert digest.below[-1].row.name == "project_op2", "the first to go is the last to come back"
    assert render(mixed(), mode="sections", bodies=texts(), max_chars=whole.used, pointer=False).overflow == 0


def test_items_are_exactly_what_is_in_the_block() -> None:
    for size in (1, 200, 400, 600, 5000):
        digest = render(mixed(), mode="sections", bodies=texts(), max_chars=size, pointer=False)
        assert all(i.text in digest.block for i in digest.items)
        assert digest.block.count("\n- ") == len(digest.items)
        assert not digest.block.startswith("\n")
        assert len(digest.items) + len(digest.below) == digest.total


def test_closed_replaced_and_log_entries_never_appear() -> None:
    rows = [
        row("project_closed", status="closed"), row("project_none", status=None), row("feedback_log", klass="log"),
        anchor("user_gone", state="purged"), anchor("user_replaced", state="superseded"),
    ]  # fmt: skip
    digest = render(rows, mode="sections", bodies=texts())
    assert digest.as_json() == {"workspace": None, "items": [], "block": ""}


def test_sections_json_keys() -> None:
    record = render([row("project_a", project_ref="/x/y")], mode="sections", bodies=texts(), workspace="me").as_json()
    assert {"workspace", "items", "block", "overflow", "carry_forward_dropped"} <= record.keys()
    assert record["items"][0].keys() == {
        "name", "type", "class", "memory_status", "section", "description", "project_ref", "chars",
    }  # fmt: skip


def test_preview_of_a_new_body() -> None:
    changes = {"user_me": {"body": "new text"}}
    rows = changed(mixed(), changes, now=day(28))
    digest = render(rows, mode="sections", bodies=patched_bodies(texts(), changes), max_chars=9_000)
    assert "- user_me: new text" in digest.block


# -- one initiative ---------------------------------------------------------------------------------------------------


def test_initiative_is_uncapped_newest_first_with_bodies() -> None:
    rows = [row(f"project_{i:02d}", day(i + 1), initiative="branch_kinect", description="D" * 400) for i in range(23)]
    rows.append(row("project_else", initiative="beta"))
    digest = render(rows, mode="initiative", key="Branch Kinect", bodies=texts(project_22="line one\nline two"))
    assert names(i.row for i in digest.items) == [f"project_{i:02d}" for i in range(22, -1, -1)]
    assert digest.block.startswith("## Memory — Pendientes de branch_kinect\n\n- project_22: " + "D" * 400)
    assert digest.block.count("\n- project_") == 23
    assert "line one" not in digest.block
    assert "\n\n  line one\n  line two\n\n- project_21" in digest.full_text
    assert digest.counter == "deliberate"
    assert len(digest.shown_ids) == 23
    record = digest.as_json()
    assert record["overflow"] == 0
    assert record["items"][0] == {
        "name": "project_22", "type": "project", "initiative": "branch_kinect", "class": "thread",
        "memory_status": "carry_forward", "section": "project", "description": "D" * 400, "body": "line one\nline two",
    }  # fmt: skip


@pytest.mark.parametrize("key", ["otros", "", "日本"])
def test_initiative_without_a_key(key: str) -> None:
    rows = [row("project_a", initiative=None), row("project_b"), row("project_c", initiative="otros")]
    digest = render(rows, mode="initiative", key=key, bodies=texts())
    assert names(i.row for i in digest.items) == ["project_a", "project_c"]


def test_unknown_initiative_is_empty() -> None:
    digest = render([row("project_a")], mode="initiative", key="nothing", bodies=texts())
    assert digest.as_json() == {"workspace": None, "items": [], "block": ""}


# -- by type ----------------------------------------------------------------------------------------------------------


def test_types_quotas_then_slack_by_recency() -> None:
    rows = [row(f"atom_{i}", day(i + 1)) for i in range(5)] + [row(f"decision_{i}", day(i + 10)) for i in range(4)]
    digest = render(rows, mode="types", bodies=texts(), max_chars=5000, workspace="me")
    assert names(i.row for i in digest.items) == [
        "atom_4", "atom_3", "atom_2", "atom_1", "decision_3", "decision_2", "decision_1", "decision_0",
    ]  # fmt: skip
    assert digest.block.startswith("## Workspace Memory (me)\n\nAtoms:\n- atom_4: about atom_4\n")
    assert [(b.row.name, b.why) for b in digest.below] == [("atom_0", Why.QUOTA)]
    assert POINTER not in digest.block


def test_other_types_share_the_limit() -> None:
    rows = [row(f"user_{i}", day(i + 1)) for i in range(5)] + [row(f"feedback_{i}", day(i + 1)) for i in range(5)]
    digest = render(rows, mode="types", wanted=("feedback", "user"), limit=4, bodies=texts(), max_chars=5000)
    assert names(i.row for i in digest.items) == ["feedback_4", "feedback_3", "user_4", "user_3"]


def test_types_cap_is_800_and_the_first_entry_stays() -> None:
    rows = [row(f"atom_{i}", day(i + 1), description="d" * 150) for i in range(8)]
    digest = render(rows, mode="types", bodies=texts())
    assert digest.max_chars == 800
    assert digest.overflow == len([b for b in digest.below if b.why is Why.BUDGET]) > 0
    assert len(render(rows, mode="types", bodies=texts(), max_chars=1).items) == 1


def test_types_take_any_class_but_only_current_entries() -> None:
    rows = [
        row("atom_log", klass="log", status=None),
        anchor("atom_old", state="superseded"),
        row("atom_z", status="closed"),
    ]
    digest = render(rows, mode="types", bodies=texts())
    assert sorted(names(i.row for i in digest.items)) == ["atom_log", "atom_z"]
    assert digest.as_json()["items"][0].keys() >= {"name", "type", "description"}


def test_types_fall_back_to_sixty_characters_of_body() -> None:
    digest = render([row("atom_a", description=None)], mode="types", bodies=texts(atom_a="b" * 61))
    assert digest.items[0].description == "b" * 60 + "..."


# -- the sample -------------------------------------------------------------------------------------------------------

MAKE_SAMPLE = Path(__file__).resolve().parents[3] / "shared" / "gaia" / "make_sample.py"


@pytest.fixture
def sample(tmp_path: Path) -> tuple[list[PlainRow], Bodies]:
    """The rows of workspace `me` of a Gaia database, read with plain SQL."""
    if not MAKE_SAMPLE.exists():
        pytest.skip("the Gaia sample is not here")
    path = tmp_path / "g.db"
    subprocess.run([sys.executable, str(MAKE_SAMPLE), str(path)], check=True, capture_output=True, timeout=50)
    db = sqlite3.connect(path)
    db.row_factory = sqlite3.Row
    replaced = {
        r[0] for r in db.execute("SELECT dst_name FROM memory_links WHERE kind='supersedes' AND workspace='me'")
    }
    rows: list[PlainRow] = []
    bodies: dict[str, str] = {}
    for place, record in enumerate(db.execute("SELECT * FROM memory WHERE workspace='me' ORDER BY rowid")):
        entry_id = f"{place:04d}"
        bodies[entry_id] = record["body"]
        state = "purged" if record["deleted_at"] else "superseded" if record["name"] in replaced else "active"
        rows.append(
            PlainRow(
                id=entry_id, workspace="me", name=record["name"], type=record["type"], klass=record["class"],
                status=record["status"], state=state, description=record["description"],
                initiative=record["initiative"], project_ref=record["project_ref"], updated_at=record["updated_at"],
                host="gaia:sample", body_chars=len(record["body"]),
            )
        )  # fmt: skip
    db.close()
    return rows, lambda ids: {i: bodies[i] for i in ids}


@pytest.mark.parametrize(("max_chars", "shown", "overflow"), [(800, 3, 3), (1500, 6, 0)])
def test_sample_as_gaia_shows_it(
    sample: tuple[list[PlainRow], Bodies], max_chars: int, shown: int, overflow: int
) -> None:
    digest = render(sample[0], workspace="me", max_chars=max_chars)
    assert (len(digest.items), digest.overflow_projects) == (shown, overflow)
    order = ["gaia", "diagram_builder", "otros", "gaia_system", "branchkinect", "balance"]
    assert [i.group for i in digest.items] == order[:shown]
    assert digest.items[0].pending_count == 3
    assert digest.used <= max_chars


def test_sample_injects_the_users_anchors_whole(sample: tuple[list[PlainRow], Bodies]) -> None:
    rows, bodies = sample
    digest = render(rows, mode="sections", wanted=("anchor",), bodies=bodies, workspace="me", pointer=False)
    assert names(i.row for i in digest.items) == [
        "user_timezone_reports", "user_corroborate_live", "user_intent_over_literal", "user_registro_llano",
    ]  # fmt: skip
    assert all(i.body == bodies([i.row.id])[i.row.id].strip() for i in digest.items)
