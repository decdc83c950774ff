"""Whether an answer follows each instruction of its prompt, strictly and loosely."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from steadfast.base.errors import UserError
from steadfast.benchmarks.ifeval.facts import SYNTHETIC
from steadfast.benchmarks.ifeval.library import library_verifier
from steadfast.benchmarks.ifeval.own_kinds import own_verifier

Instruction = Mapping[str, Any]
"""Its ``kind`` and its ``kwargs``."""


class Verdicts(NamedTuple):
    """Of each instruction whether it is followed; None where its verifier fails.

    ``problems`` says why verifiers failed, by the instruction's place.
    """

    strict: list[bool | None]
    loose: list[bool | None]
    problems: dict[str, str]


def variants(answer: str) -> Iterator[str]:
    """Yields the eight texts of which one has to follow an instruction loosely (section 2.3).

    >>> list(variants("Sure:\\n*yes*"))[:5]
    ['Sure:\\n*yes*', 'Sure:\\nyes', '*yes*', 'yes', 'Sure:']
    """
    lines = answer.split("\n")
    cut = ("\n".join(part).strip() for part in (lines[1:], lines[:-1], lines[1:-1]))
    for text in (answer, *cut):
        yield text
        yield text.replace("*", "")


def followed(task: str, instructions: Sequence[Instruction], prompt: str, answer: str) -> Verdicts:
    """Returns what an answer to a prompt of a set is worth.

    Verifiers are built anew for each reading, since some keep what they saw. A blank text follows
    nothing. Source: the published evaluation of both benchmarks.
    """
    build = own_verifier if task == SYNTHETIC else partial(library_verifier, task)
    strict: list[bool | None] = []
    loose: list[bool | None] = []
    problems = {}
    for place, one in enumerate(instructions):
        try:
            built = (build(one["kind"], one["kwargs"], prompt) for _ in range(2))
            first, again = built
            strict.append(_follows(first, answer))
            loose.append(any(_follows(again, text) for text in dict.fromkeys(variants(answer))))
        except UserError:
            raise
        except Exception as error:  # a library's, of whatever text a model wrote
            del strict[place:]
            strict.append(None)
            loose.append(None)
            problems[str(place)] = f"{one['kind']}: {type(error).__name__}: {error}"
    return Verdicts(strict, loose, problems)


def _follows(verifier: Callable[[str], bool], text: str) -> bool:
    return bool(text.strip()) and verifier(text)
