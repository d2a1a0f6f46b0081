"""Text from memory cannot change the screen: markup is shown as typed, hidden characters as marks (DESIGN 9 rule 3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from on_screen import message, put_cursor, screen_text

from memdesk.tui.widgets.dialogs import Menu, Pick

from .conftest import NASTY_BODY, NASTY_DESCRIPTION, NASTY_NAME, NASTY_TITLE, open_at

HIDDEN = "\x1b\x07\u200b\u202e\u202c\U000e0041"


def clean(text: str) -> bool:
    return not any(char in text for char in HIDDEN)


async def nasty(app: Any, pilot: Any, settle: Any) -> None:
    await settle(pilot)
    put_cursor(app, NASTY_NAME)
    await settle(pilot)


async def test_in_list_and_view(make_app: Callable[..., Any], settle: Any) -> None:
    app = make_app()
    async with app.run_test(size=(160, 40)) as pilot:
        await nasty(app, pilot, settle)
        text = screen_text(app)
        assert clean(text)
        for shown in (NASTY_TITLE, "[bold]not bold[/] and ", "␛]52;c;cHduZWQ=", "‹U+202E›evil", "[[wikilink]] [/]"):
            assert shown in text
        await pilot.press("z")
        await settle(pilot)
        assert clean(screen_text(app))
        await pilot.click(app.pane.detail.text, offset=(12, 0))
        assert app.is_running, "a link in a title is not live"


@pytest.mark.parametrize("keys", ["e", "eb", "et", "ed", "a", "g", "ge", "gn", ":"])
async def test_in_every_dialog(make_app: Callable[..., Any], settle: Any, keys: str, open_desk: Any) -> None:
    open_desk().add(
        name="atom_nasty_anchor", body=NASTY_BODY, description=NASTY_DESCRIPTION, workspace="me", title=NASTY_TITLE
    )
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await nasty(app, pilot, settle)
        for key in keys:
            await pilot.press(key)
            await settle(pilot)
        if keys == ":":
            await pilot.press(*"nasty")
            await settle(pilot)
        assert len(app.screen_stack) == 2
        assert clean(screen_text(app))
        if isinstance(app.screen, Menu):
            assert NASTY_NAME in screen_text(app)
        if isinstance(app.screen, Pick):
            assert "[bold]not bold[/]" in screen_text(app) or keys == "ge"


async def test_in_the_message_line(make_app: Callable[..., Any], settle: Any, open_desk: Any) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await nasty(app, pilot, settle)
        await pilot.press("e")
        await settle(pilot)
        await pilot.press("d")
        await settle(pilot)
        open_desk().edit(NASTY_NAME, fields={"description": "[/red]\x1b[2J \u202e[@click=app.quit]x[/]"})
        await pilot.press("end", "x", "enter")
        await settle(pilot)
        assert "its description now reads" in message(app)
        text = screen_text(app)
        assert clean(text)
        assert "[/red]␛[2J" in text and "[@click=app.quit]x[/]" in text


async def test_in_the_names_of_workspaces_and_initiatives(
    make_app: Callable[..., Any], settle: Any, desk_folder: Any
) -> None:
    with open_at(desk_folder) as desk:
        desk.add_workspace("[red]evil")
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await nasty(app, pilot, settle)
        await pilot.press("w")
        await settle(pilot)
        assert "[red]evil" in screen_text(app)
        await pilot.press(*"evil", "enter")
        await settle(pilot)
        assert "[red]evil" in screen_text(app)


async def test_editing_a_nasty_text_keeps_what_was_not_touched(make_app: Callable[..., Any], settle: Any) -> None:
    app = make_app()
    async with app.run_test(size=(120, 40)) as pilot:
        await nasty(app, pilot, settle)
        for key in ("e", "b"):
            await pilot.press(key)
            await settle(pilot)
        await pilot.press("ctrl+home", *"ok ", "ctrl+s")
        await settle(pilot)
        (entry,) = app.live.desk.store.lookup(NASTY_NAME)
        assert entry.body == "ok " + NASTY_BODY
