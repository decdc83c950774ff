"""Two results folders side by side: settings, prompts, cells of the metrics, and samples."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd

from steadfast.base.errors import UserError
from steadfast.base.files import canonical_json
from steadfast.base.tokens import fingerprint
from steadfast.compare import changed, flips
from steadfast.config.portable import portable
from steadfast.contract.components import Scored
from steadfast.contract.part_files import read_data
from steadfast.contract.records import RELEASED, OutputRecord, ScoreRecord
from steadfast.jobs.finished import FinishedPart, FinishedRun
from steadfast.stats.pairs import COLUMNS as COMPARED
from steadfast.stats.pairs import holm
from steadfast.stats.scores import prompts_of
from steadfast.stats.tidy import write_csv

PROMPTS = ("benchmark", "part", "same", "changed", "only_a", "only_b")
TESTS = (
    "benchmark", "model", "cell", "measure", "difference", "low", "high", "p", "p_holm", "n",
    "error", "degrees_of_freedom", "clusters",
)  # fmt: skip
MEASURED = ("benchmark", "model", "measure", "where", "full", "scored", "lacking", "identical")
ABSENT = "(absent)"
EARLIER = "b"
LATER = "a"
"""Names under which the two runs of a model are compared: a difference is B minus A."""
Scores = Mapping[str, ScoreRecord]
"""Of a model and part, by sample and repeat."""


@dataclass(frozen=True)
class Comparison:
    """What differs between two runs, A and B.

    Attributes:
        settings: keys of the two configs and of what produced the answers: where, key, a, b.
        prompts: prompts of each benchmark and part that are the same, changed, or in one run alone.
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
    prompts: pd.DataFrame
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
        prompts_differ = self.prompts[["changed", "only_a", "only_b"]].to_numpy().any()
        return bool(prompts_differ) or any(map(len, (self.alone, self.cells, self.samples)))

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
                value, other = (
                    canonical_json(manifest[name]) if name in manifest else ABSENT
                    for manifest in (a, b)
                )
                yield path, value, other
    elif canonical_json(a) != canonical_json(b):
        yield key, canonical_json(a), canonical_json(b)


def compare_results(a: FinishedRun, b: FinishedRun) -> Comparison:
    """What differs between two runs that have a benchmark in common."""
    common = [name for name in a.benchmarks if name in b.benchmarks]
    if not common:
        listed = [", ".join(run.benchmarks) for run in (a, b)]
        raise UserError(
            f"{a.results} has results of {listed[0]} and {b.results} of {listed[1]}: no benchmark "
            "in common; compare two runs of the same benchmark"
        )
    benchmarks = [_Benchmark(a, b, name) for name in common]
    alone = [("A", "benchmark", name) for name in a.benchmarks if name not in common]
    alone += [("B", "benchmark", name) for name in b.benchmarks if name not in common]
    return Comparison(
        settings=_frame([_settings(a, b, common)], ("where", "key", "a", "b")),
        prompts=_frame((benchmark.prompts() for benchmark in benchmarks), PROMPTS),
        alone=_frame(
            [alone, *(benchmark.alone() for benchmark in benchmarks)], ("run", "what", "name")
        ),
        counts=_frame(
            (benchmark.counts() for benchmark in benchmarks), ("benchmark", "metric", "cells")
        ),
        cells=_joined([benchmark.moved_cells() for benchmark in benchmarks], changed.COLUMNS),
        tests=_joined([benchmark.shown_tests() for benchmark in benchmarks], TESTS),
        measured=_frame((benchmark.measured() for benchmark in benchmarks), MEASURED),
        compared=_frame(
            (benchmark.compared() for benchmark in benchmarks),
            ("benchmark", "model", "task", "samples"),
        ),
        samples=_frame((benchmark.flips() for benchmark in benchmarks), flips.COLUMNS),
    )


def _frame(rows: Iterable[Iterable[object]], columns: Sequence[str]) -> pd.DataFrame:
    return pd.DataFrame(list(chain.from_iterable(rows)), columns=list(columns))


def _joined(frames: Iterable[pd.DataFrame], columns: Sequence[str]) -> pd.DataFrame:
    filled = [frame for frame in frames if len(frame)]
    if not filled:
        return pd.DataFrame(columns=list(columns))
    return pd.concat(filled, ignore_index=True)


