"""Judge templates: plain text with named slots, which a file of the user's may replace."""

import hashlib
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import partial

from steadfast.base.errors import UserError
from steadfast.base.files import read_text
from steadfast.base.names import nearest
from steadfast.base.resources import PREFIX, located

SLOT = re.compile(r"\{\{(\w+)\}\}")
REMINDER = re.compile(r"^=== reminder ===[ \t]*\n", re.MULTILINE)
ANSWER = "answer"


@dataclass(frozen=True)
class JudgeTemplate:
    """A judge prompt with slots; the answer's slot parts it in head and tail.

    ``reminder`` is added to the tail when an unreadable reply is asked for again, a paragraph of
    its own.
    """

    head: str
    tail: str
    reminder: str

    def render(self, fields: Mapping[str, str]) -> tuple[str, str]:
        """Returns what stands before and behind the answer, each other slot filled.

        A slot's text is data: slots that it seems to hold stay as they are.
        """
        fill = partial(SLOT.sub, lambda slot: fields[slot[1]])
        return fill(self.head), fill(self.tail)


def templates_of(benchmark: str, known: Collection[str], own: Mapping[str, str]) -> dict[str, str]:
    """Returns the files of a benchmark's templates by name, the user's own where there is one.

    Raises:
        UserError: the user has one of a name that there is not.
    """
    for name in own:
        if name not in known:
            raise UserError(
                f"{benchmark}.templates: unknown template {name!r}; {nearest(name, known)}"
            )
    return {name: own.get(name, f"{PREFIX}{benchmark}/judge/{name}.txt") for name in known}


def packaged(templates: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the names of the packaged files among templates."""
    found = (path for path in templates.values() if path.startswith(PREFIX))
    return tuple(path.removeprefix(PREFIX) for path in found)


def load_template(
    path: str,
    slots: Collection[str],
    required: Collection[str] = (),
    behind: Collection[str] = (),
) -> JudgeTemplate:
    """Returns a template from its file.

    A slot is written ``{{name}}``. A line ``=== reminder ===`` parts the prompt from what is added
    when a reply could not be read.

    Args:
        path: the file, UTF-8, or ``resource:`` and the name of a packaged one.
        slots: names that may stand in it; ``answer`` always may.
        required: names that must; ``answer`` always must, once.
        behind: names that must not stand before the answer.

    Raises:
        UserError: the file is missing, or a slot is unknown, missing or misplaced.
    """
    prompt, *rest = REMINDER.split(read_text(located(path)), maxsplit=1)
    reminder = rest[0] if rest else ""
    known = sorted({*slots, ANSWER})
    found = SLOT.findall(prompt)
    for name in [*found, *SLOT.findall(reminder)]:
        if name not in known:
            raise UserError(f"{path}: unknown slot {{{{{name}}}}}; {nearest(name, known)}")
    for name in sorted({*required, ANSWER} - set(found)):
        raise UserError(f"{path}: the slot {{{{{name}}}}} is missing; put it where it belongs")
    if found.count(ANSWER) > 1 or SLOT.search(reminder):
        once = "may stand once, and none in the reminder; leave the others out"
        raise UserError(f"{path}: the slot {{{{answer}}}} {once}")
    head, tail = prompt.split(f"{{{{{ANSWER}}}}}")
    for name in sorted(set(behind) & set(SLOT.findall(head))):
        raise UserError(
            f"{path}: the slot {{{{{name}}}}} stands before {{{{answer}}}}; put it behind, so that "
            "the questions on an answer share what precedes them"
        )
    reminder = reminder.strip("\n")
    return JudgeTemplate(head, tail.rstrip("\n"), f"\n\n{reminder}" if reminder else "")


def boundary(answer: str) -> str:
    """Returns a word that follows from the answer, so that this cannot imitate where it ends."""
    digest = hashlib.sha256(answer.encode("utf-8", "surrogatepass")).hexdigest()
    return f"answer-{digest[:8]}"
