"""What a SLURM cluster must have for a profile's jobs: partitions, accounts, accounting."""

import getpass
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from steadfast.base.commands import typed
from steadfast.base.errors import UserError
from steadfast.base.resources import HOME
from steadfast.doctor.check import Check, found, said, unneeded
from steadfast.schema.model_base import Slurm

EXECUTOR = "slurm"
PARTITION, ACCOUNT, QOS = "slurm_partition", "slurm_account", "qos"
PARTITION_FILE = "slurm-partition-config"
UNREADABLE = (OSError, ValueError, LookupError, TypeError, AttributeError, yaml.YAMLError)
"""What a file that is no such YAML may raise."""
CLUSTER = {"slurm_cluster", "cluster", "clusters"}
"""Keys of a partition that is another cluster's, any one of them."""


def read_profile(name: str) -> Mapping[str, Any]:
    """A profile's settings: of a directory, or of a name below ~/.config/snakemake."""
    places = [Path(name), HOME / name, Path.home() / ".config/snakemake" / name]
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
    if named := settings.get(PARTITION_FILE):
        beside = file.parent / str(named)  # as Snakemake reads the paths of a profile
        settings[PARTITION_FILE] = str(beside if beside.is_file() else named)
    return settings


def slurm_checks(
    profiles: Mapping[str, Mapping[str, Any]], models: Mapping[str, Slurm | None] | None = None
) -> Iterator[Check]:
    """Whether jobs can be submitted as the profiles and the models' settings say."""
    named = {option: _named(profiles, option) for option in (PARTITION, ACCOUNT, QOS)}
    for who, of in (models or {}).items():
        for option, key in {PARTITION: "partition", ACCOUNT: "account", QOS: "qos"}.items():
            for name in _several(getattr(of, key, None)):
                named[option].setdefault(name, f"slurm.{key} of {who}")
    if not on_cluster(profiles):
        yield unneeded("SLURM", f"jobs run here; {typed('cluster')} looks for a cluster")
        return
    lacking = [name for name in ("sbatch", "squeue", "sinfo") if shutil.which(name) is None]
    advice = f"no {', '.join(lacking)} here; run this on a machine that submits jobs"
    yield found("SLURM", not lacking, "sbatch, squeue and sinfo are here", advice)
    if lacking:
        return
    partitions = said("sinfo", "--noheader", "--format=%R")
    advice = "sinfo gets no answer; ask who runs the cluster"
    yield found("SLURM's controller", partitions is not None, "it answers", advice)
    if partitions is None:
        return
    offered = partitions.split()
    files = {str(one[PARTITION_FILE]) for one in profiles.values() if one.get(PARTITION_FILE)}
    places = named[PARTITION]
    for file in sorted(files):
        try:
            given = yaml.safe_load(Path(file).read_text(encoding="utf-8"))["partitions"].items()
            places |= {str(name): file for name, of in given if not CLUSTER & set(of or ())}
        except UNREADABLE as error:
            advice = f"cannot be read ({type(error).__name__}); profiles/slurm has an example"
            yield Check(f"partitions of {file}", "missing", advice)
    for name, place in places.items():
        advice = f"there is none; correct {place}, to one of {', '.join(offered)}"
        yield found(f"partition {name}", name in offered, "it is there", advice)
    yield from _associations(named[ACCOUNT], named[QOS])
    # Accounting is a convenience: the profile asks squeue, which works without.
    if said("sacct", "--noheader", "--format=jobid", "--starttime=now") is None:
        yield unneeded("SLURM's accounting", "there is none; the profile asks squeue instead")
    else:
        yield Check("SLURM's accounting", "ok", "sacct answers")


def on_cluster(profiles: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether the profiles submit jobs to SLURM."""
    return any(profile.get("executor") == EXECUTOR for profile in profiles.values())


def _associations(accounts: Mapping[str, str], levels: Mapping[str, str]) -> Iterator[Check]:
    """Whether the user may submit to some accounts and with some QoS; by each, what names it."""
    if not accounts and not levels:
        return
    asked = ("--noheader", "--parsable2", "list", "associations", f"user={getpass.getuser()}")
    lines = (said("sacctmgr", *asked, "format=account,qos") or "").splitlines()
    pairs = [line.partition("|") for line in lines]
    for what, places, offered in (
        ("account", accounts, {account for account, _, _ in pairs}),
        ("QoS", levels, {one for _, _, qos in pairs for one in qos.split(",")}),
    ):
        given = ", ".join(sorted(filter(None, offered)))
        for name, place in places.items():
            if given:
                advice = f"it is none of yours; correct {place}, to one of {given}"
                known = name.lower() in {one.lower() for one in offered}
                yield found(f"{what} {name}", known, "it is one of yours", advice)
            else:
                yield Check(f"{what} {name}", "unchecked", "sacctmgr names none of yours")


def _named(profiles: Mapping[str, Mapping[str, Any]], resource: str) -> dict[str, str]:
    """What the profiles name as a resource of all jobs or of a rule's, and that resource."""
    named: list[str] = []
    for profile in profiles.values():
        of_rules = profile.get("set-resources")
        given = [profile.get("default-resources")]
        given += of_rules.values() if isinstance(of_rules, dict) else []
        for one in map(_mapping, given):
            named += _several(one.get(resource))
    return dict.fromkeys(named, resource)


def _several(value: object) -> list[str]:
    """The names of a value that may hold several, with commas or spaces between."""
    return [name for name in re.split(r"[,\s]+", str(value or "")) if name]


def _mapping(given: object) -> dict[str, object]:
    """Resources, which a profile may write as a mapping or as a list of name=value."""
    if isinstance(given, list):
        parts = (str(one).partition("=") for one in given)
        return {name.strip(): value.strip() for name, _, value in parts}
    return given if isinstance(given, dict) else {}
