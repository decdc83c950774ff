"""Two results folders side by side: settings, prompts, cells of the metrics, and samples."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from steadfast.base.errors import UserError
from steadfast.base.files import canonical_json
from steadfast.base.tokens import fingerprint
from steadfast.compare import changed, flips
from steadfast.config.portable import portable
from steadfast.contract.components import Data, Scored
from steadfast.contract.part_files import read_data
from steadfast.contract.records import RELEASED, ScoreRecord
from steadfast.jobs.finished import FinishedPart, FinishedRun
from steadfast.stats.pairs import COLUMNS as COMPARED
from steadfast.stats.pairs import holm
from steadfast.stats.scores import prompts_of
from steadfast.stats.tidy import write_csv

TESTS = (
    "benchmark", "model", "cell", "measure", "difference", "low", "high", "p", "p_holm", "n",
    "error", "degrees_of_freedom", "clusters",
)  # fmt: skip
MEASURED = ("benchmark", "model", "measure", "where", "full", "scored", "lacking", "identical")
# The columns of each frame of a comparison.
COLUMNS: Mapping[str, Sequence[str]] = {
    "settings": ("where", "key", "a", "b"),
    "prompts": ("benchmark", "part", "same", "changed", "only_a", "only_b"),
    "alone": ("run", "what", "name"),
    "counts": ("benchmark", "metric", "cells"),
    "cells": changed.COLUMNS,
    "tests": TESTS,
    "measured": MEASURED,
    "compared": ("benchmark", "model", "task", "samples"),
    "samples": flips.COLUMNS,
}
ABSENT = "(absent)"
# Names under which the two runs of a model are compared: a difference is B minus A.
EARLIER = "b"
LATER = "a"
Scores = Mapping[str, ScoreRecord]  # of a model and part, by sample and repeat
Rows = Iterable[object]  # tuples, or mappings, of a frame's columns


@dataclass(frozen=True)
class Comparison:
    """What differs between two runs, A and B.

    Attributes:
        settings: keys of the two configs and of what produced the answers: where, key, a, b.
        prompts: prompts of each benchmark and part that are the same, changed, or in one run alone.
        alone: benchmarks, models, parts and metrics of one run only: run, what, name.
        counts: benchmark, metric, cells: how many cells both have.
        cells: those whose value differs (``changed.COLUMNS``).
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
    rows: dict[str, list[object]] = {name: [] for name in COLUMNS}
    rows["settings"] += _settings(a, b, common)
    rows["alone"] += _in_one_run("benchmark", a.benchmarks, b.benchmarks)
    for name in common:
        for frame, frame_rows in _Benchmark(a, b, name).rows().items():
            rows[frame] += frame_rows
    frames = {}
    for name, columns in COLUMNS.items():
        frames[name] = pd.DataFrame(rows[name], columns=list(columns))
    return Comparison(**frames)


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


class Pair(NamedTuple):
    """The scores of a response in A and in B, to a prompt that is the same in both."""

    part: str
    a: ScoreRecord
    b: ScoreRecord | None  # None: no such score


