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
    python = folder / "bin" / "python"
    complete = folder / "complete"
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not complete.exists():
            subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
            if reason := _install(python, ["-r", str(path), *more]):
                pytest.skip(f"pip cannot install envs/{pins} here: {reason}")
            complete.touch()
    return python


def _install(python: Path, what: Sequence[str]) -> str | None:
    """Installs packages by uv, which takes a fifth of the time, or else by pip; why it cannot."""
    uv = [Path(sys.executable).with_name("uv"), "pip", "install", "-q", "--python", python]
    pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    links = {"UV_FIND_LINKS": os.environ.get("PIP_FIND_LINKS", "").replace(" ", ",")}
    for installer, variables in ((uv, links), (pip, {})):
        if not installer[0].exists():
            continue
        done = subprocess.run(
            [*installer, *what],
            env={**os.environ, **{name: value for name, value in variables.items() if value}},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode == 0:
            return None
    return (done.stderr.strip().splitlines() or ["no message"])[-1]
