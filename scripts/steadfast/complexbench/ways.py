"""How each scoring question is decided: by a judge, or by a rule on what a judge copies."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from steadfast.complexbench.rules.decide import asks_each, usable
from steadfast.complexbench.rules.outcome import STRICT
from steadfast.files import Record

JUDGE = {"zh": "judge_zh", "en": "judge_en"}
EXTRACT_ONE, EXTRACT_EACH = "extract_one_zh", "extract_each_zh"
TEMPLATES = (*JUDGE.values(), EXTRACT_ONE, EXTRACT_EACH)


@dataclass(frozen=True)
class Way:
    """How a question is decided.

    Attributes:
        by: judge; rule, on what a judge copies; rule_judged, a judge though there is a rule.
        template: what the judge is sent.
        each: whether the rule is about several parts of the answer.
    """

    by: str
    template: str
    each: bool = False


def way(question: Record, language: str, settings: Mapping[str, Any]) -> Way:
    """How a question is decided.

    Rules are Chinese, so that in English a judge decides all questions, as it does those whose
    rule cannot be read in mode strict.

    Args:
        question: of the data.
        language: of the part.
        settings: ``mode`` (strict, released) and ``judging`` (rules, plain).
    """
    rule, mode = question["rule"], settings["mode"]
    # Released code has Chinese prompts alone, and reads Chinese verdicts alone.
    template = JUDGE[language if mode == STRICT else "zh"]
    if rule is None:
        return Way("judge", template)
    if settings["judging"] == "plain" or language != "zh" or not usable(rule, mode):
        return Way("rule_judged", template)
    each = asks_each(rule, mode)
    return Way("rule", EXTRACT_EACH if each else EXTRACT_ONE, each)


def templates_in_use(languages: Sequence[str], settings: Mapping[str, Any]) -> list[str]:
    """Names of the templates that parts of these languages need."""
    needed = [JUDGE[language if settings["mode"] == STRICT else "zh"] for language in languages]
    if settings["judging"] == "rules" and "zh" in languages:
        needed += [EXTRACT_ONE, EXTRACT_EACH]
    return list(dict.fromkeys(needed))


def request_id(sample_id: str, point: int) -> str:
    """The sample id of what is asked of a judge about one question on an answer."""
    return f"{sample_id}/{point}"


def template_language(template: str) -> str:
    """The language that a template has replies written in."""
    return template.rpartition("_")[2]
