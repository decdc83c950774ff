"""Prints a shell's completion script: steadfast completion bash (docs/elsewhere.md)."""

from argparse import Action, ArgumentParser, Namespace, _SubParsersAction
from collections.abc import Iterator
from pathlib import Path

import shtab

from steadfast.command.main import existing_file, parser


def main(arguments: Namespace) -> None:
    """Prints the script of a shell."""
    command_parser = parser()
    for action in _actions(command_parser):
        if action.type in (Path, existing_file):
            action.complete = shtab.FILE  # type: ignore[attr-defined]
    print(shtab.complete(command_parser, shell=arguments.shell))


def _actions(command_parser: ArgumentParser) -> Iterator[Action]:
    """The arguments of a parser and of the parsers of its subcommands."""
    for action in command_parser._actions:  # argparse has no public list of them
        if isinstance(action, _SubParsersAction):
            for subparser in action.choices.values():
                yield from _actions(subparser)
        else:
            yield action
