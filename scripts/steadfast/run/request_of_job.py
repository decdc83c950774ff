"""What one inference job asks, as plain values, so that another job can ask it too."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from steadfast.base.files import Record, canonical_json, file_sha256

MODELS, JUDGES, REWRITERS = "models", "judges", "rewriters"
"""The sections of the config that name who answers."""
PARAMS = {
    MODELS: ("answers", "stand_in", "samples", "sources", "lineage"),
    JUDGES: ("answers", "stand_in", "readable", "attempts", "lineage"),
    REWRITERS: ("answers", "stand_in", "readable", "attempts", "lineage"),
}
"""What the job of each takes of its rule's params."""


@dataclass(frozen=True)
class Asked:
    """What one job asks of whom.

    Attributes:
        role: section of the config that names who answers.
        name: who answers.
        benchmark: its name.
        model: who answers, or whose answers are judged.
        part: that is asked; of a rewriter, the round.
        params: those of ``PARAMS``.
        prompts: file of what is asked.
        sources: data files that prompts refer to.
        replay: file with the replies, of engine replay; empty where there is none.
        outputs: file of the replies.
        identity: file of what produced them.
        log: of the job.
        load: the name of the load that answers it.
        run: a word for the run of Snakemake that the job belongs to.
        before: of the files that the run makes anew, when the old one was changed (nanoseconds; 0:
            there was none).
    """

    role: str
    name: str
    benchmark: str
    model: str
    part: str
    params: Record
    prompts: str
    sources: Sequence[str]
    replay: str
    outputs: str
    identity: str
    log: str
    load: str = ""
    run: str = ""
    before: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, job: Any, run: str = "") -> "Asked":
        """What a rule's own job asks, from Snakemake's object of it."""
        judge, rewriter = job.wildcards.get("judge"), job.wildcards.get("rewriter")
        role = JUDGES if judge else REWRITERS if rewriter else MODELS
        model = rewriter or job.wildcards.model
        return cls(
            role,
            judge or model,
            job.wildcards.benchmark,
            model,
            job.wildcards.part,
            {name: getattr(job.params, name) for name in PARAMS[role]},
            str(job.input.prompts),
            [str(path) for path in job.input.get("sources") or ()],
            str(job.input.get("replay") or ""),
            str(job.output.outputs),
            str(job.output.identity),
            str(job.log[0]),
            run=run,
        )

    @property
    def key(self) -> tuple[str, ...]:
        """What tells it from all others of a config."""
        return self.role, self.name, self.benchmark, self.model, self.part

    @property
    def results(self) -> Path:
        """Folder of all results."""
        return Path(self.outputs).parents[4 if self.role == JUDGES else 3]

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits for who is asked what, by the files' content, in which run.

        Raises:
            UserError: a file is missing.
        """
        files = [file_sha256(path) for path in (self.prompts, *self.sources)]
        content = canonical_json([self.key, self.params, files, self.run])
        return hashlib.sha256(content.encode()).hexdigest()[:16]

    @property
    def ready(self) -> bool:
        """Whether all is made that it is asked from."""
        return all(map(self._made, (self.prompts, *self.sources)))

    @property
    def done(self) -> bool:
        """Whether its own job has run already."""
        return self._made(self.outputs)

    def _made(self, path: str) -> bool:
        file = Path(path)
        return file.exists() and file.stat().st_mtime_ns != self.before.get(path)
