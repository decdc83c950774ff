"""A corpus from a directory of the user's own."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.files import Record
from steadfast.corpora.cleaning import cleaned
from steadfast.corpora.records import read_files


def corpus(
    inputs: Mapping[str, Path], corpus: str, directory: str, glob: str, fields: Mapping[str, str]
) -> Iterator[Record]:
    """The records of the files in ``directory`` that match ``glob``, by their sorted paths.

    Args:
        inputs: none.
        corpus: its name.
        directory: that holds the corpora.
        glob: of files, relative to it.
        fields: of a record, see ``read_files``.

    Raises:
        UserError: the directory is missing, the glob matches no file, a file or record is bad, or
            there is no text.
    """
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
    """The files of a corpus, sorted.

    Raises:
        UserError: that is no glob.
    """
    try:
        return sorted(path for path in Path(directory).glob(glob) if path.is_file())
    except (ValueError, NotImplementedError) as error:
        raise UserError(
            f"corpus {corpus}: {glob!r} is no glob ({error}); write one relative to {directory}, "
            f"such as {corpus}/*.jsonl"
        ) from None
