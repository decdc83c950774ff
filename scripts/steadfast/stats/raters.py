"""Verdicts of raters: judges' from scores, people's from a file of labels."""

import csv
import io
import re
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from itertools import groupby
from pathlib import Path
from typing import Any, TypeVar

from steadfast.base.errors import UserError
from steadfast.base.files import Record, read_jsonl, read_text
from steadfast.contract.components import Labels, Scored
from steadfast.contract.records import ScoreRecord
from steadfast.contract.request import repeat_key

HUMAN = "human"
K = TypeVar("K", bound=Hashable)
V = TypeVar("V", bound=Hashable)
# Each rater's verdicts by model, answer (``answer_name``) and question.
ByRater = dict[str, dict[tuple[str, str, K], V]]


def answer_name(record: ScoreRecord) -> str:
    """The key of a score's response: its sample and repeat."""
    return repeat_key(record["sample_id"], record["repeat"])


# The number of a judge's further repeat in its name (``request.repeat_key``).
FURTHER = re.compile(r"#\d+")


def first_repeats(judges: Iterable[str]) -> list[str]:
    """The judges without their further repeats, which are used for agreement only."""
    return [judge for judge in judges if not FURTHER.search(judge)]


def numbered_points(rated: Record) -> dict[int, int]:
    """A judge's verdicts by number, 1 or 0, without unreadable ones (−1)."""
    points = rated["points"] or {}
    return {int(number): int(point) for number, point in points.items() if point >= 0}


def judge_verdicts(
    scores: Sequence[Scored], judges: Sequence[str], read: Callable[[Any], Mapping[K, V]]
) -> ByRater[K, V]:
    """Each judge's verdicts on the responses that it judged.

    They are read from a score's record itself for the judge that it names, and from its
    ``other_raters`` for others. ``read`` returns the verdict on each question.
    """
    by_judge: ByRater[K, V] = {judge: {} for judge in judges}
    for model, _, record in scores:
        answer = (model, answer_name(record))
        for judge, rating in [(record["judge"], record), *record["other_raters"].items()]:
            if judge is not None and judge in by_judge:
                for question, verdict in read(rating).items():
                    by_judge[judge][*answer, question] = verdict
    return by_judge


def by_answer(
    raters: ByRater[K, V], fold: Callable[[str, list[V]], V]
) -> dict[str, dict[tuple[str, str], V]]:
    """One verdict for each response: ``fold`` of its key and a rater's verdicts, in order."""
    folded: dict[str, dict[tuple[str, str], V]] = {}
    for rater, verdicts in raters.items():
        folded[rater] = {}
        # The verdicts on an answer follow one another, so that they need no sorting.
        for answer, items in groupby(verdicts, lambda item: item[:2]):
            folded[rater][answer] = fold(answer[1], [verdicts[item] for item in items])
    return folded


# Columns of a sheet that people fill in, a row for each question.
SHEET = ("instruction", "answer", "asked", "verdict", "rater", "question", "sample_id", "model")
STRINGS = dict.fromkeys(("yes", "y", "1", "是"), "yes")
STRINGS |= dict.fromkeys(("no", "n", "0", "否"), "no")


def read_label_file(path: Path) -> Labels:
    """The labels in a file: JSON lines, or a CSV sheet with columns ``SHEET``.

    Rows without a verdict are skipped. Raises UserError for a missing column, or a verdict that is
    neither yes nor no.
    """
    if path.suffix != ".csv":
        return Labels(str(path), list(read_jsonl(path)))
    # Spreadsheet programs may save with a byte order mark.
    rows = csv.DictReader(io.StringIO(read_text(path).removeprefix("\ufeff")))
    needed = ("verdict", "question", "sample_id", "model")
    for column in needed:
        if column not in (rows.fieldnames or ()):
            raise UserError(f"{path}: column {column!r} is missing; restore the sheet's columns")
    sheets: dict[tuple[str, str, str], dict[str, str]] = defaultdict(dict)
    for row in rows:
        verdict = (row["verdict"] or "").strip().casefold()
        if not verdict:
            continue
        if verdict not in STRINGS:
            raise UserError(
                f"{path}:{rows.line_num}: verdict {row['verdict']!r} is neither yes nor no; "
                "correct it"
            )
        rater = (row.get("rater") or "").strip() or HUMAN
        sheets[rater, row["model"], row["sample_id"]][row["question"]] = STRINGS[verdict]
    records: list[Record] = []
    for (rater, model, sample), verdicts in sheets.items():
        record = {"rater": rater, "model": model, "sample_id": sample, "verdicts": verdicts}
        records.append(record)
    return Labels(str(path), records)


