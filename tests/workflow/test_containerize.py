"""The workflow as one container image: ``snakemake --containerize``."""

import os
import re

import pytest

from project import TINY, Project

CONDA = """#!/bin/sh
echo '{"conda_version": "25.9.1", "conda_prefix": "/opt/conda", "platform": "linux-64",
"get": {"channel_priority": "strict"}}'
"""
"""Snakemake's only call of conda before it writes the Dockerfile."""
CHECKPOINT = {"engine": "vllm", "model": "org/checkpoint", "window": 8192}


@pytest.mark.wide
@pytest.mark.workflow
@pytest.mark.parametrize(
    ("models", "environment"), [({}, "base"), ({"checkpoint": CHECKPOINT}, "vllm")]
)
def test_dockerfile_has_the_environments_of_all_rules(tmp_path, models, environment):
    project = Project.new(tmp_path, {**TINY, "models": {**TINY["models"], **models}})
    conda = tmp_path / "bin/conda"
    conda.parent.mkdir()
    conda.write_text(CONDA)
    conda.chmod(0o755)
    path = f"{conda.parent}{os.pathsep}{os.environ['PATH']}"
    dockerfile = project.snakemake("--containerize", PATH=path)
    copied = set(re.findall(r"^COPY\S* +(\S+)", dockerfile, re.M))
    assert copied == {"envs/base.yaml", f"envs/{environment}.yaml"}
