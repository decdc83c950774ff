"""Judge templates: plain text with named slots, the project's own or the user's."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.files import read_text
from steadfast.base.names import suggestion
from steadfast.base.resources import PREFIX, resolve_path
from steadfast.base.tokens import fingerprint

SLOT = re.compile(r"\{\{(\w+)\}\}")
SECTION = re.compile(r"^=== for (\S.*?) ===[ \t]*\n", re.MULTILINE)
REMINDER = re.compile(r"^=== reminder ===[ \t]*\n", re.MULTILINE)
ANSWER = "answer"
ONCE = "may occur once, and not in the reminder; remove the others"
# Prefix of the path, below the results folder, of a template from a released program.
FETCHED = "fetched:"


@dataclass(frozen=True)
class JudgeTemplate:
    """A judge prompt with slots, split at the response's slot into head and tail.

    ``reminder`` is a paragraph added to the tail when an unreadable reply is re-requested.
    ``sections`` are the heads and tails for certain kinds of items, by kind.
    """

    head: str
    tail: str
    reminder: str
    sections: Mapping[str, tuple[str, str]] = field(default_factory=dict)

    def covers(self, kinds: Sequence[str]) -> bool:
        """Whether it has a prompt for an item of these kinds."""
        return bool(self.head or self.tail) or not self.sections.keys().isdisjoint(kinds)

    def render(self, fields: Mapping[str, str], kinds: Sequence[str] = ()) -> tuple[str, str]:
        """The prompt before and after the response, with all other slots filled.

        A slot's text is data: what looks like a slot within it is not filled. The prompt is that
        of the first kind with a section, else the general one.

        Raises:
            UserError: there is no prompt for an item of these kinds, or a slot has no value.
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

        head, tail = section
        return SLOT.sub(text, head), SLOT.sub(text, tail)


def templates_of(
    benchmark: str,
    names: Collection[str],
    own: Mapping[str, str],
    released: Collection[str] = (),
) -> dict[str, str]:
    """The files of a benchmark's templates by name, the user's ``own`` in place of others.

    ``released`` names those of the released program (``package.Package.released_prompts``).
    """
    for name in own:
        if name not in names:
            raise UserError(
                f"{benchmark}.templates: unknown template {name!r}; {suggestion(name, names)}"
            )
    paths: dict[str, str] = {}
    for name in dict.fromkeys((*names, *released)):
        prefix = FETCHED if name in released else PREFIX
        paths[name] = own.get(name, f"{prefix}{released_path(benchmark, name)}")
    return paths


def released_path(benchmark: str, name: str) -> str:
    """The path of a template of the released program, below the results folder."""
    return f"{benchmark}/judge/{name}.txt"


def fetched_files(templates: Mapping[str, str]) -> list[str]:
    """The paths below the results folder of the fetched files among templates."""
    return _with_prefix(FETCHED, templates)


def packaged_files(templates: Mapping[str, str]) -> tuple[str, ...]:
    """The names of the packaged files among templates."""
    return tuple(_with_prefix(PREFIX, templates))


def _with_prefix(prefix: str, templates: Mapping[str, str]) -> list[str]:
    paths = templates.values()
    return [path.removeprefix(prefix) for path in paths if path.startswith(prefix)]


def template_path(path: str, results: Path) -> str:
    """A template's path for ``load_template``."""
    return str(results / path.removeprefix(FETCHED)) if path.startswith(FETCHED) else path


def load_template(
    path: str,
    slots: Collection[str],
    required: Collection[str] = (),
    after_response: Collection[str] = (),
) -> JudgeTemplate:
    """A template from its file.

    A slot is written ``{{name}}``. A line ``=== for KIND ===`` begins the prompt for items of that
    kind, in place of the general one above all such lines. A line ``=== reminder ===`` begins the
    reminder.

    Args:
        path: the file, UTF-8, or ``resource:`` and the name of a packaged one.
        slots: allowed slots, in addition to ``answer``.
        required: required slots of a template without sections; each prompt needs ``answer`` once.
        after_response: slots that must not precede ``answer``.

    Raises:
        UserError: the file is missing, or a slot is unknown, missing or misplaced.
    """
    prompt, *reminders = REMINDER.split(read_text(resolve_path(path)), maxsplit=1)
    reminder = reminders[0] if reminders else ""
    if SLOT.search(reminder):
        _check_names(path, slots, SLOT.findall(reminder))
        raise UserError(f"{path}: the slot {{{{answer}}}} {ONCE}")
    general, *kinds_and_texts = SECTION.split(prompt)
    texts = dict(zip(kinds_and_texts[::2], kinds_and_texts[1::2], strict=True))
    head_and_tail = ("", "")
    if not texts or general.strip():
        head_and_tail = _split_at_response(path, general, slots, after_response)
    sections: dict[str, tuple[str, str]] = {}
    for kind, text in texts.items():
        sections[kind] = _split_at_response(path, text, slots, after_response)
    if not texts:
        _check_required(path, required, SLOT.findall(general))
    reminder = reminder.strip("\n")
    return JudgeTemplate(*head_and_tail, f"\n\n{reminder}" if reminder else "", sections)


def _check_names(path: str, slots: Collection[str], names: Iterable[str]) -> None:
    allowed = sorted({*slots, ANSWER})
    for name in names:
        if name not in allowed:
            raise UserError(f"{path}: unknown slot {{{{{name}}}}}; {suggestion(name, allowed)}")


def _check_required(path: str, required: Collection[str], names: Iterable[str]) -> None:
    for name in sorted(set(required) - set(names)):
        raise UserError(f"{path}: the slot {{{{{name}}}}} is missing; add it")


def _split_at_response(
    path: str, text: str, slots: Collection[str], after_response: Collection[str]
) -> tuple[str, str]:
    """The texts before and after the slot ``answer``."""
    named_slots = SLOT.findall(text)
    _check_names(path, slots, named_slots)
    _check_required(path, {ANSWER}, named_slots)
    if named_slots.count(ANSWER) > 1:
        raise UserError(f"{path}: the slot {{{{answer}}}} {ONCE}")
    head, tail = text.split(f"{{{{{ANSWER}}}}}")
    for name in sorted(set(after_response) & set(SLOT.findall(head))):
        raise UserError(
            f"{path}: the slot {{{{{name}}}}} precedes {{{{answer}}}}; move it after, so that the "
            "questions on a response share a prompt prefix"
        )
    return head, tail.rstrip("\n")


def boundary(answer: str) -> str:
    """A mark of the response's end in a prompt, which the response cannot imitate."""
    return f"answer-{fingerprint(answer)[:8]}"
