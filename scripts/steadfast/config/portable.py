"""The config with its defaults written back, as it may travel to another machine."""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any

import yaml

from steadfast.files import Settings
from steadfast.schema.config import Config

OWN_TO_A_MACHINE = frozenset({"base_url", "engine_operation_args"})
"""Keys of a model that are left out: they say how a machine reaches it, and change no answer."""
PROSE = frozenset({"system", "label", "group"})
"""Keys that hold no path, whatever they begin with."""
CONFIG_FILE = "config.yaml"
"""Its name in the folder of all results, where it is that of the tables."""
HEADING = (
    "# The config of these results, with its defaults: docs/config.md says what each key is.\n"
)


def portable(config: Config) -> Settings:
    """All keys of a config, without what is one machine's own.

    Addresses of servers and path variables are left out; of absolute paths, such as that of a
    checkpoint, the last name remains. No key of an API is in a config.

    Returns:
        Plain values, which are a config again.
    """
    found = config.model_dump(mode="json", exclude={"pathvars"})
    for kind in ("models", "judges", "rewriters"):
        found[kind] = {
            name: {key: value for key, value in model.items() if key not in OWN_TO_A_MACHINE}
            for name, model in found[kind].items()
        }
    names = dict(absolute_paths(found))
    shortened: Settings = replaced(found, names)
    return shortened


def absolute_paths(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """The absolute paths among plain values, and the last name of each.

    Example:
        >>> list(absolute_paths({"model": "/data/mine/", "system": "/no_think", "of": ["a/b"]}))
        [('/data/mine/', 'mine')]
    """
    if isinstance(value, Mapping):
        for name, one in value.items():
            yield from absolute_paths(one, name)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from absolute_paths(one, key)
    elif isinstance(value, str) and key not in PROSE:
        windows = PureWindowsPath(value)
        if value.startswith(("/", "~")):
            yield value, PurePosixPath(value).name
        elif windows.drive:
            yield value, windows.name


def replaced(value: Any, names: Mapping[str, str]) -> Any:
    """Plain values with some texts replaced by others, wherever one is a whole value."""
    if isinstance(value, Mapping):
        return {key: one if key in PROSE else replaced(one, names) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [replaced(one, names) for one in value]
    return names.get(value, value) if isinstance(value, str) else value


def as_yaml(config: Settings) -> str:
    """A config's text."""
    return HEADING + yaml.safe_dump(dict(config), sort_keys=False, allow_unicode=True)
