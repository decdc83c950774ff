"""The config with its defaults and without machine-specific keys, to be shared."""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import yaml

from steadfast.base.errors import UserError
from steadfast.base.files import Settings
from steadfast.base.provenance import Provenance
from steadfast.config.values import check_plain, dotted_key
from steadfast.contract.engine_names import BEHIND_APIS
from steadfast.contract.registry import families
from steadfast.schema.config import Config

# Sections of the config with settings of models.
MODEL_SECTIONS = ("models", "judges", "rewriters")
# Keys of a model that depend on the machine: addresses, commands, programs and a cluster.
OWN_TO_A_MACHINE = frozenset(
    {"base_url", "serve", "serve_operation_args", "python", "slurm", "engine_operation_args"}
)
# Environment variable of the key that is sent to a server; null in a portable config.
KEY = "api_key_env"
# Keys of models and datasets that are never paths, even if they begin with a slash.
PROSE = frozenset({"system", "label", "group", "title", "template", "pattern"})
TRUSTED = "trust_remote_code"
# The name of a class or function that an engine would import.
CODE = re.compile(r"[A-Za-z_]\w*((\.[A-Za-z_]\w*)+(:\w+)?|:\w+)", re.ASCII)
# Name of the config in the results folder.
CONFIG_FILE = "config.yaml"
HEADING = "# The config of these results, with its defaults: docs/config.md describes each key.\n"


def portable(config: Config) -> Settings:
    """All keys of a config, except machine-specific ones.

    Left out are addresses of servers, commands, programs, path variables and the names of
    variables with API keys. Of paths that lead out of the working directory, such as that of a
    checkpoint, only the last name is kept.

    Returns:
        Plain values, which are a valid config.
    """
    values = config.model_dump(mode="json", exclude={"pathvars"})
    for _, model in _models(values):
        for key in OWN_TO_A_MACHINE & model.keys():
            del model[key]
        if KEY in model:
            model[KEY] = None
    shortened: Settings = replace_strings(values, outside_paths(values))
    return shortened


def check_portable(raw: Settings) -> None:
    """Checks that another person's config is as ``portable`` leaves it, and so can do no harm.

    Args:
        raw: the content of its file, not yet checked.

    Raises:
        UserError: it would run a command, send an environment variable, or read or write outside
            the working directory; the sentence names the key.
    """
    check_plain(raw)
    key_paths: list[tuple[str, ...]] = [("pathvars",)] if raw.get("pathvars") else []
    key_paths += [key_path for key_path, _ in _paths_out(raw)]
    for key_path, model in _models(raw):
        key_paths += [(*key_path, key) for key in sorted(OWN_TO_A_MACHINE) if model.get(key)]
        # An API key is sent by default; only null prevents it.
        if str(model.get("engine")) in BEHIND_APIS and model.get(KEY, KEY) is not None:
            key_paths.append((*key_path, KEY))
    if key_paths:
        raise UserError(
            f"config: {dotted_key(key_paths[0])}: a shared config must not run programs, send API "
            "keys or name paths outside its folder; check why this key is there, then remove it"
        )


def foreign_code(raw: Settings) -> list[str]:
    """The keys of models by which a config makes an engine import and run code."""
    keys = []
    for model_path, model in _models(raw):
        for key_path, value in _leaves(model.get("engine_args"), (*model_path, "engine_args")):
            names_code = isinstance(value, str) and CODE.fullmatch(value)
            # trust_remote_code: code of the checkpoint itself.
            if names_code or (key_path[-1] == TRUSTED and value):
                keys.append(dotted_key(key_path))
    return keys


def _models(raw: Settings) -> Iterator[tuple[tuple[str, str], Any]]:
    """The settings of each model, judge and rewriter, with the keys that lead to them."""
    for kind in MODEL_SECTIONS:
        models = raw.get(kind)
        for name, model in models.items() if isinstance(models, Mapping) else ():
            if isinstance(model, Mapping):
                yield (kind, name), model


def outside_paths(value: Any) -> dict[str, str]:
    """The paths among plain values that lead out of the working directory, with their last names.

    >>> model = {"model": "/data/mine/", "system": "/no_think", "of": ["a/b", "../c"]}
    >>> outside_paths({"models": {"mine": model}})
    {'/data/mine/': 'mine', '../c': 'c'}
    """
    last_names = {}
    for _, text in _paths_out(value):
        # Only a drive decides: a backslash is an ordinary character of other systems' names.
        windows = PureWindowsPath(text)
        name = (windows if windows.drive else PurePosixPath(text)).name
        last_names[text] = "" if name == ".." else name
    return last_names


def _paths_out(value: Any) -> Iterator[tuple[tuple[str, ...], str]]:
    """The paths among plain values that lead out of the working directory, with their keys."""
    for key_path, text in _leaves(value):
        # Outside models and datasets, a key of such a name may be any of the user's own.
        prose = (
            len(key_path) == 3
            and key_path[0] in (*MODEL_SECTIONS, *families())
            and key_path[2] in PROSE
        )
        if isinstance(text, str) and not prose:
            windows = PureWindowsPath(text)
            if text.startswith(("/", "~")) or windows.drive or ".." in windows.parts:
                yield key_path, text


def _leaves(value: Any, key_path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """The scalars among plain values, with the keys to them; members of a list have its keys."""
    if isinstance(value, Mapping):
        for key, member in value.items():
            yield from _leaves(member, (*key_path, key))
    elif isinstance(value, list | tuple):
        for member in value:
            yield from _leaves(member, key_path)
    else:
        yield key_path, value


def replace_strings(value: Any, names: Mapping[str, str]) -> Any:
    """Plain values with some strings replaced, wherever one is an entire value."""
    if isinstance(value, Mapping):
        members = dict(value)
        for key, member in value.items():
            if not (key in PROSE and isinstance(member, str)):
                members[key] = replace_strings(member, names)
        return members
    if isinstance(value, list | tuple):
        return [replace_strings(member, names) for member in value]
    return names.get(value, value) if isinstance(value, str) else value


def as_yaml(config: Settings) -> str:
    """A config as YAML."""
    return HEADING + yaml.safe_dump(dict(config), sort_keys=False, allow_unicode=True)


def config_provenance(results: Path, benchmarks: Iterable[str]) -> Provenance:
    """The provenance of the config in a results folder, with the current metrics as its inputs.

    It reveals a config that was edited, and metrics that another config made.
    """
    inputs: list[Path] = []
    for name in benchmarks:
        metrics = results / name / "metrics/provenance.json"
        if metrics.is_file():
            inputs.append(metrics)
    return Provenance.beside(results / CONFIG_FILE, "", inputs=tuple(inputs), results=results)
