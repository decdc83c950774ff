"""Writes a config for a model: steadfast init my.yaml --model NAME (docs/elsewhere.md)."""

import json
import re
import sys
from argparse import Namespace

import yaml

from steadfast.base.errors import UserError
from steadfast.base.files import Record
from steadfast.base.names import visible
from steadfast.base.resources import HOME
from steadfast.command.error_message import errors_as_messages
from steadfast.command.main import main as steadfast
from steadfast.config.json_schema import PATH as SCHEMA
from steadfast.config.load import load_config

TEMPLATE = HOME / "config/my.example.yaml"
NAME = "my-model"
"""The model's name in the template."""
KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "gemini": "GEMINI_API_KEY"}
"""The variable that holds the key of each engine behind an API, where none is named."""
NO_KEY = "none"
MODEL_LINE = re.compile(r'^( +)model: ("(?:[^"\\]|\\.)*").*', re.MULTILINE)
"""The line of a filled template that names the model, in JSON; its comment is of no file."""


def main(given: Namespace) -> None:
    """Writes the config, unless it is there, and goes on as the plan of it."""
    with errors_as_messages(given.config):
        template = TEMPLATE.read_text(encoding="utf-8")
        text = filled(template, values(given, yaml.safe_load(template)))
        if given.engine == "replay":
            text = MODEL_LINE.sub(r"\1file: \2", text, count=1)
        text = re.sub("schema=.*", lambda _: f"schema={SCHEMA.as_uri()}", text, count=1)
        text = text.replace(f"  {NAME}:\n", f"  {json.dumps(short(given.model, given.engine))}:\n")
        load_config(yaml.safe_load(text))
        try:
            with open(given.config, "x", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            raise UserError(
                f"{given.config}: cannot be created ({error.strerror}); name a new file in a "
                "writable folder"
            ) from None
    named = visible(str(given.config))
    print(f"Wrote {named}. Try it with a few prompts: steadfast trial {named}. Its plan:")
    sys.stdout.flush()
    steadfast(["plan", str(given.config)])


def values(given: Namespace, template: Record) -> Record:
    """What the options say, by the keys of the template.

    Lengths are those that the window holds, the shortest at least.
    """
    keys: Record = {"engine": given.engine, "model": given.model}
    if given.engine in KEYS:
        has_no_key = given.engine == "openai" and given.base_url
        key = given.key_variable or (NO_KEY if has_no_key else KEYS[given.engine])
        keys |= {"base_url": given.base_url} if given.base_url else {}
        keys["api_key_env"] = None if key == NO_KEY else key
    lengths = template["lifbench"]["lengths"]
    if given.window:
        keys["window"] = given.window
        longest = max(given.window, min(lengths.values()) + 1)
        lengths = {name: size for name, size in lengths.items() if size < longest}
    keys["lengths"] = lengths
    if given.data == "synthetic":
        keys |= {"contexts": "nested", "expressions": "own"}
    return keys


def filled(template: str, keys: Record) -> str:
    """Returns the template with other values of some keys, also of those in a comment there."""
    for key, value in keys.items():
        line = re.compile(rf"^( +)(?:# )?{key}: (\{{.*\}}|\S+)", re.MULTILINE)
        (match,) = line.finditer(template)
        text = f"{match[1]}{key}: {json.dumps(value, ensure_ascii=False)}"  # JSON is YAML, too
        template = template[: match.start()] + text + template[match.end() :]
    return template


def short(model: str, engine: str) -> str:
    """A model's name in files, from that at its server or on the hub, or of its file."""
    if engine == "replay":
        model = model.removesuffix(".jsonl")
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", model.rstrip("/").rsplit("/")[-1]).lstrip("._-")
    return "model-" + name if not name or name.startswith("sim-") or name == "baseline" else name
