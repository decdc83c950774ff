"""How a scoring question's rule is written: by the form that the annotation guidelines give it.

``rules`` decides by them, and in mode released also reads the forms that rules have by accident.
"""

import json
import re
from dataclasses import dataclass

from steadfast.base.names import quoted, suggestion
from steadfast.benchmarks.complexbench.facts import taxonomy

_RANGE = re.compile(r"[0-9]{1,9}")


class RuleFormError(ValueError):
    """A rule that is not written as it should be: what is wrong; what to do."""


@dataclass(frozen=True)
class Clause:
    """One rule of a question; two clauses may stand together (``taxonomy.yaml``, pairs)."""

    name: str  # such as ``model_length_each``
    # the texts that it names, one or more; a ``text`` rule has one; none of a range
    words: tuple[str, ...] = ()
    low: int = 0  # lower end of a range, in characters, words or objects
    high: int = 0  # upper end; both are 0 where there is no range

    @property
    def each(self) -> bool:
        """Whether it judges every object that the question is about, not one."""
        return self.name.endswith("_each")

    @property
    def absent(self) -> bool:
        """Whether it holds where the answer has no such object."""
        return bool(taxonomy()["rules"][self.name].get("absent", False))

    def within(self, number: int) -> bool:
        """Returns whether a number lies in the range, both ends in it."""
        return self.low <= number <= self.high


def read_rule(rule: str) -> tuple[Clause, ...]:
    """Returns the one or two clauses of a rule."""
    for first, second in taxonomy()["pairs"]:
        head, separator, tail = rule.rpartition(f"\n{second}:")
        if separator and head.startswith(f"{first}:"):
            return _clause(head), _clause(f"{second}:{tail}")
    for line in rule.split("\n")[1:]:
        if line.partition(":")[0] in taxonomy()["rules"]:
            allowed = ", ".join(" + ".join(pair) for pair in taxonomy()["pairs"])
            raise RuleFormError(
                f"only {allowed} may be combined in a question; give the other rules questions of "
                "their own"
            )
    return (_clause(rule),)


def clauses(rule: str) -> tuple[Clause, ...]:
    """Returns the clauses of a rule as the data has it, which may have line breaks at its ends."""
    return read_rule(rule.strip("\n"))


def _clause(text: str) -> Clause:
    name, colon, content = text.partition(":")
    rules = taxonomy()["rules"]
    if name not in rules:
        if not colon:
            raise RuleFormError(
                f"{quoted(text)} is not a rule; write its name, a colon and what it requires, such "
                "as model_length:[1,100]"
            )
        raise RuleFormError(f"unknown rule {quoted(name)}; {suggestion(name[:60], rules)}")
    return _parameters(name, rules[name]["form"], content)


def _parameters(name: str, form: str, content: str) -> Clause:
    """Returns the clause of that name; forms are those of ``taxonomy.yaml``."""
    if form == "text":
        if not content.strip():
            raise RuleFormError(f"{name} has no text; write it after the colon")
        return Clause(name, (content,))
    if form == "keys":
        return Clause(name, _keys(name, content))
    if form == "marks" and content == "[]":
        return Clause(name)
    items = _listed(name, content)
    if form in ("words", "marks"):
        if not all(items):
            raise RuleFormError(
                f"{name} has an empty item; write it as {name}:[a,b] (a comma itself cannot be "
                "listed)"
            )
        return Clause(name, tuple(items))
    if form == "range" and len(items) != 2:
        raise RuleFormError(f"{name} takes two numbers; write it as {name}:[1,100]")
    low, high = _ends(name, items[:2])
    words = tuple(items[2:])
    if form == "counted" and not (words and all(words)):
        raise RuleFormError(f"{name} counts no words; write it as {name}:[1,2,a,b]")
    if form == "counted" and low > len(words):
        raise RuleFormError(f"{name} requires {low} of {len(words)} words; lower the number")
    return Clause(name, words, low, high)


def _keys(name: str, content: str) -> tuple[str, ...]:
    try:
        keys = json.loads(content)
    except (ValueError, RecursionError):
        keys = None
    if not isinstance(keys, list) or not all(isinstance(key, str) for key in keys):
        raise RuleFormError(
            f'{name} takes keys in straight quotation marks; write it as {name}:["a","b"]'
        )
    return tuple(keys)


def _listed(name: str, content: str) -> list[str]:
    if not (content.startswith("[") and content.endswith("]")):
        raise RuleFormError(
            f"{name} takes a list in brackets; write it as {name}:[…], with nothing around it"
        )
    return [item.strip() for item in content[1:-1].split(",")]


def _ends(name: str, numbers: list[str]) -> tuple[int, int]:
    if len(numbers) < 2 or not all(_RANGE.fullmatch(number) for number in numbers):
        raise RuleFormError(
            f"{name}: {quoted(','.join(numbers))} is not a range; write two integers first"
        )
    low, high = map(int, numbers)
    if low > high:
        raise RuleFormError(f"{name}: empty range from {low} to {high}; swap the numbers")
    return low, high
