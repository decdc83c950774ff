"""Judge prompts: an answer under the whole path by which its instruction came about."""

from collections.abc import Iterator, Mapping

from steadfast.components import Answer, JudgePrompt, JudgePrompts, JudgeRequest, Sample
from steadfast.files import Record, Settings
from steadfast.followbench.facts import JUDGE
from steadfast.judge_template import JudgeTemplate
from steadfast.judging.boundary import boundary
from steadfast.resources import facts

MAX_TOKENS = 1024  # as in the released code
WORDS = facts("followbench/judge/words.yaml")


class FollowbenchJudgePrompts(JudgePrompts):
    """One request an answer; only answers to groups that a judge scores are judged."""

    slots = frozenset({"kind", "constraints", "count", "path", "boundary"})
    required = frozenset({"path", "count"})

    def prompts(
        self, sample: Sample, answer: Answer, templates: Mapping[str, JudgeTemplate]
    ) -> Iterator[JudgePrompt]:
        """What is asked about an answer."""
        if sample.prompt["scorer"] != JUDGE:
            return
        form, level = templates[sample.part], sample.prompt["level"]
        fields = slots(sample.source, level, WORDS[sample.part])
        head, tail = form.render(fields | {"boundary": boundary(answer.text)})
        request = JudgeRequest(sample.id, tail, {"count": level}, form.reminder, MAX_TOKENS)
        yield JudgePrompt(sample.id, sample.part, head, answer.text, [request])


def slots(group: Record, level: int, words: Settings) -> dict[str, str]:
    """What a judge template's slots are filled with, but for answer and boundary (Figure 3).

    Args:
        group: a group of the data.
        level: whose answer is judged.
        words: those of the language.
    """

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
    }
