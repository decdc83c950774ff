"""A small run of CFBench in memory, over the project's own records or over others."""

from collections.abc import Callable, Mapping, Sequence
from random import Random

from judged_run import Answers, JudgedRun, Replies
from steadfast.base.files import Record
from steadfast.benchmarks.cfbench.data import checked, normalised
from steadfast.benchmarks.cfbench.metrics import metrics
from steadfast.benchmarks.cfbench.simulator import CfbenchJudge, CfbenchSimulator
from steadfast.contract.components import Answer, Frames, Labels, Reply, Sample, Scored

READER = {"slip": 0.3, "position_bias": 0.3}
CAREFUL = {"slip": 0.0, "position_bias": 0.0}


class Run(JudgedRun):
    """A run over the project's own records, or over others of the released shape."""

    def __init__(
        self, mode: str = "strict", records: Sequence[Record] | None = None, direct: bool = False
    ):
        super().__init__("cfbench", {"direct": direct}, mode)
        self.mode = mode
        self.direct = direct
        self.by_model = {}
        if records is not None:
            normal = map(normalised, checked(list(records), "made"))
            self.data = {"zh": {"data": {"zh": list(normal)}}}
            self.samples = {"zh": self._samples("zh")}
        self.records = {sample.id: sample.source for sample in self.samples["zh"]}

    def given(self, text: Callable[[Sample], str | None]) -> Answers:
        """A model's answers; None is a refusal."""
        texts = {sample.id: text(sample) for sample in self.samples["zh"]}
        return {n: Answer("refused" if t is None else "ok", t or "") for n, t in texts.items()}

    def read(self, reader: Mapping[str, float]) -> Answers:
        """A simulated model's answers."""
        return self.given(
            lambda one: CfbenchSimulator().simulated(one, reader, 1.0, Random(f"{reader}/{one.id}"))
        )

    def judged(self, answers: Answers, slip: float = 0.0) -> Replies:
        """A simulated judge's replies."""
        judge = CfbenchJudge()
        settings = {"slip": slip}
        return {
            r.id: Reply("ok", judge.simulated(prompt, r, settings, Random(f"{slip}/{r.id}")))
            for prompt in self.judge_prompts("zh", answers)
            for r in prompt.requests
        }

    def score(self, model: str, answers: Answers, **replies: Replies) -> list[Record]:
        """The scores' records by each judge's replies, kept for the metrics."""
        self.by_model[model] = list(self.scores("zh", answers, **replies).values())
        return self.by_model[model]

    @property
    def scored(self) -> list[Scored]:
        return [Scored(m, "zh", record) for m, found in self.by_model.items() for record in found]

    def metrics(
        self, judges: Sequence[str] = ("first",), labels: Sequence[Record] | None = None
    ) -> Frames:
        people = None if labels is None else Labels("labels.jsonl", labels)
        return metrics(iter(self.scored), self.data, people, self.mode, judges, direct=self.direct)
