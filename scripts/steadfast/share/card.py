"""A data set described for people: the README.md of the hub."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from steadfast import __version__
from steadfast.base.files import canonical_json
from steadfast.base.markdown import markdown_table
from steadfast.base.resources import resource
from steadfast.contract.exports import About, Source

# The hub's names of licences, by SPDX's.
HUB_LICENCES = {"MIT": "mit", "Apache-2.0": "apache-2.0", "CC-BY-4.0": "cc-by-4.0"}

# Type of a column of JSON text.
JSON = "JSON text"


@dataclass(frozen=True)
class ExportTable:
    """A table of an exported data set: each column's type, and the ``pyarrow.Table`` of each split.

    A type is ``JSON`` or pyarrow's name of a plain one.
    """

    name: str
    types: Mapping[str, str]
    splits: Mapping[str, Any]

    def path(self, split: str) -> str:
        """The file of a split, below the folder of the data set."""
        return f"{self.name}/{split}.parquet"


def card(about: About, tables: Sequence[ExportTable]) -> str:
    """Returns the card, whose metadata tell the hub and ``datasets`` where the tables are."""
    from huggingface_hub import DatasetCard, DatasetCardData

    licence = HUB_LICENCES.get(about.licence or "")
    configs: list[dict[str, Any]] = []
    for table in tables:
        splits = [{"split": split, "path": table.path(split)} for split in table.splits]
        configs.append({"config_name": table.name, "data_files": splits})
    if configs:  # what load_dataset(…) gives without a name
        configs[0]["default"] = True
    card_data = DatasetCardData(
        pretty_name=about.title,
        language=list(about.languages),
        task_categories=["text-generation"],
        configs=configs,
        # The hub takes a name and a link only beside "other".
        license=licence or "other",
        license_name=None if licence else "see-sources",
        license_link=None if licence else "README.md",
    )
    settings = [(name, f"`{canonical_json(value)}`") for name, value in about.settings.items()]
    settings.append(("steadfast", f"`{__version__}`"))
    card = DatasetCard.from_template(
        card_data,
        template_path=str(resource("export/card.md")),
        about=about,
        sources=sources_table(about.sources),
        tables=[_described(table, about) for table in tables],
        settings=markdown_table(["setting", "value"], settings),
    )
    return str(card)


def sources_table(sources: Iterable[Source]) -> str:
    """Returns the sources of the texts, with licences and whether each may be redistributed."""
    rows = []
    for source in sources:
        licence = f"[{source.licence}]({source.url})" if source.url else source.licence
        rows.append([source.name, source.origin, licence, source.redistribution, source.note])
    return markdown_table(["what", "from", "licence", "may be redistributed", "note"], rows)


def _described(table: ExportTable, about: About) -> dict[str, str]:
    """Returns the card's entry on a table: its splits and its columns."""
    texts = about.columns.get(table.name, {})
    counts = [(split, f"{rows.num_rows:,}") for split, rows in table.splits.items()]
    columns = [(f"`{name}`", kind, texts.get(name, "")) for name, kind in table.types.items()]
    return {
        "name": table.name,
        "counts": markdown_table(["split", "rows"], counts),
        "columns": markdown_table(["column", "type", "content"], columns),
    }
