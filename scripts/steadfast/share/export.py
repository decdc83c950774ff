"""Rule export_benchmark: a benchmark as built, as a data set."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from steadfast.base.errors import UserError
from steadfast.base.files import Record, canonical_json, write_text
from steadfast.contract.components import Simulator, component
from steadfast.contract.exports import ExportedPrompt, Exports
from steadfast.contract.part_files import PartFiles, read_data, sources_by_part
from steadfast.share.card import JSON, ExportTable, card
from steadfast.workflow.script import paths, run_rule

CARD = "README.md"
# The types of a column whose values Parquet holds as they are; one of others is JSON text.
PLAIN = ({str}, {bool}, {int, float})


def export_benchmark(
    benchmark: str,
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
    tables = [table(title, splits) for title, splits in rows.items()]
    for exported in tables:
        for split, content in exported.splits.items():
            path = out / exported.path(split)
            path.parent.mkdir(parents=True, exist_ok=True)
            parquet.write_table(content, path, compression="zstd")
            print(f"{benchmark}: {content.num_rows:,} {exported.name} of {split}")
    write_text(out / CARD, card(exporter.about(), tables))


def _requests(part: PartFiles, exporter: Exports, simulator: Simulator) -> Iterator[ExportedPrompt]:
    """The requests of a part; a ``UserError`` where the tables would not give the same prompt."""
    for sample in part.read():
        item = part.joined.item(sample)
        request = ExportedPrompt(sample, item, simulator.reference(sample))
        # The prompt from the tables' columns must be that of the run, byte by byte: settings that
        # change prompts (few-shot examples, reasoning, …) are no part of the benchmark.
        if exporter.prompt(request) != item.head + item.context + item.tail:
            raise UserError(
                f"export: {part.name}: the prompt of sample {sample.id} differs from that of its "
                "tables; leave out of the config what is not the benchmark's own form"
            )
        yield request


def table(name: str, splits: Mapping[str, Iterable[Record]]) -> ExportTable:
    """A table whose columns have the same type in every split; a ``UserError`` where it cannot be.

    Data sets are read with one schema, also where a split lacks a column. The hub allows no hyphen
    in the name of a split.
    """
    import pyarrow

    rows_of = {split.replace("-", "_"): list(rows) for split, rows in splits.items()}
    if len(rows_of) < len(splits):
        raise UserError(
            f"export: two of {', '.join(splits)} differ in - and _ alone, and a split's name may "
            "hold no hyphen; rename one"
        )
    rows = list(chain.from_iterable(rows_of.values()))
    types: dict[str, str] = {}
    columns: dict[str, Any] = {}
    for column in dict.fromkeys(chain.from_iterable(rows)):
        values = [row.get(column) for row in rows]
        kinds = {type(value) for value in values if value is not None}
        is_json = not any(kinds <= plain for plain in PLAIN)
        if is_json:
            values = [value if value is None else canonical_json(value) for value in values]
        try:
            columns[column] = pyarrow.array(values, None if kinds else pyarrow.string())
        except (UnicodeEncodeError, OverflowError, pyarrow.ArrowInvalid) as error:
            raise UserError(
                f"export: table {name}, column {column}: a value cannot be written to Parquet "
                f"({error}); correct it in the data"
            ) from None
        types[column] = JSON if is_json else str(columns[column].type)
    all_splits = pyarrow.table(columns)
    start = 0
    tables = {}
    for split, split_rows in rows_of.items():
        tables[split] = all_splits.slice(start, len(split_rows))
        start += len(split_rows)
    return ExportTable(name, types, tables)


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
        parts=parts,
        out=Path(job.output[0]),
    )
