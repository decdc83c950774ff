"""Two results folders side by side: settings, prompts, cells of the metrics, and samples."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
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
# Names under which the two runs of a model are compared: a difference is B minus A.
EARLIER = "b"
LATER = "a"
Scores = Mapping[str, ScoreRecord]  # of a model and part, by sample and repeat


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
        """Whether prompts, cells, samples, or what the runs have, differ."""
        prompts_differ = self.prompts[["changed", "only_a", "only_b"]].to_numpy().any()
        return bool(prompts_differ) or any(map(len, (self.alone, self.cells, self.samples)))

    def write(self, folder: Path) -> None:
        """Writes each frame as a CSV file of its name."""
        for name, rows in vars(self).items():
            write_csv(folder / f"{name}.csv", rows)


Difference = tuple[str, str, str]  # a key whose values differ, and the two values as JSON


def differences(a: Any, b: Any, key: str = "") -> Iterator[Difference]:
    """The keys of nested plain values that differ, with dots between their names."""
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        for name in dict.fromkeys([*a, *b]):
            path = f"{key}.{name}" if key else str(name)
            if name in a and name in b:
                yield from differences(a[name], b[name], path)
            else:
                yield path, _json_of(a, name), _json_of(b, name)
    elif canonical_json(a) != canonical_json(b):
        yield key, canonical_json(a), canonical_json(b)


def _json_of(values: Mapping[str, Any], name: str) -> str:
    return canonical_json(values[name]) if name in values else ABSENT


def compare_results(a: FinishedRun, b: FinishedRun) -> Comparison:
    """What differs between two runs that have a benchmark in common."""
    common = [name for name in a.benchmarks if name in b.benchmarks]
    if not common:
        raise UserError(
            f"{a.results} has results of {', '.join(a.benchmarks)} and {b.results} of "
            f"{', '.join(b.benchmarks)}: no benchmark in common; compare two runs of the same "
            "benchmark"
        )
    alone = list(_in_one_run("benchmark", a.benchmarks, b.benchmarks))
    prompts: list[tuple[object, ...]] = []
    counts: list[tuple[object, ...]] = []
    measured: list[tuple[object, ...]] = []
    compared: list[tuple[object, ...]] = []
    samples: list[tuple[object, ...]] = []
    cells = []
    tests = []
    for name in common:
        benchmark = _Benchmark(a, b, name)
        prompts += benchmark.prompts()
        alone += benchmark.alone()
        counts += benchmark.counts()
        cells.append(benchmark.moved_cells())
        tests.append(benchmark.shown_tests())
        measured += benchmark.measured()
        compared += benchmark.compared()
        samples += benchmark.flips()
    return Comparison(
        settings=_frame(_settings(a, b, common), ("where", "key", "a", "b")),
        prompts=_frame(prompts, PROMPTS),
        alone=_frame(alone, ("run", "what", "name")),
        counts=_frame(counts, ("benchmark", "metric", "cells")),
        cells=_joined(cells, changed.COLUMNS),
        tests=_joined(tests, TESTS),
        measured=_frame(measured, MEASURED),
        compared=_frame(compared, ("benchmark", "model", "task", "samples")),
        samples=_frame(samples, flips.COLUMNS),
    )


def _frame(rows: Iterable[object], columns: Sequence[str]) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=list(columns))


def _joined(frames: Iterable[pd.DataFrame], columns: Sequence[str]) -> pd.DataFrame:
    filled = [frame for frame in frames if len(frame)]
    if not filled:
        return pd.DataFrame(columns=list(columns))
    return pd.concat(filled, ignore_index=True)


def _settings(
    a: FinishedRun, b: FinishedRun, benchmarks: Sequence[str]
) -> Iterator[tuple[str, str, str, str]]:
    """Yields changed keys of the configs, then of the responses' provenance, each change once."""
    for difference in differences(portable(a.evaluation.config), portable(b.evaluation.config)):
        if difference[0] != "name":  # what a run is called is no setting of it
            yield "config", *difference
    for name in benchmarks:
        provenances_b = dict(b.provenances(name))
        parts: dict[tuple[str, Difference], list[str]] = {}
        for job, provenance in a.provenances(name):
            model = f"judge {job.judge}" if job.judge else job.model
            # A job that B lacks is no change of a setting.
            for difference in differences(provenance, provenances_b.get(job, provenance)):
                parts.setdefault((model, difference), []).append(job.part)
        for (model, difference), names in parts.items():
            yield f"{name} {model} {', '.join(dict.fromkeys(names))}", *difference


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
        self._common_parts: list[tuple[FinishedPart, FinishedPart]] = []
        self._digests: dict[str, tuple[dict[str, str], dict[str, str]]] = {}
        for key, part in self._parts[0].items():
            if key not in self._parts[1]:
                continue
            other = self._parts[1][key]
            self._common_parts.append((part, other))
            # Of released scores there may be no prompts.
            if part.files.prompts.exists() and other.files.prompts.exists():
                self._digests[part.name] = (_digests(part), _digests(other))
        self._scores: dict[tuple[str, str], tuple[Scores, Scores]] = {}
        for model in self._common_models:
            for part, other in self._common_parts:
                self._scores[model, part.name] = (part.scores(model), other.scores(model))
        # Data of the kinds that the metrics read beside the scores.
        self._data = {}
        kinds = self._task.metrics.data
        for key, part in self._parts[0].items():
            self._data[key] = read_data([path for path in part.files.sources if path[0] in kinds])
        self._cells = {}
        for metric, rows in self._metrics[0].items():
            if metric in self._metrics[1]:
                self._cells[metric] = changed.joined_cells(rows, self._metrics[1][metric])

    def prompts(self) -> Iterator[tuple[object, ...]]:
        """How many prompts of each part are the same (``PROMPTS``)."""
        for part, (a, b) in self._digests.items():
            common = len(a.keys() & b.keys())
            same = len(a.items() & b.items())
            yield self.name, part, same, common - same, len(a) - common, len(b) - common

    def alone(self) -> Iterator[tuple[str, str, str]]:
        """The models, parts and metrics that one run has alone."""
        parts = map(_with_prompts, self._parts)
        for run, kind, name in chain(
            _in_one_run("model", *self._models),
            _in_one_run("part", *parts),
            _in_one_run("metric", *self._metrics),
        ):
            yield run, kind, f"{self.name} {name}"

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
            tasks = Counter[str]()
            for a, b in self._alike(model).values():
                tasks.update(a[key]["task"] for key in a.keys() & b.keys())
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
        # Holm's correction over the models of a cell, as each cell is looked at by itself.
        corrected = tested.groupby("cell")["p"].transform(lambda p: holm(p.to_numpy(float)))
        return tests.assign(p_holm=corrected)[list(TESTS)]

    def _tests_of(self, model: str) -> pd.DataFrame:
        # The two runs as if they were two models: all samples of A, then all of B.
        earlier = []
        later = []
        for part, (a, b) in self._alike(model).items():
            earlier += [Scored(EARLIER, part, record) for key, record in a.items() if key in b]
            later += [Scored(LATER, part, record) for key, record in b.items() if key in a]
        scored = earlier + later
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
        cells = []
        measures = []
        for row in tests[names].values.tolist():
            keys = dict(zip(names, map(str, row), strict=True))
            cells.append(changed.shown_keys(keys))
            measures.append(self._measure(keys))
        return tests.reindex(columns=list(TESTS)).assign(
            benchmark=self.name, model=model, cell=cells, measure=measures
        )

    def _measure(self, keys: Mapping[str, str]) -> str:
        """Returns the main measure of a test with these keys, if any."""
        for name, measure in self._measures.items():
            if measure.compared.items() <= keys.items():
                return name
        return ""

    def measured(self) -> Iterator[tuple[object, ...]]:
        """The main measures of each model that are tested (``MEASURED``)."""
        for model in self._common_models:
            scored = 0
            lacking = 0
            for a, b in self._alike(model).values():
                for key, record in a.items():
                    if record["total"] is None:
                        continue
                    scored += 1
                    lacking += key not in b or b[key]["total"] is None
            identical = self._identical(model)
            for name, measure in self._measures.items():
                where = changed.shown_keys(measure.compared)
                yield self.name, model, name, where, measure.full, scored, lacking, identical

    def _identical(self, model: str) -> bool:
        """Whether a model's prompts, responses and scores are identical in both runs."""
        if self._parts[0].keys() != self._parts[1].keys():
            return False
        # Prompts and scores are in memory already, so that responses are read last.
        for part, other in self._common_parts:
            prompts = self._digests.get(part.name, ({}, {}))
            scores = self._scores[model, part.name]
            if prompts[0] != prompts[1] or scores[0] != scores[1]:
                return False
            if _responses(part.outputs(model)) != _responses(other.outputs(model)):
                return False
        return True

    def _alike(self, model: str) -> dict[str, tuple[Scores, Scores]]:
        """Returns a model's scores in both runs, by part, of the samples with equal prompts."""
        alike = {}
        for (name, part), (a, b) in self._scores.items():
            if name == model and a and b:
                digests_a, digests_b = self._digests.get(part, ({}, {}))
                same = {sample for sample, _ in digests_a.items() & digests_b.items()}
                alike[part] = (_of_samples(a, same), _of_samples(b, same))
        return alike


