"""Reading and writing the records that stages pass on: JSON lines, replaced atomically."""

import csv
import errno
import hashlib
import io
import json
import os
import shutil
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from steadfast.base.errors import UserError
from steadfast.base.locks import acquire_lock

# A JSON object.
Record = dict[str, Any]
# Plain values by name, such as a rule's params.
Settings = Mapping[str, Any]
# Errors of the system for a wrong path, which another attempt would meet too.
WRONG_PATH = frozenset(
    (errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.EACCES, errno.ENAMETOOLONG, errno.ELOOP)
)
# Suffix of a file or folder that is still being made.
PARTIAL = ".partial"
# File in such a folder that is locked for as long as the folder is being made.
HOLDER = ".held"


def canonical_json(value: object) -> str:
    """One spelling for equal values: sorted keys, no blanks, Unicode as it is."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def unreadable(path: Path | str, error: OSError) -> Exception:
    """The exception for a file that cannot be read: a ``UserError`` where the path is wrong."""
    if error.errno not in WRONG_PATH:
        error.filename = error.filename or str(path)  # reading itself does not name the file
        return error
    reason = "no such file" if error.errno == errno.ENOENT else str(error.strerror).lower()
    return UserError(f"{path}: {reason}; check the path in the config")


def read_text(path: Path | str) -> str:
    """A UTF-8 file's text; raises ``UserError`` where it is missing or not UTF-8."""
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise unreadable(path, error) from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 at byte {error.start}; save it as UTF-8") from None


def read_json(path: Path | str) -> Any:
    """A JSON file's value; raises ``UserError`` with line and column where it is invalid."""
    return parsed_json(read_text(path), path)


def parsed_json(text: str, where: Path | str) -> Any:
    """The value of a JSON text from a file; errors as in ``read_json``."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise UserError(
            f"{where}:{error.lineno}: not valid JSON ({error.msg}, column {error.colno}); "
            "correct the file, or fetch it again"
        ) from None
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits, 1,000 levels
        raise UserError(
            f"{where}: not valid JSON ({error}); correct the file, or fetch it again"
        ) from None


def read_jsonl(path: Path | str) -> Iterator[Record]:
    """A JSON-lines file's objects; raises ``UserError`` with file and line for an invalid one."""
    for _, _, record in read_jsonl_with_positions(path):
        yield record


def read_jsonl_with_positions(path: Path | str) -> Iterator[tuple[int, int, Record]]:
    """As ``read_jsonl``, with the number of each record's line, from 1, and its first byte's."""
    try:
        with open(path, "rb") as lines:
            start = 0
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    yield number, start, _record(line, path, number)
                start += len(line)
    except OSError as error:
        raise unreadable(path, error) from None


def _record(line: bytes, path: Path | str, number: int) -> Record:
    try:
        value = _read_line(line)
    except (ValueError, RecursionError) as error:
        raise UserError(
            f"{path}:{number}: corrupt JSON line ({error}); correct or remove that line"
        ) from None
    if not isinstance(value, dict):
        raise UserError(
            f"{path}:{number}: a JSON object was expected, not {type(value).__name__}; "
            "correct or remove that line"
        )
    return value


def _read_line(line: bytes) -> Any:
    try:
        return msgspec.json.decode(line)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        # Python also reads NaN and lone surrogates, and has better messages on invalid JSON.
        return json.loads(line.decode("utf-8"))


def write_text(path: Path | str, text: str) -> None:
    """Replaces a file atomically: a reader sees the old text or the new, never a part."""
    with atomic_writer(path) as out:
        out.write(text.encode("utf-8"))


@contextmanager
def atomic_writer(path: Path | str) -> Iterator[BinaryIO]:
    """A new file that replaces another one once it is complete; after an error it is removed."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = _partial(path)
    try:
        with _held(partial) as out:
            yield out
            # On the disk before it is renamed: a crash leaves the old file or the new one.
            out.flush()
            os.fsync(out.fileno())
            os.replace(partial, path)
    except OSError as error:
        # Errors of writing have no file name; those of reading the content name its source.
        if error.filename is None or Path(error.filename) == partial:
            error.filename = str(path)
        raise
    finally:
        partial.unlink(missing_ok=True)


@contextmanager
def partial_folder(path: Path) -> Iterator[Path]:
    """A temporary hidden folder beside a path."""
    partial = _partial(path)
    partial.mkdir()
    try:
        with _held(partial / HOLDER):
            yield partial
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _partial(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}{PARTIAL}")


@contextmanager
def _held(path: Path) -> Iterator[BinaryIO]:
    """A new file that ``remove_partials`` does not remove while this process has it open."""
    while True:
        with open(path, "wb") as out:
            with suppress(OSError):  # a file system without locks
                acquire_lock(out, wait=True)
            if os.fstat(out.fileno()).st_nlink:  # else it was removed before it was held
                yield out
                return


def remove_partials(partials: Iterable[Path]) -> None:
    """Removes the incomplete files and folders of killed processes."""
    for path in partials:
        with suppress(OSError):
            if path.is_symlink():  # not made here: its target is left alone
                path.unlink()
                continue
            with open(path / HOLDER if path.is_dir() else path, "ab") as file:
                if acquire_lock(file):  # else its process is alive
                    shutil.rmtree(path) if path.is_dir() else path.unlink()


def check_regular(folder: Path) -> None:
    """Raises ``UserError`` where a folder contains a pipe or device: reading it may never end."""
    for parent, subfolders, names in os.walk(folder):
        subfolders.sort()  # in place: the order in which os.walk goes on
        for name in sorted(names):
            path = Path(parent, name)
            with suppress(OSError):  # a link that leads nowhere
                if not stat.S_ISREG(path.stat().st_mode):
                    raise UserError(
                        f"{path}: not a regular file (a pipe, socket or device), whose reading may "
                        "never end; remove it, and find out how it came there"
                    )


def indented_json(value: object) -> str:
    """JSON for people: sorted keys, an indent of two."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, indent=2) + "\n"


def write_json(path: Path | str, value: object) -> None:
    """Replaces a JSON file atomically."""
    write_text(path, indented_json(value))


def write_jsonl(path: Path | str, records: Iterable[Mapping[str, object]]) -> None:
    """Replaces a JSON-lines file atomically, with one record at a time in memory."""
    with atomic_writer(path) as out:
        out.writelines(json_line(record).encode() for record in records)


def file_size(path: Path) -> int:
    """The bytes of a file; 0 if it is missing."""
    return path.stat().st_size if path.exists() else 0


def file_sha256(path: Path | str) -> str:
    """The sha256 of a file's bytes, in hexadecimal digits."""
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise unreadable(path, error) from None


def write_rows(path: Path | str, columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """Replaces a CSV file atomically; floats have six significant digits."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        values = [row[column] for column in columns]
        writer.writerow([f"{v:.6g}" if isinstance(v, float) else v for v in values])
    write_text(path, text.getvalue())


def read_rows(path: Path | str) -> list[dict[str, str]]:
    """The rows of a CSV file, as strings by column."""
    return list(csv.DictReader(io.StringIO(read_text(path), newline="")))


def json_line(record: Mapping[str, object]) -> str:
    """A record as a line that is valid UTF-8 whatever a model produced."""
    line = json.dumps(record, ensure_ascii=False)
    if not line.isascii():
        try:
            line.encode("utf-8")
        except UnicodeEncodeError:  # a lone surrogate: only its escape can be written
            line = json.dumps(record)
    return line + "\n"
