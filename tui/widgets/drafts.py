"""Drafts of long texts on disk: written while one types, offered again after a crash (DESIGN 9 rule 7)."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Draft:
    """A text that was not saved, and the hash of the text it started from."""

    text: str
    base: str
    saved_at: datetime | None = None


def text_hash(text: str) -> str:
    """Return the hash by which a draft remembers what it started from."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def read_draft(path: Path) -> Draft | None:
    """Return the draft kept at a path; None where there is none or it cannot be read as one."""
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        text, base = kept["text"], kept["base"]
        saved_at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return Draft(text, base, saved_at) if isinstance(text, str) and isinstance(base, str) else None


def write_draft(path: Path, draft: Draft) -> None:
    """Keep a draft: whole or not at all, readable by its owner only. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=path.name, suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            # ASCII JSON carries lone surrogates, which UTF-8 cannot.
            json.dump({"base": draft.base, "text": draft.text}, file)
        os.replace(name, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def set_aside(path: Path) -> None:
    """Drop a draft by the person's wish: the latest one stays beside as `….dropped`. Raises OSError."""
    with contextlib.suppress(FileNotFoundError):
        os.replace(path, path.with_name(f"{path.name}.dropped"))


def drop_draft(path: Path) -> None:
    """Remove a draft; that there is none is fine."""
    with contextlib.suppress(FileNotFoundError):
        path.unlink()
