"""Scoring one model's answers by the verdicts of one or more judges, and the rules."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from steadfast.asked import Outputs, read_outputs
from steadfast.complexbench.aggregation import dependent
from steadfast.complexbench.extraction import released_segments, strict_segments
from steadfast.complexbench.judge import shown_answer
from steadfast.complexbench.rules.decide import verdict
from steadfast.complexbench.rules.outcome import STRICT, UNDECIDED, RuleError, Verdict
from steadfast.complexbench.samples import Conversation, Sample, load_samples
from steadfast.complexbench.scored import INVALID
from steadfast.complexbench.verdicts import released_verdict, strict_verdict
from steadfast.complexbench.ways import Way, request_id, template_language, way
from steadfast.engines.request import ANSWERED
from steadfast.errors import UserError
from steadfast.files import Record, write_jsonl

SHOWN = 200  # characters of a copied part that a record keeps
Found = tuple[Verdict | None, Record]
"""A verdict, None where there is none, and how it came about."""


def score_part(
    part: str,
    settings: Mapping[str, Any],
    prompts: Path,
    data: Mapping[str, Path],
    outputs: Path,
    verdicts: Mapping[str, Path],
    out: Path,
) -> None:
    """Writes the scores of one model, a record a prompt, in the prompts' order.

    ``raw`` has the verdict on each question, ``points`` 1 or 0 once dependencies count, which may
    lie in other turns, and ``total`` the share of 1 among them. A question whose verdict is
    missing or unreadable has null; its sample is invalid and has no total, but the other questions
    stand. A sample without an answer keeps its output's status, and has neither.

    Args:
        part: such as zh or zh-decomposed.
        settings: as for the judge prompts: ``mode`` and ``judging``.
        prompts: the prompts file.
        data: the instances by language.
        outputs: the model's outputs.
        verdicts: file of each judge's replies; the first judge's are the score, those of the
            others stand under ``also``.
        out: file to write.

    Raises:
        UserError: a file is missing or damaged, a prompt has no output, or no judge is given.
    """
    if not verdicts:
        raise UserError("complexbench: no judge's verdicts are given; name a judge under judges")
    samples = list(load_samples(prompts, data, outputs))
    language = part.partition("-")[0]
    judged = {
        judge: _Judged(samples, read_outputs(path), language, settings)
        for judge, path in verdicts.items()
    }
    first, *others = judged

    def records() -> Iterator[Record]:
        for sample in samples:
            prompt, output = sample.prompt, sample.output
            yield {
                "sample_id": prompt["sample_id"],
                "task": prompt["task"],
                "context_id": prompt["context_id"],
                "instance": prompt["main_id"],
                "questions": prompt["points"],
                "truncated": (output.get("truncated_tokens") or 0) > 0,
                "judge": first,
                **judged[first].score(sample),
                "extracted": judged[first].extracted(prompt),
                "also": {judge: judged[judge].score(sample) for judge in others},
            }

    write_jsonl(out, records())


class _Judged:
    """What one judge's replies make of all answers of a part."""

    def __init__(
        self,
        samples: list[Sample],
        replies: Outputs,
        language: str,
        settings: Mapping[str, Any],
    ):
        self._found: dict[str, dict[int, Found]] = {}
        raw: dict[int, list[Verdict | None]] = {}
        for sample in samples:
            questions = sample.instance["scoring_questions"]
            of_instance = raw.setdefault(sample.instance["main_id"], [None] * len(questions))
            if sample.output["status"] not in ANSWERED:
                continue
            answer_id = sample.prompt["sample_id"]
            found = self._found[answer_id] = {}
            for point in sample.prompt["points"]:
                reply = replies.get(request_id(answer_id, point))
                how = way(questions[point], language, settings)
                found[point] = _found(
                    how, questions[point], reply, sample.conversation, settings["mode"]
                )
                of_instance[point] = found[point][0]
        instances = {sample.instance["main_id"]: sample.instance for sample in samples}
        self._verdicts = {
            number: dependent(raw[number], instance) for number, instance in instances.items()
        }

    def score(self, sample: Sample) -> Record:
        """Status, raw verdicts, points and total of one sample."""
        status, found = sample.output["status"], self._found.get(sample.prompt["sample_id"])
        if found is None:
            return {"status": status, "raw": None, "points": None, "total": None}
        verdicts = self._verdicts[sample.instance["main_id"]]
        points = {
            str(point): None if verdicts[point] is None else float(verdicts[point] is True)
            for point in found
        }
        whole = None not in points.values()
        return {
            "status": status if whole else INVALID,
            "raw": {str(point): verdict for point, (verdict, _) in found.items()},
            "points": points,
            "total": sum(points.values()) / len(points) if whole else None,
        }

    def extracted(self, prompt: Record) -> Record | None:
        """How each question of one sample was decided; None without an answer."""
        found = self._found.get(prompt["sample_id"])
        return found and {str(point): how for point, (_, how) in found.items()}


def _found(
    how: Way, question: Record, reply: Record | None, conversation: Conversation, mode: str
) -> Found:
    """The verdict on one question, and how it came about."""
    about: Record = {"by": how.by}
    if reply is None or reply["status"] not in ANSWERED:
        status = reply["status"] if reply else "missing"
        return None, about | {"problem": f"the judge's reply: {status}"}
    answer, text = shown_answer(conversation, how.by, mode), reply["text"]
    if how.by != "rule":
        language = template_language(how.template)
        read = strict_verdict(text, answer, language) if mode == STRICT else released_verdict(text)
        return read, about | ({"problem": "no readable verdict"} if read is None else {})
    if mode == STRICT:
        segments = strict_segments(answer, text, how.each)
    else:
        segments = released_segments(conversation.answer, text)
    if segments is None:
        return None, about | {"problem": "no readable copy of a part of the answer"}
    about["segments"] = [segment[:SHOWN] for segment in segments]
    try:
        return verdict(question["rule"], segments, mode), about
    except RuleError as error:
        # The released code ends here, without a number; an open verdict leaves the others theirs.
        return UNDECIDED, about | {"problem": f"the rule: {error.name}, {error}"}
