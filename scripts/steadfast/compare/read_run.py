"""A results folder as another one is compared with it: its config, and the files that it has."""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import chdir
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import pandas as pd

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings, check_regular, file_sha256, read_json
from steadfast.base.seal import Seal
from steadfast.config.load import load_config
from steadfast.config.portable import CONFIG_FILE, portable
from steadfast.config.source import read_source
from steadfast.contract.part_files import PartFiles, Sources
from steadfast.contract.records import ScoreRecord
from steadfast.contract.request import Item
from steadfast.run.evaluation import Evaluation
from steadfast.run.job import scores_path
from steadfast.stats.scores import read_scores
from steadfast.stats.tidy import read_csv


@dataclass(frozen=True)
class Run:
    """The results of one config.

    Attributes:
        evaluation: what the config asks for.
        results: folder of all results.
    """

    evaluation: Evaluation
    results: Path

    @classmethod
    def of(cls, results: Path, config: Path | None = None) -> "Run":
        """The run whose results a folder holds.

        The files that a config names are looked for where the run was started, which is beside the
        results folder unless ``pathvars`` puts that elsewhere; else in the working directory.

        Args:
            results: the folder.
            config: of a folder that does not hold its config itself.

        Raises:
            UserError: there is no such folder, it holds no results or what is no file, or nothing
                says of which config.
        """
        if not results.is_dir():
            raise UserError(f"{results}: no such folder; name a folder of results")
        check_regular(results)
        if not any(results.glob("*/metrics/identity.json")):
            raise UserError(
                f"{results}: no benchmark has metrics there; name the folder of results of a run "
                "that has made its tables"
            )
        own = results / CONFIG_FILE
        if not own.is_file() and config is None:
            raise UserError(
                f"{own}: no such file, which a run writes when its tables are there; run it once "
                "more (nothing is asked again), or name its config as CONFIG"
            )
        try:
            raw = read_source(own if own.is_file() else str(config))
            evaluation = _evaluation(raw, [results.resolve().parent, Path.cwd()])
        except UserError as error:
            raise UserError(f"{results}: {error}") from None
        return cls(evaluation, results)

    @property
    def settings(self) -> Settings:
        """Its config, with defaults; what it is called is no setting of it."""
        return {key: one for key, one in portable(self.evaluation.config).items() if key != "name"}

    @cached_property
    def benchmarks(self) -> list[str]:
        """Those that have metrics, in the registry's order."""
        folder = self.results
        return [
            n for n in self.evaluation.running if (folder / n / "metrics/identity.json").exists()
        ]

    def parts(self, benchmark: str) -> list[str]:
        """The parts of a benchmark that have prompts."""
        parts = self.evaluation.tasks[benchmark].parts
        return [part for part in parts if self._prompts(benchmark, part).exists()]

    def _prompts(self, benchmark: str, part: str) -> Path:
        kind = "prompts" if self.evaluation.config.limit is None else "trial"
        return self.results / benchmark / kind / f"{part}.jsonl"

    def asked(self, benchmark: str, part: str) -> dict[str, str]:
        """What is asked in a part: a digest of each whole prompt, with the turns before, by sample.

        Raises:
            UserError: a file is missing or damaged.
        """
        task = self.evaluation.tasks[benchmark]
        sources = [(*key, self.results / path) for key, path in task.parts[part].sources.items()]
        files = PartFiles(part, task.samples.plain, self._prompts(benchmark, part), sources)
        digests: dict[str, str] = {}
        for sample in files.read():
            before = digests[sample.before.id] if sample.before else ""
            digests[sample.id] = _digest(files.joined.item(sample), before)
        return digests

    def data(self, benchmark: str) -> dict[str, Sources]:
        """The data files that a benchmark's metrics take, by part."""
        task = self.evaluation.tasks[benchmark]
        return {
            name: [
                (*key, self.results / path)
                for key, path in part.sources.items()
                if key[0] in task.metrics.data
            ]
            for name, part in task.parts.items()
        }

    def models(self, benchmark: str) -> list[str]:
        """The models that have scores of a benchmark."""
        parts = self.evaluation.tasks[benchmark].parts
        return [
            model
            for model in self.evaluation.models_of(benchmark)
            if any(scores_path(self.results, benchmark, model, part).exists() for part in parts)
        ]

    def scores(self, benchmark: str, model: str, part: str) -> list[ScoreRecord] | None:
        """The scores of a model's answers to a part; None where there are none.

        Raises:
            UserError: the file is damaged, or was changed after it was made.
        """
        path = scores_path(self.results, benchmark, model, part)
        if not path.exists():
            return None
        _check(Seal.beside(path, "", results=self.results))
        return [scored.record for scored in read_scores({(model, part): path})]

    def metrics(self, benchmark: str) -> dict[str, pd.DataFrame]:
        """Each metric's rows, by name.

        Raises:
            UserError: a file is missing, or was changed after it was made.
        """
        folder = self.results / benchmark / "metrics"
        files = {
            name: folder / f"{name}.csv" for name in self.evaluation.tasks[benchmark].metrics.names
        }
        made = tuple(files.values())
        _check(Seal("", folder / "identity.json", made, results=self.results))
        return {name: read_csv(path) for name, path in files.items()}

    def identities(self, benchmark: str) -> Iterator[tuple[tuple[str, str, str], Record]]:
        """What produced each answer and verdict: judge (or empty), model and part; the identity."""
        jobs = [job for job in self.evaluation.jobs if job.benchmark == benchmark]
        for job in jobs:
            path = self.results / job.identity
            if path.exists():
                yield (job.judge, job.model, job.part), read_json(path)


def _evaluation(raw: Settings, places: Sequence[Path]) -> Evaluation:
    """What a config asks for, with the files that it names from the first place that has them."""
    first: UserError | None = None
    for place in places:
        try:
            with chdir(place):
                return Evaluation(load_config(raw))
        except UserError as error:
            first = first or error
    assert first is not None
    raise first


def _check(seal: Seal) -> None:
    """Whether files are as they were made, whatever they were made from."""
    known = read_json(seal.identity) if seal.identity.exists() else None
    lineage = known.get("lineage", "") if isinstance(known, dict) else ""
    replace(seal, lineage=lineage).check()
    seal.check_inputs(file_sha256)


def _digest(item: Item, before: str) -> str:
    text = "\0".join([before, item.head + item.context + item.tail])
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
