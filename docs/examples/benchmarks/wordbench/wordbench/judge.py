"""The judge's prompts: are the words on the topic?"""

from collections.abc import Iterator, Mapping

from steadfast.contract.components import Answer, JudgePrompt, JudgePrompts, JudgeRequest, Sample
from steadfast.contract.judge_template import JudgeTemplate


class TopicPrompts(JudgePrompts):
    """One request for each response that no program scores."""

    slots = required = frozenset({"topic"})

    def prompts(
        self, sample: Sample, answer: Answer, templates: Mapping[str, JudgeTemplate]
    ) -> Iterator[JudgePrompt]:
        """Yields the requests about one response."""
        if sample.source["scorer"] == "judge":
            form = templates["topic"]
            head, tail = form.render({"topic": sample.source["topic"]})
            request = JudgeRequest(sample.id, tail, {}, form.reminder, max_tokens=8)
            yield JudgePrompt(sample.id, "topic", head, answer.text, [request])
