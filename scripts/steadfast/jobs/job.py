"""One job that queries a model, judge or rewriter: its name, its files, and its inputs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from steadfast.base.files import Record, file_sha256
from steadfast.base.provenance import PROVENANCE, Provenance, State, digest_of

# The sections of the config with models, judges and rewriters.
MODELS = "models"
JUDGES = "judges"
REWRITERS = "rewriters"
# The role that each rule queries, in the order in which replies are needed.
ROLES = {"rewrites": REWRITERS, "inference": MODELS, "verdicts": JUDGES}
# Folders of the judges' and rewriters' journals, next to those of the benchmarks.
FOLDERS = {JUDGES: "verdicts", REWRITERS: "rewrites"}


def queries_model(rule: str) -> bool:
    """Whether jobs of a rule query a model, judge or rewriter."""
    return rule.endswith(tuple(ROLES))  # in another workflow the names of rules have a prefix


@dataclass(frozen=True)
class Job:
    """One job of the rules inference, verdicts and rewrites (``rule``).

    ``model`` is the model or rewriter that is queried, or the one whose responses ``judge`` judges
    (empty without a judge). ``part`` of a rewriter is the round.
    """

    rule: str
    benchmark: str
    model: str
    part: str
    judge: str = ""

    @classmethod
    def of(cls, wildcards: Mapping[str, str]) -> "Job":
        """The job of a rule's wildcards."""
        benchmark = wildcards.get("benchmark") or ""
        part = wildcards.get("part") or ""
        if rewriter := wildcards.get("rewriter"):
            return cls("rewrites", benchmark, rewriter, part)
        model = wildcards.get("model") or ""
        if judge := wildcards.get("judge"):
            return cls("verdicts", benchmark, model, part, judge)
        return cls("inference", benchmark, model, part)

    @property
    def role(self) -> str:
        """The section of the config with the job's model, judge or rewriter."""
        return ROLES[self.rule]

    @property
    def name(self) -> str:
        """The name of the model, judge or rewriter that is queried."""
        return self.judge or self.model

    @property
    def title(self) -> str:
        """The title of the job for progress and logs."""
        judge = f", judge {self.judge}" if self.judge else ""
        return f"{self.benchmark} {self.part} {self.model}{judge}"

    @property
    def _stem(self) -> str:
        return "/".join(filter(None, (self.judge, self.model, self.part)))

    @property
    def outputs(self) -> str:
        """The path of the replies below the results folder."""
        folder = "outputs" if self.role == MODELS else self.rule
        return f"{self.benchmark}/{folder}/{self._stem}.jsonl"

    @property
    def provenance(self) -> str:
        """The path of their provenance."""
        return self.outputs.removesuffix(".jsonl") + PROVENANCE

    @property
    def log(self) -> str:
        """The path of the log."""
        return f"logs/{self.benchmark}/{self.rule}/{self._stem}.log"

    @property
    def journal(self) -> str:
        """The path of the journal; all journals of a judge or rewriter are in one folder."""
        if self.role == MODELS:
            return f"journal/{self.benchmark}/{self.model}/{self.part}.jsonl"
        part = f"{self.model}.{self.part}" if self.judge else self.part
        return f"journal/{FOLDERS[self.role]}/{self.name}/{self.benchmark}.{part}.jsonl"


@dataclass(frozen=True)
class Journals:
    """The journal folders of one model, judge or rewriter, looked up at each iteration."""

    results: Path
    role: str
    name: str

    def __iter__(self) -> Iterator[Path]:
        journal = self.results / "journal"
        if self.role in FOLDERS:
            yield journal / FOLDERS[self.role] / self.name
        elif journal.is_dir():
            for folder in sorted(journal.iterdir()):
                if folder.name not in FOLDERS.values():
                    yield folder / self.name


@dataclass(frozen=True)
class Assignment:
    """A job with all its inputs as plain values, so that another job can run it too.

    Attributes:
        params: determine the replies (``Evaluation.params``).
        input_digest: for the provenance of the replies.
        prompts: path of the prompts.
        sources: data files that prompts refer to.
        replay: the file with the replies, for engine replay.
        load: name of the shared model load.
        made_from: input digests of the prompts and sources, by path, for a job that may run before
            they are made.
    """

    job: Job
    params: Record
    input_digest: str
    prompts: str
    sources: Sequence[str]
    results: str
    replay: str = ""
    load: str = ""
    made_from: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, job: Any) -> "Assignment":
        """The assignment of a rule's own job, from Snakemake's job object."""
        return cls(
            Job.of(job.wildcards),
            job.params.request,
            job.params.input_digest,
            str(job.input.prompts),
            [str(path) for path in job.input.get("sources") or ()],
            job.config["results"],
            str(job.input.get("replay") or ""),
        )

    @classmethod
    def plain(cls, values: Record) -> "Assignment":
        """An assignment from ``dataclasses.asdict``."""
        return cls(**values | {"job": Job(**values["job"])})

    def path(self, name: str) -> Path:
        """A file of the job, by its path below the results folder."""
        return Path(self.results) / name

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits for all inputs of the job."""
        files = [file_sha256(path) for path in (self.prompts, *self.sources)]
        return digest_of([self.job.outputs, self.params, self.input_digest, files])

    @property
    def ready(self) -> bool:
        """Whether its prompts and sources are made, by the config of this run."""
        for path, input_digest in self.made_from.items():
            if not Provenance.beside(Path(path), input_digest).has_input_digest:
                return False
        return True

    @property
    def done(self) -> bool:
        """Whether its outputs are made, from its prompts and sources as they are."""
        outputs = self.path(self.job.outputs)
        provenance = Provenance.beside(outputs, self.input_digest, results=Path(self.results))
        return provenance.state(file_sha256) is State.CURRENT


def scores_path(benchmark: str, model: str, part: str) -> str:
    """The scores of a model's responses to a part, below the results folder."""
    return f"{benchmark}/scores/{model}/{part}.jsonl"


def nondeterminism_path(benchmark: str, model: str, part: str) -> str:
    """The file of a model's run-to-run variation on a part, below the results folder."""
    return f"nondeterminism/{benchmark}/{model}/{part}.csv"
