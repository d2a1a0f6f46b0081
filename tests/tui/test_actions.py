"""The one table of actions: nothing in it is unknown, shadowed, stale or untested."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from covered_keys import pressed
from textual.binding import Binding

from memdesk.tui import actions, keymap
from memdesk.tui.actions import BY_ID, TABLE, Situation, why_not
from memdesk.tui.app import MemdeskApp
from memdesk.tui.keys_doc import page
from memdesk.tui.panes.pane import Pane
from memdesk.tui.widgets.entry_text import EntryText
from memdesk.tui.widgets.row_list import RowList

ROOT = Path(__file__).resolve().parents[2]
PANE_ACTIONS = [pane.ACTIONS for pane in MemdeskApp.PANES]


@dataclass(frozen=True)
class Row:
    id: str = "1"
    workspace: str = "me"
    name: str = "project_x"
    type: str = "project"
    klass: str = "thread"
    status: str | None = "open"
    state: str = "active"
    description: str | None = None


def test_ids_are_unique() -> None:
    assert len(BY_ID) == len(TABLE)


def test_no_key_is_shadowed_by_another() -> None:
    assert keymap.clashes(PANE_ACTIONS) == []


def test_every_key_of_the_table_is_a_key() -> None:
    for action in TABLE:
        assert keymap.checked({action.id: ",".join(k for k in action.keys if k != ",")}, [])[1] == [], action.id


@pytest.mark.parametrize("pane", MemdeskApp.PANES, ids=lambda pane: pane.NAME)
def test_a_pane_lists_only_what_is_in_the_table_and_answers_all_of_it(pane: type[Pane]) -> None:
    for action_id in pane.ACTIONS:
        assert BY_ID[action_id].scope == "pane"
        assert hasattr(pane, "do_" + action_id.replace(".", "_")), action_id


def test_the_app_answers_every_action_of_the_desk() -> None:
    panes = {f"pane.{pane.NAME}" for pane in MemdeskApp.PANES}
    for action_id in actions.desk_ids():
        name = "do_" + action_id.split(".")[1]
        assert action_id in panes or hasattr(MemdeskApp, name), action_id


def test_the_number_keys_follow_the_order_of_the_panes() -> None:
    # A pane that is not built yet leaves its number free (DESIGN 9).
    keys = [BY_ID[f"pane.{pane.NAME}"].keys for pane in MemdeskApp.PANES]
    assert keys == sorted(keys) and all(len(key) == 1 and "1" <= key[0] <= "7" for key in keys)


@pytest.mark.parametrize(("widget", "prefix"), [(RowList, "list."), (EntryText, "text.")])
def test_the_table_says_what_the_widgets_really_bind(widget: type, prefix: str) -> None:
    bound = {
        binding.id: {keymap.key_name(key) for key in binding.key.split(",")}
        for binding in widget.__dict__["BINDINGS"]
        if isinstance(binding, Binding) and binding.id
    }
    told = {a.id: {keymap.key_name(key) for key in a.keys} for a in TABLE if a.id.startswith(prefix)}
    assert bound == told


def test_every_binding_of_app_and_panes_is_in_the_table() -> None:
    for owner in (MemdeskApp, Pane, *MemdeskApp.PANES):
        for binding in owner.__dict__.get("BINDINGS", []):
            # What a terminal itself would do with a key (ctrl+z) is no action of the desk.
            assert isinstance(binding, Binding) and (binding.system or binding.id in BY_ID)


def test_the_key_page_in_the_docs_is_not_stale() -> None:
    told = (ROOT / "docs" / "keys.md").read_text(encoding="utf-8")
    assert told == page(), "run: python -m memdesk.tui.keys_doc docs/keys.md"


def test_every_action_is_pressed_by_a_test() -> None:
    answered = {i for ids in PANE_ACTIONS for i in ids}
    expected = {action.id for action in TABLE if action.scope != "pane" or action.id in answered}
    assert pressed(Path(__file__).parent) >= expected
    assert pressed(Path(__file__).parent) <= set(BY_ID)


THREAD = Row()
TAKEN = "The key '{}' for entry.close belongs to {} already, so it was left as it is."


@pytest.mark.parametrize(
    ("action_id", "now", "reason"),
    [
        ("entry.close", Situation(targets=[THREAD]), ""),
        ("entry.close", Situation(targets=[Row(status="closed")]), "It is closed already."),
        ("entry.close", Situation(targets=[Row(status="closed"), THREAD], marked=2), ""),
        ("entry.close", Situation(targets=[Row(status="closed")] * 2, marked=2), "They all are closed already."),
        ("entry.close", Situation(opened=False), "The store is still being opened."),
        ("entry.close", Situation(), "There is no entry here."),
        (
            "entry.open", Situation(targets=[Row(klass="anchor", status=None)]),
            "Only threads have a status; project_x is under 'What we know'.",
        ),
        ("entry.log", Situation(targets=[Row(klass="log", status=None)]), "It is in the log already."),
        (
            "entry.append", Situation(targets=[THREAD] * 3, marked=3),
            "3 entries are marked; this works on one at a time (esc takes the marks away).",
        ),
        ("triage.preview", Situation(targets=[THREAD]), "Nothing is marked; space marks the entry at the cursor."),
        ("desk.copy_file", Situation(), "Nothing was copied yet; y copies the text of the entry."),
        ("desk.undo", Situation(refused={"desk.undo": "Not here."}), "Not here."),
    ],
)  # fmt: skip
def test_why_an_action_does_not_work_now(action_id: str, now: Situation, reason: str) -> None:
    assert why_not(BY_ID[action_id], now) == reason


@pytest.mark.parametrize(
    ("wanted", "usable", "problem"),
    [
        ({}, {}, ""),
        ({"entry.close": "C"}, {"entry.close": "C"}, ""),
        ({"entry.close": " C , f9 "}, {"entry.close": "C,f9"}, ""),
        ({"desk.quit": "ctrl+q"}, {"desk.quit": "ctrl+q"}, ""),
        ({"entry.close": "o", "entry.open": "c"}, {"entry.close": "o", "entry.open": "c"}, ""),
        ({"entry.cloze": "C"}, {}, "There is no action 'entry.cloze' to give a key to; docs/keys.md lists them."),
        ({"entry.close": "hyper+é+9"}, {}, "'hyper+é+9' is not a key, so entry.close was left as it is."),
        ({"entry.close": "closing"}, {}, "'closing' is not a key, so entry.close was left as it is."),
        ({"entry.close": " , "}, {}, "The key for entry.close is empty, so it was left as it is."),
        ({"entry.close": "o"}, {}, TAKEN.format("o", "entry.open")),
        ({"entry.close": "?"}, {}, TAKEN.format("?", "desk.keys")),
        ({"entry.close": "j"}, {}, TAKEN.format("j", "list.down")),
        ({"list.down": "n", "text.down": "n"}, {"list.down": "n", "text.down": "n"}, ""),
    ],
)
def test_a_keymap_is_checked(wanted: dict[str, str], usable: dict[str, str], problem: str) -> None:
    panes = [["entry.close", "entry.open", "threads.group"]]
    found, problems = keymap.checked(wanted, panes)
    assert found == usable
    assert problems == ([problem] if problem else [])
