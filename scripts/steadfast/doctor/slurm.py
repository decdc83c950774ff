"""What a SLURM cluster must have for a profile's jobs: commands, partition, accounting."""

import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from steadfast.doctor.check import Check, found, unneeded
from steadfast.errors import UserError

SECONDS = 20
EXECUTOR, PARTITION = "slurm", "slurm_partition"


def read_profile(name: str) -> Mapping[str, Any]:
    """A profile's settings: of a directory, or of a name below ~/.config/snakemake.

    Raises:
        UserError: there is none, or it is no mapping.
    """
    places = [Path(name), Path.home() / ".config/snakemake" / name]
    files = [place / "config.yaml" for place in places]
    file = next((one for one in files if one.is_file()), None)
    if file is None:
        raise UserError(f"profile {name}: neither {' nor '.join(map(str, files))} is there")
    try:
        settings = yaml.safe_load(file.read_text(encoding="utf-8")) or {}
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise UserError(f"{file}: cannot be read as YAML ({type(error).__name__})") from None
    if not isinstance(settings, dict):
        raise UserError(f"{file}: a profile is a mapping from options to values")
    return settings


def slurm_checks(profiles: Mapping[str, Mapping[str, Any]]) -> Iterator[Check]:
    """Whether jobs can be submitted as the profiles say.

    Args:
        profiles: settings by the profile's name, as ``read_profile`` gives them.
    """
    if not on_cluster(profiles):
        yield unneeded("SLURM", "jobs run here; PROFILE=profiles/slurm looks for a cluster")
        return
    lacking = [name for name in ("sbatch", "squeue", "sinfo") if shutil.which(name) is None]
    advice = f"no {', '.join(lacking)} here; run this on a machine that submits jobs"
    yield found("SLURM", not lacking, "sbatch, squeue and sinfo are here", advice)
    if lacking:
        return
    partitions = _said("sinfo", "--noheader", "--format=%R")
    yield found(
        "SLURM's controller",
        partitions is not None,
        "it answers",
        "sinfo gets no answer; ask who runs the cluster",
    )
    if partitions is None:
        return
    offered = partitions.split()
    for name in _partitions(profiles):
        advice = f"there is none; correct slurm_partition, to one of {', '.join(offered)}"
        yield found(f"partition {name}", name in offered, "it is there", advice)
    yield _accounting()


def on_cluster(profiles: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether the profiles submit jobs to SLURM."""
    return any(profile.get("executor") == EXECUTOR for profile in profiles.values())


def _partitions(profiles: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The partitions that the profiles name, of all jobs or of a rule's."""
    named: list[str] = []
    for profile in profiles.values():
        of_rules = profile.get("set-resources")
        given = [profile.get("default-resources")]
        given += of_rules.values() if isinstance(of_rules, dict) else []
        named += [str(one[PARTITION]) for one in map(_mapping, given) if PARTITION in one]
    return list(dict.fromkeys(named))


def _mapping(given: object) -> dict[str, object]:
    """Resources, which a profile may write as a mapping or as a list of name=value."""
    if isinstance(given, list):
        parts = (str(one).partition("=") for one in given)
        return {name.strip(): value.strip() for name, _, value in parts}
    return given if isinstance(given, dict) else {}


def _accounting() -> Check:
    """Accounting is a convenience: the profile asks squeue, which works without."""
    asked = ("sacct", "--noheader", "--format=jobid", "--starttime=now")
    if shutil.which("sacct") is None or _said(*asked) is None:
        return unneeded("SLURM's accounting", "there is none; the profile asks squeue instead")
    return Check("SLURM's accounting", "ok", "sacct answers")


def _said(*command: str) -> str | None:
    """What a command prints; None where it fails or does not end."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout
