"""Simulated models for models and for judges: seeded answers, and verdicts that believe them.

An answer has, for each scoring question that it keeps, something that shows it: examples of what a
rule wants, a line for what a judge decides. A last line names the questions kept
(``judging.simulator``); a judge without a model goes by it, and copies the same examples.
"""

import json
from collections.abc import Collection, Sequence
from itertools import cycle, islice
from random import Random

from steadfast.base.files import Record, Settings
from steadfast.base.resources import facts
from steadfast.benchmarks.complexbench.facts import (
    ABSENT,
    HEADING,
    LABEL,
    SEPARATOR,
    Prompt,
    language_and_split,
    normalised,
)
from steadfast.benchmarks.complexbench.rule_forms import Clause, RuleFormError, read_rule
from steadfast.contract.components import JudgePrompt, JudgeRequest, Sample, Simulator
from steadfast.judging.simulator import BelievingJudge, signature

SIMULATED = facts("complexbench/simulated.yaml")
_COPY = f"【解释】\n依照回复的最后一行。\n\n{HEADING}\n{LABEL}：{{}}"
_SEGMENTS = 2  # objects that are written where a rule asks for no number
_SHORT = 8  # characters of filler


class ComplexbenchSimulator(Simulator):
    """Reference answers and simulated readings."""

    def reference(self, sample: Sample[Prompt]) -> str:
        return _signed_answer(sample, sample.prompt["points"])

    def simulated(
        self, sample: Sample[Prompt], settings: Settings, seen: float, rng: Random
    ) -> str:
        """A simulated model's response: it misses more the deeper constraints are nested."""
        layers = sample.prompt["layers"]
        miss = settings.get("slip", 0.0) * (SIMULATED["first"] + SIMULATED["layer"] * layers)
        kept = [
            point
            for point in sample.prompt["points"]
            if rng.random() >= miss * (1.0 if _rule(sample, point) is None else SIMULATED["ruled"])
        ]
        return _signed_answer(sample, kept)


def _signed_answer(sample: Sample[Prompt], kept: Collection[int]) -> str:
    language, _ = language_and_split(sample.part)
    wording = SIMULATED["answers"][language]
    lines: list[str] = []
    for point in sample.prompt["points"]:
        if (rule := _rule(sample, point)) is not None:
            lines += rule_examples(rule, point in kept)
        else:
            lines.append(wording["kept" if point in kept else "left"].format(number=point))
    return "\n".join([*lines, signature(kept)])


def _rule(sample: Sample[Prompt], point: int) -> str | None:
    rule: str | None = sample.source["scoring_questions"][point]["rule"]
    return rule


class ComplexbenchJudge(BelievingJudge):
    """Replies of judges without a model."""

    def numbers(self, request: JudgeRequest) -> list[int]:
        return [request.expected["point"]]

    def reply(self, prompt: JudgePrompt, request: JudgeRequest, verdicts: Sequence[bool]) -> str:
        """Returns yes or no, or a copy of the examples that a rule decides on."""
        (holds,) = verdicts
        expected = request.expected
        if expected["by"] != "rule":
            return str(SIMULATED["verdicts"][expected["language"]][holds])
        parts = [part for part in rule_examples(expected["rule"], holds) if part in prompt.answer]
        return _COPY.format((SEPARATOR if expected["each"] else "").join(parts) or ABSENT)


def rule_examples(rule: str, kept: bool = True) -> list[str]:
    """Parts of an answer that satisfy a rule, several where it judges each, to stand on own lines.

    Where the rule is not kept there are none, unless it holds for nothing: then one that breaks it.
    In mode released no answer passes

    - ``match`` with punctuation that is not Chinese,
    - a plain rule whose text has None, or the name of another rule,
    - ``Json`` with braces in a key,

    and in neither mode

    - a range that only nothing would fit, such as [0,0],
    - ``model_keyword_num`` where words that hold each other leave no fitting number,
    - a rule that is not written as one.

    >>> rule_examples("keyword:[春风,希望]"), rule_examples("keyword:[春风,希望]", kept=False)
    (['春风与希望'], [])
    """
    try:
        clauses = read_rule(rule.strip("\n"))
    except RuleFormError:
        return [_filler(_SHORT)] if kept else []
    if not kept:
        return [_breach(clauses[0])] if all(clause.absent for clause in clauses) else []
    first = clauses[0]
    if first.name == "model_starts_with_list_each":
        return [word + _filler(_SHORT, offset=i) for i, word in enumerate(first.words)]
    number = _SEGMENTS if first.each else 1
    if first.name == "model_number_each":
        number = max(first.low, 1)
    return [_text(clauses, offset=place) for place in range(number)]


def _base(clause: Clause) -> str:
    return clause.name.removeprefix("model_").removesuffix("_each").replace("not ", "not_")


def _text(clauses: tuple[Clause, ...], offset: int) -> str:
    """Returns a text that satisfies all of the clauses; texts of other offsets read otherwise."""
    first = clauses[0]
    words = {_base(clause): clause.words for clause in clauses}
    banned = [word for clause in clauses if clause.absent for word in clause.words]
    match _base(first):
        case "keyword":
            return "与".join(map(normalised, first.words))
        case "keyword_num":
            return _counted(first, banned)
        case "length":
            return _filler(max(first.low, 1), offset=offset)
        case "length_word":
            return " ".join([SIMULATED["word"]] * max(first.low, 1))
        case "match":
            return first.words[0]
        case "Json":
            return _object(first.words)
    start, end = (words[name][0] if name in words else "" for name in ("startswith", "endswith"))
    return start + _filler(_SHORT, banned, offset) + end


def _breach(clause: Clause) -> str:
    """Returns a text that breaks a clause which holds for nothing."""
    word = clause.words[0]
    filler = _filler(_SHORT, clause.words)
    if _base(clause) == "not_startswith":
        return word + filler
    return filler + (normalised(word) if _base(clause) == "forbidden_word" else word)


def _counted(clause: Clause, banned: list[str]) -> str:
    """Returns a text with as many of the words as are asked for; words may hold each other."""
    words = [normalised(word) for word in clause.words]
    banned = [normalised(word) for word in banned]
    filler = _filler(_SHORT, [*words, *banned])
    usable = [word for word in words if not any(other in word for other in banned)]
    for number in range(clause.low, min(clause.high, len(usable)) + 1):
        for start in range(max(len(usable), 1)):
            chosen = list(islice(cycle(usable), start, start + number)) if usable else []
            text = filler + "".join(word + filler for word in chosen)
            if clause.low <= sum(word in text for word in words) <= clause.high:
                return text
    return filler


def _object(keys: tuple[str, ...]) -> str:
    """Returns JSON with the keys; a key that is named twice, or empty, still asks for one more."""
    filled: Record = dict.fromkeys((key for key in keys if key), _filler(_SHORT))
    while len(filled) < len(keys):
        filled[f"{len(filled)}"] = ""
    return json.dumps(filled, ensure_ascii=False)


def _filler(length: int, banned: Sequence[str] = (), offset: int = 0) -> str:
    """Returns so many characters without punctuation, none of them in a banned word."""
    excluded = set("".join(banned))
    pool = [char for char in SIMULATED["filler"] if char not in excluded] or ["零"]
    return "".join(islice(cycle(pool), offset, offset + length))
