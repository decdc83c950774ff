"""Rule export_benchmark: a benchmark as built, as a data set of its own."""

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
    answers: Simulator = component(simulator).make()
    requests = {part.name: list(_asked(part, exporter, answers)) for part in parts}
    rows = exporter.tables(requests, {part.name: read_data(part.sources) for part in parts})
    tables = [table(title, _named(splits)) for title, splits in rows.items()]
    for one in tables:
        for split in one.splits:
            path = out / one.path(split)
            path.parent.mkdir(parents=True, exist_ok=True)
            parquet.write_table(arrow(one, split), path, compression="zstd")
    write_text(out / CARD, card(exporter.about(), tables))
    counts = ", ".join(f"{sum(map(len, table.splits.values())):,} {table.name}" for table in tables)
    print(f"{name}: {counts}")


def _named(splits: Mapping[str, T]) -> dict[str, T]:
    """Splits by names that the hub allows, which hold no hyphen."""
    named = {split.replace("-", "_"): rows for split, rows in splits.items()}
    if len(named) < len(splits):
        raise UserError(
            f"export: two of {', '.join(splits)} differ in - and _ alone, and a split's name may "
            "hold no hyphen; rename one"
        )
    return named


def _asked(part: PartFiles, how: Exports, answers: Simulator) -> Iterator[Asked]:
    """What models are asked, where the tables give the very same."""
    for sample in part.read():
        item = part.joined.item(sample)
        request = Asked(sample, item, answers.reference(sample))
        if how.prompt(request) != item.head + item.context + item.tail:
            raise UserError(
                f"export: {part.name}: models are asked sample {sample.id} otherwise than its "
                "tables would have it; leave out of the config what is not the benchmark's own form"
            )
        yield request


if job := globals().get("snakemake"):
    params = job.params
    sources = sources_by_part(params.sources, job.input.sources)
    files = zip(sources.items(), paths(job.input.prompts), strict=True)
    run_rule(
        export_benchmark,
        job,
        read=("samples", "sources"),
        name=job.wildcards.benchmark,
        parts=[
            PartFiles(part, params.samples, prompts, data_files)
            for (part, data_files), prompts in files
        ],
        out=Path(job.output[0]),
    )
