"""Writes a config for a model: steadfast init my.yaml --model NAME (docs/elsewhere.md)."""

import json
import re
import sys
from argparse import Namespace

import yaml

from steadfast.base.errors import UserError
from steadfast.base.files import Record
from steadfast.base.names import escape_hidden
from steadfast.base.resources import HOME
from steadfast.command.error_message import errors_as_messages
from steadfast.command.main import main as steadfast
from steadfast.config.json_schema import PATH as SCHEMA
from steadfast.config.load import load_config

TEMPLATE = HOME / "config/my.example.yaml"
# The model's name in the template.
NAME = "my-model"
# The default variable with the API key of each engine behind an API.
KEYS = {"openai": "OPENAI_API_KEY", "anthropic": "ANTHROPIC_API_KEY", "gemini": "GEMINI_API_KEY"}
NO_KEY = "none"
# The line of a filled template that names the model, in JSON, with its comment.
MODEL_LINE = re.compile(r'^( +)model: ("(?:[^"\\]|\\.)*").*', re.MULTILINE)


def main(arguments: Namespace) -> None:
    """Writes the config, unless it exists, and continues as ``steadfast plan`` with it."""
    with errors_as_messages(arguments.config):
        template = TEMPLATE.read_text(encoding="utf-8")
        text = fill_template(template, values(arguments, yaml.safe_load(template)))
        if arguments.engine == "replay":
            text = MODEL_LINE.sub(r"\1file: \2", text, count=1)
        # A function, since backslashes in a replacement string would be read as escapes.
        text = re.sub("schema=.*", lambda _: f"schema={SCHEMA.as_uri()}", text, count=1)
        name = json.dumps(short_name(arguments.model, arguments.engine))
        text = text.replace(f"  {NAME}:\n", f"  {name}:\n")
        load_config(yaml.safe_load(text))  # refuses bad options before a file is written
        try:
            with open(arguments.config, "x", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            raise UserError(
                f"{arguments.config}: cannot be created ({error.strerror}); name a new file in a "
                "writable folder"
            ) from None
    path = escape_hidden(str(arguments.config))
    print(f"Wrote {path}. Try it with a few prompts: steadfast trial {path}. Its plan:")
    sys.stdout.flush()  # the plan replaces this process, and what it has not written
    steadfast(["plan", str(arguments.config)])


def values(arguments: Namespace, template: Record) -> Record:
    """The values of the options by keys of the template, and all lengths that fit the window.

    The shortest length is always among them.
    """
    keys: Record = {"engine": arguments.engine, "model": arguments.model}
    if arguments.engine in KEYS:
        # A local server with the OpenAI API, such as vLLM's, needs no key by default.
        own_server = arguments.engine == "openai" and arguments.base_url
        variable = arguments.key_variable or (NO_KEY if own_server else KEYS[arguments.engine])
        if arguments.base_url:
            keys["base_url"] = arguments.base_url
        keys["api_key_env"] = None if variable == NO_KEY else variable
    lengths = template["lifbench"]["lengths"]
    if arguments.window:
        keys["window"] = arguments.window
        longest = max(arguments.window, min(lengths.values()) + 1)
        lengths = {name: size for name, size in lengths.items() if size < longest}
    keys["lengths"] = lengths
    if arguments.data == "synthetic":
        keys |= {"contexts": "nested", "expressions": "own"}
    return keys


def fill_template(template: str, keys: Record) -> str:
    """The template with other values of some keys; those that are commented out are included."""
    for key, value in keys.items():
        line = re.compile(rf"^( +)(?:# )?{key}: (\{{.*\}}|\S+)", re.MULTILINE)
        (match,) = line.finditer(template)
        text = f"{match[1]}{key}: {json.dumps(value, ensure_ascii=False)}"  # JSON is YAML, too
        template = template[: match.start()] + text + template[match.end() :]
    return template


def short_name(model: str, engine: str) -> str:
    """A model's name in the config, from its name at the server or hub, or from its file."""
    if engine == "replay":
        model = model.removesuffix(".jsonl")
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", model.rstrip("/").rsplit("/")[-1]).lstrip("._-")
    return "model-" + name if not name or name.startswith("sim-") or name == "baseline" else name
