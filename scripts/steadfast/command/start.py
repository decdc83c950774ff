"""Starts Snakemake on this workflow: steadfast run, trial, plan, html_report, bundle, export, nondeterminism."""

import os
import sys
from argparse import Namespace
from pathlib import Path

from steadfast.base.resources import HOME

OWN_PROFILES = "profiles"
DEFAULT_TARGET = ("run", "trial")


def main(given: Namespace) -> None:
    """Goes on as Snakemake, in the same process: signals and the exit code are Snakemake's."""
    os.execv(sys.executable, [sys.executable, "-m", "snakemake", *words(given)])


def words(given: Namespace) -> list[str]:
    """Returns Snakemake's command line; what takes several words stands before what takes one."""
    changed = [*given.set, *([f"limit={given.limit}"] if given.command == "trial" else [])]
    found = ["--configfile", str(given.config)] if given.config else []
    found += ["--config", *changed] if changed else []
    for name in given.profile:
        found += profile(name)
    for option, value in (("--directory", given.directory), ("--cores", given.cores)):
        found += [option, value] if value else []
    found += ["--snakefile", str(HOME / "Snakefile"), *given.snakemake]
    return found if given.command in DEFAULT_TARGET else [*found, "--", given.command]


def profile(name: str) -> list[str]:
    """Returns the option for a profile: the workflow's own, or one of a site."""
    if Path(name).parts[:1] != (OWN_PROFILES,):
        return ["--profile", name]
    return ["--workflow-profile", name if Path(name).is_dir() else str(HOME / name)]
