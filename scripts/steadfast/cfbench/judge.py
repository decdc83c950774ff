"""Judge prompts: one a record, with all its checkpoints (paper, Figure 9; wording our own)."""

from collections.abc import Iterator, Mapping

from steadfast.cfbench.facts import LANGUAGE, Mode
from steadfast.components import Answer, JudgePrompt, JudgePrompts, JudgeRequest, Sample
from steadfast.judge_template import JudgeTemplate
from steadfast.judging.boundary import boundary

MAX_TOKENS = 2048  # of a reply: the longest released list has under a thousand characters


class CfbenchJudgePrompts(JudgePrompts):
    """A request an answer.

    Args:
        mode: how replies are read; it stands in what is expected of a reply.
    """

    required = frozenset({"instruction", "reference", "checkpoints"})
    slots = required | {"boundary", "count"}

    def __init__(self, mode: Mode):
        self._mode = mode

    def prompts(
        self, sample: Sample, answer: Answer, templates: Mapping[str, JudgeTemplate]
    ) -> Iterator[JudgePrompt]:
        """One, in the template of the language."""
        record, template = sample.source, templates[LANGUAGE]
        texts = [checkpoint["text"] for checkpoint in record["checkpoints"]]
        fields = {
            "instruction": record["prompt"],
            "reference": record["gold"],
            "checkpoints": "\n\n".join(texts),
            "count": str(len(texts)),
            "boundary": boundary(answer.text),
        }
        head, tail = template.render(fields)
        request = JudgeRequest(
            id=sample.id,
            tail=tail,
            expected={"mode": self._mode, "checkpoints": texts},
            reminder=template.reminder if self._mode == "strict" else "",
            max_tokens=MAX_TOKENS,
        )
        yield JudgePrompt(sample.id, LANGUAGE, head, answer.text, [request])
