"""Environments with further packages, created once in the user's cache."""

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
    """An interpreter of such an environment; without one, the test is skipped.

    Args:
        name: of the environment; STEADFAST_{NAME}_PYTHON names an interpreter to use instead.
        pins: file of requirements in envs.
        more: further arguments of pip.
    """
    if interpreter := os.environ.get(f"STEADFAST_{name.upper()}_PYTHON"):
        return Path(interpreter)
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


def _install(python: Path, arguments: Sequence[str]) -> str | None:
    """Installs packages by uv, five times as fast as pip, or by pip; returns the error, if any."""
    uv = [Path(sys.executable).with_name("uv"), "pip", "install", "-q", "--python", python]
    pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    environment = dict(os.environ)
    if links := os.environ.get("PIP_FIND_LINKS"):
        environment["UV_FIND_LINKS"] = links.replace(" ", ",")
    for installer in (uv, pip):
        if not installer[0].exists():
            continue
        command = [*installer, *arguments]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return None
    return (done.stderr.strip().splitlines() or ["no message"])[-1]
