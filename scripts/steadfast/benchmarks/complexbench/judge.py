"""Judge prompts: each scoring question is put to a judge, or its object is copied for a rule."""

from collections.abc import Iterator, Mapping

from steadfast.benchmarks.complexbench.records import Prompt
from steadfast.benchmarks.complexbench.routes import (
    TEMPLATES,
    request_id,
    routes,
    shown_answer,
    shown_instruction,
)
from steadfast.contract.components import Answer, JudgePrompt, JudgePrompts, JudgeRequest, Sample
from steadfast.contract.judge_template import JudgeTemplate, boundary

MAX_TOKENS = 2048  # of a reply; a copied part may be long


class ComplexbenchJudgePrompts(JudgePrompts):
    """A request a question; those put by the same template share all up to the answer's end."""

    slots = frozenset({"instruction", "question", "boundary"})
    required = frozenset({"instruction", "question"})
    behind = frozenset({"question"})

    def __init__(self, mode: str, judging: str):
        self._mode, self._judging = mode, judging

    def prompts(
        self, sample: Sample[Prompt], answer: Answer, templates: Mapping[str, JudgeTemplate]
    ) -> Iterator[JudgePrompt]:
        """Yields what is asked about an answer."""
        by_point = routes(sample, self._mode, self._judging)
        for name in TEMPLATES:
            points = [point for point, how in by_point.items() if how.template == name]
            if not points:
                continue
            shown = shown_answer(answer, by_point[points[0]].by, self._mode)
            instruction = shown_instruction(sample, self._mode)
            slots = {"instruction": instruction, "boundary": boundary(shown)}
            requests = []
            for point in points:
                question, how = sample.source["scoring_questions"][point], by_point[point]
                head, tail = templates[name].render(slots | {"question": question["question"]})
                expected = {"mode": self._mode, "by": how.by, "each": how.each}
                expected |= {"language": how.language, "point": point, "rule": question["rule"]}
                own, reminder = request_id(sample.id, point), templates[name].reminder
                requests.append(JudgeRequest(own, tail, expected, reminder, MAX_TOKENS))
            yield JudgePrompt(sample.id, name, head, shown, requests)
