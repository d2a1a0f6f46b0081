"""History as a picture: a difference in one and in two columns, blame, the memory as it was; dark and light, small and
large."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from memdesk.core.config import Config

from .conftest import open_at

OLD = """# Retries

Retry the payment call at most 3 times.

Wait 100 ms between two calls, then 200 ms.

The provider answers 429 when it is busy, and 503 when it is down.

- [ ] measure how often it happens
- [ ] tell the provider
- [x] add the idempotency key
- [x] log every retry with its number
- [x] alarm above 1 % of calls
"""
NEW = """# Retries

The provider answers 429 when it is busy, and 503 when it is down.

Retry the payment call at most 5 times, with jitter.

Wait 100 ms between two calls, then 400 ms.

- [x] measure how often it happens
- [ ] tell the provider
- [x] add the idempotency key
- [x] log every retry with its number
- [x] alarm above 1 % of calls
"""


@pytest.fixture
def reworded(desk_folder: Path) -> Path:
    """An entry whose text was rewritten, and one that was closed."""
    with open_at(desk_folder, actor="agent:planner", seed=50) as desk:
        desk.edit("project_checkout_retries", fields={"body": OLD})
    with open_at(desk_folder, actor="user:ana", seed=51) as desk:
        desk.edit("project_checkout_retries", fields={"body": NEW, "description": "Retry, with a cap of 5"})
        desk.reclassify("project_billing_tax", status="closed")
        desk.undo()
    return desk_folder


@pytest.mark.parametrize(
    ("size", "theme", "keys"),
    [
        ((80, 24), "dark", ["down", "down"]),
        ((160, 45), "dark", ["down", "down"]),
        ((160, 45), "light", ["down", "down", "h", "s"]),
        ((80, 24), "light", ["down", "down", "h", "v"]),
        ((160, 45), "dark", ["down", "down", "h", "b"]),
        ((160, 45), "light", ["down", "down", "down", "a", "2"]),
        ((160, 45), "dark", ["down", "down", "down", "down", "down", "g", "e"]),
    ],
    ids=["log-small-dark", "log-large-dark", "columns-large-light", "versions-small-light", "blame-large-dark",
         "past-large-light", "walk-large-dark"],
)  # fmt: skip
def test_history(
    snap_compare: Any, make_app: Callable[..., Any], settle: Any, reworded: Path, size: Any, theme: str,
    keys: Sequence[str],
) -> None:  # fmt: skip
    async def ready(pilot: Any) -> None:
        await settle(pilot)
        for key in keys:
            await pilot.press(key)
            await settle(pilot)

    app = make_app(reworded, pane="history", config=Config(theme=theme))
    assert snap_compare(app, terminal_size=size, run_before=ready)
