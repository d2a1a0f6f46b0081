"""Approvals as a picture: the list with every state, a long text with hidden characters, a stale one compared, what
agents did; dark and light, small and large."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from memdesk.core import demo
from memdesk.core.config import Config

MOMENT = datetime(2026, 11, 30, 8, 30, tzinfo=UTC)


@pytest.fixture(scope="module")
def demo_store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's memory, with the same ids each time; its agents ask for all kinds of things."""
    folder = tmp_path_factory.mktemp("demo") / "store"
    counter = itertools.count(1)
    demo.build(
        folder, now_ms=int(MOMENT.timestamp() * 1000), randomness=lambda n: next(counter).to_bytes(n, "big")
    )
    return folder


@pytest.mark.parametrize(
    ("size", "theme", "keys"),
    [
        ((80, 24), "dark", ["down", "down", "down"]),
        ((80, 24), "light", ["down", "down", "v", "space"]),
        ((120, 40), "dark", ["down", "down", "down", "down"]),
        ((120, 40), "light", ["down", "b"]),
        ((160, 45), "light", ["down", "down"]),
        ((120, 40), "dark", ["s"]),
    ],
    ids=["list-small-dark", "reading-small-light", "erase-dark", "stale-light", "flags-large-light", "veto-dark"],
)  # fmt: skip
def test_approvals(
    snap_compare: Any, make_app: Callable[..., Any], settle: Any, demo_store: Path, tmp_path: Path, size: Any,
    theme: str, keys: Sequence[str],
) -> None:  # fmt: skip
    import shutil

    async def ready(pilot: Any) -> None:
        await settle(pilot)
        for key in keys:
            await pilot.press(key)
            await settle(pilot)

    folder = tmp_path / "demo"
    shutil.copytree(demo_store, folder)
    app = make_app(folder, pane="approvals", moment=MOMENT, workspace="studio", config=Config(theme=theme))
    assert snap_compare(app, terminal_size=size, run_before=ready)
