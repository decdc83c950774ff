"""The command steadfast: runs the workflow and its tools in any folder (docs/elsewhere.md)."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from steadfast import __version__
from steadfast.base.names import quoted, suggestion
from steadfast.base.resources import facts
from steadfast.command.error_message import escape_unprintable

WORDS = facts("command.yaml")


class Command(NamedTuple):
    """A subcommand: its help, an example, its arguments, and its exit codes if they are special.

    Function ``main`` of the module of its name gets the parsed arguments. One that ``starts``
    Snakemake, which gets the arguments after ``--``, has its function in ``start``.
    """

    help: str
    example: str
    arguments: Mapping[str, Mapping[str, Any]] = {}
    codes: str = ""
    starts: bool = False

    @property
    def all_arguments(self) -> Mapping[str, Mapping[str, Any]]:
        """Its arguments, with those of all commands that start Snakemake if it does."""
        return {**(WORDS["workflow"] if self.starts else {}), **self.arguments}


COMMANDS = {name: Command(**command) for name, command in WORDS["commands"].items()}


class Parser(argparse.ArgumentParser):
    """A parser whose error message does not list all options."""

    def error(self, message: str) -> NoReturn:
        """Prints the message; exit code 2."""
        self.exit(2, f"{self.prog}: error: {message} ({self.prog} --help: all options)\n")


def existing_file(name: str) -> Path:
    """The path of an existing file; for others argparse prints the error message."""
    if not Path(name).is_file():
        raise argparse.ArgumentTypeError(f"{name}: no such file; name one that is there")
    return Path(name)


TYPES = {"file": existing_file, "path": Path, "int": int, "float": float}


def parser(paths: Mapping[str, Any] | None = None) -> argparse.ArgumentParser:
    """The parser of all subcommands; with ``paths``, how each shell completes a path."""
    formatter = argparse.RawDescriptionHelpFormatter
    command_parser = Parser(
        prog="steadfast",
        description="How well, and how stably, models follow instructions in long contexts.",
        epilog=WORDS["codes"],
        formatter_class=formatter,
    )
    command_parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    subparsers = command_parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, command in COMMANDS.items():
        note = f"\n{WORDS['passed_on']}" if command.starts else ""
        codes = f"\n\nexit codes: {command.codes}" if command.codes else ""
        subparser = subparsers.add_parser(
            name,
            help=command.help,
            description=f"steadfast {name} {command.help}.",
            epilog=f"example: steadfast {name} {command.example}{note}{codes}",
            formatter_class=formatter,
        )
        for argument, options in command.all_arguments.items():
            kind = options.get("type")
            typed = {**options, "type": TYPES[kind]} if kind else options
            action = subparser.add_argument(argument, **typed)
            if paths and kind in ("file", "path"):
                action.complete = paths  # type: ignore[attr-defined]
    return command_parser


def main(words: Sequence[str] | None = None) -> None:
    """Parses the command line, runs the command, and exits with its exit code."""
    words = list(sys.argv[1:] if words is None else words)
    escape_unprintable()
    snakemake_words: list[str] = []
    # Cut off here, since argparse would take what follows -- as positional arguments.
    if words and words[0] in COMMANDS and COMMANDS[words[0]].starts and "--" in words:
        separator = words.index("--")
        snakemake_words = words[separator + 1 :]
        words = words[:separator]
    command_parser = parser()
    # argparse would list all commands; the nearest name helps more.
    if words and not words[0].startswith("-") and words[0] not in COMMANDS:
        command_parser.error(
            f"unknown command {quoted(words[0])}; {suggestion(words[0], COMMANDS)}"
        )
    arguments, unknown = command_parser.parse_known_args(words)
    name = arguments.command
    command = COMMANDS[name]
    if unknown:
        advice = suggestion(unknown[0], command.all_arguments)
        command_parser.error(f"{name}: unknown {quoted(unknown[0])}; {advice}")
    # Snakemake takes --config once: a second one would replace that of --set without a word.
    if any(word.partition("=")[0] in ("--config", "-C") for word in snakemake_words):
        command_parser.error(f"{name}: write --set KEY=VALUE in place of --config behind --")
    arguments.snakemake = snakemake_words
    module = "start" if command.starts else name
    if name == "export" and (arguments.inspect or arguments.scores or arguments.hub):
        module = "export_run"
    sys.exit(import_module(f"steadfast.command.{module}").main(arguments))


if __name__ == "__main__":
    main()
