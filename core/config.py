"""The settings of one store: `config.toml` in its folder, all optional (DESIGN 3.4 limits, 9 keys, 1 types)."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from .errors import InputError
from .model import BUILT_IN_TYPES, EDGE_DEPTH_LIMIT, EDGES_PER_MEMORY_LIMIT, slugify

FILE_NAME: Final = "config.toml"


@dataclass(frozen=True, slots=True)
class Config:
    """What a person may set.

    Attributes:
        types: every declared type, built-in ones first; further ones come from `types = [...]`.
        edge_depth: `memory.limits.edge_depth`, the longest chain of an acyclic edge kind.
        edges_per_memory: `memory.limits.edges_per_memory`, outbound edges of one entry.
        host_scoped: initiatives that refuse a project anchor (memory seed, "The one-line initiative test").
        keys: action id -> keys, for the desk.
        theme: name of the desk's theme, or "".
        contradiction: the `[contradiction]` table as decoded, further opposites and exclusive classes;
            `contradiction.Settings.from_table` reads it, where a comparison needs it.
    """

    types: tuple[str, ...] = BUILT_IN_TYPES
    edge_depth: int = EDGE_DEPTH_LIMIT
    edges_per_memory: int = EDGES_PER_MEMORY_LIMIT
    host_scoped: tuple[str, ...] = ("gaia_system",)
    keys: Mapping[str, str] = field(default_factory=dict)
    theme: str = ""
    contradiction: Mapping[str, Any] = field(default_factory=dict)


def load(folder: Path) -> Config:
    """Read the settings of the store in `folder`; a missing file means the defaults.

    Raises:
        InputError: the file is not TOML, or a value has the wrong shape.
    """
    path = folder / FILE_NAME
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Config()
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"The settings file {path} cannot be read: {error}.", "Mend or remove it.") from None
    return from_table(data, path)


def from_table(data: Mapping[str, Any], path: Path) -> Config:
    """Settings from a decoded table; unknown keys are left alone, so that newer files still open."""
    memory = _table(data.get("memory", {}), "memory", path)
    limits = _table(memory.get("limits", {}), "memory.limits", path)
    keys = _table(data.get("keys", {}), "keys", path)
    declared = _words(data.get("types", []), "types", path)
    if any(slugify(t) != t for t in declared):
        raise _wrong("types", "a list of words in lower-case letters, digits and underscores", path)
    types = dict.fromkeys((*BUILT_IN_TYPES, *declared))
    host_scoped = _words(data.get("host_scoped", ["gaia_system"]), "host_scoped", path)
    return Config(
        types=tuple(types),
        edge_depth=_count(limits.get("edge_depth", EDGE_DEPTH_LIMIT), "memory.limits.edge_depth", path),
        edges_per_memory=_count(
            limits.get("edges_per_memory", EDGES_PER_MEMORY_LIMIT), "memory.limits.edges_per_memory", path
        ),
        host_scoped=tuple(slugify(word) for word in host_scoped),  # as initiatives are stored
        keys={str(k): str(v) for k, v in keys.items()},
        theme=str(data.get("theme", "")),
        contradiction=_table(data.get("contradiction", {}), "contradiction", path),
    )


def _table(value: Any, name: str, path: Path) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise _wrong(name, "a table", path)
    return value


def _words(value: Any, name: str, path: Path) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(v, str) and v for v in value):
        raise _wrong(name, "a list of words", path)
    return value


def _count(value: Any, name: str, path: Path) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise _wrong(name, "a whole number above zero", path)
    return value


def _wrong(name: str, wanted: str, path: Path) -> InputError:
    return InputError(f"`{name}` in {path} must be {wanted}.", "Mend the setting, or remove it for the default.")
