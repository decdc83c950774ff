"""Prints a shell's completion script: steadfast completion bash (docs/elsewhere.md)."""

from argparse import Namespace

import shtab

from steadfast.command.main import parser


def main(arguments: Namespace) -> None:
    """Prints the script of a shell."""
    print(shtab.complete(parser(shtab.FILE), shell=arguments.shell))
