"""A corpus from a directory of the user's own."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from steadfast.corpora.records import read_files
from steadfast.errors import UserError
from steadfast.files import Record


def read(corpus: str, source: dict[str, Any], seed: int) -> Iterator[Record]:
    """The records of the files in ``directory`` that match ``glob``, by their sorted paths.

    Raises:
        UserError: the directory is missing, the glob matches no file, or a file or record is bad.
    """
    directory = Path(source["directory"])
    if not directory.is_dir():
        raise UserError(
            f"corpus {corpus}: no directory {directory}; correct the directory of the local source"
        )
    try:
        paths = sorted(path for path in directory.glob(source["glob"]) if path.is_file())
    except (ValueError, NotImplementedError) as error:
        raise UserError(
            f"corpus {corpus}: {source['glob']!r} is no glob ({error}); write one relative to "
            f"{directory}, such as {corpus}/*.jsonl"
        ) from None
    if not paths:
        raise UserError(
            f"corpus {corpus}: {source['glob']!r} matches no file in {directory}; correct the glob "
            "or put the files there"
        )
    return read_files(corpus, paths, source["fields"])
