"""Where the journals of answers lie below the results folder; they are not Snakemake's."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

VERDICTS, REWRITES = "verdicts", "rewrites"
"""Folders of the judges' and rewriters' journals, beside those of the benchmarks."""


def journal_path(results: Path, benchmark: str, model: str, part: str) -> Path:
    """The journal of a model's answers to a part."""
    return results / "journal" / benchmark / model / f"{part}.jsonl"


def verdicts_journal_path(results: Path, benchmark: str, judge: str, model: str, part: str) -> Path:
    """The journal of a judge's replies about a model's answers; one folder holds all of a judge."""
    return results / "journal" / VERDICTS / judge / f"{benchmark}.{model}.{part}.jsonl"


def rewrites_journal_path(results: Path, benchmark: str, rewriter: str, round: str) -> Path:
    """The journal of a rewriter's replies in a round; one folder holds all of a rewriter."""
    return results / "journal" / REWRITES / rewriter / f"{benchmark}.{round}.jsonl"


def scores_path(results: Path, benchmark: str, model: str, part: str) -> Path:
    """The scores of a model's answers to a part."""
    return results / benchmark / "scores" / model / f"{part}.jsonl"


def journal_sizes(
    results: Path, benchmark: str, models: Sequence[str], parts: Mapping[str, object]
) -> list[int]:
    """Bytes of each journal, in order: a plan is made anew when one has grown."""
    return [_size(journal_path(results, benchmark, m, p)) for m in models for p in parts]


def rewrites_sizes(
    results: Path, benchmark: str, rewriters: Sequence[str], rounds: Sequence[str]
) -> list[int]:
    """Bytes of each journal of rewriters' replies, in order."""
    return [
        _size(rewrites_journal_path(results, benchmark, one, round))
        for one in rewriters
        for round in rounds
    ]


def score_sizes(
    results: Path, benchmark: str, models: Sequence[str], parts: Mapping[str, object]
) -> list[int]:
    """Bytes of each file of scores, in order: a certificate takes those that are there."""
    return [_size(scores_path(results, benchmark, m, p)) for m in models for p in parts]


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


class JournalFolders:
    """The folders with the journals of one model, judge or rewriter, as they are at each look.

    Args:
        results: folder of all results.
        name: of the model, judge or rewriter.
        kind: ``VERDICTS`` of a judge, ``REWRITES`` of a rewriter, None of a model.
    """

    def __init__(self, results: Path, name: str, kind: str | None = None):
        self._journal, self._name, self._kind = results / "journal", name, kind

    def __iter__(self) -> Iterator[Path]:
        if self._kind:
            yield self._journal / self._kind / self._name
        elif self._journal.is_dir():
            for folder in sorted(self._journal.iterdir()):
                if folder.name not in (VERDICTS, REWRITES):
                    yield folder / self._name
