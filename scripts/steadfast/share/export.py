"""Rule export_benchmark: a benchmark as built, as a data set."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from steadfast.base.errors import UserError
from steadfast.base.files import write_text
from steadfast.contract.components import Simulator, component
from steadfast.contract.exports import Asked, Exports
from steadfast.contract.part_files import PartFiles, read_data, sources_by_part
from steadfast.share.card import card
from steadfast.share.columns import arrow, table
from steadfast.workflow.script import paths, run_rule

T = TypeVar("T")
CARD = "README.md"


def export_benchmark(
    name: str,
    exports: Sequence[Any],
    simulator: Sequence[Any],
    parts: Sequence[PartFiles],
    out: Path,
) -> None:
    """Writes the data set: its tables and its card."""
    from pyarrow import parquet

    exporter: Exports = component(exports).make()
    reference: Simulator = component(simulator).make()
    requests = {part.name: list(_requests(part, exporter, reference)) for part in parts}
    rows = exporter.tables(requests, {part.name: read_data(part.sources) for part in parts})
    tables = [table(title, _named(splits)) for title, splits in rows.items()]
    counts = []
    for exported in tables:
        for split in exported.splits:
            path = out / exported.path(split)
            path.parent.mkdir(parents=True, exist_ok=True)
            parquet.write_table(arrow(exported, split), path, compression="zstd")
        counts.append(f"{sum(map(len, exported.splits.values())):,} {exported.name}")
    write_text(out / CARD, card(exporter.about(), tables))
    print(f"{name}: {', '.join(counts)}")


def _named(splits: Mapping[str, T]) -> dict[str, T]:
    """Splits by names that the hub allows, which hold no hyphen."""
    renamed = {split.replace("-", "_"): rows for split, rows in splits.items()}
    if len(renamed) < len(splits):
        raise UserError(
            f"export: two of {', '.join(splits)} differ in - and _ alone, and a split's name may "
            "hold no hyphen; rename one"
        )
    return renamed


def _requests(part: PartFiles, exporter: Exports, simulator: Simulator) -> Iterator[Asked]:
    """The requests of a part; a ``UserError`` where the tables would not give the same prompt."""
    for sample in part.read():
        item = part.joined.item(sample)
        request = Asked(sample, item, simulator.reference(sample))
        # The prompt from the tables' columns must be that of the run, byte by byte: settings that
        # change prompts (few-shot examples, reasoning, …) are no part of the benchmark.
        if exporter.prompt(request) != item.head + item.context + item.tail:
            raise UserError(
                f"export: {part.name}: models are asked sample {sample.id} otherwise than its "
                "tables would have it; leave out of the config what is not the benchmark's own form"
            )
        yield request


if job := globals().get("snakemake"):
    params = job.params
    sources = sources_by_part(params.sources, job.input.sources)
    parts = []
    for (part, data_files), prompts in zip(sources.items(), paths(job.input.prompts), strict=True):
        parts.append(PartFiles(part, params.samples, prompts, data_files))
    run_rule(
        export_benchmark,
        job,
        read=("samples", "sources"),
        name=job.wildcards.benchmark,
        parts=parts,
        out=Path(job.output[0]),
    )
