"""Data files of the package: facts, templates, vocabularies.

Name them by literals (``facts("show.yaml")``): a rule's digest includes those that its modules name
(``steadfast.jobs.digests``).
"""

from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

from steadfast.base.errors import UserError

PACKAGE = Path(__file__).resolve().parents[1]
# Folder of Snakefile, rules, config, profiles and resources: a checkout, or an installation with
# the same tree.
HOME = PACKAGE.parents[1]
# Name of that folder in an installation (pyproject.toml).
INSTALLED = "steadfast_workflow"
ROOT = HOME / "resources"
# libyaml's parser is nine times as fast as Python's, and every job reads facts.
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# Prefix of a packaged file's name, where a path to the user's file is possible too.
PREFIX = "resource:"


def resource(name: str, package: str = "") -> Path:
    """The path of packaged data, below ``resources`` or in a benchmark's own package."""
    return Path(str(files(package))) / name if package else ROOT / name


@cache
def facts(name: str, package: str = "") -> Any:
    """The content of a YAML file, or of a folder's YAML files by stem; not to be changed."""
    path = resource(name, package)
    if path.is_dir():
        return {file.stem: _content(file) for file in sorted(path.glob("*.yaml"))}
    return _content(path)


def _content(path: Path) -> Any:
    return yaml.load(path.read_text(encoding="utf-8"), LOADER)


def resolve_path(path: str) -> Path:
    """The path of a user's file, or of a packaged one: ``resource:FILE``, or
    ``resource:PACKAGE:FILE`` for another package."""
    if not path.startswith(PREFIX):
        return Path(path)
    package, _, name = path.removeprefix(PREFIX).rpartition(":")
    file = resource(name, package)
    if not file.exists():
        advice = "write it, or correct the name" if package else "reinstall steadfast"
        raise UserError(f"{path}: no such file in package {package or 'steadfast'}; {advice}")
    return file
