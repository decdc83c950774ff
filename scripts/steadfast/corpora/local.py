"""A corpus from a directory of the user's own."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.files import Record
from steadfast.corpora.records import cleaned, read_files


def corpus(
    inputs: Mapping[str, Path], corpus: str, directory: str, glob: str, fields: Mapping[str, str]
) -> Iterator[Record]:
    """Returns the records of the files that match ``glob``, by their sorted paths."""
    if not Path(directory).is_dir():
        raise UserError(
            f"corpus {corpus}: no directory {directory}; correct the directory of the local source"
        )
    paths = matching(corpus, directory, glob)
    if not paths:
        raise UserError(
            f"corpus {corpus}: {glob!r} matches no file in {directory}; correct the glob or put "
            "the files there"
        )
    return cleaned(corpus, "local", read_files(corpus, paths, fields))


def matching(corpus: str, directory: str, glob: str) -> list[Path]:
    """Returns the files of a corpus, sorted."""
    try:
        return sorted(path for path in Path(directory).glob(glob) if path.is_file())
    except (ValueError, NotImplementedError) as error:
        raise UserError(
            f"corpus {corpus}: {glob!r} is no glob ({error}); write one relative to {directory}, "
            f"such as {corpus}/*.jsonl"
        ) from None
