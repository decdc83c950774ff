"""Judge prompts: each scoring question is put to a judge, or its object is copied for a rule."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from steadfast.complexbench.extraction import strict_segments
from steadfast.complexbench.rules.outcome import STRICT
from steadfast.complexbench.samples import Conversation, Sample, load_samples
from steadfast.complexbench.verdicts import strict_verdict
from steadfast.complexbench.ways import TEMPLATES, request_id, template_language, way
from steadfast.engines.request import ANSWERED
from steadfast.errors import UserError
from steadfast.files import Record, write_jsonl
from steadfast.judging.boundary import boundary
from steadfast.judging.template import JudgeTemplate, load_template

SLOTS = {"instruction", "question", "boundary"}
REQUIRED = {"instruction", "question"}
MAX_TOKENS = 2048  # of a reply; a copied part may be long
CUT = {"instruction": 6000, "answer": 4000}
"""Characters that the released code shows a judge."""


def write_judge_prompts(
    part: str,
    prompts: Path,
    data: Mapping[str, Path],
    outputs: Path,
    templates: Mapping[str, Path],
    settings: Mapping[str, Any],
    out: Path,
) -> None:
    """Writes what is asked of a judge about one model's answers: a request a question.

    The questions on an answer that are put by the same template stand in one record, for they
    share all up to the answer's end. A sample without an answer is not judged.

    Args:
        part: such as zh or zh-decomposed.
        prompts: the part's prompts.
        data: the instances by language.
        outputs: the model's outputs.
        templates: file of each template in use.
        settings: ``mode`` and ``judging``, see ``way``; released shows 6000 characters of an
            instruction and 4000 of an answer.
        out: JSON lines, see ``judging.requests``.

    Raises:
        UserError: a file is missing or damaged, a template has no such slot, lacks one or puts the
            question before the answer, or a prompt has no output.
    """
    loaded = {name: _loaded(path) for name, path in templates.items()}
    language = part.partition("-")[0]

    def records() -> Iterator[Record]:
        for sample in load_samples(prompts, data, outputs):
            if sample.output["status"] in ANSWERED:
                yield from _records(sample, loaded, language, settings)

    write_jsonl(out, records())


def _loaded(path: Path) -> JudgeTemplate:
    template = load_template(path, SLOTS, REQUIRED)
    if "{{question}}" in template.head:
        raise UserError(
            f"{path}: the slot {{{{question}}}} stands before {{{{answer}}}}; put it behind, so "
            "that the questions on an answer share what precedes them"
        )
    return template


def shown_answer(conversation: Conversation, by: str, mode: str) -> str:
    """The answer as a judge is shown it.

    A judge of a turn sees the turns before it, which a turn may refer to; a rule is about what is
    copied from the turn itself.
    """
    answer = conversation.answer if by == "rule" else conversation.answers
    return answer if mode == STRICT else answer[: CUT["answer"]]


def _records(
    sample: Sample,
    templates: Mapping[str, JudgeTemplate],
    language: str,
    settings: Mapping[str, Any],
) -> Iterator[Record]:
    mode, answer_id = settings["mode"], sample.prompt["sample_id"]
    instruction = sample.conversation.instructions
    if mode != STRICT:
        instruction = instruction[: CUT["instruction"]]
    found: dict[str, Record] = {}
    for point in sample.prompt["points"]:
        question = sample.instance["scoring_questions"][point]
        how = way(question, language, settings)
        answer = shown_answer(sample.conversation, how.by, mode)
        head, tail = templates[how.template].render(
            {
                "instruction": instruction,
                "question": question["question"],
                "boundary": boundary(answer),
            }
        )
        record = found.setdefault(
            how.template,
            {
                "answer_id": answer_id,
                "template": how.template,
                "head": head,
                "answer": answer,
                "requests": [],
            },
        )
        record["requests"].append(
            {
                "sample_id": request_id(answer_id, point),
                "tail": tail,
                "reminder": templates[how.template].reminder,
                "max_tokens": MAX_TOKENS,
                "expected": {
                    "mode": mode,
                    "by": how.by,
                    "each": how.each,
                    "language": template_language(how.template),
                    "point": point,
                    "rule": question["rule"],
                },
            }
        )
    for name in TEMPLATES:
        if name in found:
            yield found[name]


def readable(expected: Mapping[str, Any], reply: str, answer: str) -> bool:
    """Whether a judge's reply can be read; the released code reads any that is not empty.

    Args:
        expected: of the request.
        reply: the judge's.
        answer: as the judge was shown it.
    """
    if expected["mode"] != STRICT:
        return bool(reply)
    if expected["by"] == "rule":
        return strict_segments(answer, reply, expected["each"]) is not None
    return strict_verdict(reply, answer, expected["language"]) is not None
