"""A judge's reply: its own words, the claim of its last line, and JSON schemas for it."""

import re
from collections.abc import Sequence
from itertools import pairwise

from steadfast.base.files import Record

_MARKS = r"[\s*_`>#]*"


def own_strings(reply: str, answer: str) -> str:
    """The reply without what it repeats of the answer.

    An answer may hold what looks like a verdict. Taken out is each run of at least two lines that
    stands in the answer too, and each line that is the whole answer; blanks and a quotation's ``>``
    make no difference. One line of a longer answer stays: it may be the judge's own verdict.
    """
    answer_lines = [line for line in map(_bare, answer.splitlines()) if line]
    answer_pairs = set(pairwise(answer_lines))
    lines = reply.splitlines(keepends=True)
    bare_lines = [(number, bare) for number, bare in enumerate(map(_bare, lines)) if bare]
    repeated = set()
    if len(answer_lines) == 1:
        repeated = {number for number, bare in bare_lines if bare == answer_lines[0]}
    # A run of two lines or more is one pair of neighbours after the other.
    for (number, bare), (next_number, next_bare) in pairwise(bare_lines):
        if (bare, next_bare) in answer_pairs:
            repeated |= {number, next_number}
    return "".join(line for number, line in enumerate(lines) if number not in repeated)


def last_claim(reply: str, answer: str, word: str) -> str | None:
    """What follows a word and a colon on the last own line, the only one with that word."""
    pattern = re.compile(rf"{_MARKS}{word}{_MARKS}[:：](.*)", re.IGNORECASE)
    lines = [line for line in own_strings(reply, answer).splitlines() if line.strip()]
    claims = [claim for claim in map(pattern.match, lines) if claim]
    return claims[0][1] if len(claims) == 1 and claims[0].string == lines[-1] else None


def _bare(line: str) -> str:
    return line.strip().lstrip("> ")


REASONS: Record = {"type": "string"}


def json_object(**properties: Record) -> Record:
    """The schema of an object with these properties and no others, in this order."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),  # OpenAI's Structured Outputs take no optional ones
        "additionalProperties": False,
    }


def one_of(*values: str | int) -> Record:
    """The schema of a value that is one of some, all texts or all numbers.

    >>> one_of("yes", "no"), one_of(1, 0)
    ({'type': 'string', 'enum': ['yes', 'no']}, {'type': 'integer', 'enum': [1, 0]})
    """
    return {"type": "string" if isinstance(values[0], str) else "integer", "enum": list(values)}


def numbered(items: Sequence[Record]) -> Record:
    """The schema of an object with an item for each number from 1 on.

    >>> numbered([one_of(1, 0), REASONS])["properties"]
    {'1': {'type': 'integer', 'enum': [1, 0]}, '2': {'type': 'string'}}
    """
    return json_object(**{str(number): item for number, item in enumerate(items, start=1)})
