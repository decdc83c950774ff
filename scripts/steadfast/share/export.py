"""Rule export_benchmark: a benchmark as built, as a data set of its own."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from steadfast.base.errors import UserError
from steadfast.base.files import file_sha256, write_jsonl, write_text
from steadfast.contract.components import StandIn, component
from steadfast.contract.exports import Asked, Exports
from steadfast.contract.part_files import PartFiles, read_data, sources_by_part
from steadfast.share.card import card
from steadfast.share.columns import ExportTable, arrow, table
from steadfast.workflow.script import paths, run_rule

T = TypeVar("T")
CARD, SUMS = "README.md", "SHA256SUMS"


def export_benchmark(
    name: str,
    exports: Sequence[Any],
    stand_in: Sequence[Any],
    parts: Sequence[PartFiles],
    out: Path,
) -> None:
    """Writes the data set: its tables, card and checksums."""
    how: Exports = component(exports).make()
    answers: StandIn = component(stand_in).make()
    asked = {part.name: list(_asked(part, how, answers)) for part in parts}
    rows = how.tables(asked, {part.name: read_data(part.sources) for part in parts})
    tables = [table(of, _named(splits)) for of, splits in rows.items()]
    paths = _write(tables, out)
    data = sorted(path.relative_to(out).as_posix() for path in out.rglob("*.*") if path.is_file())
    about = how.about()
    write_text(out / CARD, card(about, tables, paths))
    listed = [*data, CARD]
    sums = (f"{file_sha256(out / path)}  {path}\n" for path in sorted(listed))
    write_text(out / SUMS, "".join(sums))
    counts = ", ".join(f"{sum(map(len, of.splits.values())):,} {of.name}" for of in tables)
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


def _asked(part: PartFiles, how: Exports, answers: StandIn) -> Iterator[Asked]:
    """What models are asked, where the tables give the very same."""
    for sample in part.read():
        item = part.joined.item(sample)
        asked = Asked(sample, item, answers.reference(sample))
        if how.prompt(asked) != item.head + item.context + item.tail:
            raise UserError(
                f"export: {part.name}: models are asked sample {sample.id} otherwise than its "
                "tables would have it; leave out of the config what is not the benchmark's own form"
            )
        yield asked


def _write(tables: Sequence[ExportTable], out: Path) -> Mapping[tuple[str, str], str]:
    """Writes the tables; the Parquet file of each table and split."""
    from pyarrow import parquet

    paths = {}
    for one in tables:
        for split, rows in one.splits.items():
            path = paths[one.name, split] = f"{one.name}/{split}.parquet"
            (out / path).parent.mkdir(parents=True, exist_ok=True)
            parquet.write_table(arrow(one, split), out / path, compression="zstd")
            write_jsonl(out / "jsonl" / one.name / f"{split}.jsonl", rows)
    return paths


if job := globals().get("snakemake"):
    params = job.params
    sources = sources_by_part(params.sources, job.input.sources)
    files = zip(sources.items(), paths(job.input.prompts), strict=True)
    run_rule(
        export_benchmark,
        job,
        read=("samples", "sources"),
        name=job.wildcards.benchmark,
        parts=[PartFiles(part, params.samples, prompts, of) for (part, of), prompts in files],
        out=Path(job.output[0]),
    )
