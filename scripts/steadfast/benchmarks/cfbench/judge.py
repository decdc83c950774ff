"""Judge prompts: one a record, with all its checkpoints (paper, Figure 9; in our own words).

With direct scoring, another one requests a single score of the whole answer.
"""

from collections.abc import Iterator, Mapping

from steadfast.base.files import Record
from steadfast.benchmarks.cfbench.facts import DIRECT, LANGUAGE, Mode, direct_request
from steadfast.contract.components import Answer, JudgePrompt, JudgePrompts, JudgeRequest, Sample
from steadfast.contract.judge_template import JudgeTemplate, boundary

MAX_TOKENS = 2048  # of a reply: the longest released list has under a thousand characters
DIRECT_TOKENS = 512  # of a reply of direct scoring: a sentence or two, and the score


class CfbenchJudgePrompts(JudgePrompts):
    """A request an answer, or two."""

    required = frozenset({"instruction", "reference", "checkpoints"})
    slots = required | {"boundary", "count"}

    def __init__(self, mode: Mode, direct: bool):
        self._mode = mode
        self._direct = direct

    def slots_of(self, template: str) -> tuple[frozenset[str], frozenset[str]]:
        """Returns the slots that a template may have, and those that it must have."""
        if template == DIRECT:
            return self.slots - {"checkpoints", "count"}, self.required - {"checkpoints"}
        return self.slots, self.required

    def prompts(
        self, sample: Sample, answer: Answer, templates: Mapping[str, JudgeTemplate]
    ) -> Iterator[JudgePrompt]:
        """Yields the prompt of the checklist, then that of direct scoring if it is on."""
        record = sample.source
        texts = [checkpoint["text"] for checkpoint in record["checkpoints"]]
        fields = {
            "instruction": record["prompt"],
            "reference": record["gold"],
            "checkpoints": "\n\n".join(texts),
            "count": str(len(texts)),
            "boundary": boundary(answer.text),
        }
        requests: list[tuple[str, str, Record, int]] = [
            (LANGUAGE, sample.id, {"checkpoints": texts}, MAX_TOKENS)
        ]
        if self._direct:
            request_id = direct_request(sample.id)
            requests.append((DIRECT, request_id, {DIRECT: len(texts)}, DIRECT_TOKENS))
        for name, request_id, expected, max_tokens in requests:
            head, tail = templates[name].render(fields)
            expected = {"mode": self._mode, **expected}
            reminder = templates[name].reminder if self._mode == "strict" else ""
            request = JudgeRequest(request_id, tail, expected, reminder, max_tokens)
            yield JudgePrompt(sample.id, name, head, answer.text, [request])
