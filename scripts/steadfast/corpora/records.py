"""Reads the rows of data files of any format as corpus records, and leaves out repeated ones."""

import csv
import json
import re
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from io import TextIOWrapper
from itertools import chain
from pathlib import Path
from typing import IO, Any, TextIO

from steadfast.base.errors import UserError
from steadfast.base.files import Record
from steadfast.base.tokens import fingerprint
from steadfast.corpora.tables import FORMATS, tables

Row = tuple[str, Record]  # where it stands, for a message, and its fields
LONGEST = 2**30  # characters of a cell or line; csv's own limit is shorter than a long essay
IN_ARCHIVE = (*FORMATS[:-1], ".txt")  # .txt holds JSON lines, as GovReport's archives do
BATCH = 256  # rows of a column file that are read at once
BLANKS = re.compile(r"[ \t\n\r]*")
CHUNK = 2**16  # characters that are read at once, at least


class NotRecordsError(UserError):
    """A file can be read, and holds something else than a list of records."""


def read_files(corpus: str, paths: Iterable[Path], fields: Mapping[str, str]) -> Iterator[Record]:
    """Yields the corpus records of data files, in the order of the files and of their rows.

    Args:
        corpus: its name begins the id of a record whose ``fields`` name no id.
        paths: files whose names end in one of ``tables.FORMATS``: ``.jsonl``, ``.json`` (a list of
            objects, or JSON lines), ``.csv``, ``.parquet``, ``.arrow``, or ``.zip`` with the like.
        fields: for each of text, id, title and date the source's field; only text is required.
    """
    if "text" not in fields:
        raise UserError(
            f"corpus {corpus}: the field map has no entry for text; add text: <name of the field>"
        )
    rows = chain.from_iterable(_rows(path) for path in paths)
    for number, (where, row) in enumerate(rows):
        yield _record(row, where, fields, f"{corpus}-{number:06d}")


def fields_of(path: Path) -> list[str] | None:
    """Returns the fields of a data file's first record; None where it holds no records."""
    with closing(_rows(path)) as rows:
        try:
            return [str(name) for name in next(rows)[1]]
        except (StopIteration, NotRecordsError):
            return None


def _record(row: Record, where: str, fields: Mapping[str, str], name: str) -> Record:
    for field in fields.values():
        if field not in row:
            raise UserError(
                f"{where}: no field {field!r}; the fields there are {', '.join(map(str, row))}; "
                "correct the corpus's field map in the config"
            )
    values = {key: row[field] for key, field in fields.items()}
    text = "" if values["text"] is None else values["text"]
    if not isinstance(text, str):
        raise UserError(
            f"{where}: field {fields['text']!r} holds {type(text).__name__}, not a string; name "
            "the field that holds the text, or mend the record"
        )
    return {
        "id": _string(values.get("id")) or name,
        "title": _string(values.get("title")),
        "date": _string(values.get("date")),
        "text": text,
    }


def _string(value: object) -> str | None:
    return None if value is None or value == "" else str(value)


def _rows(path: Path) -> Generator[Row, None, None]:
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise UserError(f"{path}: not a data file; name files that end in {', '.join(FORMATS)}")
    try:
        if suffix == ".zip":
            yield from _archive(path)
        else:
            with open(path, "rb") as data:
                yield from _read(data, str(path), suffix)
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 ({error.reason}); save it as UTF-8") from None
    except OSError as error:
        raise UserError(
            f"{path}: cannot be read ({error.strerror or error}); check the path and its "
            "permissions, or fetch it again"
        ) from None


