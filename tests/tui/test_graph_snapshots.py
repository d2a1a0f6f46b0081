"""The Graph pane as a picture: a forest, an entry's own tree, faults, the lineage; dark and light, small and large."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from graph_pilot import LINKED_AT, link_all, put

from memdesk.core.config import Config


@pytest.fixture(autouse=True)
def linked(open_desk: Callable[..., Any]) -> None:
    link_all(open_desk("user:ana", LINKED_AT))


@pytest.mark.parametrize(
    ("size", "theme", "steps"),
    [
        ((80, 24), "dark", ["@checkout_retries", "right", "down", "right", "down"]),
        ((80, 24), "light", ["!", "m"]),
        ((160, 45), "dark", ["@trigram_index", "right", "down", "r", "right"]),
        ((160, 45), "light", ["@checkout_retries", "right", "down", "right", "down"]),
        ((160, 45), "dark", ["@trigram_index", "S"]),
    ],
    ids=["forest-small-dark", "mend-small-light", "rooted-large-dark", "forest-large-light", "story-large-dark"],
)
def test_graph(
    snap_compare: Any, make_app: Callable[..., Any], settle: Any, size: Any, theme: str, steps: Sequence[str]
) -> None:
    async def ready(pilot: Any) -> None:
        await settle(pilot)
        for step in steps:
            if step.startswith("@"):
                put(pilot.app, step[1:])
            else:
                await pilot.press(step)
            await settle(pilot)

    app = make_app(pane="graph", config=Config(theme=theme))
    assert snap_compare(app, terminal_size=size, run_before=ready)
