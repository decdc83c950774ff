"""Two results folders side by side: settings, prompts, cells of the metrics, and samples."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd

from steadfast.base.errors import UserError
from steadfast.base.files import Record, canonical_json
from steadfast.base.tokens import fingerprint
from steadfast.compare import changed as moved
from steadfast.compare import flips
from steadfast.config.portable import portable
from steadfast.contract.components import Scored
from steadfast.contract.part_files import read_data
from steadfast.contract.records import RELEASED, OutputRecord, ScoreRecord
from steadfast.run.finished import FinishedPart, FinishedRun
from steadfast.stats.pairs import COLUMNS as COMPARED
from steadfast.stats.pairs import holm
from steadfast.stats.scores import prompts_of
from steadfast.stats.tidy import write_csv

TESTS = (
    "benchmark", "model", "cell", "measure", "difference", "low", "high", "p", "p_holm", "n",
    "error", "freedom", "clusters",
)  # fmt: skip
MEASURED = ("benchmark", "model", "measure", "where", "full", "scored", "lacking", "identical")
ABSENT = "(not there)"
EARLIER, LATER = "b", "a"
"""Names under which the two runs of a model are compared: a difference is B minus A."""


@dataclass(frozen=True)
class Comparison:
    """What differs between two runs, A and B.

    Attributes:
        settings: keys of the two configs and of what produced the answers: where, key, a, b.
        asked: prompts of each benchmark and part: benchmark, part, same, changed, only_a, only_b.
        alone: what one of the two has alone: run, what, name.
        counts: benchmark, metric, cells: how many cells both have.
        cells: those that moved (``changed.COLUMNS``).
        tests: differences on the samples that both have, by the benchmark's own test (``TESTS``);
            p_holm is corrected over the models of a cell, measure names a main measure.
        measured: main measures that are tested (``MEASURED``): the keys of their cells, full marks,
            how many of A's scored answers there are and have no score in B, and whether all
            responses and scores of the model are the same in both runs.
        compared: benchmark, model, task, samples: how many samples were compared.
        samples: those that flipped (``flips.COLUMNS``).
    """

    settings: pd.DataFrame
    asked: pd.DataFrame
    alone: pd.DataFrame
    counts: pd.DataFrame
    cells: pd.DataFrame
    tests: pd.DataFrame
    measured: pd.DataFrame
    compared: pd.DataFrame
    samples: pd.DataFrame

    @property
    def differs(self) -> bool:
        """Whether anything but settings differs: prompts, cells, samples, or what there is."""
        changed = self.asked[["changed", "only_a", "only_b"]].to_numpy().any()
        return bool(changed) or any(map(len, (self.alone, self.cells, self.samples)))

    def write(self, folder: Path) -> None:
        """Writes each frame as a CSV file of its name."""
        for name, rows in vars(self).items():
            write_csv(folder / f"{name}.csv", rows)


Difference = tuple[str, str, str]
"""A key whose values differ, and the two values as JSON."""


def differences(a: Any, b: Any, key: str = "") -> Iterator[Difference]:
    """The keys of nested plain values that differ, with dots between their names."""
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        for name in dict.fromkeys([*a, *b]):
            path = f"{key}.{name}" if key else str(name)
            if name in a and name in b:
                yield from differences(a[name], b[name], path)
            else:
                one, other = (canonical_json(of[name]) if name in of else ABSENT for of in (a, b))
                yield path, one, other
    elif canonical_json(a) != canonical_json(b):
        yield key, canonical_json(a), canonical_json(b)


def compare_results(a: FinishedRun, b: FinishedRun) -> Comparison:
    """What differs between two runs that have a benchmark in common."""
    common = [name for name in a.benchmarks if name in b.benchmarks]
    if not common:
        listed = [", ".join(run.benchmarks) for run in (a, b)]
        raise UserError(
            f"{a.results} has results of {listed[0]} and {b.results} of {listed[1]}: nothing is in "
            "common; compare two runs of the same benchmark"
        )
    found = [_Benchmark(a, b, name) for name in common]
    return Comparison(
        settings=_frame([_settings(a, b, common)], ("where", "key", "a", "b")),
        asked=_frame(
            map(_Benchmark.asked, found),
            ("benchmark", "part", "same", "changed", "only_a", "only_b"),
        ),
        alone=_frame([_alone(a, b, found)], ("run", "what", "name")),
        counts=_frame(map(_Benchmark.counts, found), ("benchmark", "metric", "cells")),
        cells=_joined([one.cells for one in found], moved.COLUMNS),
        tests=_joined([one.shown_tests() for one in found], TESTS),
        measured=_frame(map(_Benchmark.measured, found), MEASURED),
        compared=_frame(map(_Benchmark.compared, found), ("benchmark", "model", "task", "samples")),
        samples=_frame(map(_Benchmark.flips, found), flips.COLUMNS),
    )


def _frame(rows: Iterable[Iterable[object]], columns: Sequence[str]) -> pd.DataFrame:
    return pd.DataFrame(list(chain.from_iterable(rows)), columns=list(columns))


def _joined(frames: Sequence[pd.DataFrame], columns: Sequence[str]) -> pd.DataFrame:
    filled = [frame for frame in frames if len(frame)]
    if not filled:
        return pd.DataFrame(columns=list(columns))
    return pd.concat(filled, ignore_index=True)[list(columns)]


def _settings(
    a: FinishedRun, b: FinishedRun, benchmarks: Sequence[str]
) -> Iterator[tuple[str, str, str, str]]:
    """Keys of the configs, then those of what produced the answers, each change once."""
    for one in differences(_config(a), _config(b)):
        yield "config", *one
    for name in benchmarks:
        first, second = dict(a.identities(name)), dict(b.identities(name))
        found: dict[tuple[str, Difference], list[str]] = {}
        for job in (job for job in first if job in second):
            who = f"judge {job.judge}" if job.judge else job.model
            for one in differences(first[job], second[job]):
                found.setdefault((who, one), []).append(job.part)
        for (who, one), parts in found.items():
            yield f"{name} {who} {', '.join(dict.fromkeys(parts))}", *one


def _config(run: FinishedRun) -> Record:
    """A run's config, with defaults; what it is called is no setting of it."""
    return {key: one for key, one in portable(run.evaluation.config).items() if key != "name"}