def _read(data: IO[bytes], where: str, suffix: str) -> Iterator[Row]:
    for place, row in READERS[suffix](data, where):
        if not isinstance(row, dict):
            raise NotRecordsError(
                f"{place}: a JSON object was expected, not {type(row).__name__}; mend or remove it"
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
                    yield from _read(member, f"{path}/{name}", Path(name).suffix.lower())
    except (BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError) as error:
        raise UserError(f"{path}: not a readable archive ({error}); fetch it again") from None


def _jsonl(data: IO[bytes], where: str) -> Iterator[tuple[str, Any]]:
    for number, line in enumerate(iter(lambda: data.readline(LONGEST), b""), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise UserError(
                f"{where}:{number}: corrupt JSON line ({error}); mend or remove that line"
            ) from None
        yield f"{where}:{number}", row


def _json(data: IO[bytes], where: str) -> Iterator[tuple[str, Any]]:
    """Yields the records of a list; or, as the hub's data sets often are, of JSON lines."""
    encoding = json.detect_encoding(data.read(4))
    data.seek(0)
    first = b" "
    while first.isspace():
        first = data.read(1)
    objects = first == b"{" and _is_object(first + data.readline())
    data.seek(0)
    if objects:
        yield from _jsonl(data, where)
        return
    with TextIOWrapper(data, encoding, errors="surrogatepass", newline="") as text:
        try:
            for number, row in enumerate(listed(text), start=1):
                yield f"{where}: record {number}", row
        except (ValueError, RecursionError):
            text.seek(0)
            raise _no_list(text.read(), where) from None


def _no_list(text: str, where: str) -> UserError:
    """Says why a file is no list of records, by its whole text."""
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        return UserError(
            f"{where}:{error.lineno}: not valid JSON ({error.msg}, column {error.colno}); mend or "
            "fetch the file again"
        )
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits, 1,000 levels
        return UserError(f"{where}: {error}; mend or fetch the file again")
    return NotRecordsError(
        f"{where}: a list of records was expected, not {type(found).__name__}; name a file "
        "that holds one"
    )


def _is_object(line: bytes) -> bool:
    try:
        return line.lstrip().startswith(b"{") and isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _csv(data: IO[bytes], where: str) -> Iterator[tuple[str, Any]]:
    csv.field_size_limit(LONGEST)
    with TextIOWrapper(data, encoding="utf-8-sig", newline="") as lines:
        rows = csv.DictReader(lines, strict=True)
        try:
            for row in rows:
                yield f"{where}:{rows.line_num}", row
        except csv.Error as error:
            raise UserError(
                f"{where}:{rows.line_num}: corrupt CSV ({error}); mend or fetch the file again"
            ) from None


def _parquet(data: IO[bytes], where: str) -> Iterator[tuple[str, Any]]:
    with _columns(where, "a Parquet file"):
        from pyarrow import parquet

        file = parquet.ParquetFile(data)
        # One row group after the other: asked for all at once, it keeps those that it has read.
        batches = (
            batch
            for group in range(file.num_row_groups)
            for batch in file.iter_batches(BATCH, row_groups=[group], use_threads=False)
        )
        yield from _numbered(batches, where)


def _arrow(data: IO[bytes], where: str) -> Iterator[tuple[str, Any]]:
    with _columns(where, "an Arrow file"):
        from pyarrow import ArrowInvalid, ipc

        try:
            file = ipc.open_file(data)
            batches = (file.get_batch(number) for number in range(file.num_record_batches))
        except ArrowInvalid:  # what `datasets` saves is a stream
            data.seek(0)
            batches = iter(ipc.open_stream(data))
        yield from _numbered(batches, where)


@contextmanager
def _columns(where: str, kind: str) -> Iterator[None]:
    try:
        yield
    except (ValueError, OSError) as error:
        raise UserError(f"{where}: not {kind} ({error}); fetch it again") from None


def _numbered(batches: Iterable[Any], where: str) -> Iterator[tuple[str, Any]]:
    rows = chain.from_iterable(
        batch.slice(start, BATCH).to_pylist()
        for batch in batches
        for start in range(0, batch.num_rows, BATCH)
    )
    return ((f"{where}: record {number}", row) for number, row in enumerate(rows, start=1))


READERS: Mapping[str, Callable[[IO[bytes], str], Iterator[tuple[str, Any]]]] = {
    ".jsonl": _jsonl,
    ".json": _json,
    ".csv": _csv,
    ".parquet": _parquet,
    ".arrow": _arrow,
    ".txt": _jsonl,
}


def listed(text: TextIO) -> Iterator[Any]:
    """Yields the values of a list, of which one at a time is in memory."""
    held = _Held(text)
    held.take("[")
    if held.next != "]":
        yield held.value()
        while held.next == ",":
            held.take(",")
            yield held.value()
    held.take("]")
    held.take("")


class _Held:
    """What is in memory of a text: no more than a value's beginning, its end and a chunk."""

    def __init__(self, text: TextIO):
        self._text, self._held, self._at = text, "", 0
        self._decode = json.JSONDecoder().raw_decode

    @property
    def next(self) -> str:
        """The next character that is no blank; nothing at the end."""
        while True:
            self._at = BLANKS.match(self._held, self._at).end()  # type: ignore[union-attr]
            if self._at < len(self._held) or not self._more():
                return self._held[self._at : self._at + 1]

    def take(self, expected: str) -> None:
        """Goes past that character."""
        if self.next != expected:
            raise json.JSONDecodeError(f"Expecting {expected!r}", self._held, self._at)
        self._at += len(expected)

    def value(self) -> Any:
        """Returns the next value."""
        while self.next:
            try:
                value, end = self._decode(self._held, self._at)
            except json.JSONDecodeError:
                if self._more():
                    continue
                raise
            following = BLANKS.match(self._held, end).end()  # type: ignore[union-attr]
            # A number may go on beyond what is in memory.
            if self._held[following : following + 1] in {",", "]"} or not self._more():
                self._at = end
                return value
        raise json.JSONDecodeError("Expecting value", self._held, self._at)

    def _more(self) -> bool:
        """Reads as much again as is left, so that a long value is decoded a few times only."""
        left = self._held[self._at :]
        read = self._text.read(max(CHUNK, len(left)))
        if read:
            self._held, self._at = left + read, 0
        return bool(read)


def cleaned(
    corpus: str,
    source: str,
    records: Iterable[Record],
    tokens: int | None = None,
    limit: int | None = None,
) -> Iterator[Record]:
    """Yields the records in source order, without blank texts and texts equal to an earlier one.

    They end where the texts have at least ``tokens`` tokens, or after ``limit`` records.
    """
    texts: set[bytes] = set()  # half a fingerprint each, since this is all that is held in memory
    ids: set[str] = set()
    words = 0
    for record in records:
        key = bytes.fromhex(fingerprint(record["text"]))[:16]
        if not record["text"].strip() or key in texts:
            continue
        texts.add(key)
        name, repeats = record["id"], 1
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
            f"corpus {corpus}: the {source} source holds no text; check its files and the field "
            "named as text"
        )
