"""Reads a finished run: prompts, responses, verdicts, scores, metrics and provenances."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import chdir
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import pandas as pd

from steadfast.base.checksums import Checksums
from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings, check_regular, file_sha256
from steadfast.base.provenance import OF_ITS_FILES, OTHER, Provenance
from steadfast.config.load import load_config
from steadfast.config.portable import CONFIG_FILE, check_portable, config_provenance
from steadfast.config.source import read_source
from steadfast.contract.components import Sample, Simulator
from steadfast.contract.part_files import PartFiles, read_judge_prompts
from steadfast.contract.records import OutputRecord, ScoreRecord, read_outputs, read_provenance
from steadfast.contract.request import repeat_key
from steadfast.contract.task import Task
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.input_digests import InputDigests
from steadfast.jobs.job import Job, scores_path
from steadfast.jobs.rounds import follow_decisions
from steadfast.stats.scores import read_scores
from steadfast.stats.tidy import read_csv

# The provenances of all benchmarks' metrics.
METRICS_PROVENANCE = "*/metrics/provenance.json"


@dataclass(frozen=True)
class JudgedRequest:
    """One item of a judge prompt: its text after the response, and each judge's reply."""

    id: str
    tail: str
    replies: Mapping[str, OutputRecord]


@dataclass(frozen=True)
class FinishedAnswer:
    """One model's response to a sample.

    Attributes:
        model: its name in the config.
        repeat: 0 for the first response.
        output: its record; None where the sample was not evaluated.
        score: its record; None without a score yet.
        judged: the judges' items and replies.
    """

    model: str
    repeat: int
    output: OutputRecord | None
    score: ScoreRecord | None
    judged: Sequence[JudgedRequest] = ()


@dataclass(frozen=True)
class FinishedRun:
    """The results of a config.

    Attributes:
        evaluation: the jobs and files of the config.
        results: folder of all results.
        checked: whether each file is checked to be unchanged, with all that it was made from;
            rules have checked their inputs already.
        started: the folder in which the run was started.
    """

    evaluation: Evaluation
    results: Path
    checked: bool = False
    started: Path = Path()

    @classmethod
    def of(cls, results: Path, config: Path | None = None) -> "FinishedRun":
        """The run whose results are in a folder.

        Files named in the config are searched in the folder in which the run was started (the
        parent of the results folder, unless ``pathvars`` changes that), else in the working
        directory.

        Args:
            results: the folder.
            config: for a folder that does not contain its config.

        Raises:
            UserError: the folder is missing, has no results or special files, or its config is
                unknown.
        """
        if not results.is_dir():
            raise UserError(f"{results}: no such folder; name an existing results folder")
        check_regular(results)
        if not any(results.glob(METRICS_PROVENANCE)):
            raise UserError(
                f"{results}: contains no metrics of any benchmark; name the results folder of a "
                "run that has finished its tables"
            )
        own_config = results / CONFIG_FILE
        if not own_config.is_file() and config is None:
            raise UserError(
                f"{own_config}: no such file, although a run writes it with its tables; run the "
                "workflow once more (nothing is re-requested), or name its config"
            )
        file = own_config if own_config.is_file() else Path(str(config))
        try:
            raw = read_source(str(file))
            if file == own_config:
                check_portable(raw)
            run = cls._load(raw, results, [results.resolve().parent, Path.cwd()])
            run._check_config(file)
        except UserError as error:
            raise UserError(f"{results}: {error}") from None
        return run

    @classmethod
    def _load(cls, raw: Settings, results: Path, folders: Sequence[Path]) -> "FinishedRun":
        """The run of a config, with its files from the first folder that has them."""
        errors = []
        for folder in folders:
            try:
                with chdir(folder):
                    return cls(Evaluation(load_config(raw)), results, checked=True, started=folder)
            except UserError as error:
                errors.append(error)
        raise errors[0]

    def _check_config(self, file: Path) -> None:
        """Checks that the metrics were made by this config."""
        provenance = config_provenance(self.results, self.benchmarks)
        if file == provenance.files[0] and provenance.path.exists():
            self.check(provenance)
            return
        # Without a provenance of the config: compare with the metrics that it would make here.
        results = self.results.resolve()
        with chdir(self.started):
            follow_decisions(self.evaluation, results)
            steps = InputDigests(self.evaluation)
            digests = {name: steps.metrics(name).input_digest for name in self.benchmarks}
        for name, input_digest in digests.items():
            if self._metrics_provenance(name).recorded_input_digest != input_digest:
                advice = "run the workflow with this config to make them again"
                raise UserError(f"{name}/metrics: {OTHER} ({file}); {advice}")

    @property
    def benchmarks(self) -> list[str]:
        """The benchmarks that have metrics, in the registry's order."""
        names = self.evaluation.running
        return [name for name in names if self._metrics_provenance(name).path.exists()]

    def parts(self, benchmark: str) -> dict[str, "FinishedPart"]:
        """All parts of a benchmark, by name."""
        names = self.evaluation.tasks[benchmark].parts
        return {name: FinishedPart(self, benchmark, name) for name in names}

    def models(self, benchmark: str) -> list[str]:
        """The models with scores of a benchmark."""
        parts = self.parts(benchmark).values()
        models = []
        for model in self.evaluation.models_of(benchmark):
            if any(part.scores_path(model).exists() for part in parts):
                models.append(model)
        return models

    def metric_path(self, benchmark: str, metric: str) -> Path:
        """The file of a metric."""
        return self.results / benchmark / "metrics" / f"{metric}.csv"

    def _metrics_provenance(self, benchmark: str) -> Provenance:
        """The provenance of a benchmark's metrics, of whatever they are made from."""
        names = self.evaluation.tasks[benchmark].metrics.names
        files = tuple(self.metric_path(benchmark, name) for name in names)
        return Provenance("", self.results / benchmark / "metrics/provenance.json", files)

    def metrics(self, benchmark: str) -> dict[str, pd.DataFrame]:
        """Each metric's rows, by name."""
        provenance = self._metrics_provenance(benchmark)
        if self.checked and provenance.recorded_files:
            # Another version of the workflow may have made other metrics.
            files = [path for path in provenance.files if path.name in provenance.recorded_files]
            further = sorted({*provenance.recorded_files} - {path.name for path in files})
            files += [provenance.path.with_name(name) for name in further if name.endswith(".csv")]
            provenance = replace(provenance, files=tuple(files))
        self.check(provenance)
        return {path.stem: read_csv(path) for path in provenance.files}

    def provenances(self, benchmark: str) -> Iterator[tuple[Job, Record]]:
        """The provenance of each job with outputs, without the fields about its files."""
        for job in self.evaluation.jobs:
            path = self.results / job.provenance
            if job.benchmark == benchmark and path.exists():
                fields = read_provenance(path).items()
                yield job, {name: value for name, value in fields if name not in OF_ITS_FILES}

    def check(self, provenance: Provenance) -> None:
        """Checks that files, and all that they were made from, are unchanged."""
        if self.checked:
            provenance.check_unchanged(file_sha256)
            replace(provenance, results=self.results).check_inputs(self._checksums)

    @cached_property
    def _checksums(self) -> Checksums:
        """The checksums that runs in this folder keep."""
        return Checksums(str(self.results.absolute()))


