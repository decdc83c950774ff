"""Judge prompts: an answer under the whole path by which its instruction came about."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from steadfast.asked import read_outputs
from steadfast.engines.request import ANSWERED
from steadfast.files import Record, write_jsonl
from steadfast.followbench.facts import JUDGE, facts
from steadfast.followbench.prompts import Sources, load_part

SLOTS = ("kind", "constraints", "count", "path", "boundary")
REQUIRED = ("path", "count")
MAX_TOKENS = 1024  # as in the released code


def write_judge_prompts(
    part: str, prompts: Path, sources: Sources, outputs: Path, template: Path, out: Path
) -> None:
    """Writes what is asked of a judge about one model's answers, a record an answer.

    Only answers to groups that a judge scores are judged, and only those that there are.

    Args:
        part: the language.
        prompts: the prompts of the language.
        sources: ``data``: the groups' file by language.
        outputs: the model's outputs.
        template: the judge template.
        out: JSON lines, as ``judging.requests`` reads them.

    Raises:
        UserError: a file is missing or damaged, or a prompt has no output.
    """
    write_jsonl(out, _records(part, prompts, sources, outputs, template))


def _records(
    part: str, prompts: Path, sources: Sources, outputs: Path, template: Path
) -> Iterator[Record]:
    from steadfast.judging.boundary import boundary
    from steadfast.judging.template import load_template

    form = load_template(template, slots=SLOTS, required=REQUIRED)
    answers = read_outputs(outputs)
    for prompt, group in load_part(prompts, sources):
        if prompt["scorer"] != JUDGE:
            continue
        output = answers.of(prompt["sample_id"])
        if output["status"] not in ANSWERED:
            continue
        level = prompt["level"]
        fields = slots(group, level, facts("judge/words")[part])
        head, tail = form.render(fields | {"boundary": boundary(output["text"])})
        yield {
            "answer_id": prompt["sample_id"],
            "template": part,
            "head": head,
            "answer": output["text"],
            "requests": [
                {
                    "sample_id": prompt["sample_id"],
                    "tail": tail,
                    "reminder": form.reminder,
                    "max_tokens": MAX_TOKENS,
                    "expected": {"count": level},
                }
            ],
        }


def slots(group: Record, level: int, words: Mapping[str, Any]) -> dict[str, str]:
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