def _settings(
    a: FinishedRun, b: FinishedRun, benchmarks: Sequence[str]
) -> Iterator[tuple[str, str, str, str]]:
    """Keys of the configs, then those of what produced the answers, each change once."""
    for difference in differences(portable(a.evaluation.config), portable(b.evaluation.config)):
        if difference[0] != "name":  # what a run is called is no setting of it
            yield "config", *difference
    for name in benchmarks:
        of_b = dict(b.provenances(name))
        parts: dict[tuple[str, Difference], list[str]] = {}
        for job, provenance in a.provenances(name):
            who = f"judge {job.judge}" if job.judge else job.model
            for difference in differences(provenance, of_b.get(job, provenance)):
                parts.setdefault((who, difference), []).append(job.part)
        for (who, difference), named in parts.items():
            yield f"{name} {who} {', '.join(dict.fromkeys(named))}", *difference


class _Benchmark:
    """One benchmark of two runs."""

    def __init__(self, a: FinishedRun, b: FinishedRun, name: str):
        self.name = name
        self._task = a.evaluation.tasks[name]
        measures = a.evaluation.benchmarks[name].measures
        self._measures = {key: measure for key, measure in measures.items() if measure.compared}
        self._metrics = a.metrics(name), b.metrics(name)
        self._parts = a.parts(name), b.parts(name)
        self._models = a.models(name), b.models(name)
        self._common_models = [model for model in self._models[0] if model in self._models[1]]
        self._common_parts = [
            (part, self._parts[1][key])
            for key, part in self._parts[0].items()
            if key in self._parts[1]
        ]
        self._digests = {
            part.name: (_digests(part), _digests(other))
            for part, other in self._common_parts
            if part.files.prompts.exists() and other.files.prompts.exists()
        }
        self._scores = {
            (model, part.name): (part.scores(model), other.scores(model))
            for model in self._common_models
            for part, other in self._common_parts
        }
        kinds = self._task.metrics.data
        self._data = {
            name: read_data([source for source in part.files.sources if source[0] in kinds])
            for name, part in self._parts[0].items()
        }
        self._cells = {
            metric: changed.joined_cells(rows, self._metrics[1][metric])
            for metric, rows in self._metrics[0].items()
            if metric in self._metrics[1]
        }

    def prompts(self) -> Iterator[tuple[object, ...]]:
        """How many prompts of each part are the same (``PROMPTS``)."""
        for part, (a, b) in self._digests.items():
            common = a.keys() & b.keys()
            same = sum(a[key] == b[key] for key in common)
            alone = len(a) - len(common), len(b) - len(common)
            yield self.name, part, same, len(common) - same, *alone

    def alone(self) -> Iterator[tuple[str, str, str]]:
        """The models, parts and metrics that one run has alone."""
        with_prompts = [
            [name for name, part in parts.items() if part.files.prompts.exists()]
            for parts in self._parts
        ]
        for what, (of_a, of_b) in {
            "model": self._models,
            "part": with_prompts,
            "metric": self._metrics,
        }.items():
            for run, names, other_names in (("A", of_a, of_b), ("B", of_b, of_a)):
                yield from (
                    (run, what, f"{self.name} {metric}")
                    for metric in names
                    if metric not in other_names
                )

    def counts(self) -> Iterator[tuple[str, str, int]]:
        """How many cells of each metric both have."""
        for metric, cells in self._cells.items():
            yield self.name, metric, len(cells)

    def moved_cells(self) -> pd.DataFrame:
        """The cells whose value differs."""
        moved = [changed.moved(cells, self.name, metric) for metric, cells in self._cells.items()]
        return _joined(moved, changed.COLUMNS)

    def compared(self) -> Iterator[tuple[str, str, str, int]]:
        """How many samples of each task were compared."""
        for model in self._common_models:
            pairs = self._alike(model).values()
            tasks = Counter(a[key]["task"] for a, b in pairs for key in a.keys() & b.keys())
            for task, samples in sorted(tasks.items()):
                yield self.name, model, task, samples

    def flips(self) -> Iterator[tuple[object, ...]]:
        """The samples that flipped."""
        for model in self._common_models:
            for part, (a, b) in self._alike(model).items():
                for flip in flips.flips(a, b):
                    yield self.name, model, part, *flip

    def shown_tests(self) -> pd.DataFrame:
        """Each model's two runs, compared as the benchmark compares two models (``TESTS``)."""
        tests = _joined(map(self._tests_of, self._common_models), TESTS)
        tested = tests[tests["p"].notna()]
        corrected = tested.groupby("cell")["p"].transform(lambda p: holm(p.to_numpy(float)))
        return tests.assign(p_holm=corrected)[list(TESTS)]

    def _tests_of(self, model: str) -> pd.DataFrame:
        alike = self._alike(model)
        scored = [
            Scored(name, part, pair[side][key])
            for side, name in ((0, EARLIER), (1, LATER))
            for part, pair in alike.items()
            for key in pair[side]
            if key in pair[1 - side]
        ]
        try:
            rows = self._task.metrics.function.make(scored, self._data, None) if scored else {}
        except UserError as error:
            raise UserError(
                f"{self.name}: the two runs have different scoring settings ({error}): rerun one "
                "with the other's, which sends no requests"
            ) from None
        tests = rows.get("comparisons", pd.DataFrame())
        # What tells a benchmark's comparisons apart, beside the two models.
        names = [column for column in tests if column == "task" or column not in COMPARED]
        keys = [
            dict(zip(names, map(str, row), strict=True)) for row in tests[names].values.tolist()
        ]
        return tests.reindex(columns=list(TESTS)).assign(
            benchmark=self.name,
            model=model,
            cell=[changed.shown_keys(keys_of_row) for keys_of_row in keys],
            measure=[self._measure(keys_of_row) for keys_of_row in keys],
        )

    def _measure(self, keys: Mapping[str, str]) -> str:
        """The main measure that a test of these keys is of, if any."""
        for name, measure in self._measures.items():
            if measure.compared.items() <= keys.items():
                return name
        return ""

    def measured(self) -> Iterator[tuple[object, ...]]:
        """The main measures of each model that are tested (``MEASURED``)."""
        for model in self._common_models:
            has_score = [
                key in b and b[key]["total"] is not None
                for a, b in self._alike(model).values()
                for key, record in a.items()
                if record["total"] is not None
            ]
            counts = len(has_score), has_score.count(False), self._identical(model)
            for name, measure in self._measures.items():
                where = changed.shown_keys(measure.compared)
                yield self.name, model, name, where, measure.full, *counts

    def _identical(self, model: str) -> bool:
        """Whether a model's responses to all prompts, and their scores, are those of both runs."""
        if self._parts[0].keys() != self._parts[1].keys():
            return False
        for part, other in self._common_parts:
            prompts = self._digests.get(part.name, ({}, {}))
            scores = self._scores[model, part.name]
            if prompts[0] != prompts[1] or scores[0] != scores[1]:
                return False
            if _responses(part.outputs(model)) != _responses(other.outputs(model)):
                return False
        return True

    def _alike(self, model: str) -> dict[str, tuple[Scores, Scores]]:
        """The scores of a model in both runs, by part: of samples with equal prompts."""
        alike = {}
        for (name, part), (a, b) in self._scores.items():
            if name == model and a and b:
                digests = self._digests.get(part, ({}, {}))
                same = {key for key, digest in digests[0].items() if digest == digests[1].get(key)}
                alike[part] = _of_samples(a, same), _of_samples(b, same)
        return alike


def _digests(part: FinishedPart) -> dict[str, str]:
    """A digest of each whole prompt, with the turns before, by sample."""
    digests: dict[str, str] = {}
    for sample in part.files.read():
        item = part.files.joined.item(sample)
        before = digests[sample.before.id] if sample.before else ""
        text = "\0".join([before, item.head + item.context + item.tail])
        digests[sample.id] = fingerprint(text)
    return digests


def _responses(outputs: Mapping[str, OutputRecord]) -> frozenset[tuple[str, str, str]]:
    """What came back for each sample: its name, status and text."""
    return frozenset((key, output["status"], output["response"]) for key, output in outputs.items())


def _of_samples(scores: Scores, samples: set[str]) -> Scores:
    """The scores of some samples, and released ones, which are about the same prompts."""
    return {
        key: record
        for key, record in scores.items()
        if record["sample_id"] in samples or prompts_of(record) == RELEASED
    }
