"""A data set described for people: the README.md of the hub."""

from collections.abc import Iterator, Mapping, Sequence

import yaml

from steadfast import __version__
from steadfast.base.files import canonical_json
from steadfast.base.markdown import markdown_table
from steadfast.contract.exports import About
from steadfast.share.columns import JSON, ExportTable

SHOWN = {JSON: "JSON text"}
KNOWN = ("MIT", "Apache-2.0", "CC-BY-4.0")  # the hub has them by their names in small letters


def card(about: About, tables: Sequence[ExportTable], paths: Mapping[tuple[str, str], str]) -> str:
    """Returns the card; the paths are those of the Parquet files by table and split."""
    front = yaml.safe_dump(_front(about, tables, paths), sort_keys=False, allow_unicode=True)
    return f"---\n{front}---\n\n" + "\n".join(_body(about, tables))


def _front(
    about: About, tables: Sequence[ExportTable], paths: Mapping[tuple[str, str], str]
) -> dict[str, object]:
    one = about.licence if about.licence in KNOWN else None
    named = {} if one else {"license_name": "see-sources", "license_link": "README.md"}
    return {
        "pretty_name": about.title,
        "language": list(about.languages),
        "license": one.lower() if one else "other",
        **named,
        "task_categories": ["text-generation"],
        "configs": [
            {
                "config_name": table.name,
                **({"default": True} if place == 0 else {}),
                "data_files": [
                    {"split": split, "path": paths[table.name, split]} for split in table.splits
                ],
            }
            for place, table in enumerate(tables)
        ],
    }


def _body(about: About, tables: Sequence[ExportTable]) -> Iterator[str]:
    yield f"# {about.title}\n"
    yield f"{about.summary.strip()}\n"
    yield "## Licences\n"
    if about.withheld:
        yield (
            "**Not for publication as it is.** It holds text that its owners have not allowed to "
            f"be passed on, or of which nobody said so: {', '.join(about.withheld)}. The data set "
            "can be built again from its sources with the settings below.\n"
        )
    rows = [
        (
            one.name,
            one.origin,
            f"[{one.licence}]({one.url})" if one.url else one.licence,
            one.redistribution,
            one.note,
        )
        for one in about.sources
    ]
    yield _grid(rows, ["what", "from", "licence", "may be passed on", "note"])
    yield "## Tables\n"
    for table in tables:
        yield f"### {table.name}\n"
        yield f"{about.tables.get(table.name, '').strip()}\n"
        counts = [(split, f"{len(rows):,}") for split, rows in table.splits.items()]
        yield _grid(counts, ["split", "rows"])
        texts = about.columns.get(table.name, {})
        columns = [
            (f"`{name}`", SHOWN.get(kind, kind), texts.get(name, ""))
            for name, kind in table.types.items()
        ]
        yield _grid(columns, ["column", "type", "what it holds"])
    yield "Each file is there as Parquet and, in `jsonl/`, with the same rows as JSON lines.\n"
    if about.usage:
        yield f"## Use\n\n{about.usage.strip()}\n"
    yield "## How it was made\n"
    settings = [(name, f"`{canonical_json(value)}`") for name, value in about.settings.items()]
    yield _grid([*settings, ("steadfast", f"`{__version__}`")], ["setting", "value"])
    yield "`SHA256SUMS` holds the checksum of every file (`sha256sum -c SHA256SUMS`).\n"
    if about.citation:
        yield f"## Citation\n\n{about.citation.strip()}\n"


def _grid(rows: Sequence[Sequence[str]], headers: Sequence[str]) -> str:
    return markdown_table(headers, rows) + "\n"