class _Benchmark:
    """One benchmark of two runs."""

    def __init__(self, a: FinishedRun, b: FinishedRun, name: str):
        self.name = name
        self._task = a.evaluation.tasks[name]
        measures = a.evaluation.benchmarks[name].measures
        self._measures = {key: measure for key, measure in measures.items() if measure.compared}
        self._metrics = (a.metrics(name), b.metrics(name))
        self._models = (a.models(name), b.models(name))
        self._parts = (a.parts(name), b.parts(name))
        self._digests = (_digests(*self._parts), _digests(*reversed(self._parts)))
        self._rescored: set[str] = set()  # models with a score that differs
        common_models = [model for model in self._models[0] if model in self._models[1]]
        self._pairs = {model: list(self._pairs_of(model)) for model in common_models}

    def _pairs_of(self, model: str) -> Iterator[Pair]:
        """Yields the scores that both runs could have of a model, in the order of A."""
        for name, part in self._parts[0].items():
            if name not in self._parts[1]:
                continue
            a = part.scores(model)
            b = self._parts[1][name].scores(model)
            if a != b:
                self._rescored.add(model)
            if a and b:
                yield from paired(name, a, b, self._unchanged(name))

    def _unchanged(self, part: str) -> set[str]:
        """The samples of a part whose prompts are the same in both runs."""
        a, b = (digests.get(part, {}) for digests in self._digests)
        return {sample for sample, _ in a.items() & b.items()}

    def rows(self) -> Mapping[str, Rows]:
        """The rows of the frames of ``COLUMNS`` that are by benchmark."""
        cells = {}
        for metric, frame in self._metrics[0].items():
            if metric in self._metrics[1]:
                cells[metric] = changed.joined_cells(frame, self._metrics[1][metric])
        changed_cells: list[object] = []
        for metric, frame in cells.items():
            changed_cells += changed.differing_cells(frame, self.name, metric).to_dict("records")
        return {
            "prompts": self._prompts(),
            "alone": self._alone(),
            "counts": [(self.name, metric, len(frame)) for metric, frame in cells.items()],
            "cells": changed_cells,
            "tests": self._tests(),
            "measured": self._measured(),
            "compared": self._compared(),
            "samples": self._flips(),
        }

    def _prompts(self) -> Rows:
        for part, a in self._digests[0].items():
            if part in self._digests[1]:
                b = self._digests[1][part]
                common = len(a.keys() & b.keys())
                same = len(self._unchanged(part))
                yield self.name, part, same, common - same, len(a) - common, len(b) - common

    def _alone(self) -> Rows:
        """The models, parts and metrics that one run has alone."""
        kinds = {"model": self._models, "part": self._digests, "metric": self._metrics}
        for kind, names in kinds.items():
            for run, _, name in _in_one_run(kind, *names):
                yield run, kind, f"{self.name} {name}"

    def _compared(self) -> Rows:
        for model, pairs in self._pairs.items():
            tasks = Counter(pair.a["task"] for pair in pairs if pair.b)
            for task, samples in sorted(tasks.items()):
                yield self.name, model, task, samples

    def _flips(self) -> Rows:
        for model, pairs in self._pairs.items():
            for pair in pairs:
                flip = flips.flip(pair.a, pair.b) if pair.b else None
                if flip:
                    yield self.name, model, pair.part, *flip

    def _tests(self) -> Rows:
        """Each model's two runs, compared as the benchmark compares two models."""
        # Data of the kinds that the metrics read beside the scores.
        data = {}
        kinds = self._task.metrics.data
        for key, part in self._parts[0].items():
            data[key] = read_data([path for path in part.files.sources if path[0] in kinds])
        rows: list[object] = []
        for model in self._pairs:
            rows += self._tests_of(model, data)
        tests = pd.DataFrame(rows, columns=list(TESTS))
        tested = tests[tests["p"].notna()]
        # Holm's correction over the models of a cell, as each cell is looked at by itself.
        corrected = tested.groupby("cell")["p"].transform(lambda p: holm(p.to_numpy(float)))
        yield from tests.assign(p_holm=corrected).to_dict("records")

    def _tests_of(self, model: str, data: Mapping[str, Data]) -> Iterator[Mapping[str, object]]:
        # The two runs as if they were two models: all samples of A, then all of B.
        scored_a = []
        scored_b = []
        for pair in self._pairs[model]:
            if pair.b:
                scored_a.append(Scored(EARLIER, pair.part, pair.a))
                scored_b.append(Scored(LATER, pair.part, pair.b))
        scored = scored_a + scored_b
        try:
            rows = self._task.metrics.function.make(scored, data, None) if scored else {}
        except UserError as error:
            raise UserError(
                f"{self.name}: the two runs have different scoring settings ({error}): rerun one "
                "with the other's, which sends no requests"
            ) from None
        tests = rows.get("comparisons", pd.DataFrame())
        # What distinguishes a benchmark's comparisons, beside the two models.
        names = [column for column in tests if column == "task" or column not in COMPARED]
        for test in tests.to_dict("records"):
            keys = {name: str(test[name]) for name in names}
            test |= {"benchmark": self.name, "model": model, "measure": self._measure(keys)}
            yield test | {"cell": changed.shown_keys(keys)}

    def _measure(self, keys: Mapping[str, str]) -> str:
        """Returns the main measure of a test with these keys, if any."""
        for name, measure in self._measures.items():
            if measure.compared.items() <= keys.items():
                return name
        return ""

    def _measured(self) -> Rows:
        for model, pairs in self._pairs.items():
            scored = [pair for pair in pairs if pair.a["total"] is not None]
            lacking = [pair for pair in scored if not pair.b or pair.b["total"] is None]
            counts = (len(scored), len(lacking), self._identical(model))
            for name, measure in self._measures.items():
                where = changed.shown_keys(measure.compared)
                yield self.name, model, name, where, measure.full, *counts

    def _identical(self, model: str) -> bool:
        """Whether a model's prompts, responses and scores are identical in both runs."""
        a, b = self._parts
        if a.keys() != b.keys() or self._digests[0] != self._digests[1] or model in self._rescored:
            return False
        # Prompts and scores are in memory already, so that responses are read last.
        return all(_responses(a[part], model) == _responses(b[part], model) for part in a)


def _in_one_run(
    kind: str, names_a: Collection[str], names_b: Collection[str]
) -> Iterator[tuple[str, str, str]]:
    """The names of a kind of things that one run has alone: the run, the kind, and the name."""
    for name in names_a:
        if name not in names_b:
            yield "A", kind, name
    for name in names_b:
        if name not in names_a:
            yield "B", kind, name


def _digests(
    parts: Mapping[str, FinishedPart], other_parts: Collection[str]
) -> dict[str, dict[str, str]]:
    """By part and sample, a digest of the whole prompt, with the turns before.

    Parts that the other run lacks are not read.
    """
    digests: dict[str, dict[str, str]] = {}
    for name, part in parts.items():
        # Of released scores there may be no prompts.
        if part.files.prompts.exists():
            digests[name] = {}
            for sample in part.files.read() if name in other_parts else ():
                item = part.files.joined.item(sample)
                # An earlier turn's digest stands for that turn and all before it.
                before = digests[name][sample.before.id] if sample.before else ""
                text = "\0".join([before, item.head + item.context + item.tail])
                digests[name][sample.id] = fingerprint(text)
    return digests


def _responses(part: FinishedPart, model: str) -> frozenset[tuple[str, str, str]]:
    """The response to each sample: its name, status and text."""
    outputs = part.outputs(model).items()
    return frozenset((key, output["status"], output["response"]) for key, output in outputs)


def paired(part: str, a: Scores, b: Scores, samples: set[str]) -> Iterator[Pair]:
    """Yields A's scores of the samples with equal prompts, each with that of B."""
    scores_b = _of_samples(b, samples)
    for key, record in _of_samples(a, samples).items():
        yield Pair(part, record, scores_b.get(key))


def _of_samples(scores: Scores, samples: set[str]) -> Scores:
    """The scores of some samples, and released ones, which are about the same prompts."""
    chosen = {}
    for key, record in scores.items():
        if record["sample_id"] in samples or prompts_of(record) == RELEASED:
            chosen[key] = record
    return chosen
