"""Writes config/schema.json, by which editors complete keys and show their descriptions."""

import json
from typing import Any

from steadfast.base.files import Record
from steadfast.base.resources import HOME
from steadfast.config.load import config_model
from steadfast.contract.registry import installed

DIALECT = "https://json-schema.org/draft/2020-12/schema"
# Its path, in a clone and in an installation.
PATH = HOME / "config/schema.json"


def json_schema() -> Record:
    """The config's schema as JSON Schema, without the constraints between keys."""
    schema = config_model(frozenset(installed())).model_json_schema()
    benchmarks = schema["properties"]["benchmarks"]
    # Any string too: names under datasets are known from the config alone.
    benchmarks["items"] = {"anyOf": [benchmarks["items"], {"type": "string"}]}
    return {"$schema": DIALECT, **_plain(schema), "title": "A config of steadfast"}


def _plain(value: Any) -> Any:
    """The same without generated titles, which editors would show before each description."""
    if isinstance(value, list):
        return [_plain(member) for member in value]
    if not isinstance(value, dict):
        return value
    members = {}
    for name, member in value.items():
        # A title that is no string is a key of the config with that name.
        if name != "title" or not isinstance(member, str):
            members[name] = _plain(member)
    return members


if __name__ == "__main__":
    print(json.dumps(json_schema(), indent=1, ensure_ascii=False))