def _in_one_run(
    kind: str, names_a: Collection[str], names_b: Collection[str]
) -> Iterator[tuple[str, str, str]]:
    """The names of a kind of things that one run has alone: the run, the kind, and the name."""
    yield from (("A", kind, name) for name in names_a if name not in names_b)
    yield from (("B", kind, name) for name in names_b if name not in names_a)


def _with_prompts(parts: Mapping[str, FinishedPart]) -> list[str]:
    return [name for name, part in parts.items() if part.files.prompts.exists()]


def _digests(part: FinishedPart) -> dict[str, str]:
    """A digest of each whole prompt, with the turns before, by sample."""
    digests: dict[str, str] = {}
    for sample in part.files.read():
        item = part.files.joined.item(sample)
        # An earlier turn's digest stands for that turn and all before it.
        before = digests[sample.before.id] if sample.before else ""
        text = "\0".join([before, item.head + item.context + item.tail])
        digests[sample.id] = fingerprint(text)
    return digests


def _responses(outputs: Mapping[str, OutputRecord]) -> frozenset[tuple[str, str, str]]:
    """The response to each sample: its name, status and text."""
    return frozenset((key, output["status"], output["response"]) for key, output in outputs.items())


def _of_samples(scores: Scores, samples: set[str]) -> Scores:
    """The scores of some samples, and released ones, which are about the same prompts."""
    chosen = {}
    for key, record in scores.items():
        if record["sample_id"] in samples or prompts_of(record) == RELEASED:
            chosen[key] = record
    return chosen
