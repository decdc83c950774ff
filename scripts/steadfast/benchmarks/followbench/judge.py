"""Judge prompts: an answer and how its instruction came about, or its instruction alone."""

from collections.abc import Iterator, Mapping, Sequence

from steadfast.base.files import Record, Settings
from steadfast.base.resources import facts
from steadfast.benchmarks.followbench import facts as followbench
from steadfast.benchmarks.followbench.facts import Prompt
from steadfast.contract.components import Answer, JudgePrompt, JudgePrompts, JudgeRequest, Sample
from steadfast.contract.judge_template import JudgeTemplate, boundary

MAX_TOKENS = 1024  # as in the released code
STRINGS = facts("followbench/judge/words.yaml")
COMMON = frozenset({"kind", "constraints", "count", "boundary", "category"})
STEPS = frozenset({"start", *(f"step_{level}" for level in followbench.LEVELS)})
# By judge's prompt: the slots that a template may have, and those that it must have.
SLOTS = {
    followbench.PATH: (COMMON | STEPS | {"path"}, frozenset({"path", "count"})),
    followbench.LAST: (COMMON | {"instruction"}, frozenset({"instruction", "count"})),
    followbench.RATING: (frozenset({"instruction", "boundary"}), frozenset({"instruction"})),
}


class FollowbenchJudgePrompts(JudgePrompts):
    """One request for each response and judge's prompt.

    Responses that rules score are judged only with ``rule_items``, by the first prompt, if its
    template covers them.
    """

    def __init__(
        self, judge_prompts: Sequence[str] = (followbench.PATH,), rule_items: bool = False
    ):
        self._judge_prompts = judge_prompts
        self._rule_items = rule_items

    def slots_of(self, template: str) -> tuple[frozenset[str], frozenset[str]]:
        return SLOTS[template.rpartition("_")[0] or followbench.PATH]

    def prompts(
        self,
        sample: Sample[Prompt],
        answer: Answer,
        templates: Mapping[str, JudgeTemplate],
    ) -> Iterator[JudgePrompt]:
        by_rule = sample.prompt["scorer"] != followbench.JUDGE
        if by_rule and not self._rule_items:
            return
        level = sample.prompt["level"]
        fields = slots(sample.source, level, STRINGS[sample.part])
        for judge_prompt in self._judge_prompts[:1] if by_rule else self._judge_prompts:
            name = followbench.template_name(sample.part, judge_prompt)
            form = templates[name]
            category = sample.source["category"]
            kinds = (f"{category} {level}", category, str(level))
            if by_rule and not form.covers(kinds):
                continue
            head, tail = form.render(fields | {"boundary": boundary(answer.text)}, kinds)
            expected = {"count": level, "language": sample.part}
            if judge_prompt == followbench.RATING:
                expected["highest"] = followbench.HIGHEST
            request_id = followbench.request_id(sample.id, judge_prompt)
            request = JudgeRequest(request_id, tail, expected, form.reminder, MAX_TOKENS)
            yield JudgePrompt(sample.id, name, head, answer.text, [request])


def slots(group: Record, level: int, words: Settings) -> dict[str, str]:
    """Returns the values of a judge template's slots, except answer and boundary (Figure 3)."""

    def counted(forms: Mapping[str, str], n: int) -> str:
        return forms["one"] if n == 1 else forms["more"].format(n=n)

    instructions = [record["instruction"] for record in group["levels"][:level]]
    versions = [f"{words['start']}\n{group['start']}"]
    steps = {}
    for n, instruction in enumerate(instructions, start=1):
        versions.append(f"{counted(words['step'], n)}\n{instruction}")
        steps[f"step_{n}"] = instruction
    return {
        "kind": words["kind"][group["category"]],
        "constraints": counted(words["constraints"], level),
        "count": str(level),
        "path": "\n\n".join(versions),
        "instruction": instructions[-1],
        "category": group["category"],
        "start": group["start"],
        **steps,
    }
