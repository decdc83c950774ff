"""Judge templates: plain text with named slots, which a file of the user's may replace."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.files import read_text
from steadfast.base.names import nearest
from steadfast.base.resources import PREFIX, located
from steadfast.base.tokens import fingerprint

SLOT = re.compile(r"\{\{(\w+)\}\}")
SECTION = re.compile(r"^=== for (\S.*?) ===[ \t]*\n", re.MULTILINE)
REMINDER = re.compile(r"^=== reminder ===[ \t]*\n", re.MULTILINE)
ANSWER = "answer"
ONCE = "may occur once, and not in the reminder; remove the others"
FETCHED = "fetched:"
"""Before the path of a template below the results folder, out of a benchmark's released program."""


@dataclass(frozen=True)
class JudgeTemplate:
    """A judge prompt with slots; the answer's slot parts it in head and tail.

    ``reminder`` is added to the tail when an unreadable reply is asked for again, a paragraph of
    its own. ``sections`` are other heads and tails, by the kind of item that they are for.
    """

    head: str
    tail: str
    reminder: str
    sections: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    def covers(self, kinds: Sequence[str]) -> bool:
        """Returns whether there is a text for an item of these kinds."""
        return any((self.head, self.tail)) or any(kind in self.sections for kind in kinds)

    def render(self, fields: Mapping[str, str], kinds: Sequence[str] = ()) -> tuple[str, str]:
        """Returns what stands before and behind the answer, each other slot filled.

        A slot's text is data: slots that it seems to hold stay as they are. The section of the
        first of the kinds that has one is taken, else what is for all.

        Raises:
            UserError: no section is for an item of these kinds, or a slot has no text there.
        """
        kind = next((kind for kind in kinds if kind in self.sections), "")
        section = self.sections.get(kind, (self.head, self.tail))
        if not any(section):
            raise UserError(
                f"judge template: no section for {' or '.join(map(repr, kinds))}; add one, "
                f"'=== for {kinds[-1]} ===', or a prompt before the sections"
            )

        def text(slot: re.Match[str]) -> str:
            if slot[1] not in fields:
                raise UserError(
                    f"judge template: the slot {slot[0]} has no value in the section for "
                    f"{kind or 'all'!r}; remove it there"
                )
            return fields[slot[1]]

        head, tail = (SLOT.sub(text, part) for part in section)
        return head, tail


def templates_of(
    benchmark: str,
    known: Collection[str],
    own: Mapping[str, str],
    released: Collection[str] = (),
) -> dict[str, str]:
    """Returns the files of a benchmark's templates by name, the user's own where there is one.

    ``released`` names those out of the released program (``released_prompts``).
    """
    for name in own:
        if name not in known:
            raise UserError(
                f"{benchmark}.templates: unknown template {name!r}; {nearest(name, known)}"
            )
    paths = {name: f"{PREFIX}{benchmark}/judge/{name}.txt" for name in known}
    paths |= {name: f"{FETCHED}{released_path(benchmark, name)}" for name in released}
    return {name: own.get(name, path) for name, path in paths.items()}


def released_path(benchmark: str, name: str) -> str:
    """Returns where a template out of the released program lies below the results folder."""
    return f"{benchmark}/judge/{name}.txt"


def fetched(templates: Mapping[str, str]) -> list[str]:
    """Returns the paths below the results folder of the fetched files among templates."""
    return [p.removeprefix(FETCHED) for p in templates.values() if p.startswith(FETCHED)]


def template_path(path: str, results: Path) -> str:
    """Returns a template's path as ``load_template`` takes it."""
    return str(results / path.removeprefix(FETCHED)) if path.startswith(FETCHED) else path


def packaged(templates: Mapping[str, str]) -> tuple[str, ...]:
    """Returns the names of the packaged files among templates."""
    packaged_paths = (path for path in templates.values() if path.startswith(PREFIX))
    return tuple(path.removeprefix(PREFIX) for path in packaged_paths)


def load_template(
    path: str,
    slots: Collection[str],
    required: Collection[str] = (),
    behind: Collection[str] = (),
) -> JudgeTemplate:
    """Returns a template from its file.

    A slot is written ``{{name}}``. A line ``=== for KIND ===`` begins what is asked about items of
    a kind alone, in place of what stands above all such lines. A line ``=== reminder ===`` parts
    the prompt from what is added when a reply could not be read.

    Args:
        path: the file, UTF-8, or ``resource:`` and the name of a packaged one.
        slots: names that may stand in it; ``answer`` always may.
        required: names that must, where no sections are; ``answer`` always must, once in each.
        behind: names that must not stand before the answer.

    Raises:
        UserError: the file is missing, or a slot is unknown, missing or misplaced.
    """
    prompt, *reminders = REMINDER.split(read_text(located(path)), maxsplit=1)
    reminder = reminders[0] if reminders else ""
    if SLOT.search(reminder):
        _check_names(path, slots, SLOT.findall(reminder))
        raise UserError(f"{path}: the slot {{{{answer}}}} {ONCE}")
    general, *named = SECTION.split(prompt)
    kinds = dict(zip(named[::2], named[1::2], strict=True))
    parts = {} if kinds and not general.strip() else {"": _parted(path, general, slots, behind)}
    parts |= {kind: _parted(path, text, slots, behind) for kind, text in kinds.items()}
    if not kinds:
        _check_required(path, required, SLOT.findall(general))
    head, tail = parts.pop("", ("", ""))
    reminder = reminder.strip("\n")
    return JudgeTemplate(head, tail, f"\n\n{reminder}" if reminder else "", parts)


def _check_names(path: str, slots: Collection[str], found: Iterable[str]) -> None:
    allowed = sorted({*slots, ANSWER})
    for name in found:
        if name not in allowed:
            raise UserError(f"{path}: unknown slot {{{{{name}}}}}; {nearest(name, allowed)}")


def _check_required(path: str, required: Collection[str], found: Iterable[str]) -> None:
    for name in sorted(set(required) - set(found)):
        raise UserError(f"{path}: the slot {{{{{name}}}}} is missing; add it")


def _parted(
    path: str, text: str, slots: Collection[str], behind: Collection[str]
) -> tuple[str, str]:
    """What stands before and behind the answer's slot."""
    named_slots = SLOT.findall(text)
    _check_names(path, slots, named_slots)
    _check_required(path, {ANSWER}, named_slots)
    if named_slots.count(ANSWER) > 1:
        raise UserError(f"{path}: the slot {{{{answer}}}} {ONCE}")
    head, tail = text.split(f"{{{{{ANSWER}}}}}")
    for name in sorted(set(behind) & set(SLOT.findall(head))):
        raise UserError(
            f"{path}: the slot {{{{{name}}}}} precedes {{{{answer}}}}; move it after, so that the "
            "questions on a response share a prompt prefix"
        )
    return head, tail.rstrip("\n")


def boundary(answer: str) -> str:
    """Returns a word that follows from the answer, so that this cannot imitate where it ends."""
    return f"answer-{fingerprint(answer)[:8]}"
