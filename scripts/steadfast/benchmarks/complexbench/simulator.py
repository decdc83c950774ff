"""Simulated responses and verdicts.

A response has, for each scoring question that it meets, something that shows it: examples of what a
rule requires, a line for what a judge decides. The simulated judge copies the same examples.
"""

import json
from collections.abc import Collection, Sequence
from itertools import chain, cycle, islice
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
from steadfast.benchmarks.complexbench.rule_forms import Clause, RuleFormError, clauses
from steadfast.contract.components import JudgePrompt, JudgeRequest, Sample
from steadfast.contract.simulated import ModelSimulator, SimulatedJudge, signature

SIMULATED = facts("complexbench/simulated.yaml")
_COPY = f"【解释】\n依照回复的最后一行。\n\n{HEADING}\n{LABEL}：{{}}"
_OBJECTS = 2  # that are written where a rule requires no number
_SHORT = 8  # characters of filler


class ComplexbenchSimulator(ModelSimulator):
    """Responses that meet some scoring questions, or all."""

    def requirements(self, sample: Sample[Prompt]) -> list[int]:
        """The scoring questions of the sample."""
        return sample.prompt["points"]

    def meets(
        self,
        sample: Sample[Prompt],
        number: int,
        settings: Settings,
        seen: float,
        rng: Random,
    ) -> bool:
        """The deeper constraints are nested, the more often one is missed."""
        layers = sample.prompt["layers"]
        miss: float = settings.get("slip", 0.0) * (SIMULATED["first"] + SIMULATED["layer"] * layers)
        if _rule(sample, number) is not None:
            miss *= SIMULATED["ruled"]
        return rng.random() >= miss

    def response(self, sample: Sample[Prompt], met: Collection[int], rng: Random) -> str:
        """Returns a line or more for each question, and which of them are met."""
        language, _ = language_and_split(sample.part)
        strings = SIMULATED["answers"][language]
        lines: list[str] = []
        for number in self.requirements(sample):
            rule = _rule(sample, number)
            if rule is None:
                lines.append(strings["kept" if number in met else "left"].format(number=number))
            else:
                lines += rule_examples(rule, number in met)
        return "\n".join([*lines, signature(met)])


def _rule(sample: Sample[Prompt], number: int) -> str | None:
    rule: str | None = sample.source["scoring_questions"][number]["rule"]
    return rule


class ComplexbenchJudge(SimulatedJudge):
    """Verdicts as ComplexBench's judges write them."""

    def numbers(self, request: JudgeRequest) -> list[int]:
        return [request.expected["point"]]

    def reply(self, prompt: JudgePrompt, request: JudgeRequest, verdicts: Sequence[bool]) -> str:
        """Returns yes or no, or a copy of the examples that a rule decides on."""
        met = verdicts[0]
        expected = request.expected
        if expected["by"] != "rule":
            return str(SIMULATED["verdicts"][expected["language"]][met])
        examples = [text for text in rule_examples(expected["rule"], met) if text in prompt.answer]
        return _COPY.format((SEPARATOR if expected["each"] else "").join(examples) or ABSENT)


# --- examples of rules ------------------------------------------------------------------------


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
        parts = clauses(rule)
    except RuleFormError:
        return [_filler(_SHORT)] if kept else []
    first = parts[0]
    if not kept:
        return [_breach(first)] if all(clause.absent for clause in parts) else []
    if first.name == "model_starts_with_list_each":
        return [word + _filler(_SHORT, offset=i) for i, word in enumerate(first.words)]
    number = _OBJECTS if first.each else 1
    if first.name == "model_number_each":
        number = max(first.low, 1)
    return [_text(parts, offset) for offset in range(number)]


def _base(clause: Clause) -> str:
    return clause.name.removeprefix("model_").removesuffix("_each").replace("not ", "not_")


def _text(parts: tuple[Clause, ...], offset: int) -> str:
    """Returns a text that satisfies all of the clauses; texts of other offsets read otherwise."""
    first = parts[0]
    banned = list(chain.from_iterable(clause.words for clause in parts if clause.absent))
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
    ends = {_base(clause): clause.words[0] for clause in parts if clause.words}
    start = ends.get("startswith", "")
    return start + _filler(_SHORT, banned, offset) + ends.get("endswith", "")


def _breach(clause: Clause) -> str:
    """Returns a text that breaks a clause which holds for nothing."""
    word = clause.words[0]
    filler = _filler(_SHORT, clause.words)
    if _base(clause) == "not_startswith":
        return word + filler
    return filler + (normalised(word) if _base(clause) == "forbidden_word" else word)


def _counted(clause: Clause, banned: list[str]) -> str:
    """Returns a text with the required number of words; a word may contain another."""
    words = [normalised(word) for word in clause.words]
    banned = [normalised(word) for word in banned]
    filler = _filler(_SHORT, [*words, *banned])
    usable = []
    for word in words:
        if not any(other in word for other in banned):
            usable.append(word)
    for number in range(clause.low, min(clause.high, len(usable)) + 1):
        for start in range(max(len(usable), 1)):
            chosen = list(islice(cycle(usable), start, start + number)) if usable else []
            text = filler + "".join(word + filler for word in chosen)
            if clause.low <= sum(word in text for word in words) <= clause.high:
                return text
    return filler


def _object(keys: tuple[str, ...]) -> str:
    """Returns JSON with the keys; a key that is named twice, or empty, still requires one more."""
    filled: Record = dict.fromkeys((key for key in keys if key), _filler(_SHORT))
    while len(filled) < len(keys):
        filled[f"{len(filled)}"] = ""
    return json.dumps(filled, ensure_ascii=False)


def _filler(length: int, banned: Sequence[str] = (), offset: int = 0) -> str:
    """Returns so many characters without punctuation, none of them in a banned word."""
    excluded = set("".join(banned))
    pool = [char for char in SIMULATED["filler"] if char not in excluded] or ["零"]
    return "".join(islice(cycle(pool), offset, offset + length))
