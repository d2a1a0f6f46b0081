"""Run every benchmark of this folder, one after the other, each in its own process. `make bench`.

    python benchmarks/run.py [NAME ...]        only bench_NAME.py
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def main(names: list[str]) -> int:
    """Run the named benchmarks, or all; the exit code of the worst."""
    scripts = [HERE / f"bench_{name}.py" for name in names] or sorted(HERE.glob("bench_*.py"))
    return max((subprocess.run([sys.executable, script], check=False).returncode for script in scripts), default=1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
