"""The commands, one file a family; the screen is imported only by the branch that opens it."""

from __future__ import annotations

from importlib.metadata import version

import click


@click.group(name="memdesk", context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(version("memdesk"), prog_name="memdesk")
def main() -> None:
    """Keep what AI agents remember small, true and current."""
