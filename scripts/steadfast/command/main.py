"""The command steadfast: runs the workflow and its tools in any folder (docs/elsewhere.md)."""

import argparse
import sys
from collections.abc import Sequence
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from steadfast import __version__
from steadfast.base.names import nearest, shown
from steadfast.command.error_message import take_any_text

# What ``ArgumentParser.add_argument`` takes.
Argument = tuple[Sequence[str], dict[str, Any]]


class Command(NamedTuple):
    """A subcommand: its help, an example, its arguments, and its exit codes if they are special.

    Function ``main`` of the module of its name, or of ``start``, gets the parsed arguments.
    """

    help: str
    example: str
    arguments: Sequence[Argument]
    codes: str = ""

    @property
    def starts(self) -> bool:
        """Whether it starts Snakemake, which gets the arguments after ``--``."""
        return self.arguments[: len(WORKFLOW)] == WORKFLOW


class Parser(argparse.ArgumentParser):
    """A parser whose error message does not list all options."""

    def error(self, message: str) -> NoReturn:
        """Prints the message; exit code 2."""
        self.exit(2, f"{self.prog}: error: {message} ({self.prog} --help: all options)\n")


def argument(*names: str, **options: Any) -> Argument:
    """One argument of a subcommand."""
    return names, options


def existing_file(name: str) -> Path:
    """The path of an existing file; for others argparse prints the error message."""
    if not Path(name).is_file():
        raise argparse.ArgumentTypeError(f"{name}: no such file; name one that is there")
    return Path(name)


CONFIG = argument(
    "config",
    nargs="?",
    type=existing_file,
    metavar="CONFIG",
    help="a config file; else config/config.yaml of the folder, or the project's own",
)
PROFILE = argument(
    "--profile",
    action="append",
    default=[],
    metavar="NAME",
    help="a profile of Snakemake, such as profiles/slurm or one of your site; repeatable",
)
# The arguments of all commands that start Snakemake; its own options follow ``--``.
WORKFLOW = (
    CONFIG,
    argument("--cores", metavar="N", help="use at most so many cores"),
    argument("--directory", metavar="DIR", help="work in this folder; else in the one you are in"),
    PROFILE,
    argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a key of the config, changed for this time; repeatable",
    ),
)
# The arguments of commands that compare two runs.
TWO_RUNS = (
    argument("a", type=Path, metavar="A", help="results folder of run A; gate takes bundles too"),
    argument("b", type=Path, metavar="B", help="results folder of run B"),
    argument("--config", type=existing_file, help="config of a folder that does not hold its own"),
)
INIT = (
    argument("config", type=Path, metavar="CONFIG", help="a file that is not there yet"),
    argument(
        "--model",
        required=True,
        help="its name at the server or hub, or its directory; of replay, the file of responses",
    ),
    argument(
        "--engine",
        choices=("openai", "anthropic", "gemini", "vllm", "replay"),
        default="openai",
        help="openai: an OpenAI-compatible API (default); anthropic, gemini: the provider's own; "
        "vllm: a checkpoint, on GPUs here; replay: a file of responses that are there already",
    ),
    argument(
        "--base-url",
        metavar="URL",
        help="the server's address, of openai with /v1; else the provider's own",
    ),
    argument(
        "--key-variable",
        metavar="VARIABLE",
        help="environment variable that holds the server's key; none: it needs no key",
    ),
    argument("--window", type=int, metavar="TOKENS", help="most tokens of prompt and answer"),
    argument(
        "--data",
        choices=("released", "synthetic"),
        default="released",
        help="released: what the paper asked, fetched once (default); synthetic: made here",
    ),
)
ANSWERS = argument(
    "--number", type=int, default=150, metavar="N", help="answers of each benchmark: %(default)s"
)
LIMIT = argument(
    "--limit", type=int, default=2, metavar="N", help="prompts of each task: %(default)s"
)
LOGS = argument(
    "--inspect",
    action="store_true",
    help="write a finished run as logs of Inspect instead, to results/inspect",
)
SCORES = argument(
    "--scores",
    action="store_true",
    help="write a finished run's scores as one table instead, to results/scores.csv",
)
HUB = argument(
    "--hub",
    action="append",
    metavar="BENCHMARK=OWNER/NAME",
    help="write a finished run's results of a benchmark for model cards of the Hugging Face hub, "
    "to results/hub; OWNER/NAME is the benchmark's data set there; repeatable",
)
MARGIN = argument(
    "--margin", type=float, default=0.02, help="by what share of full marks B may be worse"
)
STRICT = argument(
    "--strict",
    action="store_true",
    help="pass only where a failure of all contexts not sampled stays within the margin",
)
COMMANDS = {
    "init": Command(
        "writes a commented config for a model, and plans it",
        "my.yaml --model my-model --base-url http://localhost:8000/v1",
        INIT,
    ),
    "run": Command(
        "runs the workflow: tables, figures and the HTML report", "my.yaml --cores 4", WORKFLOW
    ),
    "trial": Command(
        "runs it with a few prompts of each task; all tables say so",
        "my.yaml --limit 2",
        (*WORKFLOW, LIMIT),
    ),
    "plan": Command(
        "says what a run would take: requests, tokens, hours, cost; nothing is sent",
        "my.yaml",
        WORKFLOW,
    ),
    "doctor": Command(
        "says what a config needs of this machine, and what is missing",
        "my.yaml --profile profiles/slurm",
        (CONFIG, PROFILE, argument("--offline", action="store_true", help="ask no network")),
        "0 nothing is missing; 1 something is missing, and is named; 2 the command line is wrong",
    ),
    "show": Command(
        "prints everything about one sample",
        "LSI/list-4k-s1/e1/v1 my.yaml --model my-model",
        (
            argument("sample", help="sample_id, as prompts have it; examples: one of each task"),
            CONFIG,
            argument("--model", help="one model's answers; else those of all"),
        ),
    ),
    "html_report": Command(
        "makes the HTML report alone, one file for a browser", "my.yaml", WORKFLOW
    ),
    "compare": Command(
        "says what differs between two runs",
        "results other/results --out differences",
        (
            *TWO_RUNS,
            argument("--out", type=Path, help="folder for everything as CSV files"),
            argument("--fail", action="store_true", help="end with 3 where anything differs"),
        ),
        "0 compared, whatever differs; 3 anything differs, with --fail;\n"
        "1 a folder cannot be compared, and why; 2 the command line is wrong",
    ),
    "gate": Command(
        "says whether run B is no worse than run A",
        "results other/results --margin 0.02",
        (*TWO_RUNS, MARGIN, STRICT),
        "0 B is no worse than A, or identical; 3 B is worse; 4 cannot tell;\n"
        "1 a run cannot be read, and why; 2 the command line is wrong",
    ),
    "labels": Command(
        "samples responses that people are to label: a sheet, and a page to fill it in",
        "my.yaml --number 150",
        (CONFIG, ANSWERS),
    ),
    "bundle": Command(
        "packs a run into one file that travels, results/bundle.zip", "my.yaml", WORKFLOW
    ),
    "unbundle": Command(
        "unpacks a bundle into a new folder",
        "bundle.zip there",
        (
            argument("bundle", type=Path, help="the file"),
            argument("into", type=Path, help="a folder that is not there yet, or is empty"),
            argument("--code", action="store_true", help="take a bundle that brings code"),
        ),
    ),
    "export": Command(
        "writes the benchmarks as data sets, to results/export",
        "my.yaml",
        (*WORKFLOW, LOGS, SCORES, HUB),
    ),
    "nondeterminism": Command(
        "sends a few requests repeatedly, to measure an engine's run-to-run variation",
        "my.yaml",
        WORKFLOW,
    ),
    "completion": Command(
        "prints a script with which a shell completes the command's words",
        "bash",
        (argument("shell", choices=("bash", "zsh"), help="which shell"),),
    ),
}
PASSED_ON = "What stands behind -- goes to Snakemake as it is: -- --dry-run, -- results/tables."
CODES = """exit codes: 0 done; 1 something failed or is missing, and is named;
2 the command line is wrong; 3 the runs differ (compare --fail), or B is worse (gate);
4 the gate cannot tell"""


