"""Judge templates: plain text with named slots, which a file of the user's may replace."""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from steadfast.config.names import nearest
from steadfast.errors import UserError
from steadfast.files import read_text

SLOT = re.compile(r"\{\{(\w+)\}\}")
REMINDER = re.compile(r"^=== reminder ===[ \t]*\n", re.MULTILINE)
ANSWER = "answer"


@dataclass(frozen=True)
class JudgeTemplate:
    """A judge prompt with slots; the answer's slot parts it in two.

    Attributes:
        head: what precedes the answer, with slots.
        tail: what follows it, with slots.
        reminder: what is added to the tail when an unreadable reply is asked for again, a
            paragraph of its own.
    """

    head: str
    tail: str
    reminder: str

    def render(self, fields: Mapping[str, str]) -> tuple[str, str]:
        """What stands before and behind the answer.

        A slot's text is data: slots that it seems to hold stay as they are.

        Args:
            fields: text of each slot but the answer's.
        """
        return _filled(self.head, fields), _filled(self.tail, fields)


def _filled(text: str, fields: Mapping[str, str]) -> str:
    return SLOT.sub(lambda slot: fields[slot[1]], text)


def templates_of(
    benchmark: str, known: Mapping[str, str], own: Mapping[str, str]
) -> dict[str, str]:
    """The files of a benchmark's templates, the user's own where there is one.

    Args:
        benchmark: its name in the config.
        known: the project's file by name.
        own: the user's.

    Raises:
        UserError: the user has one of a name that there is not.
    """
    for name in own:
        if name not in known:
            raise UserError(
                f"{benchmark}.templates: unknown template {name!r}; {nearest(name, known)}"
            )
    return {name: own.get(name, path) for name, path in known.items()}


def load_template(
    path: Path | str, slots: Collection[str], required: Collection[str] = ()
) -> JudgeTemplate:
    """A template from its file.

    A slot is written ``{{name}}``. A line ``=== reminder ===`` parts the prompt from what is added
    when a reply could not be read.

    Args:
        path: the file, UTF-8.
        slots: names that may stand in it; ``answer`` always may.
        required: names that must; ``answer`` always must, once.

    Raises:
        UserError: the file is missing, names an unknown slot, lacks one, or has the answer's
            slot more than once or in the reminder.
    """
    prompt, *rest = REMINDER.split(read_text(path), maxsplit=1)
    reminder = rest[0] if rest else ""
    known = sorted({*slots, ANSWER})
    found = SLOT.findall(prompt)
    for name in [*found, *SLOT.findall(reminder)]:
        if name not in known:
            raise UserError(f"{path}: unknown slot {{{{{name}}}}}; {nearest(name, known)}")
    for name in sorted({*required, ANSWER} - set(found)):
        raise UserError(f"{path}: the slot {{{{{name}}}}} is missing; put it where it belongs")
    if found.count(ANSWER) > 1 or SLOT.search(reminder):
        raise UserError(
            f"{path}: the slot {{{{answer}}}} may stand once, and none in the reminder; "
            "leave the others out"
        )
    head, tail = prompt.split(f"{{{{{ANSWER}}}}}")
    reminder = reminder.strip("\n")
    return JudgeTemplate(head, tail.rstrip("\n"), f"\n\n{reminder}" if reminder else "")
