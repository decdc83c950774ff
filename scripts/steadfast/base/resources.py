"""Data files that come with the package: facts, templates, vocabularies.

Name them by constants (``facts("show.yaml")``): a rule depends on those that its modules
name (``steadfast.jobs.digests``).
"""

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

from steadfast.base.errors import UserError

PACKAGE = Path(__file__).resolve().parents[1]
HOME = PACKAGE.parents[1]
"""Folder of Snakefile, rules, config, profiles and resources: of a checkout, or of an installation,
which holds the same tree."""
INSTALLED = "steadfast_workflow"
"""Name of that folder in an installation (pyproject.toml)."""
ROOT = HOME / "resources"
# libyaml's parser is nine times as fast as Python's, and every job reads facts.
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
PREFIX = "resource:"
"""Before the name of a packaged file, where a file of the user's may stand instead."""


def resource(name: str, package: str = "") -> Path:
    """Returns the path of packaged data, below ``resources`` or a benchmark's own package."""
    return Path(str(files(package))) / name if package else ROOT / name


@cache
def facts(name: str, package: str = "") -> Any:
    """The content of a YAML file, or of each in a folder by its stem; not to be changed."""
    path = resource(name, package)
    if path.is_dir():
        return {file.stem: _content(file) for file in sorted(path.glob("*.yaml"))}
    return _content(path)


def _content(path: Path) -> Any:
    return yaml.load(path.read_text(encoding="utf-8"), LOADER)


def located(path: str) -> Path:
    """Returns the path of a user's file, or of a packaged one whose name follows ``resource:``,
    with a colon between package and file where it is another package's than this one."""
    if not path.startswith(PREFIX):
        return Path(path)
    package, _, name = path.removeprefix(PREFIX).rpartition(":")
    file = resource(name, package)
    if not file.exists():
        advice = "write it, or correct the name" if package else "reinstall steadfast"
        raise UserError(f"{path}: no such file in package {package or 'steadfast'}; {advice}")
    return file
