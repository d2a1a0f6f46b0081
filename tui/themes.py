"""The two themes of memdesk, the choice among them, and whether a terminal can carry the full screen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from textual.app import App
from textual.theme import Theme

DARK: Final = Theme(
    name="memdesk-dark",
    primary="#7aa7d9",
    secondary="#8fb0a9",
    accent="#e0b26a",
    warning="#e5b567",
    error="#ef8377",
    success="#8fc98b",
    foreground="#dde1e6",
    background="#15181c",
    surface="#1b1f24",
    panel="#242a31",
    dark=True,
    variables={
        "border": "#7aa7d9",
        "border-blurred": "#3a424c",
        "block-cursor-background": "#7aa7d9",
        "block-cursor-foreground": "#101316",
        "footer-key-foreground": "#e0b26a",
        "footer-background": "#1b1f24",
        "input-selection-background": "#7aa7d9 35%",
        "scrollbar": "#3a424c",
        "scrollbar-hover": "#4d5762",
        "scrollbar-active": "#7aa7d9",
        "scrollbar-background": "#15181c",
        "scrollbar-background-hover": "#15181c",
        "scrollbar-background-active": "#15181c",
        "scrollbar-corner-color": "#15181c",
        "text-muted": "#98a2ad",
        "text-primary": "#9cc0ea",
        "text-accent": "#ecc382",
        "text-warning": "#ecc382",
        "text-error": "#f59a8f",
        "text-success": "#a5d8a1",
    },
)

LIGHT: Final = Theme(
    name="memdesk-light",
    primary="#245a94",
    secondary="#3d6b62",
    accent="#8a5a00",
    warning="#8a5a00",
    error="#a82a1e",
    success="#25682a",
    foreground="#1d2329",
    background="#f7f6f3",
    surface="#efede8",
    panel="#e4e1da",
    dark=False,
    variables={
        "border": "#245a94",
        "border-blurred": "#c4c0b6",
        "block-cursor-background": "#245a94",
        "block-cursor-foreground": "#ffffff",
        "footer-key-foreground": "#8a5a00",
        "footer-background": "#efede8",
        "input-selection-background": "#245a94 25%",
        "scrollbar": "#c4c0b6",
        "scrollbar-hover": "#a8a398",
        "scrollbar-active": "#245a94",
        "scrollbar-background": "#f7f6f3",
        "scrollbar-background-hover": "#f7f6f3",
        "scrollbar-background-active": "#f7f6f3",
        "scrollbar-corner-color": "#f7f6f3",
        "text-muted": "#565f68",
        "text-primary": "#1d4d80",
        "text-accent": "#7a4f00",
        "text-warning": "#7a4f00",
        "text-error": "#97241a",
        "text-success": "#1f5a24",
    },
)

THEMES: Final = (DARK, LIGHT)

#: Themes that use the terminal's own colours and emit no others.
PLAIN_DARK: Final = "ansi-dark"
PLAIN_LIGHT: Final = "ansi-light"


def register(app: App[Any]) -> None:
    """Make memdesk's themes known to an app."""
    for theme in THEMES:
        app.register_theme(theme)


def pick_theme(environ: Mapping[str, str], wanted: str = "") -> str:
    """Return the name of the theme to use.

    NO_COLOR (set and not empty) wins over everything: a normal theme would still emit 24-bit greys.
    Otherwise `wanted` (from the config), else light or dark by COLORFGBG, which some terminals set to
    "foreground;background".

    Args:
        environ: the environment.
        wanted: the theme the config names, "" for none; "light" and "dark" are short for memdesk's own.
    """
    light = _light_background(environ)
    if wanted in ("light", LIGHT.name):
        light = True
    elif wanted in ("dark", DARK.name):
        light = False
    if environ.get("NO_COLOR"):
        return PLAIN_LIGHT if light else PLAIN_DARK
    if wanted and wanted not in ("light", "dark"):
        return wanted
    return LIGHT.name if light else DARK.name


def theme_problem(theme: Theme) -> str:
    """Return "" or which colour of a theme is wrong. Textual accepts a bad one and dies later: ask first."""
    try:
        theme.to_color_system().generate()
    except Exception as error:  # Textual raises several kinds here, parse errors of colours among them
        return f"the theme {theme.name!r} has a colour that cannot be read: {error}"
    return ""


def screen_refusal(environ: Mapping[str, str], is_tty: bool) -> str:
    """Return "" or one sentence why the full screen cannot be drawn here, naming what to run instead.

    Args:
        environ: the environment.
        is_tty: whether both standard input and standard output are a terminal.
    """
    instead = "Use the commands: `memdesk status`, `memdesk list`, `memdesk --help`."
    if environ.get("TERM", "").lower() == "dumb":
        return f'This terminal says it is "dumb" (TERM=dumb), so the desk cannot be drawn. {instead}'
    if not is_tty:
        return f"The desk needs a terminal, and input or output is not one. {instead}"
    return ""


def _light_background(environ: Mapping[str, str]) -> bool:
    background = environ.get("COLORFGBG", "").rpartition(";")[2]
    return background in ("7", "15")
