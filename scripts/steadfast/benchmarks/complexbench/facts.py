"""What ComplexBench is made of: modes, parts, vocabulary, forms of text, records."""

from functools import cache
from typing import Any

from steadfast.base.files import Record
from steadfast.base.resources import facts
from steadfast.contract import records

# The mode without the accidents of the released code; the other is released.
STRICT = "strict"
# How instructions are sent: whole, or turn by turn.
WHOLE = "whole"
DECOMPOSED = "decomposed"
# Below it a judge copies out of an answer what a rule is to decide.
HEADING = "【模型回复中评分问题的评测对象】"
LABEL = "评分对象"
ALL = "all"
ABSENT = "None"
SEPARATOR = "||"
_TO_CHINESE = str.maketrans("!#$%&()*,.:;?\\^“”", '！＃＄％＆（）＊，。：；？＼＾""')


def part_name(language: str, split: str) -> str:
    """Returns the part of a language and split, such as zh or zh-decomposed."""
    return language if split == WHOLE else f"{language}-{split}"


def language_and_split(part: str) -> tuple[str, str]:
    """Returns the language of a part, and its split: whole, or decomposed into turns.

    >>> language_and_split("zh-decomposed"), language_and_split("zh")
    (('zh', 'decomposed'), ('zh', 'whole'))
    """
    language, _, split = part.partition("-")
    return language, split or WHOLE


def normalised(text: str) -> str:
    """Returns the text with Chinese punctuation for ASCII's, and straight quotation marks."""
    return text.translate(_TO_CHINESE)


class Prompt(records.Prompt):
    """``points`` numbers the scoring questions of this prompt; ``layers`` are the composition's."""

    main_id: int
    points: list[int]
    layers: Any


class ScoreRecord(records.ScoreRecord):
    """``raw`` has each question's verdict before dependencies count."""

    instance: int
    questions: list[int]
    raw: dict[str, Any] | None


def taxonomy() -> Record:
    """Returns task, constraint and composition types, categories and rules, as in the data file."""
    content: dict[str, Any] = facts("complexbench/taxonomy.yaml")
    return content


@cache
def dimensions() -> dict[str, str]:
    """Returns each of the 19 constraint dimensions and the constraint type that it belongs to."""
    types: dict[str, str] = {}
    for kind, constraint_type in taxonomy()["constraint_types"].items():
        types |= dict.fromkeys(constraint_type["dimensions"], kind)
    return types
