"""The rows of data files as the records of a corpus, without repeated texts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import chain
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.files import Record
from steadfast.base.tokens import fingerprint
from steadfast.corpora.documents import joined_parts
from steadfast.corpora.rows import NotRecordsError, rows

# The source's fields for text, id, title and date; only text is required.
Fields = Mapping[str, str]


def read_files(corpus: str, paths: Iterable[Path], fields: Sequence[Fields]) -> Iterator[Record]:
    """Yields the corpus records of data files, in the order of the files and of their rows.

    Args:
        corpus: prefix of the ids of records without one.
        paths: files that ``rows`` reads.
        fields: alternatives; the first whose fields a row has applies to it.
    """
    for number, (where, row) in enumerate(chain.from_iterable(map(rows, paths))):
        yield _record(row, where, fields, f"{corpus}-{number:06d}")


def fields_of(path: Path) -> list[str] | None:
    """The fields of a data file's first record; None without records."""
    with closing(rows(path)) as lines:
        try:
            return list(map(str, next(lines)[1]))
        except (StopIteration, NotRecordsError):
            return None


def _record(row: Record, where: str, fields: Sequence[Fields], name: str) -> Record:
    names = next((names for names in fields if row.keys() >= set(names.values())), None)
    if names is None:
        alternatives = " or ".join(", ".join(dict.fromkeys(names.values())) for names in fields)
        raise UserError(
            f"{where}: fields are missing: needed are {alternatives}; the record has "
            f"{', '.join(map(str, row))}; correct the corpus's field map in the config"
        )
    values = {key: row[field] for key, field in names.items()}
    try:
        text = joined_parts(values["text"] or "")
    except RecursionError:  # lists within lists, a thousand deep
        text = None
    if text is None:
        raise UserError(
            f"{where}: field {names['text']!r} is {type(values['text']).__name__}, not a string; "
            "name the field that has the text, or correct the record"
        )
    return {
        "id": _string(values.get("id")) or name,
        "title": _string(values.get("title")),
        "date": _string(values.get("date")),
        "text": text,
    }


def _string(value: object) -> str | None:
    return None if value is None or value == "" else str(value)


def deduplicated(
    corpus: str,
    source: str,
    records: Iterable[Record],
    tokens: int | None = None,
    limit: int | None = None,
) -> Iterator[Record]:
    """Yields the records in source order, without blank and repeated texts.

    They end once the texts have ``tokens`` tokens, or after ``limit`` records.
    """
    texts: set[bytes] = set()  # half a fingerprint of each, to save memory
    ids: set[str] = set()
    words = 0  # of all texts
    for record in records:
        key = bytes.fromhex(fingerprint(record["text"]))[:16]
        if not record["text"].strip() or key in texts:
            continue
        texts.add(key)
        name = record["id"]
        repeats = 1
        while record["id"] in ids:  # files of one corpus may number their records alike
            repeats += 1
            record["id"] = f"{name}-{repeats}"
        ids.add(record["id"])
        yield record
        # tiktoken's encodings never join two words into one token, so words bound tokens from below
        words += len(record["text"].split())
        if (tokens is not None and words >= tokens) or len(ids) == limit:
            break
    if not ids:
        raise UserError(
            f"corpus {corpus}: the {source} source has no text; check its files and the field "
            "mapped to text"
        )
