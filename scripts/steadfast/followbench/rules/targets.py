"""Rules that compare an answer with the item's reference, or with its form."""

import re

from steadfast.followbench.literals import string_list

OPTION = re.compile(r"\([A-Z]\)")
DATE = re.compile(r"\d\d/\d\d/\d{4}")
DOLLARS = re.compile(r"\$\d+")
DIGITS = re.compile(r"\d+")
US_DOLLARS = "美元"
INSTRUCTION = "{instruction}\n"
SLOT = "{answer}"


def exact(language: str, level: int, target: str, answer: str) -> bool:
    """The reference, letter by letter."""
    return answer == target


def lines(language: str, level: int, target: str, answer: str) -> bool:
    """Only lines of the reference; how many, in which order and how often does not matter."""
    return set(answer.split("\n")) <= set(target.split("\n"))


def member(language: str, level: int, target: str, answer: str) -> bool:
    """One of the references, which are written as a list of strings."""
    return answer in (string_list(target) or ())


def option(language: str, level: int, target: str, answer: str) -> bool:
    """The last option letter in parentheses is the reference."""
    return OPTION.findall(answer)[-1:] == [target]


def date(language: str, level: int, target: str, answer: str) -> bool:
    """The last date (two digits, two digits, four digits) is the reference."""
    return DATE.findall(answer)[-1:] == [target]


def money(language: str, level: int, target: str, answer: str) -> bool:
    """The last sum of dollars is the reference; a sum ends with its first run of digits."""
    if language == "en":
        return DOLLARS.findall(answer)[-1:] == [target]
    runs = [run for run in DIGITS.finditer(answer) if answer.startswith(US_DOLLARS, run.end())]
    return [run[0] + US_DOLLARS for run in runs[-1:]] == [target]


def contained(language: str, level: int, target: str, answer: str) -> bool:
    """The reference stands in the answer."""
    return target in answer


def template(language: str, level: int, target: str, answer: str) -> bool:
    """The whole answer has the template's form, with any text on one line in its slot."""
    before, after = affixes(target)
    inner = len(answer) - len(before) - len(after)
    return (
        inner >= 0
        and answer.startswith(before)
        and answer.endswith(after)
        and "\n" not in answer[len(before) : len(before) + inner]
    )


def affixes(target: str) -> tuple[str, str]:
    """What an answer template asks for before and after the answer itself."""
    before, _, after = target.removeprefix(INSTRUCTION).partition(SLOT)
    return _unescaped(before), _unescaped(after)


def _unescaped(text: str) -> str:
    return text.replace("{{", "{").replace("}}", "}")
