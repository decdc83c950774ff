"""Starts Snakemake on this workflow: steadfast run, trial, plan, html_report, bundle, export, …"""

import os
import sys
from argparse import Namespace
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.names import shown
from steadfast.base.resources import HOME
from steadfast.command.error_message import errors_as_messages
from steadfast.config.source import check_source

LAUNCH = "steadfast.workflow.launch"
OWN_PROFILES = "profiles"
PROFILES = "profiles/*"
DEFAULT_TARGET = ("run", "trial")


def main(given: Namespace) -> None:
    """Goes on as Snakemake, in the same process: signals and the exit code are Snakemake's."""
    with errors_as_messages():
        check(given)
    os.execv(sys.executable, [sys.executable, "-m", LAUNCH, *words(given)])


def check(given: Namespace) -> None:
    """Refuses what Snakemake would stop at with a traceback, or pass over."""
    if given.config:
        check_source(given.config)
    for setting in given.set:
        key, equals, value = setting.partition("=")
        if not equals:
            raise UserError(f"--set {shown(setting)}: no value; write --set KEY=VALUE")
        if not key.isidentifier():
            section, _, inner = key.partition(".")
            advice = f"--set '{section}={{{inner}: {value}}}'" if inner else "--set KEY=VALUE"
            raise UserError(f"--set {shown(setting)}: {shown(key)} is no key; write {advice}")
    if given.directory:
        try:
            Path(given.directory).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(
                f"--directory {given.directory}: cannot be created ({error.strerror}); name "
                "another folder"
            ) from None
    for name in given.profile:
        if _is_own(name) and not Path(profile(name)[1]).is_dir():
            profiles = ", ".join(
                sorted(str(path.relative_to(HOME)) for path in HOME.glob(PROFILES))
            )
            raise UserError(f"--profile {name}: no such folder; available: {profiles}")


def words(given: Namespace) -> list[str]:
    """Returns Snakemake's command line; what takes several words stands before what takes one."""
    changed = [*given.set, *([f"limit={given.limit}"] if given.command == "trial" else [])]
    options = ["--configfile", str(given.config)] if given.config else []
    options += ["--config", *changed] if changed else []
    for name in given.profile:
        options += profile(name)
    for option, value in (("--directory", given.directory), ("--cores", given.cores)):
        options += [option, value] if value else []
    options += ["--snakefile", str(HOME / "Snakefile"), *given.snakemake]
    return options if given.command in DEFAULT_TARGET else [*options, "--", given.command]


def profile(name: str) -> list[str]:
    """Returns the option for a profile: the workflow's own, or one of a site."""
    if not _is_own(name):
        return ["--profile", name]
    return ["--workflow-profile", name if Path(name).is_dir() else str(HOME / name)]


def _is_own(profile: str) -> bool:
    return Path(profile).parts[:1] == (OWN_PROFILES,)
