"""Triage as a picture: the block, a tight budget, the preview, a whole initiative; dark and light, small and large."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from memdesk.core.config import Config


@pytest.mark.parametrize(
    ("size", "theme", "keys"),
    [
        ((80, 24), "dark", ["space", "x"]),
        ((80, 24), "light", ["space", "down", "space", "p"]),
        ((120, 40), "dark", ["left_square_bracket", "left_square_bracket", "left_square_bracket", "down"]),
        ((120, 40), "light", ["s"]),
        ((120, 40), "dark", ["i", "down"]),
    ],
    ids=["kept-small-dark", "preview-small-light", "tight-large-dark", "sections-large-light", "initiative-large-dark"],
)
def test_triage(
    snap_compare: Any, make_app: Callable[..., Any], settle: Any, size: Any, theme: str, keys: Sequence[str]
) -> None:
    async def ready(pilot: Any) -> None:
        await settle(pilot)
        for key in keys:
            await pilot.press(key)
            await settle(pilot)

    app = make_app(pane="triage", config=Config(theme=theme))
    assert snap_compare(app, terminal_size=size, run_before=ready)
