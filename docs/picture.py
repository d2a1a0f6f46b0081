"""Redraw the pictures of the README: the desk on the demo's memory, always at the same moment.

    make picture        (needs rsvg-convert, Debian package librsvg2-bin)
"""

from __future__ import annotations

import asyncio
import html
import itertools
import re
import shutil
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

from memdesk.core import demo
from memdesk.core.desk import Actor, Desk
from memdesk.tui.app import MemdeskApp

HERE = Path(__file__).parent
NOW = datetime(2026, 11, 30, 8, 30, tzinfo=UTC)
#: file name -> (columns, rows, keys pressed before the picture is taken)
PICTURES = {
    "triage": (132, 38, ()),
    "threads": (132, 38, ("2",)),
    "conflicts": (132, 38, ("3",)),
    "graph": (132, 38, ("4", "right", "down", "down", "right", "down")),
    "history": (132, 38, ("5", *["down"] * 11)),
    "approvals": (132, 38, ("6", "down", "down")),
}


_SPAN = re.compile(r'(<text[^>]* x=")([\d.]+)(" y="[\d.]+" textLength=")([\d.]+)("[^>]*>)((?:&#160;)+)([^<]*)(</text>)')


def aligned(svg: str) -> str:
    """The same picture with leading blanks turned into positions: rsvg-convert drops them, and columns would shift."""

    def moved(match: re.Match[str]) -> str:
        start, x, middle, length, end, blanks, text, close = match.groups()
        count = blanks.count("&#160;")
        whole = count + len(html.unescape(text))
        step = float(length) / whole
        return f"{start}{float(x) + count * step:.2f}{middle}{float(length) - count * step:.2f}{end}{text}{close}"

    return _SPAN.sub(moved, svg)


async def draw(store: Path, columns: int, rows: int, keys: tuple[str, ...]) -> str:
    """The screen as SVG."""
    app = MemdeskApp(
        lambda: Desk.open(store, Actor("user:ana", on_terminal=True)), now=lambda: NOW, live=False, environ={}
    )
    async with app.run_test(size=(columns, rows)) as pilot:
        for key in ("", *keys):
            if key:
                await pilot.press(key)
            await pilot.pause()
            await asyncio.sleep(2)
        await pilot.pause()
        return app.export_screenshot(title="memdesk")


def main() -> None:
    """Build the demo, draw each picture, and turn it into a PNG."""
    if shutil.which("rsvg-convert") is None:
        sys.exit("rsvg-convert is missing: install librsvg2-bin (Debian) or librsvg (Homebrew).")
    counter = itertools.count(1)
    with tempfile.TemporaryDirectory() as scratch:
        store = Path(scratch) / "store"
        demo.build(
            store, now_ms=int(NOW.timestamp() * 1000), randomness=lambda n: next(counter).to_bytes(n, "big")
        )
        for name, (columns, rows, keys) in PICTURES.items():
            svg = Path(scratch) / f"{name}.svg"
            svg.write_text(aligned(asyncio.run(draw(store, columns, rows, keys))), encoding="utf-8")
            png = HERE / f"{name}.png"
            subprocess.run(["rsvg-convert", "--width", "1320", str(svg), "--output", str(png)], check=True)
            print(f"{png.relative_to(HERE.parent)}: drawn")


if __name__ == "__main__":
    main()
