"""Tests whether a run is no worse: steadfast gate results other/results (docs/compare.md)."""

import shutil
import tempfile
from argparse import Namespace
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.command.error_message import errors_as_messages
from steadfast.compare.gate import EXIT_CODES, gate
from steadfast.compare.results import compare_results
from steadfast.compare.text import gate_text
from steadfast.config.portable import CONFIG_FILE, config_provenance
from steadfast.jobs.finished import FinishedRun
from steadfast.share.contents import ANSWERS, CONFIG, MADE
from steadfast.share.unbundle import unbundle


def main(arguments: Namespace) -> int:
    """Prints the verdict on each main measure and, in the last line, on all together."""
    with errors_as_messages(arguments.a, arguments.b), ExitStack() as stack:
        if not 0 < arguments.margin < 1:
            raise UserError(f"--margin {arguments.margin:g}: must be between 0 and 1, such as 0.02")
        run_a = stack.enter_context(_run(arguments.a, arguments.config))
        run_b = stack.enter_context(_run(arguments.b, arguments.config))
        comparison = compare_results(run_a, run_b)
        verdict = gate(comparison, arguments.margin, arguments.strict)
        print(gate_text(verdict, comparison, arguments.margin, arguments.a, arguments.b), end="")
    return EXIT_CODES[verdict.verdict]


@contextmanager
def _run(path: Path, config: Path | None) -> Iterator[FinishedRun]:
    """The run of a results folder, or of a bundle that is unpacked temporarily."""
    if not path.is_file():
        yield FinishedRun.of(path, config)
        return
    with tempfile.TemporaryDirectory() as folder:
        unpacked = Path(folder) / "bundle"
        unbundle(path, unpacked)
        results = unpacked / ANSWERS
        # A bundle has scores, metrics and config in other folders than a run. Its manifest vouches
        # that the metrics were made by this config.
        shutil.copytree(unpacked / MADE, results, dirs_exist_ok=True)
        shutil.move(unpacked / CONFIG, results / CONFIG_FILE)
        config_provenance(results, ()).write()
        yield FinishedRun.of(results)
