"""config/schema.json from the schema: an editor completes keys by it, and shows what each is."""

import json
from typing import Any

from steadfast.base.files import Record
from steadfast.base.resources import HOME
from steadfast.config.load import config_model
from steadfast.contract.registry import installed

DIALECT = "https://json-schema.org/draft/2020-12/schema"
PATH = HOME / "config/schema.json"
"""Where it stands, in a clone and in an installation."""


def json_schema() -> Record:
    """The config's schema as JSON Schema; what keys say of each other stands in no such schema."""
    found = config_model(frozenset(installed())).model_json_schema()
    chosen = found["properties"]["benchmarks"]
    chosen["items"] = {"anyOf": [chosen["items"], {"type": "string"}]}  # names under datasets
    return {"$schema": DIALECT, **_plain(found), "title": "A config of steadfast"}


def _plain(value: Any) -> Any:
    """The same without generated titles, which hovers would show before each description."""
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if not isinstance(value, dict):
        return value
    kept = (name for name in value if not (name == "title" and isinstance(value[name], str)))
    return {name: _plain(value[name]) for name in kept}


if __name__ == "__main__":
    print(json.dumps(json_schema(), indent=1, ensure_ascii=False))
