"""The config with its defaults written back, as it may travel to another machine."""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import yaml

from steadfast.base.errors import UserError
from steadfast.base.files import Settings
from steadfast.base.provenance import Provenance
from steadfast.config.values import check_plain, dotted
from steadfast.contract.engine_names import BEHIND_APIS
from steadfast.contract.registry import families
from steadfast.schema.config import Config

ASKED = ("models", "judges", "rewriters")
"""Sections of the config with settings of models."""
OWN_TO_A_MACHINE = frozenset(
    {"base_url", "serve", "serve_operation_args", "python", "slurm", "engine_operation_args"}
)
"""Keys of a model by which a machine reaches it: addresses, commands, programs and a cluster."""
KEY = "api_key_env"
"""Which variable of the environment is sent to a server; null in a portable config."""
PROSE = frozenset({"system", "label", "group", "title", "template", "pattern"})
"""Keys of models and data sets that hold no path, whatever they begin with."""
TRUSTED = "trust_remote_code"
CODE = re.compile(r"[A-Za-z_]\w*((\.[A-Za-z_]\w*)+(:\w+)?|:\w+)", re.ASCII)
"""The name of a class or function, which an engine would import."""
CONFIG_FILE = "config.yaml"
"""Its name in the folder of all results, where it is that of the tables."""
HEADING = (
    "# The config of these results, with its defaults: docs/config.md says what each key is.\n"
)


def portable(config: Config) -> Settings:
    """All keys of a config, without what is one machine's own.

    Left out are addresses of servers, commands, programs and path variables; no variable with a
    key is named. Of paths that lead out of the working directory, such as that of a checkpoint,
    the last name remains.

    Returns:
        Plain values, which are a config again.
    """
    kept = config.model_dump(mode="json", exclude={"pathvars"})
    for kind in ASKED:
        for model in kept[kind].values():
            for key in OWN_TO_A_MACHINE & model.keys():
                del model[key]
            if KEY in model:
                model[KEY] = None
    shortened: Settings = replaced(kept, outside_paths(kept))
    return shortened


def check_portable(raw: Settings) -> None:
    """Whether a config of somebody else's is as ``portable`` leaves it, so that it can do no harm.

    Args:
        raw: what was read from its file; nothing of it has been checked.

    Raises:
        UserError: it would run a command, send a variable of the environment, or read or write
            outside the working directory; the sentence names the key.
    """
    check_plain(raw)
    places: list[tuple[str, ...]] = [("pathvars",)] if raw.get("pathvars") else []
    places += [place for place, text in _texts(raw) if _leads_out(text)]
    for kind in ASKED:
        models = raw.get(kind)
        for name, model in models.items() if isinstance(models, Mapping) else ():
            if isinstance(model, Mapping):
                places += [(kind, name, key) for key in sorted(OWN_TO_A_MACHINE) if model.get(key)]
                # By default a key is sent, so that null has to stand there.
                sends = str(model.get("engine")) in BEHIND_APIS and model.get(KEY, KEY) is not None
                places += [(kind, name, KEY)] if sends else []
    if places:
        raise UserError(
            f"config: {dotted(places[0])}: it would run a program, send a key, or lead out of the "
            "folder, which a config that travels never does; take it out, once you know why it is "
            "there"
        )


def foreign_code(raw: Settings) -> list[str]:
    """The keys of models by which a config has an engine run code that it names."""
    found = []
    for kind in ASKED:
        for name, model in raw.get(kind, {}).items():
            for place, value in _leaves(model.get("engine_args"), (kind, name, "engine_args")):
                named = isinstance(value, str) and CODE.fullmatch(value)
                if named or (place[-1] == TRUSTED and value):
                    found.append(dotted(place))
    return found


def outside_paths(value: Any) -> dict[str, str]:
    """The paths among plain values that lead out of the working directory: the last name of each.

    >>> model = {"model": "/data/mine/", "system": "/no_think", "of": ["a/b", "../c"]}
    >>> outside_paths({"models": {"mine": model}})
    {'/data/mine/': 'mine', '../c': 'c'}
    """
    found = {}
    for _, text in _texts(value):
        if _leads_out(text):
            windows = PureWindowsPath(text)
            name = (windows if windows.drive else PurePosixPath(text)).name
            found[text] = "" if name == ".." else name
    return found


def _leads_out(text: str) -> bool:
    return (
        text.startswith(("/", "~"))
        or bool(PureWindowsPath(text).drive)
        or ".." in PureWindowsPath(text).parts
    )


def _texts(value: Any) -> Iterator[tuple[tuple[str, ...], str]]:
    """The texts among plain values that may be paths, and their places."""
    for place, one in _leaves(value):
        # Elsewhere than of a model or of what a config itself names, such a key is the user's.
        prose = len(place) == 3 and place[0] in (*ASKED, *families()) and place[2] in PROSE
        if isinstance(one, str) and not prose:
            yield place, one


def _leaves(value: Any, place: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """What is neither mapping nor list among plain values; members of a list are at its place."""
    if isinstance(value, Mapping):
        for key, one in value.items():
            yield from _leaves(one, (*place, key))
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _leaves(one, place)
    else:
        yield place, value


def replaced(value: Any, names: Mapping[str, str]) -> Any:
    """Plain values with some texts replaced by others, wherever one is a whole value."""
    if isinstance(value, Mapping):
        prose = {key for key, one in value.items() if key in PROSE and isinstance(one, str)}
        return {k: one if k in prose else replaced(one, names) for k, one in value.items()}
    if isinstance(value, list | tuple):
        return [replaced(one, names) for one in value]
    return names.get(value, value) if isinstance(value, str) else value


def as_yaml(config: Settings) -> str:
    """A config's text."""
    return HEADING + yaml.safe_dump(dict(config), sort_keys=False, allow_unicode=True)


def config_provenance(results: Path, benchmarks: Iterable[str]) -> Provenance:
    """The provenance of the config beside the results of these benchmarks: of their metrics as they are.

    So a config that somebody changed, or beside which another config made metrics, is noticed.
    """
    metrics = (results / name / "metrics/provenance.json" for name in benchmarks)
    inputs = tuple(provenance for provenance in metrics if provenance.is_file())
    return Provenance.beside(results / CONFIG_FILE, "", inputs=inputs, results=results)
