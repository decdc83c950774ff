"""Environments of tests that need more than the base one: made once, kept in the user's cache."""

import fcntl
import hashlib
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def cached_python(name: str, pins: str, more: Sequence[str] = ()) -> Path:
    """An interpreter of such an environment; the test is skipped where it cannot be made.

    Args:
        name: of the environment; STEADFAST_{NAME}_PYTHON names another interpreter that has it.
        pins: file of requirements in envs.
        more: further arguments of pip.
    """
    if own := os.environ.get(f"STEADFAST_{name.upper()}_PYTHON"):
        return Path(own)
    path = ROOT / "envs" / pins
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "steadfast"
    key = path.read_bytes() + " ".join(more).encode()
    folder = cache / f"{name}-{hashlib.sha256(key).hexdigest()[:12]}"
    python, complete = folder / "bin" / "python", folder / "complete"
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not complete.exists():
            subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
            pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
            done = subprocess.run(
                [*pip, "-r", path, *more], capture_output=True, text=True, check=False
            )
            if done.returncode:
                reason = (done.stderr.strip().splitlines() or ["no message"])[-1]
                pytest.skip(f"pip cannot install envs/{pins} here: {reason}")
            complete.touch()
    return python
