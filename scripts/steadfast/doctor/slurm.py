"""Checks of a SLURM cluster for the jobs of a profile: its controller and partitions."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from steadfast.base.errors import UserError
from steadfast.base.files import Settings
from steadfast.base.resources import HOME
from steadfast.doctor.check import Check, check_of, output_of

PARTITION = "slurm_partition"


def read_profile(name: str) -> Mapping[str, Any]:
    """The settings of a profile: a directory, or a name below ~/.config/snakemake."""
    folders = [Path(name), HOME / name, Path.home() / ".config/snakemake" / name]
    files = [folder / "config.yaml" for folder in folders]
    file = next((file for file in files if file.is_file()), None)
    if file is None:
        paths = " nor ".join(map(str, files))
        raise UserError(f"profile {name}: not found, neither {paths}; correct its name")
    try:
        settings = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise UserError(f"{file}: not valid YAML ({type(error).__name__}); correct it") from None
    if not isinstance(settings or {}, dict):
        raise UserError(f"{file}: a mapping of options was expected; correct it")
    return settings or {}


def slurm_checks(
    profiles: Mapping[str, Mapping[str, Any]], models: Mapping[str, Settings]
) -> Iterator[Check]:
    """Checks that SLURM responds, and has the partitions of the profiles and models."""
    if not on_cluster(profiles):
        text = "jobs run on this machine; --profile profiles/slurm checks a cluster"
        yield Check("SLURM", "not needed", text)
        return
    partitions = output_of("sinfo", "--noheader", "--format=%R")
    advice = "sinfo failed; run this on a login node, from which jobs are submitted"
    yield check_of("SLURM", partitions is not None, "the controller responds", advice)
    if partitions is None:
        return
    existing = partitions.split()
    # Each key that names partitions, with its value.
    named = []
    for profile in profiles.values():
        named += [(PARTITION, value) for value in _partitions(profile)]
    for model, options in models.items():
        named.append((f"slurm.partition of {model}", options.get("partition")))
    keys: dict[str, str] = {}
    for key, value in named:
        for name in re.findall(r"[^,\s]+", str(value or "")):
            keys.setdefault(name, key)
    for name, key in keys.items():
        advice = f"no such partition; set {key} to one of {', '.join(existing)}"
        yield check_of(f"partition {name}", name in existing, "exists", advice)


def on_cluster(profiles: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether the profiles submit jobs to SLURM."""
    return any(profile.get("executor") == "slurm" for profile in profiles.values())


def _partitions(profile: Mapping[str, Any]) -> Iterator[object]:
    """The partitions that a profile names, for all jobs or for those of a rule."""
    rules = profile.get("set-resources")
    rule_resources = rules.values() if isinstance(rules, dict) else ()
    for resources in (profile.get("default-resources"), *rule_resources):
        if isinstance(resources, list):  # of name=value
            pairs = [str(resource).partition("=") for resource in resources]
            resources = {name: value for name, _, value in pairs}
        if isinstance(resources, dict):
            yield resources.get(PARTITION)
