"""The forty asks again: a reviewer empties the queue by keyboard alone, and each ends as its state says (DESIGN 4)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import agents_play
import pytest
from agents_play import ANA
from approvals_pilot import pane, read_through

from memdesk.core.desk import Desk
from memdesk.tui.widgets.dialogs import Ask, Confirm

#: What a reviewer presses, by the state of the request at the cursor; erasing asks for its token besides.
KEYS = {"ready": "a", "stale": "d", "gone": "d", "settled": "d"}


@pytest.mark.timeout(120)
async def test_the_queue_is_emptied_by_keyboard(make_app: Callable[..., Any], settle: Any, tmp_path: Path) -> None:
    folder = tmp_path / "play"
    play = agents_play.build(folder)
    ended: dict[str, str] = {}
    app = make_app(opener=lambda: Desk.open(folder, ANA), workspace=None, pane="approvals", moment=datetime.now(UTC))
    async with app.run_test(size=(150, 42)) as pilot:
        await settle(pilot)
        for _ in range(60):
            review = pane(app).review
            if review is None:
                break
            state = review.state
            ended[review.row.request_id] = state
            if state == "ready":
                await read_through(pilot, settle)
            waiting = len(app.live.desk.request_keys())
            await pilot.press(KEYS[state])
            await settle(pilot)
            if isinstance(app.screen, Confirm):
                assert review.row.verb == "erase"
                await pilot.press(*f"DELETE {review.row.refs[0]}", "enter")
                await settle(pilot)
            assert not isinstance(app.screen, Ask)
            assert len(app.live.desk.request_keys()) == waiting - 1, (review.row.verb, state)
        desk = app.live.desk
        assert desk.request_keys() == []
        for ask in play.asks:
            row = desk.request(ask.request_id)
            if ask.fate == "erased":
                assert row.status == "withdrawn"
                continue
            wanted = "settled" if ask.number == 40 else "ready" if ask.fate == "same" else ask.fate
            assert ended[ask.request_id] == wanted, ask.number
            assert row.status == ("approved" if wanted == "ready" else "rejected"), ask.number
            assert row.reason or wanted == "ready"
            if wanted == "ready" and ask.fate == "ready":
                assert ask.is_done(desk), ask.number
        assert desk.store.check() == []