def parser() -> argparse.ArgumentParser:
    """The parser of all subcommands."""
    formatter = argparse.RawDescriptionHelpFormatter
    command_parser = Parser(
        prog="steadfast",
        description="How well, and how stably, models follow instructions in long contexts.",
        epilog=CODES,
        formatter_class=formatter,
    )
    command_parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    subparsers = command_parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, command in COMMANDS.items():
        note = f"\n{PASSED_ON}" if command.starts else ""
        codes = f"\n\nexit codes: {command.codes}" if command.codes else ""
        subparser = subparsers.add_parser(
            name,
            help=command.help,
            description=f"steadfast {name} {command.help}.",
            epilog=f"example: steadfast {name} {command.example}{note}{codes}",
            formatter_class=formatter,
        )
        for names, options in command.arguments:
            subparser.add_argument(*names, **options)
    return command_parser


def main(words: Sequence[str] | None = None) -> None:
    """Parses the command line, runs the command, and exits with its exit code."""
    words = list(sys.argv[1:] if words is None else words)
    take_any_text()
    snakemake_words: list[str] = []
    # Cut off here, since argparse would take what follows -- as positional arguments.
    if words and words[0] in COMMANDS and COMMANDS[words[0]].starts and "--" in words:
        separator = words.index("--")
        snakemake_words = words[separator + 1 :]
        words = words[:separator]
    command_parser = parser()
    # argparse would list all commands; the nearest name helps more.
    if words and not words[0].startswith("-") and words[0] not in COMMANDS:
        command_parser.error(f"unknown command {shown(words[0])}; {nearest(words[0], COMMANDS)}")
    arguments, unknown = command_parser.parse_known_args(words)
    name = arguments.command
    command = COMMANDS[name]
    if unknown:
        options = list(chain.from_iterable(names for names, _ in command.arguments))
        command_parser.error(f"{name}: unknown {shown(unknown[0])}; {nearest(unknown[0], options)}")
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
