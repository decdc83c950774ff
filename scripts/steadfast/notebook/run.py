"""A finished run as data frames, for a notebook (docs/notebook.ipynb)."""

from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd

from steadfast.base.errors import UserError
from steadfast.base.names import quoted, suggestion
from steadfast.base.provenance import Provenance
from steadfast.compare.results import Comparison, compare_results
from steadfast.html_report.view_sample import nearest_samples
from steadfast.jobs.finished import FinishedPart, FinishedRun
from steadfast.notebook.sample import ShownSample

TABLES = "tables"
Reading = Callable[[FinishedPart, str], Mapping[str, Mapping[str, Any]]]


def load(results: str | Path, config: str | Path | None = None) -> "Run":
    """The run in a results folder.

    Args:
        results: the folder, as printed at the end of the run.
        config: the config file, for a folder without its own ``config.yaml``.

    Raises:
        UserError: there is no such folder, or no finished run in it.

    Example:
        >>> import steadfast
        >>> steadfast.load("results")
        <Run of results: lifbench>
    """
    return Run(FinishedRun.of(Path(results), Path(config) if config else None))


class Run:
    """A finished run. Files are checked when they are read: edited ones are refused.

    Frames have a row for each sample, response or score. Further fields of a benchmark's records,
    such as ``variable_id``, are further columns.
    """

    def __init__(self, finished: FinishedRun):
        self.finished = finished

    def __repr__(self) -> str:
        return f"<Run of {self.finished.results}: {', '.join(self.benchmarks)}>"

    @property
    def benchmarks(self) -> list[str]:
        """Names of the benchmarks that have metrics."""
        return self.finished.benchmarks

    def models(self, benchmark: str) -> list[str]:
        """Names of the models that have scores of a benchmark."""
        return self.finished.models(self._known(benchmark))

    def samples(self, benchmark: str, part: str | None = None) -> pd.DataFrame:
        """The prompts: a row for each sample.

        Args:
            benchmark: its name in the config.
            part: only this part of the benchmark, such as a length or a language.

        Returns:
            Columns: ``part``; ``sample_id``, unique within a part; ``task``; ``context_id``;
            ``instruction``, without its context; ``max_tokens``, the output limit; ``expected``,
            the reference answer.

        Example:
            >>> samples = load("results").samples("lifbench", part="2k")
            >>> samples.loc[0, ["sample_id", "task", "part"]].tolist()
            ['LSI/list-2k-s1/e0/v0', 'LSI', '2k']
        """
        rows = []
        for finished_part in self._parts(benchmark, part):
            for sample in finished_part.samples:
                expected = finished_part.simulator.reference(sample)
                rows.append({"part": finished_part.name, **sample.prompt, "expected": expected})
        return pd.DataFrame(rows)

    def answers(
        self, benchmark: str, model: str | None = None, part: str | None = None
    ) -> pd.DataFrame:
        """The responses of models: a row for each response.

        Args:
            benchmark: its name in the config.
            model: only this model.
            part: only this part of the benchmark.

        Returns:
            Columns: ``model``; ``part``; ``sample_id``; ``repeat``, 0 for the first response to a
            prompt; ``status``, ``ok`` or why it is not complete; ``response``; ``reasoning``;
            ``finish_reason``; ``prompt_tokens``, ``cached_tokens``, ``written_tokens``,
            ``completion_tokens`` and ``reasoning_tokens`` as the engine counts them;
            ``prompt_truncated_tokens``, cut from the context; ``request_hash``.

        Example:
            >>> answers = load("results").answers("lifbench", model="sim-a")
            >>> answers["status"].unique().tolist()
            ['ok']
        """
        return self._records(benchmark, model, part, FinishedPart.outputs)

    def scores(
        self, benchmark: str, model: str | None = None, part: str | None = None
    ) -> pd.DataFrame:
        """The scores of responses: a row for each response.

        Args:
            benchmark: its name in the config.
            model: only this model.
            part: only this part of the benchmark.

        Returns:
            Columns: ``model``; ``part``; ``sample_id``; ``repeat``; ``task``; ``context_id``;
            ``status``, the response's, or ``invalid`` without a readable verdict; ``total``, 0 to
            1, missing where it is unknown; ``points``, a mapping from each score point or
            constraint to its share; ``extracted``; ``judge``; ``prompt_truncated``; ``empty``; and
            ``total by NAME`` for each other rater, such as LIFBench's other rubric.

        Example:
            >>> scores = load("results").scores("lifbench")
            >>> scores.groupby("model")["total"].max().tolist()
            [1.0, 1.0]
        """
        rows = self._records(benchmark, model, part, FinishedPart.scores)
        # Without rows there are no columns either.
        ratings = rows.pop("other_raters") if len(rows) else ()
        for name in dict.fromkeys(chain.from_iterable(ratings)):
            rows[f"total by {name}"] = [by[name]["total"] if name in by else None for by in ratings]
        return rows

    def metrics(self, benchmark: str, name: str) -> pd.DataFrame:
        """A metric in tidy form: one value in each row.

        Args:
            benchmark: its name in the config.
            name: of the metric, such as ``ars``; each is a file in the benchmark's ``metrics``.

        Returns:
            Columns of most metrics: ``model``, ``task``, ``length``, ``perspective``,
            ``capability``, empty where they do not apply; ``value``; ``low`` and ``high``, the ends
            of its 95 % interval; ``n``, its samples.

        Example:
            >>> ars = load("results").metrics("lifbench", "ars")
            >>> overall = ars[(ars.task == "overall") & (ars.length == "")]
            >>> overall[overall.model == "reference"]["value"].tolist()
            [1.0]
        """
        frames = self.finished.metrics(self._known(benchmark))
        return frames[_one_of("metric", name, frames)]

    @property
    def tables(self) -> list[str]:
        """Names of the run's tables."""
        return sorted(path.stem for path in (self.finished.results / TABLES).glob("*.csv"))

    def table(self, name: str) -> pd.DataFrame:
        """A table as it is printed: all cells are text.

        Args:
            name: its file's name without the ending, such as ``lifbench_table3_ars``.

        Returns:
            The table's columns; ``marks`` and ``data`` have the notes below the printed table.

        Example:
            >>> load("results").table("summary")["Model"].tolist()
            ['sim-a', 'Reference']
        """
        folder = self.finished.results / TABLES
        path = folder / f"{_one_of('table', name, self.tables)}.csv"
        self.finished.check(Provenance.beside(folder, ""))
        # As text: pandas would change "--" and "0.50".
        return pd.read_csv(path, dtype=str, keep_default_na=False)

    def compare(self, other: "Run | str | Path") -> Comparison:
        """The differences between this run, A, and another, B.

        Args:
            other: a run, or its results folder.

        Returns:
            Frames by content (``settings``, ``prompts``, ``cells``, ``tests``, ``samples`` and
            others), and ``differs``: whether there are other differences than of settings.

        Raises:
            UserError: the two have no benchmark in common.

        Example:
            >>> run = load("results")
            >>> run.compare(run).differs
            False
        """
        run_b = other if isinstance(other, Run) else load(other)
        return compare_results(self.finished, run_b.finished)

    def sample(self, id: str, model: str | None = None, part: str | None = None) -> ShownSample:
        """One sample with its responses and scores, formatted for a notebook.

        Args:
            id: its ``sample_id``.
            model: only this model's responses.
            part: its part, if several have a sample of this name.

        Raises:
            UserError: there is no such sample, or several parts have it.

        Example:
            >>> sample = load("results").sample("LSI/list-2k-s1/e0/v4", model="sim-a")
            >>> sample.answers[0].score["total"]
            1.0
        """
        matches = []
        sample_ids = []
        for benchmark in self.benchmarks:
            for finished_part in self._parts(benchmark, None):
                if part in (None, finished_part.name):
                    samples = finished_part.samples
                    sample_ids += [sample.id for sample in samples]
                    matches += [(finished_part, sample) for sample in samples if sample.id == id]
        if not matches:
            raise UserError(f"no sample {quoted(id)}; {nearest_samples(id, sample_ids)}")
        if len(matches) > 1:
            where = ", ".join(finished_part.name for finished_part, _ in matches)
            raise UserError(
                f"sample {quoted(id)} is in several parts ({where}); give one of them as part"
            )
        finished_part, sample = matches[0]
        models = finished_part.models
        if model is not None:
            models = [_one_of("model", model, models)]
        answers = chain.from_iterable(finished_part.answers(name, [id]) for name in models)
        return ShownSample(finished_part, sample, list(answers))

    def _known(self, benchmark: str) -> str:
        return _one_of("benchmark", benchmark, self.benchmarks)

    def _parts(self, benchmark: str, part: str | None) -> list[FinishedPart]:
        parts = self.finished.parts(self._known(benchmark))
        return list(parts.values()) if part is None else [parts[_one_of("part", part, parts)]]

    def _records(
        self, benchmark: str, model: str | None, part: str | None, read: Reading
    ) -> pd.DataFrame:
        """A row for each record of a part and a model."""
        models = self.models(benchmark)
        chosen = models if model is None else [_one_of("model", model, models)]
        rows = []
        for finished_part in self._parts(benchmark, part):
            for name in chosen:
                for record in read(finished_part, name).values():
                    rows.append({"model": name, "part": finished_part.name, **record})
        return pd.DataFrame(rows)


def _one_of(kind: str, name: str, choices: Iterable[str]) -> str:
    """Returns a name that is one of the choices; raises ``UserError`` for another."""
    choices = list(choices)
    if name not in choices:
        raise UserError(f"unknown {kind} {quoted(name)}; {suggestion(name, choices)}")
    return name
