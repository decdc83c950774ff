"""Judge prompts: an answer and how its instruction came about, or its instruction alone."""

from collections.abc import Iterator, Mapping, Sequence

from steadfast.base.files import Record, Settings
from steadfast.base.resources import facts
from steadfast.benchmarks.followbench.facts import (
    HIGHEST,
    JUDGE,
    LAST,
    LEVELS,
    PATH,
    RATING,
    Prompt,
    request_id,
    template_name,
)
from steadfast.contract.components import Answer, JudgePrompt, JudgePrompts, JudgeRequest, Sample
from steadfast.contract.judge_template import JudgeTemplate, boundary

MAX_TOKENS = 1024  # as in the released code
STRINGS = facts("followbench/judge/words.yaml")
COMMON = frozenset({"kind", "constraints", "count", "boundary", "category"})
STEPS = frozenset({"start", *(f"step_{level}" for level in LEVELS)})
SLOTS = {
    PATH: (COMMON | STEPS | {"path"}, frozenset({"path", "count"})),
    LAST: (COMMON | {"instruction"}, frozenset({"instruction", "count"})),
    RATING: (frozenset({"instruction", "boundary"}), frozenset({"instruction"})),
}
"""By the way to ask: the slots that a template may have, and those that it must have."""


class FollowbenchJudgePrompts(JudgePrompts):
    """One request an answer and way; answers that rules score are judged only where wanted.

    These are asked about in the first way, if the template has a text for them.
    """

    def __init__(self, ways: Sequence[str] = (PATH,), rule_items: bool = False):
        self._ways = ways
        self._rule_items = rule_items

    def slots_of(self, template: str) -> tuple[frozenset[str], frozenset[str]]:
        return SLOTS[template.rpartition("_")[0] or PATH]

    def prompts(
        self, sample: Sample[Prompt], answer: Answer, templates: Mapping[str, JudgeTemplate]
    ) -> Iterator[JudgePrompt]:
        by_rule = sample.prompt["scorer"] != JUDGE
        if by_rule and not self._rule_items:
            return
        level = sample.prompt["level"]
        fields = slots(sample.source, level, STRINGS[sample.part])
        for way in self._ways[:1] if by_rule else self._ways:
            name = template_name(sample.part, way)
            form = templates[name]
            category = sample.source["category"]
            kinds = (f"{category} {level}", category, str(level))
            if by_rule and not form.covers(kinds):
                continue
            head, tail = form.render(fields | {"boundary": boundary(answer.text)}, kinds)
            expected = {"count": level, "language": sample.part} | (
                {"highest": HIGHEST} if way == RATING else {}
            )
            asked = request_id(sample.id, way)
            request = JudgeRequest(asked, tail, expected, form.reminder, MAX_TOKENS)
            yield JudgePrompt(sample.id, name, head, answer.text, [request])


def slots(group: Record, level: int, words: Settings) -> dict[str, str]:
    """What a judge template's slots are filled with, but for answer and boundary (Figure 3)."""

    def counted(forms: Mapping[str, str], n: int) -> str:
        return forms["one"] if n == 1 else forms["more"].format(n=n)

    versions = [f"{words['start']}\n{group['start']}"]
    versions += [
        f"{counted(words['step'], n)}\n{group['levels'][n - 1]['instruction']}"
        for n in range(1, level + 1)
    ]
    return {
        "kind": words["kind"][group["category"]],
        "constraints": counted(words["constraints"], level),
        "count": str(level),
        "path": "\n\n".join(versions),
        "instruction": group["levels"][level - 1]["instruction"],
        "category": group["category"],
        "start": group["start"],
        **{f"step_{n}": group["levels"][n - 1]["instruction"] for n in range(1, level + 1)},
    }
