"""The whole workflow as one container image: ``snakemake --containerize``."""

import os

import pytest

from project import TINY, Project

CONDA = """#!/bin/sh
echo '{"conda_version": "25.9.1", "conda_prefix": "/opt/conda", "platform": "linux-64",
"get": {"channel_priority": "strict"}}'
"""
"""All that Snakemake asks of conda before it writes the file that builds the image."""
CHECKPOINT = {"engine": "vllm", "model": "org/checkpoint", "window": 8192}


@pytest.mark.wide
@pytest.mark.workflow
@pytest.mark.parametrize(
    ("models", "environment"), [({}, "base"), ({"checkpoint": CHECKPOINT}, "vllm")]
)
def test_a_container_file_has_the_environments_of_all_rules(tmp_path, models, environment):
    project = Project.new(tmp_path, {**TINY, "models": {**TINY["models"], **models}})
    conda = tmp_path / "bin/conda"
    conda.parent.mkdir()
    conda.write_text(CONDA)
    conda.chmod(0o755)
    written = project.snakemake(
        "--containerize", PATH=f"{conda.parent}{os.pathsep}{os.environ['PATH']}"
    )
    copied = [line for line in written.splitlines() if line.startswith("COPY")]
    files = {line.split()[1] for line in copied}
    assert files == {"envs/base.yaml", f"envs/{environment}.yaml"}
