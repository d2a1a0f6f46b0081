"""`config.toml`: what a person may set, and what is refused in words (DESIGN 1 types, 3.4 limits)."""

from __future__ import annotations

from pathlib import Path

import pytest

from memdesk.core.config import Config, load
from memdesk.core.errors import InputError


def settings(folder: Path, text: str) -> Config:
    (folder / "config.toml").write_text(text, encoding="utf-8")
    return load(folder)


def test_nothing_set_means_the_defaults(tmp_path: Path) -> None:
    assert load(tmp_path) == settings(tmp_path, "") == Config()


def test_what_is_set_is_read(tmp_path: Path) -> None:
    found = settings(
        tmp_path,
        'types = ["arch_decision"]\nhost_scoped = ["Gaia System", "ops"]\n[memory.limits]\nedge_depth = 3\n',
    )
    assert found.types == (*Config().types, "arch_decision")
    assert found.host_scoped == ("gaia_system", "ops"), "in the spelling in which initiatives are stored"
    assert (found.edge_depth, found.edges_per_memory) == (3, 64)


@pytest.mark.parametrize(
    "text",
    [
        "types = 5", 'types = ["Arch-Decision"]', 'types = ["two words"]', 'types = [""]', "host_scoped = [1]",
        "memory = 1", "[memory]\nlimits = 2", "[memory.limits]\nedge_depth = 0", "[memory.limits]\nedge_depth = true",
        "not toml",
    ],
)  # fmt: skip
def test_a_wrong_setting_is_named(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError) as caught:
        settings(tmp_path, text)
    assert "config.toml" in caught.value.message
