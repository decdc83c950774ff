"""CFBench in memory: over the synthetic records, or over others of the released shape."""

from collections.abc import Callable, Mapping, Sequence
from random import Random

from judged_run import Answers, JudgedRun, Replies
from steadfast.base.files import Record
from steadfast.benchmarks.cfbench.data import checked, normalised
from steadfast.benchmarks.cfbench.metrics import metrics
from steadfast.benchmarks.cfbench.simulator import CfbenchJudge, CfbenchSimulator
from steadfast.contract.components import Answer, Frames, Labels, Reply, Sample, Scored

READER = {"slip": 0.3, "position_bias": 0.3}


class Run(JudgedRun):
    """A run over these records in the released shape, or over the synthetic ones."""

    def __init__(
        self, mode: str = "strict", records: Sequence[Record] | None = None, direct: bool = False
    ):
        super().__init__("cfbench", {"direct": direct}, mode)
        self.mode = mode
        self.direct = direct
        self.by_model = {}
        if records is not None:
            self.data = {"zh": {"data": {"zh": [*map(normalised, checked(records, "records"))]}}}
            self.samples = {"zh": self._samples("zh")}
        self.records = {sample.id: sample.source for sample in self.samples["zh"]}

    def responses(self, text_of: Callable[[Sample], str | None]) -> Answers:
        """A model's responses; None is a refusal."""
        answers = {}
        for sample in self.samples["zh"]:
            text = text_of(sample)
            answers[sample.id] = Answer("refused" if text is None else "ok", text or "")
        return answers

    def simulated_responses(self, settings: Mapping[str, float]) -> Answers:
        simulator = CfbenchSimulator()
        return self.responses(
            lambda s: simulator.simulated(s, settings, 1.0, Random(f"{settings}/{s.id}"))
        )

    def simulated_replies(self, answers: Answers, slip: float = 0.0) -> Replies:
        judge = CfbenchJudge()
        replies = {}
        for prompt in self.judge_prompts("zh", answers):
            for request in prompt.requests:
                rng = Random(f"{slip}/{request.id}")
                text = judge.simulated(prompt, request, {"slip": slip}, rng)
                replies[request.id] = Reply("ok", text)
        return replies

    def checklist_reply(self, sample: str, verdicts: Sequence[int] | None) -> Reply:
        """A judge's reply with these verdicts on a sample's checkpoints; None: unreadable."""
        if verdicts is None:
            return Reply("ok", "无法评估")
        checkpoints = self.records[sample]["checkpoints"]
        pairs = zip(checkpoints, verdicts, strict=True)
        return Reply("ok", "\n\n".join(f"{point['text']}\t{verdict}" for point, verdict in pairs))

    def score(self, model: str, answers: Answers, **replies: Replies) -> list[Record]:
        """Score records with each judge's replies, also collected for the metrics."""
        self.by_model[model] = list(self.scores("zh", answers, **replies).values())
        return self.by_model[model]

    def metrics(
        self, judges: Sequence[str] = ("first",), labels: Sequence[Record] | None = None
    ) -> Frames:
        """The metrics of all scores so far."""
        scores = []
        for model, records in self.by_model.items():
            scores += [Scored(model, "zh", record) for record in records]
        people = None if labels is None else Labels("labels.jsonl", labels)
        return metrics(iter(scores), self.data, people, self.mode, judges, direct=self.direct)


CONTENT = ("主需", "内容约束", "元素内容约束")
COUNT = ("次需", "数值约束", "单词数值约束")


def record(idx: int, split: str, *checkpoints: tuple[str, str, str], **fields) -> Record:
    """A record of the released shape; a checkpoint is priority, type and secondary type."""
    return {
        "idx": idx,
        "prompt": "写" * (100 + idx),
        "isanswer": "否",
        "gold": "",
        "doamin": "教育",
        "scenario": "",
        "source": "tob",
        "split": split,
        "criteria": [[f"条目{n}", *point] for n, point in enumerate(checkpoints)],
        **fields,
    }


class SmallRun(Run):
    """Four records, or others, with judges whose verdicts are written by hand."""

    def __init__(self, mode: str = "strict", records: Sequence[Record] | None = None):
        four_records = [
            record(0, "easy", CONTENT, COUNT),
            record(1, "easy", CONTENT, CONTENT, COUNT, doamin="金融"),
            record(2, "hard", CONTENT, COUNT, COUNT, COUNT, source="nlp_cif", doamin="Summary"),
            record(3, "hard", CONTENT, ("次需", "", ""), source="nlp_cif", doamin="Couplet"),
        ]
        super().__init__(mode, records or four_records)

    def judge(self, model: str, *verdicts_by_judge: Mapping[int, list[int] | None]) -> list[str]:
        """Scores a model by judges with these verdicts by idx; None is unreadable.

        Returns:
            The judges' names: j0, j1 …
        """
        replies = {}
        for number, verdicts_by_idx in enumerate(verdicts_by_judge):
            judge = f"j{number}"
            replies[judge] = {}
            for idx, verdicts in verdicts_by_idx.items():
                sample = f"zh/{idx:04d}"
                replies[judge][sample] = self.checklist_reply(sample, verdicts)
        self.score(model, self.responses(lambda sample: "答"), **replies)
        return list(replies)


VERDICTS = {0: [1, 1], 1: [1, 1, 0], 2: [1, 1, 1, 0], 3: None}
"""Of the small run's four records."""
