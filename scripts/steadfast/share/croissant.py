"""croissant.json: the data set for programs (MLCommons Croissant 1.0)."""

from collections.abc import Iterator, Mapping, Sequence

from steadfast import __version__
from steadfast.base.files import Record
from steadfast.base.resources import facts
from steadfast.contract.exports import About
from steadfast.share.columns import ExportTable

DATA_TYPES = {
    "string": "sc:Text",
    "json": "sc:Text",
    "bool": "sc:Boolean",
    "int64": "sc:Integer",
    "double": "sc:Float",
}
FORMATS = {".parquet": "application/x-parquet", ".jsonl": "application/jsonlines"}


def croissant(
    name: str,
    about: About,
    tables: Sequence[ExportTable],
    paths: Mapping[tuple[str, str], str],
    sums: Mapping[str, str],
) -> Record:
    """Returns the metadata, with the Parquet file of each table and split and all files' sha256."""
    return {
        "@context": facts("export/croissant_context.yaml"),
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": name,
        "description": about.summary.strip(),
        "version": __version__,
        "license": list(dict.fromkeys(one.url or one.licence for one in about.sources)),
        "citeAs": about.citation.strip(),
        "inLanguage": list(about.languages),
        "distribution": [_file(path, sha256) for path, sha256 in sums.items()],
        "recordSet": [
            _record_set(about, table, split, paths[table.name, split], tables)
            for table in tables
            for split in table.splits
        ],
    }


def _file(path: str, sha256: str) -> Record:
    return {
        "@type": "cr:FileObject",
        "@id": path,
        "name": path,
        "contentUrl": path,
        "encodingFormat": FORMATS[path[path.rindex(".") :]],
        "sha256": sha256,
    }


def _record_set(
    about: About, table: ExportTable, split: str, path: str, tables: Sequence[ExportTable]
) -> Record:
    name = f"{table.name}-{split}"
    key = about.keys.get(table.name)
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": about.tables.get(table.name, "").strip(),
        **({"key": {"@id": f"{name}/{key}"}} if key else {}),
        "field": list(_fields(about, table, split, path, tables)),
    }


def _fields(
    about: About, table: ExportTable, split: str, path: str, tables: Sequence[ExportTable]
) -> Iterator[Record]:
    texts = about.columns.get(table.name, {})
    splits = {other.name: other.splits for other in tables}
    for column, kind in table.types.items():
        known = texts.get(column)
        refers = known.refers if known else None
        with_split = refers is not None and split in splits.get(refers[0], {})
        yield {
            "@type": "cr:Field",
            "@id": f"{table.name}-{split}/{column}",
            "name": column,
            "description": known.text if known else "",
            "dataType": DATA_TYPES[kind],
            "source": {"fileObject": {"@id": path}, "extract": {"column": column}},
            **(
                {"references": {"field": {"@id": f"{refers[0]}-{split}/{refers[1]}"}}}
                if refers and with_split
                else {}
            ),
        }
