"""Starts Snakemake on this workflow: steadfast run, trial, plan, html_report, bundle, export, …"""

import os
import sys
from argparse import Namespace
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.names import quoted
from steadfast.base.resources import HOME
from steadfast.command.error_message import errors_as_messages
from steadfast.config.source import check_source

LAUNCH = "steadfast.workflow.launch"
OWN_PROFILES = "profiles"
PROFILES = "profiles/*"
DEFAULT_TARGET = ("run", "trial")


def main(arguments: Namespace) -> None:
    """Replaces this process by Snakemake, which gets its signals and sets the exit code."""
    with errors_as_messages():
        check_arguments(arguments)
    os.execv(sys.executable, [sys.executable, "-m", LAUNCH, *snakemake_arguments(arguments)])


def check_arguments(arguments: Namespace) -> None:
    """Refuses arguments that Snakemake would ignore or answer with a traceback."""
    if arguments.config:
        check_source(arguments.config)
    for setting in arguments.set:
        key, equals, value = setting.partition("=")
        if not equals:
            raise UserError(f"--set {quoted(setting)}: no value; write --set KEY=VALUE")
        if not key.isidentifier():
            section, _, inner = key.partition(".")
            advice = f"--set '{section}={{{inner}: {value}}}'" if inner else "--set KEY=VALUE"
            raise UserError(f"--set {quoted(setting)}: {quoted(key)} is no key; write {advice}")
    if arguments.directory:
        try:
            Path(arguments.directory).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UserError(
                f"--directory {arguments.directory}: cannot be created ({error.strerror}); name "
                "another folder"
            ) from None
    for name in arguments.profile:
        if _is_own(name) and not Path(profile(name)[1]).is_dir():
            available = sorted(str(path.relative_to(HOME)) for path in HOME.glob(PROFILES))
            raise UserError(f"--profile {name}: no such folder; available: {', '.join(available)}")


def snakemake_arguments(arguments: Namespace) -> list[str]:
    """Snakemake's command line; options with several values come before those with one."""
    settings = list(arguments.set)
    if arguments.command == "trial":
        settings.append(f"limit={arguments.limit}")
    options: list[str] = []
    if arguments.config:
        options += ["--configfile", str(arguments.config)]
    if settings:
        options += ["--config", *settings]
    for name in arguments.profile:
        options += profile(name)
    if arguments.directory:
        options += ["--directory", arguments.directory]
    if arguments.cores:
        options += ["--cores", arguments.cores]
    options += ["--snakefile", str(HOME / "Snakefile"), *arguments.snakemake]
    if arguments.command not in DEFAULT_TARGET:
        options += ["--", arguments.command]
    return options


def profile(name: str) -> list[str]:
    """Snakemake's option for a profile: the workflow's own, or one of a site."""
    if not _is_own(name):
        return ["--profile", name]
    return ["--workflow-profile", name if Path(name).is_dir() else str(HOME / name)]


def _is_own(profile: str) -> bool:
    return Path(profile).parts[:1] == (OWN_PROFILES,)
