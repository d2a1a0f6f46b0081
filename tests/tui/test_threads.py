"""The Threads pane: every key of it, pressed, and what it did to the store."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from covered_keys import presses
from on_screen import cursor, message, names, put_cursor, stored

from memdesk.core.model import EntryClass, State, Status

#: By status, the oldest first in each group.
BY_STATUS = [
    "project_billing_export", "decision_drop_python_310", "project_search_typos", "project_checkout_retries",
    "project_flaky_login", "project_billing_tax", "project_search_cjk", "project_migrate_ci",
    "project_checkout_webhooks", "project_checkout_refunds", "project_nasty",
    "project_spike_vectors",
    "project_rate_limits", "project_old_dashboard",
]  # fmt: skip


def headers(app: Any) -> list[tuple[str, str, int]]:
    return [(s.header, s.note, len(s.keys)) for s in app.pane._rows.sections()]


async def test_groups_by_status_the_oldest_first(make_app: Callable[..., Any], settle: Any) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        assert names(app) == BY_STATUS
        assert headers(app) == [
            ("For this session", "4", 4), ("Open threads", "7", 7), ("Graduated", "1", 1), ("Closed", "2", 2),
        ]  # fmt: skip
        assert cursor(app) == "project_billing_export"


@presses("threads.group")
async def test_s_groups_by_initiative_and_by_age(make_app: Callable[..., Any], settle: Any) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        put_cursor(app, "project_search_cjk")
        await pilot.press("s")
        await settle(pilot)
        assert headers(app) == [
            ("checkout", "3", 3), ("Without an initiative", "4", 4), ("search", "2", 2), ("billing", "2", 2),
        ]  # fmt: skip
        assert names(app)[:3] == ["project_checkout_webhooks", "project_checkout_refunds", "project_checkout_retries"]
        assert cursor(app) == "project_search_cjk"
        await pilot.press("s")
        await settle(pilot)
        assert headers(app) == [
            ("Older than three months", "2", 2), ("One to three months", "1", 1), ("One to four weeks", "3", 3),
            ("This week", "3", 3), ("Today", "2", 2),
        ]  # fmt: skip
        assert cursor(app) == "project_search_cjk"
        await pilot.press("s")
        await settle(pilot)
        assert names(app) == BY_STATUS


@presses("entry.close", "entry.open", "entry.carry", "entry.log", "entry.delete")
@pytest.mark.parametrize(
    ("key", "name", "expected", "said"),
    [
        ("c", "project_migrate_ci", (EntryClass.THREAD, Status.CLOSED, State.ACTIVE), "Closed project_migrate_ci"),
        ("o", "project_rate_limits", (EntryClass.THREAD, Status.OPEN, State.ACTIVE), "Opened project_rate_limits"),
        (
            "f", "project_migrate_ci", (EntryClass.THREAD, Status.CARRY_FORWARD, State.ACTIVE),
            "Carried project_migrate_ci forward",
        ),
        ("l", "project_migrate_ci", (EntryClass.LOG, None, State.ACTIVE), "Moved project_migrate_ci to the log"),
        ("d", "project_migrate_ci", (EntryClass.THREAD, Status.OPEN, State.PURGED), "Deleted project_migrate_ci"),
    ],
)  # fmt: skip
async def test_a_decision_is_done_at_once_and_undone_by_u(
    make_app: Callable[..., Any], settle: Any, key: str, name: str, expected: Any, said: str
) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        before = stored(app, name)
        put_cursor(app, name)
        await pilot.press(key)
        await settle(pilot)
        entry = stored(app, name)
        assert (entry.klass, entry.status, entry.state) == expected
        assert message(app) == f"{said} u undoes."
        await pilot.press("u")
        await settle(pilot)
        entry = stored(app, name)
        assert (entry.klass, entry.status, entry.state) == (before.klass, before.status, before.state)
        assert names(app) == BY_STATUS


async def test_the_cursor_goes_on_at_once_so_two_quick_keys_reach_two_rows(
    make_app: Callable[..., Any], settle: Any
) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        put_cursor(app, "project_billing_tax")
        await pilot.press("c", "c", "l", "f")
        await settle(pilot)
        assert [stored(app, n).status for n in BY_STATUS[5:7]] == [Status.CLOSED, Status.CLOSED]
        assert stored(app, "project_migrate_ci").klass is EntryClass.LOG
        assert stored(app, "project_checkout_webhooks").status is Status.CARRY_FORWARD
        assert cursor(app) == "project_checkout_refunds"


async def test_the_last_row_gone_the_cursor_goes_to_the_one_before(make_app: Callable[..., Any], settle: Any) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        put_cursor(app, "project_old_dashboard")
        await pilot.press("d")
        await settle(pilot)
        assert cursor(app) == "project_rate_limits"


@presses("list.mark", "desk.mark_all")
async def test_a_marked_set_moves_in_one_operation(make_app: Callable[..., Any], settle: Any) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        put_cursor(app, "project_flaky_login")
        await pilot.press("space", "space", "c")
        await settle(pilot)
        assert [stored(app, n).status for n in BY_STATUS[4:6]] == [Status.CLOSED, Status.CLOSED]
        assert message(app) == "Closed 2 entries u undoes."
        assert not app.pane.list.marked
        assert cursor(app) == "project_search_cjk"
        await pilot.press("u")
        await settle(pilot)
        assert names(app) == BY_STATUS
        await pilot.press("*")
        assert len(app.pane.list.marked) == len(BY_STATUS)


async def test_a_key_that_does_not_work_says_why_and_writes_nothing(make_app: Callable[..., Any], settle: Any) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        version = app.live.desk.store.data_version()
        await pilot.press("f")
        await settle(pilot)
        assert message(app) == "It is carried forward already."
        await pilot.press("space", "space", "a")
        await settle(pilot)
        assert message(app) == "2 entries are marked; this works on one at a time (esc takes the marks away)."
        assert app.live.desk.store.data_version() == version


# -- graduate ---------------------------------------------------------------------------------------------------------


@presses("entry.graduate")
async def test_g_s_says_that_it_is_graduated(make_app: Callable[..., Any], settle: Any) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        put_cursor(app, "project_migrate_ci")
        await pilot.press("g")
        await settle(pilot)
        await pilot.press("s")
        await settle(pilot)
        assert stored(app, "project_migrate_ci").status is Status.GRADUATED


@presses("entry.graduate")
async def test_g_e_graduates_into_an_entry_that_we_have(make_app: Callable[..., Any], settle: Any) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        put_cursor(app, "project_search_typos")
        await pilot.press("g")
        await settle(pilot)
        await pilot.press("e")
        await settle(pilot)
        await pilot.press(*"trigram", "enter")
        await settle(pilot)
        thread, anchor = stored(app, "project_search_typos"), stored(app, "decision_trigram_index")
        assert thread.status is Status.GRADUATED
        assert app.live.desk.store.edges(kind="graduated_to", source=thread.id, target=anchor.id)
        assert message(app).startswith("Graduated project_search_typos into decision_trigram_index u undoes.")
        await pilot.press("u")
        await settle(pilot)
        assert stored(app, "project_search_typos").status is Status.CARRY_FORWARD
        assert not app.live.desk.store.edges(kind="graduated_to", source=thread.id)


@presses("entry.graduate")
async def test_g_n_graduates_into_a_new_entry(make_app: Callable[..., Any], settle: Any) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        put_cursor(app, "project_checkout_retries")
        await pilot.press("g")
        await settle(pilot)
        await pilot.press("n")
        await settle(pilot)
        await pilot.press(*"retry_cap", "enter")
        await settle(pilot)
        await pilot.press("enter")
        await settle(pilot)
        await pilot.press("ctrl+s")
        await settle(pilot)
        anchor, thread = stored(app, "project_retry_cap"), stored(app, "project_checkout_retries")
        assert (anchor.klass, anchor.body, anchor.description) == (
            EntryClass.ANCHOR, "Cap is 3.", "Retry the payment call, with a cap",
        )  # fmt: skip
        assert thread.status is Status.GRADUATED
        assert app.live.desk.store.edges(kind="graduated_to", source=thread.id, target=anchor.id)
        assert not list((app.live.desk.store.folder / "drafts").glob("*")), "a draft that landed is dropped"


# -- text -------------------------------------------------------------------------------------------------------------


@presses("entry.append")
async def test_a_appends(make_app: Callable[..., Any], settle: Any) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("a")
        await settle(pilot)
        await pilot.press(*"500 is the page", "ctrl+s")
        await settle(pilot)
        assert stored(app, "project_billing_export").body == "Paging.\n\n500 is the page"
        assert cursor(app) == "project_billing_export"
        assert message(app).startswith("Added to project_billing_export u undoes.")


@presses("entry.reword")
async def test_e_d_rewords_the_description(make_app: Callable[..., Any], settle: Any) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("e")
        await settle(pilot)
        await pilot.press("d")
        await settle(pilot)
        await pilot.press("end", *" rows", "enter")
        await settle(pilot)
        assert stored(app, "project_billing_export").description == "Export of invoices stops at 500 rows"
        await pilot.press("u")
        await settle(pilot)
        assert stored(app, "project_billing_export").description == "Export of invoices stops at 500"


@presses("entry.reword")
@pytest.mark.parametrize(("letter", "field"), [("b", "body"), ("t", "title")])
async def test_e_rewords_the_text_and_the_title(
    make_app: Callable[..., Any], settle: Any, letter: str, field: str
) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        await pilot.press("e")
        await settle(pilot)
        await pilot.press(letter)
        await settle(pilot)
        await pilot.press("home", *"Now: ", "ctrl+s" if field == "body" else "enter")
        await settle(pilot)
        assert getattr(stored(app, "project_billing_export"), field) == ("Now: Paging." if field == "body" else "Now: ")


async def test_a_text_left_as_it_was_writes_nothing(make_app: Callable[..., Any], settle: Any) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        version = app.live.desk.store.data_version()
        await pilot.press("e")
        await settle(pilot)
        await pilot.press("b")
        await settle(pilot)
        await pilot.press("escape")
        await settle(pilot)
        assert len(app.screen_stack) == 1
        assert app.live.desk.store.data_version() == version


@presses("entry.initiative")
async def test_i_reads_the_whole_initiative(make_app: Callable[..., Any], settle: Any) -> None:
    from memdesk.tui.screens.reading import ReadingScreen
    from memdesk.tui.widgets.entry_text import EntryText

    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        put_cursor(app, "project_checkout_retries")
        await pilot.press("i")
        await settle(pilot)
        assert isinstance(app.screen, ReadingScreen)
        text = app.screen.query_one(EntryText).plain_text()
        for name, body in [
            ("project_checkout_retries", "Cap is 3."), ("project_checkout_webhooks", "Idempotency key needed."),
            ("project_checkout_refunds", "- [ ] rounding"),
        ]:  # fmt: skip
            assert name in text and body in text
        await pilot.press("y")
        assert "Idempotency key needed." in app.clipboard
        await pilot.press("escape")
        await settle(pilot)
        assert len(app.screen_stack) == 1
        put_cursor(app, "project_migrate_ci")
        await pilot.press("i")
        await settle(pilot)
        assert message(app).startswith("project_migrate_ci belongs to no initiative.")


async def test_ages_are_told_by_the_clock_of_the_app(make_app: Callable[..., Any], settle: Any) -> None:
    app = make_app(moment=datetime(2025, 6, 16, 12, tzinfo=UTC))
    async with app.run_test(size=(120, 40)) as pilot:
        await settle(pilot)
        row = app.pane.list.cursor_row
        assert row is not None and row.cells[-1] == "9d"


async def test_an_empty_workspace_says_what_to_do(make_app: Callable[..., Any], settle: Any, tmp_path: Any) -> None:
    app = make_app(tmp_path / "new", workspace=None)
    async with app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        assert names(app) == []
        await pilot.press("c")
        assert message(app) == "There is no entry here."