def _alone(
    a: FinishedRun, b: FinishedRun, common: Sequence["_Benchmark"]
) -> Iterator[tuple[str, str, str]]:
    for label, run, other in (("A", a, b), ("B", b, a)):
        for name in run.benchmarks:
            if name not in other.benchmarks:
                yield label, "benchmark", name
        for one in common:
            has, lacks = one.names[label], one.names["B" if label == "A" else "A"]
            for what, names in has.items():
                for name in names:
                    if name not in lacks[what]:
                        yield label, what, f"{one.name} {name}"


class _Benchmark:
    """One benchmark of two runs."""

    def __init__(self, a: FinishedRun, b: FinishedRun, name: str):
        self.name = name
        frames = {"A": a.metrics(name), "B": b.metrics(name)}
        self._joined_cells = {
            metric: moved.joined_cells(rows, frames["B"][metric])
            for metric, rows in frames["A"].items()
            if metric in frames["B"]
        }
        self._task = a.evaluation.tasks[name]
        self._parts = parts = {"A": a.parts(name), "B": b.parts(name)}
        self.names = {
            label: {
                "model": run.models(name),
                "part": [of.name for of in parts[label].values() if of.files.prompts.exists()],
                "metric": list(frames[label]),
            }
            for label, run in (("A", a), ("B", b))
        }
        first, second = self.names["A"], self.names["B"]
        self._models = [model for model in first["model"] if model in second["model"]]
        self._digests = {
            part: (_digests(parts["A"][part]), _digests(parts["B"][part]))
            for part in first["part"]
            if part in second["part"]
        }
        self._scores = {
            (model, part): (parts["A"][part].scores(model), parts["B"][part].scores(model))
            for model in self._models
            for part in parts["A"]
            if part in parts["B"]
        }
        measures = a.evaluation.benchmarks[name].measures
        self._measures = {key: one for key, one in measures.items() if one.compared}
        kinds = self._task.metrics.data
        self._data = {
            part: read_data([source for source in of.files.sources if source[0] in kinds])
            for part, of in parts["A"].items()
        }
        self._tests = self._paired_tests()
        found = [moved.moved(of, metric, self._tests) for metric, of in self._joined_cells.items()]
        self.cells = _joined([one.assign(benchmark=name) for one in found], moved.COLUMNS)

    def asked(self) -> Iterator[tuple[str, str, int, int, int, int]]:
        """How many prompts of each part are the same."""
        for part, (a, b) in self._digests.items():
            common = a.keys() & b.keys()
            same = sum(a[key] == b[key] for key in common)
            alone = len(a) - len(common), len(b) - len(common)
            yield self.name, part, same, len(common) - same, *alone

    def counts(self) -> Iterator[tuple[str, str, int]]:
        """How many cells of each metric both have."""
        for metric, cells in self._joined_cells.items():
            yield self.name, metric, len(cells)

    def compared(self) -> Iterator[tuple[str, str, str, int]]:
        """How many samples of each task were compared."""
        for model in self._models:
            pairs = self._common(model).values()
            tasks = Counter(a[key]["task"] for a, b in pairs for key in a.keys() & b.keys())
            for task, samples in sorted(tasks.items()):
                yield self.name, model, task, samples

    def flips(self) -> Iterator[tuple[object, ...]]:
        """The samples that flipped."""
        for model in self._models:
            for part, (a, b) in self._common(model).items():
                for flip in flips.flips(a, b):
                    yield self.name, model, part, *flip

    def shown_tests(self) -> pd.DataFrame:
        """The paired differences, with their keys as one text."""
        if not len(self._tests):
            return pd.DataFrame(columns=TESTS)
        cells = self._tests["keys"].map(moved.shown_keys)
        shown = self._tests.assign(benchmark=self.name, cell=cells, p_holm=float("nan"))
        shown["measure"] = self._tests["keys"].map(self._measure)
        known = shown["p"].notna()
        corrected = shown[known].groupby("cell")["p"].transform(lambda p: holm(p.to_numpy()))
        return shown.assign(p_holm=corrected)[list(TESTS)]

    def measured(self) -> Iterator[tuple[object, ...]]:
        """The main measures of each model that are tested, and what is to be known of them."""
        for model in self._models:
            scored = [
                key in b and b[key]["total"] is not None
                for a, b in self._common(model).values()
                for key, one in a.items()
                if one["total"] is not None
            ]
            counts = len(scored), scored.count(False), self._identical(model)
            for name, measure in self._measures.items():
                where = moved.shown_keys(measure.compared)
                yield self.name, model, name, where, measure.full, *counts

    def _identical(self, model: str) -> bool:
        """Whether a model's responses to all prompts, and their scores, are those of both runs."""
        if self._parts["A"].keys() != self._parts["B"].keys():
            return False
        for name, part in self._parts["A"].items():
            other = self._parts["B"][name]
            prompts = self._digests.get(name, ({}, {}))
            scores = self._scores[model, name]
            if prompts[0] != prompts[1] or scores[0] != scores[1]:
                return False
            if _responses(part.outputs(model)) != _responses(other.outputs(model)):
                return False
        return True

    def _measure(self, keys: Mapping[str, str]) -> str:
        """The main measure that a test of these keys is of, if any."""
        for name, measure in self._measures.items():
            if measure.compared.items() <= keys.items():
                return name
        return ""

    def _common(
        self, model: str
    ) -> dict[str, tuple[dict[str, ScoreRecord], dict[str, ScoreRecord]]]:
        """The scores of a model in both runs, by part: of samples that were asked alike."""
        found = {}
        for (name, part), (a, b) in self._scores.items():
            if name == model and a and b:
                alike = self._alike(part)
                found[part] = _asked_alike(a, alike), _asked_alike(b, alike)
        return found

    def _alike(self, part: str) -> Collection[str]:
        a, b = self._digests.get(part, ({}, {}))
        return {key for key in a if a[key] == b.get(key)}

    def _paired_tests(self) -> pd.DataFrame:
        """Each model's two runs, by A's own comparison of two models."""
        metrics = self._task.metrics.function
        found = []
        for model in self._models:
            common = self._common(model)
            scored = [
                Scored(name, part, pair[side][key])
                for side, name in ((0, EARLIER), (1, LATER))
                for part, pair in common.items()
                for key in pair[side]
                if key in pair[1 - side]
            ]
            if not scored:
                continue
            rows = metrics.make(scored, self._data, None).get("comparisons")
            if rows is not None and len(rows):
                found.append(_tests_of(rows, model))
        return pd.concat(found, ignore_index=True) if found else pd.DataFrame()


