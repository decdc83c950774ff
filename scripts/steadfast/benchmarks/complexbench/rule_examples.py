"""Examples of what satisfies a rule, or plainly does not: parts of what stand-ins for models write.

Stand-ins for judges give the same examples back when they are asked what a rule is about, so that
whoever kept a rule is found to have kept it. In mode released no answer passes

- a rule that ``rule_forms.hazards`` warns of: ``match`` with punctuation that is not Chinese, a
  plain rule whose text has None, or the name of another rule,
- ``Json`` with braces in a key,

and in neither mode

- a range that only nothing would fit, such as [0,0],
- ``model_keyword_num`` where words that hold each other leave no fitting number,
- a rule that is not written as one.
"""

import json
from collections.abc import Sequence
from itertools import cycle, islice

from steadfast.base.files import Record
from steadfast.base.resources import facts
from steadfast.benchmarks.complexbench.rule_forms import Clause, RuleFormError, read_rule
from steadfast.benchmarks.complexbench.text import normalised

SIMULATED = facts("complexbench/simulated.yaml")
_SEGMENTS = 2  # objects that are written where a rule asks for no number
_SHORT = 8  # characters of filler


def rule_examples(rule: str, kept: bool = True) -> list[str]:
    """Parts of an answer that satisfy a rule, several where it judges each, to stand on own lines.

    Where the rule is not kept there are none, unless it holds for nothing: then one that breaks it.

    Example:
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
    """A text that satisfies all of the clauses; texts of other offsets read otherwise."""
    first, words = clauses[0], {_base(clause): clause.words for clause in clauses}
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
    """A text that breaks a clause which holds for nothing."""
    word, filler = clause.words[0], _filler(_SHORT, clause.words)
    if _base(clause) == "not_startswith":
        return word + filler
    return filler + (normalised(word) if _base(clause) == "forbidden_word" else word)


def _counted(clause: Clause, banned: list[str]) -> str:
    """A text with as many of the words as are asked for; words may hold each other."""
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
    """JSON with the keys; a key that is named twice, or empty, still asks for one more."""
    filled: Record = dict.fromkeys((key for key in keys if key), _filler(_SHORT))
    while len(filled) < len(keys):
        filled[f"{len(filled)}"] = ""
    return json.dumps(filled, ensure_ascii=False)


def _filler(length: int, banned: Sequence[str] = (), offset: int = 0) -> str:
    """So many characters without punctuation, none of them in a banned word."""
    excluded = set("".join(banned))
    pool = [char for char in SIMULATED["filler"] if char not in excluded] or ["零"]
    return "".join(islice(cycle(pool), offset, offset + length))
