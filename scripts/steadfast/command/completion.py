"""Prints what has a shell complete the command: steadfast completion bash (docs/elsewhere.md)."""

from argparse import Action, ArgumentParser, Namespace, _SubParsersAction
from collections.abc import Iterator
from pathlib import Path

import shtab

from steadfast.command.main import is_there, parser


def main(given: Namespace) -> None:
    """Prints the script of a shell."""
    command_parser = parser()
    for action in _actions(command_parser):
        if action.type in (Path, is_there):
            action.complete = shtab.FILE  # type: ignore[attr-defined]
    print(shtab.complete(command_parser, shell=given.shell))


def _actions(of: ArgumentParser) -> Iterator[Action]:
    for action in of._actions:
        if isinstance(action, _SubParsersAction):
            for below in action.choices.values():
                yield from _actions(below)
        else:
            yield action