def _digests(part: FinishedPart) -> dict[str, str]:
    """What is asked: a digest of each whole prompt, with the turns before, by sample."""
    digests: dict[str, str] = {}
    for sample in part.files.read():
        item = part.files.joined.item(sample)
        before = digests[sample.before.id] if sample.before else ""
        text = "\0".join([before, item.head + item.context + item.tail])
        digests[sample.id] = fingerprint(text)
    return digests


def _responses(outputs: Mapping[str, OutputRecord]) -> frozenset[tuple[str, str, str]]:
    """What came back for each sample: its name, status and text."""
    return frozenset((key, one["status"], one["text"]) for key, one in outputs.items())


def _asked_alike(
    records: Mapping[str, ScoreRecord], alike: Collection[str]
) -> dict[str, ScoreRecord]:
    """The scores of samples that were asked alike; released ones are about the same prompts."""
    return {
        key: one
        for key, one in records.items()
        if one["sample_id"] in alike or prompts_of(one) == RELEASED
    }


def _tests_of(rows: pd.DataFrame, model: str) -> pd.DataFrame:
    """A benchmark's comparison of the two runs, with what tells its cells apart as ``keys``."""
    names = [column for column in rows if column == "task" or column not in COMPARED]
    keys: list[Mapping[str, str]] = [
        dict(zip(names, map(str, row), strict=True)) for row in rows[names].values.tolist()
    ]
    values = ["difference", "low", "high", "p", "n", "error", "freedom", "clusters"]
    found = rows[values].assign(model=model)
    return found.assign(keys=keys)
