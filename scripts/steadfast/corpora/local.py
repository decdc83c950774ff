"""A corpus from the user's directory."""

from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings
from steadfast.base.resources import facts
from steadfast.corpora.records import Fields, deduplicated, read_files
from steadfast.corpora.rows import READABLE

LAYOUTS = "corpora/local.yaml"


def corpus(
    inputs: Mapping[str, Path],
    corpus: str,
    directory: str,
    glob: str | None = None,
    fields: Fields | None = None,
) -> Iterator[Record]:
    """The records of a corpus's files in a directory, by their sorted paths.

    By default files and fields are those of the authors or the usual mirrors
    (``LAYOUTS`` in resources).
    """
    if not Path(directory).is_dir():
        raise UserError(
            f"corpus {corpus}: no such directory: {directory}; correct corpora.directory"
        )
    paths, layout = corpus_files(corpus, directory, glob)
    if not paths:
        usual = chain.from_iterable(layout["glob"] for layout in facts(LAYOUTS)[corpus])
        patterns = ", ".join(usual) if glob is None else repr(glob)
        raise UserError(
            f"corpus {corpus}: no file in {directory} matches {patterns}; correct the glob or add "
            "the files"
        )
    records = read_files(corpus, paths, [fields] if fields else layout["fields"])
    return deduplicated(corpus, "local", records)


def corpus_files(corpus: str, directory: str, glob: str | None) -> tuple[list[Path], Settings]:
    """The files of a corpus, sorted, and their layout: by the user's glob, or the first known
    layout with a data file."""
    if glob is not None:
        return _matching(corpus, directory, glob), {}
    for layout in facts(LAYOUTS)[corpus]:
        matches: set[Path] = set()  # patterns may overlap
        for pattern in layout["glob"]:
            matches.update(_matching(corpus, directory, pattern))
        data_files = sorted(path for path in matches if path.suffix.lower() in READABLE)
        if data_files:
            return data_files, layout
    return [], {}


def _matching(corpus: str, directory: str, glob: str) -> list[Path]:
    try:
        return sorted(path for path in Path(directory).glob(glob) if path.is_file())
    except (ValueError, NotImplementedError) as error:
        raise UserError(
            f"corpus {corpus}: invalid glob {glob!r} ({error}); write one relative to {directory}, "
            f"such as {corpus}/*.jsonl"
        ) from None
