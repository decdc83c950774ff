"""Reads the rows of data files of any format; a document has one row."""

import csv
import json
from collections.abc import Callable, Generator, Iterator, Mapping
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Any

from steadfast.base.errors import UserError
from steadfast.base.files import Record, parsed_json
from steadfast.corpora.documents import DOCUMENTS
from steadfast.corpora.tables import FORMATS, tables

Row = tuple[str, Record]  # file and line for messages, and the row's fields
READABLE = (*FORMATS, *DOCUMENTS)
# The field of a file's only row with the file's name, without suffix.
FILE = "<file>"
LONGEST = 2**30  # characters of a cell; csv's own limit is shorter than a long essay
IN_ARCHIVE = (*FORMATS[:-1], ".txt")  # .txt holds JSON lines, as GovReport's archives do
BATCH = 256  # rows of a column file that are read at once
BEFORE = b"\xef\xbb\xbf \t\r\n"  # may precede the first value: UTF-8's byte order mark, and blanks


class NotRecordsError(UserError):
    """A readable file that contains no records."""


def rows(path: Path) -> Generator[Row, None, None]:
    """Yields the rows of a file of one of the formats ``READABLE``."""
    suffix = path.suffix.lower()
    if suffix not in READABLE:
        formats = ", ".join(READABLE)
        raise UserError(f"{path}: not a data file; name files that end in {formats}")
    try:
        if suffix == ".zip":
            yield from _archive(path)
        elif suffix in DOCUMENTS:
            row = DOCUMENTS[suffix](path.read_text(encoding="utf-8-sig"))
            yield str(path), row | {FILE: path.stem}
        else:
            with open(path, "rb") as data:
                yield from _objects(data, str(path), suffix)
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 ({error.reason}); save it as UTF-8") from None
    except OSError as error:
        raise UserError(
            f"{path}: cannot be read ({error.strerror or error}); check the path and its "
            "permissions, or fetch it again"
        ) from None


def _objects(data: IO[bytes], where: str, suffix: str) -> Iterator[Row]:
    for place, row in READERS[suffix](data, where):
        if not isinstance(row, dict):
            raise NotRecordsError(
                f"{place}: a JSON object was expected, not {type(row).__name__}; correct or remove "
                "it"
            )
        yield place, row


def _archive(path: Path) -> Iterator[Row]:
    """Yields the rows of an archive's first table (``tables``), read from within it."""
    import zlib
    from zipfile import BadZipFile, ZipFile

    try:
        with ZipFile(path) as archive:
            for name in next(iter(tables(archive.namelist(), formats=IN_ARCHIVE)), []):
                with archive.open(name) as member:
                    yield from _objects(member, f"{path}/{name}", Path(name).suffix.lower())
    except (BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError) as error:
        raise UserError(f"{path}: not a readable zip file ({error}); fetch it again") from None


def _jsonl(data: IO[bytes], where: str) -> Iterator[tuple[str, Any]]:
    for number, line in enumerate(data, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise UserError(
                f"{where}:{number}: corrupt JSON line ({error}); correct or remove that line"
            ) from None
        yield f"{where}:{number}", row


def _json(data: IO[bytes], where: str) -> Iterator[tuple[str, Any]]:
    """Yields the records of a list, of JSON lines (as in many files of the hub), or an object."""
    first_line = next((line for line in data if line.strip(BEFORE)), b"")
    # JSON lines: an object ends with the first line, and something follows.
    is_jsonl = _is_object(first_line) and any(line.strip() for line in data)
    data.seek(0)
    if is_jsonl:
        yield from _jsonl(data, where)
        return
    body = data.read()
    content = parsed_json(body.decode(json.detect_encoding(body), "surrogatepass"), where)
    if isinstance(content, dict):
        yield where, content | {FILE: Path(where).stem}
        return
    if not isinstance(content, list):
        raise NotRecordsError(
            f"{where}: a list of records was expected, not {type(content).__name__}; name a file "
            "with one"
        )
    for number, row in enumerate(content, start=1):
        yield f"{where}: record {number}", row


def _is_object(line: bytes) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _csv(data: IO[bytes], where: str) -> Iterator[tuple[str, Any]]:
    csv.field_size_limit(LONGEST)
    with TextIOWrapper(data, encoding="utf-8-sig", newline="") as lines:
        reader = csv.DictReader(lines, strict=True)
        try:
            for row in reader:
                yield f"{where}:{reader.line_num}", row
        except csv.Error as error:
            raise UserError(
                f"{where}:{reader.line_num}: corrupt CSV ({error}); correct the file, or fetch it "
                "again"
            ) from None


def _parquet(data: IO[bytes], where: str) -> Iterator[tuple[str, Any]]:
    from pyarrow import parquet

    number = 0
    try:
        file = parquet.ParquetFile(data)
        # One row group at a time: read together, all stay in memory.
        for group in range(file.num_row_groups):
            for batch in file.iter_batches(BATCH, row_groups=[group], use_threads=False):
                for row in batch.to_pylist():
                    number += 1
                    yield f"{where}: record {number}", row
    except (ValueError, OSError) as error:
        raise UserError(f"{where}: not a Parquet file ({error}); fetch it again") from None


READERS: Mapping[str, Callable[[IO[bytes], str], Iterator[tuple[str, Any]]]] = {
    ".jsonl": _jsonl,
    ".json": _json,
    ".csv": _csv,
    ".parquet": _parquet,
    ".txt": _jsonl,  # within an archive
}
