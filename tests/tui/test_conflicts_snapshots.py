"""Conflicts as a picture: a contradiction, a group, the dialog of a merge; dark and light, small and large."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from planted import plant

from memdesk.core.config import Config

from .conftest import NOW, open_at


@pytest.mark.parametrize(
    ("size", "theme", "keys"),
    [
        ((80, 24), "dark", []),
        ((80, 24), "light", ["n", "n", "n", "n", "m"]),
        ((120, 40), "dark", ["n", "n", "n", "down", "down", "space"]),
        ((120, 40), "light", ["n", "n", "n", "m"]),
    ],
    ids=["contradiction-small-dark", "merge-small-light", "group-large-dark", "merge-large-light"],
)
def test_conflicts(
    snap_compare: Any, make_app: Callable[..., Any], settle: Any, tmp_path: Path, size: Any, theme: str,
    keys: Sequence[str],
) -> None:  # fmt: skip
    folder = tmp_path / "planted"
    with open_at(folder, NOW - timedelta(days=2), actor="agent:planner") as desk:
        desk.add_workspace("me")
        plant(desk)
        desk.link("project_invoice_export", "derived_from", "atom_rate_limit")

    async def ready(pilot: Any) -> None:
        await settle(pilot)
        for key in keys:
            await pilot.press(key)
            await settle(pilot)

    app = make_app(folder, pane="conflicts", config=Config(theme=theme))
    assert snap_compare(app, terminal_size=size, run_before=ready)
