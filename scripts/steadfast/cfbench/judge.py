"""Judge prompts: one a record, with all its checkpoints (paper, Figure 9; wording our own)."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from steadfast.asked import read_outputs
from steadfast.cfbench.facts import LANGUAGE, Mode
from steadfast.cfbench.prompts import load_part
from steadfast.engines.request import ANSWERED
from steadfast.files import Record, write_jsonl
from steadfast.judging.boundary import boundary
from steadfast.judging.template import JudgeTemplate, load_template

TEMPLATE = LANGUAGE  # name of the one template
REQUIRED = {"instruction", "reference", "checkpoints"}
SLOTS = {*REQUIRED, "boundary", "count"}
MAX_TOKENS = 2048  # of a reply: the longest released list has under a thousand characters


def write_judge_prompts(
    prompts: Path,
    data: Mapping[str, Path],
    outputs: Path,
    template: Path,
    mode: Mode,
    out: Path,
) -> None:
    """Writes what is asked of a judge about one model's answers, a request an answer.

    A sample without an answer is not judged.

    Args:
        prompts: the prompts file.
        data: the data files by language.
        outputs: the model's outputs.
        template: file of the judge template.
        mode: how replies are read; it stands in what is expected of a reply.
        out: JSON lines, see ``judging.requests``.

    Raises:
        UserError: a file is missing or damaged, the template has no such slot or lacks one, or a
            prompt has no output or no record.
    """
    loaded = load_template(template, SLOTS, REQUIRED)
    answers = read_outputs(outputs)

    def records() -> Iterator[Record]:
        for prompt, record in load_part(prompts, data):
            output = answers.of(prompt["sample_id"])
            if output["status"] in ANSWERED:
                yield _judge_prompt(record, output["text"], loaded, mode)

    write_jsonl(out, records())


def _judge_prompt(record: Record, answer: str, template: JudgeTemplate, mode: Mode) -> Record:
    texts = [checkpoint["text"] for checkpoint in record["checkpoints"]]
    fields = {
        "instruction": record["prompt"],
        "reference": record["gold"],
        "checkpoints": "\n\n".join(texts),
        "count": str(len(texts)),
        "boundary": boundary(answer),
    }
    head, tail = template.render(fields)
    request = {
        "sample_id": record["sample_id"],
        "tail": tail,
        "reminder": template.reminder if mode == "strict" else "",
        "max_tokens": MAX_TOKENS,
        "expected": {"mode": mode, "checkpoints": texts},
    }
    return {
        "answer_id": record["sample_id"],
        "template": TEMPLATE,
        "head": head,
        "answer": answer,
        "requests": [request],
    }
