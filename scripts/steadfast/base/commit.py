"""The workflow's commit, according to git."""

import os
import subprocess

from steadfast.base.errors import TemporaryError
from steadfast.base.resources import HOME, INSTALLED, PACKAGE

TRIES = 3
NO_REPOSITORY = ("not a git repository", "dubious ownership")


def git_output(*arguments: str) -> str | None:
    """The output of a git command in the workflow's folder; None outside git, or without git."""
    if HOME.name == INSTALLED:  # an environment may be within another repository
        return None
    environment = os.environ | {"LC_ALL": "C"}  # its messages are compared below
    for _ in range(TRIES):
        try:
            process = subprocess.run(
                ["git", *arguments],
                cwd=PACKAGE,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
        except FileNotFoundError:
            return None
        if process.returncode == 0:
            return process.stdout.strip() or None
        if any(words in process.stderr for words in NO_REPOSITORY):
            return None
    if process.returncode > 0:  # as in a repository without a commit
        return None
    raise TemporaryError(
        "git was killed before it returned the workflow's commit; check the memory, then run again"
    )


def current_commit() -> str | None:
    """The commit, with a + where files differ from it; None as ``git_output``."""
    return git_output("describe", "--always", "--abbrev=40", "--exclude=*", "--dirty=+")
