"""Themes: which one, whether its colours are sound and can be read, and where the screen is refused."""

from __future__ import annotations

import pytest
from textual.app import App
from textual.color import Color
from textual.theme import Theme

from memdesk.tui.themes import THEMES, pick_theme, register, screen_refusal, theme_problem


@pytest.mark.parametrize(
    ("environ", "wanted", "name"),
    [
        ({}, "", "memdesk-dark"),
        ({}, "light", "memdesk-light"),
        ({}, "memdesk-light", "memdesk-light"),
        ({}, "nord", "nord"),
        ({"COLORFGBG": "0;15"}, "", "memdesk-light"),
        ({"COLORFGBG": "15;0"}, "", "memdesk-dark"),
        ({"COLORFGBG": "0;15"}, "dark", "memdesk-dark"),
        ({"NO_COLOR": "1"}, "", "ansi-dark"),
        ({"NO_COLOR": "1"}, "memdesk-light", "ansi-light"),
        ({"NO_COLOR": "1", "COLORFGBG": "0;15"}, "nord", "ansi-light"),
        ({"NO_COLOR": ""}, "", "memdesk-dark"),
    ],
)
def test_pick_theme(environ: dict[str, str], wanted: str, name: str) -> None:
    assert pick_theme(environ, wanted) == name


def test_our_themes_are_sound_and_registered() -> None:
    app: App[object] = App()
    register(app)
    for theme in THEMES:
        assert theme_problem(theme) == ""
        assert app.get_theme(theme.name) is theme


def test_a_bad_colour_is_named_before_it_kills_the_app() -> None:
    assert "'mine' has a colour" in theme_problem(Theme("mine", primary="#12"))


@pytest.mark.parametrize("theme", THEMES, ids=[theme.name for theme in THEMES])
@pytest.mark.parametrize(
    "name", ["foreground", "text-muted", "text-primary", "text-warning", "text-error", "text-success"]
)
def test_texts_can_be_read_on_every_ground(theme: Theme, name: str) -> None:
    colours = theme.to_color_system().generate()
    for ground in ("background", "surface", "panel"):
        assert contrast(Color.parse(colours[name]), Color.parse(colours[ground])) >= 4.5, ground


def contrast(first: Color, second: Color) -> float:
    """Contrast ratio of WCAG 2."""
    darker, lighter = sorted((luminance(first), luminance(second)))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: Color) -> float:
    parts = [part / 255 for part in colour.rgb]
    red, green, blue = (part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_where_the_screen_is_refused() -> None:
    assert screen_refusal({"TERM": "xterm-256color"}, True) == ""
    assert "TERM=dumb" in screen_refusal({"TERM": "dumb"}, True)
    assert "memdesk --help" in screen_refusal({"TERM": "dumb"}, True)
    assert "needs a terminal" in screen_refusal({"TERM": "xterm"}, False)