@dataclass(frozen=True)
class FinishedPart:
    """One part of a benchmark of a run, with all responses to its prompts."""

    run: FinishedRun
    benchmark: str
    name: str

    @property
    def task(self) -> Task:
        """The benchmark as configured."""
        return self.run.evaluation.tasks[self.benchmark]

    @property
    def models(self) -> list[str]:
        """The models that are evaluated."""
        return self.run.evaluation.evaluated_models(self.benchmark)

    @cached_property
    def files(self) -> PartFiles:
        """The evaluated prompts, and the data that they refer to."""
        prompts = self.run.evaluation.prompts(Job("inference", self.benchmark, "", self.name))
        sources = self.task.parts[self.name].sources.items()
        results = self.run.results
        if (results / prompts).exists():
            self.run.check(Provenance.beside(results / prompts, ""))
        return PartFiles(
            self.name,
            self.task.samples.plain,
            results / prompts,
            [(kind, name, results / path) for (kind, name), path in sources],
        )

    @cached_property
    def samples(self) -> list[Sample]:
        """The samples of the first repeat, in the order of the prompts."""
        if not self.files.prompts.exists():
            raise UserError(
                f"{self.files.prompts}: no such file; runs with released scores have no prompts, "
                "other runs make the file when they are run once more"
            )
        return self.files.read()

    @cached_property
    def simulator(self) -> Simulator:
        """The simulator, which has the reference answers."""
        return self.task.simulator.make()

    def outputs(self, model: str) -> dict[str, OutputRecord]:
        """A model's responses, by sample and repeat."""
        outputs = self._replies(Job("inference", self.benchmark, model, self.name))
        return {repeat_key(output["sample_id"], output["repeat"]): output for output in outputs}

    def scores_path(self, model: str) -> Path:
        """The file of a model's scores."""
        return self.run.results / scores_path(self.benchmark, model, self.name)

    def scores(self, model: str) -> dict[str, ScoreRecord]:
        """A model's scores, by sample and repeat; none where there is no file."""
        path = self.scores_path(model)
        if not path.exists():
            return {}
        self.run.check(Provenance.beside(path, ""))
        records = (scored.record for scored in read_scores({(model, self.name): path}))
        return {repeat_key(record["sample_id"], record["repeat"]): record for record in records}

    def judged(self, model: str) -> dict[str, list[JudgedRequest]]:
        """The judges' items and replies for each of a model's responses."""
        evaluation = self.run.evaluation
        replies: dict[str, dict[str, OutputRecord]] = {}
        prompts = Path()
        for judge in evaluation.judges_of(self.benchmark, model):
            job = Job("verdicts", self.benchmark, model, self.name, judge)
            prompts = self.run.results / evaluation.prompts(job)  # the same for all judges
            first_repeats = (reply for reply in self._replies(job) if not reply["repeat"])
            replies[judge] = {reply["sample_id"]: reply for reply in first_repeats}
        requests: dict[str, list[JudgedRequest]] = {}
        if not prompts.is_file():
            return requests
        self.run.check(Provenance.beside(prompts, ""))
        for prompt in read_judge_prompts(prompts):
            for request in prompt.requests:
                by_judge = {}
                for judge, verdicts in replies.items():
                    if request.id in verdicts:
                        by_judge[judge] = verdicts[request.id]
                judged = JudgedRequest(request.id, request.tail, by_judge)
                requests.setdefault(prompt.answer_id, []).append(judged)
        return requests

    def answers(self, model: str, names: Iterable[str]) -> Iterator[FinishedAnswer]:
        """A model's responses to the samples of these names, with all repeats of each."""
        outputs = self.outputs(model)
        scores = self.scores(model)
        judged = self.judged(model)
        for name in names:
            for repeat in range(self.run.evaluation.config.models[model].repeats):
                key = repeat_key(name, repeat)
                yield FinishedAnswer(
                    model, repeat, outputs.get(key), scores.get(key), judged.get(key, ())
                )

    def _replies(self, job: Job) -> Iterable[OutputRecord]:
        """The replies of a job; none where there is no file."""
        path = self.run.results / job.outputs
        if not path.exists():
            return ()
        self.run.check(Provenance.beside(path, ""))
        return read_outputs(path)
