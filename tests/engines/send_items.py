"""Items are sent to an engine, with the journal and the outputs in a test's files."""

from collections.abc import Callable, Iterable
from pathlib import Path

from steadfast.base.files import Settings
from steadfast.base.provenance import Provenance
from steadfast.contract.part_files import Oracle
from steadfast.contract.request import Item
from steadfast.engines.base import Loaded, Setup
from steadfast.engines.sending.run import run_part


def send_items(
    model: str,
    answers: Settings,
    operation: Settings,
    items: Iterable[Item],
    journal: Path,
    out: Path,
    provenance_out: Path,
    log: Path,
    oracle: Oracle | None = None,
    readable: Callable[[str, str], bool] | None = None,
    attempts: int = 1,
    loaded: Loaded | None = None,
) -> None:
    """Sends them as a job does."""
    setup = Setup(answers, operation, journal=journal, oracle=oracle, loaded=loaded or Loaded())
    provenance = Provenance("", provenance_out, (out,), results=out.parent)
    run_part(model, model, items, setup, provenance, log, readable, attempts)
