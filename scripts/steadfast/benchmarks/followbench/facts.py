"""What FollowBench is made of: languages, categories, levels, scorers, targets, records."""

from steadfast.base.literals import parse_literal
from steadfast.contract import records

LANGUAGES = ("en", "zh")
# Constraint categories (section 3.1), in the order of Tables 1 and 7 to 12.
CATEGORIES = ("content", "situation", "style", "format", "example", "mixed")
# Scored levels: level n has n constraints. Level 0, without any, is where they start from.
LEVELS = (1, 2, 3, 4, 5)
# What scores an item.
RULE = "rule"
JUDGE = "judge"
# A verdict on a constraint, as judges and people write it.
YES = "YES"
NO = "NO"
# The judge's prompts (Table 3): with all versions of the instruction, with the last one alone, and
# for one rating of the whole response.
PATH = "path"
LAST = "last"
RATING = "rating"
# The highest rating; the lowest is 0.
HIGHEST = 10


def template_name(language: str, judge_prompt: str) -> str:
    """Returns the name of a judge template.

    >>> template_name("en", "path"), template_name("en", "rating")
    ('en', 'rating_en')
    """
    return language if judge_prompt == PATH else f"{judge_prompt}_{language}"


def request_id(answer_id: str, judge_prompt: str) -> str:
    """Returns the id of a judge's request about a response.

    >>> request_id("en/style/3/2", "path"), request_id("en/style/3/2", "last")
    ('en/style/3/2', 'en/style/3/2/last')
    """
    return answer_id if judge_prompt == PATH else f"{answer_id}/{judge_prompt}"


class Prompt(records.Prompt):
    """``scorer`` says how an answer is scored: by a judge, or by the rule of that name."""

    level: int
    scorer: str


class ScoreRecord(records.ScoreRecord):
    """``level`` and ``scorer`` are the prompt's."""

    level: int
    scorer: str


INSTRUCTION = "{instruction}\n"
SLOT = "{answer}"


def affixes(target: str) -> tuple[str, str]:
    """Returns what an answer template requires before and after the answer itself."""
    before, _, after = target.removeprefix(INSTRUCTION).partition(SLOT)
    return _unescaped(before), _unescaped(after)


def _unescaped(text: str) -> str:
    return text.replace("{{", "{").replace("}}", "}")


def string_list(text: str) -> list[str] | None:
    """Returns the strings of a Python list, read without evaluating it; None for any other text."""
    _, value = parse_literal(text)
    plain = isinstance(value, list) and all(isinstance(item, str) for item in value)
    return value if plain else None


def category_weights() -> dict[str, float]:
    """The weight of each category in the mean of all: they count alike."""
    return dict.fromkeys(CATEGORIES, 1.0)