def listed_verdicts(
    verdicts: object, count: int, item: str, yes: Hashable = 1, no: Hashable = 0
) -> dict[int, int]:
    """Verdicts by number, 1 or 0, from a list, or from a mapping of numbers to yes or no.

    Raises ValueError with the end of a sentence.

    >>> listed_verdicts(["YES", "NO"], 2, "constraint", "YES", "NO")
    {1: 1, 2: 0}
    """
    if isinstance(verdicts, dict):
        numbers = {str(number): number for number in range(1, count + 1)}
        for number, word in verdicts.items():
            if number not in numbers or word not in ("yes", "no"):
                raise ValueError(
                    f"{item} {number}: {word!r}; expected yes or no for a number from 1 to {count}"
                )
        return {numbers[number]: int(word == "yes") for number, word in verdicts.items()}
    if not isinstance(verdicts, list) or len(verdicts) != count:
        raise ValueError(f"expected a list of {count} verdicts, one per {item}")
    for number, verdict in enumerate(verdicts, start=1):
        # True equals 1, but is no verdict.
        if isinstance(verdict, bool) or verdict not in (yes, no):
            raise ValueError(f"verdict {number} is {verdict!r}, neither {yes!r} nor {no!r}")
    return {number: int(verdict == yes) for number, verdict in enumerate(verdicts, start=1)}


def read_labels(
    labels: Labels | None,
    scores: Iterable[Scored],
    parse: Callable[[object, Any], Mapping[K, V]],
    judged: Callable[[Any], bool] = lambda score: True,
) -> ByRater[K, V]:
    """People's verdicts from the records of a file.

    A record has ``model``, ``sample_id``, ``verdicts`` in the benchmark's format, and ``rater``
    where there are several.

    Args:
        labels: the file's name and records; None without a file.
        scores: of the responses that can be labelled, which are those of the first repeat. Labels
            of other models are ignored.
        parse: returns the verdict on each question from a label's verdicts and the response's
            score; raises ValueError with the end of a sentence where it cannot.
        judged: whether a judge, and no rule, decides the score of a record.

    Raises:
        UserError: a record is invalid, or none is of a model that runs.
    """
    if labels is None:
        return {}
    records: dict[str, dict[str, ScoreRecord]] = defaultdict(dict)
    decided_by_rule: set[tuple[str, str]] = set()
    for model, _, score in scores:
        if not score["repeat"]:
            records[model][score["sample_id"]] = score
            if not judged(score):
                decided_by_rule.add((model, score["sample_id"]))
    by_rater: ByRater[K, V] = defaultdict(dict)
    seen = set()
    other_models = set()
    for number, record in enumerate(labels.records, start=1):
        where = f"{labels.name}: record {number}"
        if "verdicts" not in record:
            raise UserError(f"{where}: field 'verdicts' is missing; add the rater's verdicts")
        rater, model, sample = label_texts(record, where, "model", "sample_id")
        if (rater, model, sample) in seen:
            raise UserError(
                f"{where}: duplicate label of rater {rater!r} on sample {sample!r} of model "
                f"{model!r}; remove one of the two"
            )
        seen.add((rater, model, sample))
        # A file of labels may also be about models that do not run.
        if model not in records:
            other_models.add(model)
            continue
        if sample not in records[model]:
            if labels.of_more:
                continue
            samples = records[model]
            judged_samples = [name for name in samples if (model, name) not in decided_by_rule]
            near = get_close_matches(sample, judged_samples, 1, cutoff=0)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise UserError(f"{where}: unknown sample_id {sample!r} of model {model!r}{hint}")
        if (model, sample) in decided_by_rule:
            raise UserError(
                f"{where}: sample {sample!r} is scored by a rule, without a judge to compare "
                "with; remove the label"
            )
        try:
            verdicts = parse(record["verdicts"], records[model][sample])
        except ValueError as error:
            raise UserError(f"{where}, sample {sample!r}: {error}; correct its verdicts") from None
        by_rater[rater] |= {(model, sample, name): verdict for name, verdict in verdicts.items()}
    # Labels of other models alone are most likely those of another run.
    if not by_rater and other_models:
        raise UserError(
            f"{labels.name}: no label is for a model of this run, the first is for "
            f"{min(other_models)!r}; models of this run: {', '.join(sorted(records))}"
        )
    return dict(by_rater)


def label_texts(record: Record, where: str, *names: str) -> list[str]:
    """The rater and other texts of a label; raises UserError where one is missing or no text."""
    fields = {"rater": HUMAN, **record}
    for name in (*names, "rater"):
        if not isinstance(fields.get(name), str) or not fields[name]:
            raise UserError(f"{where}: field {name!r} must be a string; add or correct it")
    return [fields[name] for name in ("rater", *names)]
