"""Writes a config by flags or by questions: steadfast init my.yaml (docs/quickstart.md)."""

import re
import sys
from argparse import ArgumentTypeError, Namespace
from typing import Any, get_args

from steadfast.base.errors import UserError
from steadfast.base.files import Record
from steadfast.base.names import visible
from steadfast.command.main import main as steadfast
from steadfast.command.questions import NO_KEY, OPENAI_KEY, QUESTIONS, InitQuestion, sections
from steadfast.command.says_why import says_why
from steadfast.config.commented import commented
from steadfast.config.json_schema import PATH as SCHEMA
from steadfast.config.load import load_config
from steadfast.contract.registry import benchmarks_of

HEAD = f"""# yaml-language-server: $schema={SCHEMA.as_uri()}
# Made by steadfast init. Change what you like: an unknown key is an error with a hint.
"""
RELEASED = "released"
DATA_KEYS = ("source", "contexts", "expressions")
"""Keys of benchmarks' sections that say whose data is asked."""


def main(given: Namespace) -> None:
    """Writes the config, unless it is there, and goes on as the plan of it."""
    with says_why(given.config):
        if given.config.exists():
            raise UserError(f"{given.config}: it is there already; name a file that is not")
        try:
            complete(given)
        except (EOFError, KeyboardInterrupt):
            sys.exit("\nnothing is written")
        text = HEAD + commented(with_floor(config(given)))
        try:
            with open(given.config, "x", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            raise UserError(
                f"{given.config}: {error.strerror}; name a file that can be written"
            ) from None
    named = visible(str(given.config))
    fetched = "; the published data is fetched for it" if given.data == RELEASED else ""
    print(
        f"{named} is written. steadfast trial {named} asks a few prompts. First its plan{fetched}:"
    )
    sys.stdout.flush()
    steadfast(["plan", str(given.config)])


def complete(given: Namespace) -> None:
    """Answers what the command line leaves open: with questions on a terminal where it names no
    model, else with defaults."""
    talks = sys.stdin.isatty() and given.model is None
    for question in QUESTIONS:
        stated = getattr(given, question.key)
        if not question.asked(given):
            if stated is not None:
                raise UserError(f"--{question.name} says nothing for this config; leave it out")
        elif stated is None:
            answer = ask(question, given) if talks else question.default(given)
            if answer is None and question.required(given):
                raise UserError(f"--{question.name} is missing: {question.text}")
            setattr(given, question.key, answer)


def ask(question: InitQuestion, given: Namespace) -> Any:
    """Asks until there is an answer; none means the default."""
    default = question.default(given)
    listed = default if isinstance(default, list) else ["left out" if default is None else default]
    words = " ".join(one[0] if isinstance(one, tuple) else str(one) for one in listed)
    shown = "" if default is None and question.required(given) else f" [{words}]"
    while True:
        typed = input(f"{question.text}{shown}: ")
        if not typed.strip() and (default is not None or not question.required(given)):
            return default
        try:
            return question.read(typed)
        except (ArgumentTypeError, ValueError) as error:
            print(visible(f"  {error}"))


def config(given: Namespace) -> Record:
    """What was answered, as keys of a config."""
    found: Record = {"benchmarks": given.benchmarks}
    for name, section in sections(given).items():
        keys: Record = {}
        fields = section.model_fields
        if given.data == RELEASED:
            of_data = [key for key in DATA_KEYS if key in fields]
            keys = {k: RELEASED for k in of_data if RELEASED in get_args(fields[k].annotation)}
        if "lengths" in fields:
            keys["lengths"] = dict(given.lengths)
        found |= {name: keys} if keys else {}
    if given.judge:
        judge = server(given.judge, given.judge_url, NO_KEY if given.judge_url else OPENAI_KEY)
        found["judges"] = {short(given.judge): {"engine": "openai", **judge}}
    return {**found, "models": {short(given.model): model(given)}}


def model(given: Namespace) -> Record:
    """The keys of the model."""
    found: Record = {"engine": given.engine, "model": given.model}
    if given.engine == "openai":
        found |= server(given.model, given.base_url, given.key_variable)
    if given.window:
        found |= {"window": given.window, "on_overflow": "truncate"}
    if given.price:
        found["price"] = dict(zip(("input", "output"), given.price, strict=True))
    return found | ({"max_spend": given.max_spend} if given.max_spend else {})


def server(model: str, url: str | None, key_variable: str) -> Record:
    """The keys of a model that a server answers for."""
    key = None if key_variable == NO_KEY else key_variable
    return {"model": model, **({"base_url": url} if url else {}), "api_key_env": key}


def short(model: str) -> str:
    """A model's name in files, from that at its server or on the hub."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", model.rstrip("/").rsplit("/")[-1]).lstrip("._-")
    return "model-" + name if not name or name.startswith("sim-") or name == "floor" else name


def with_floor(raw: Record) -> Record:
    """A config with the floor reader beside its models, where a benchmark has one."""
    config = load_config(raw)
    chosen = (benchmarks_of(config)[name] for name in config.benchmarks)
    floor = {"floor": {"engine": "floor"}} if any(one.of(config).floor for one in chosen) else {}
    return {**raw, "models": {**raw["models"], **floor}}
