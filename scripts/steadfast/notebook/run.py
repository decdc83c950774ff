"""A finished run as data frames, for a notebook (docs/notebook.ipynb)."""

from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import pandas as pd

from steadfast.base.errors import UserError
from steadfast.base.names import nearest, shown
from steadfast.base.provenance import Provenance
from steadfast.compare.results import Comparison, compare_results
from steadfast.html_report.view_sample import nearest_samples
from steadfast.jobs.finished import FinishedPart, FinishedRun
from steadfast.notebook.sample import ShownSample

TABLES = "tables"
Reading = Callable[[FinishedPart, str], Mapping[str, Mapping[str, Any]]]


def load(results: str | Path, config: str | Path | None = None) -> "Run":
    """The run whose results a folder holds.

    Args:
        results: the folder, as a run names it at its end.
        config: the config file of a folder that does not hold its own ``config.yaml``.

    Raises:
        UserError: there is no such folder, or no finished run in it; the sentence says what to do.

    Example:
        >>> import steadfast
        >>> steadfast.load("results")
        <Run of results: lifbench>
    """
    return Run(FinishedRun.of(Path(results), Path(config) if config else None))


class Run:
    """A finished run. Files are checked when they are read: one that was edited is refused.

    Frames have a row for each sample, answer or score. Where a benchmark's records have fields of
    their own, such as ``variable_id``, these are further columns.
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
        """What is asked: a row for each prompt.

        Args:
            benchmark: its name in the config.
            part: of the benchmark alone, such as a length or a language.

        Returns:
            Columns: ``part``; ``sample_id``, unique within a part; ``task``; ``context_id``;
            ``instruction``, without its context; ``max_tokens``, the output limit; ``expected``,
            the reference's answer.

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
        """What models answered: a row for each answer.

        Args:
            benchmark: its name in the config.
            model: this one's answers alone.
            part: of the benchmark alone.

        Returns:
            Columns: ``model``; ``part``; ``sample_id``; ``repeat``, 0 for the first answer to a
            prompt; ``status``, ``ok`` or why there is no whole answer; ``response``; ``reasoning``;
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
        """What answers are worth: a row for each.

        Args:
            benchmark: its name in the config.
            model: this one's alone.
            part: of the benchmark alone.

        Returns:
            Columns: ``model``; ``part``; ``sample_id``; ``repeat``; ``task``; ``context_id``;
            ``status``, the answer's, or ``invalid`` where no verdict can be read; ``total``, 0 to
            1, missing where nothing is known; ``points``, a mapping from each score point or
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
        """A metric's rows, tidy: one value a row.

        Args:
            benchmark: its name in the config.
            name: of the metric, such as ``ars``; each is a file in the benchmark's ``metrics``.

        Returns:
            Of most metrics: ``model``, ``task``, ``length``, ``perspective``, ``capability``, empty
            where they do not apply; ``value``; ``low`` and ``high``, the ends of its 95 % interval;
            ``n``, the samples that it is of.

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
        """Names of the tables that the run made."""
        return sorted(path.stem for path in (self.finished.results / TABLES).glob("*.csv"))

    def table(self, name: str) -> pd.DataFrame:
        """A table as it is printed: all cells are text.

        Args:
            name: its file's, without the ending, such as ``lifbench_table3_ars``.

        Returns:
            The table's own columns; ``marks`` and ``data`` have what stands below the printed one.

        Example:
            >>> load("results").table("summary")["Model"].tolist()
            ['sim-a', 'Reference']
        """
        folder = self.finished.results / TABLES
        path = folder / f"{_one_of('table', name, self.tables)}.csv"
        self.finished.check(Provenance.beside(folder, ""))
        # As text: pandas would read "--" and "0.50" otherwise than they are printed.
        return pd.read_csv(path, dtype=str, keep_default_na=False)

    def compare(self, other: "Run | str | Path") -> Comparison:
        """What differs between this run, A, and another, B.

        Args:
            other: a run, or its folder of results.

        Returns:
            Frames by what they say (``settings``, ``prompts``, ``cells``, ``tests``, ``samples``
            and others), and ``differs``, whether anything but settings does.

        Raises:
            UserError: the two have no benchmark in common.

        Example:
            >>> run = load("results")
            >>> run.compare(run).differs
            False
        """
        return compare_results(
            self.finished, (other if isinstance(other, Run) else load(other)).finished
        )

    def sample(self, id: str, model: str | None = None, part: str | None = None) -> ShownSample:
        """One sample whole, with its answers and scores; a notebook shows it laid out.

        Args:
            id: its ``sample_id``.
            model: this one's answers alone.
            part: that it is of, where several have a sample of that name.

        Raises:
            UserError: there is no such sample, or it is of several parts.

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
            raise UserError(f"no sample {shown(id)}; {nearest_samples(id, sample_ids)}")
        if len(matches) > 1:
            where = ", ".join(finished_part.name for finished_part, _ in matches)
            raise UserError(
                f"sample {shown(id)} is in several parts ({where}); give one of them as part"
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
        """A row for each record that ``read`` gives of a part and a model."""
        models = self.models(benchmark)
        chosen = models if model is None else [_one_of("model", model, models)]
        rows = []
        for finished_part in self._parts(benchmark, part):
            for name in chosen:
                for record in read(finished_part, name).values():
                    rows.append({"model": name, "part": finished_part.name, **record})
        return pd.DataFrame(rows)


def _one_of(kind: str, name: str, choices: Iterable[str]) -> str:
    """The name, if it is known."""
    choices = list(choices)
    if name not in choices:
        raise UserError(f"unknown {kind} {shown(name)}; {nearest(name, choices)}")
    return name
