"""Whether a rewrite of a template can be used; each check has a name."""

import hashlib
import re
import string
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Literal, get_args

from steadfast.base.files import Record, Settings
from steadfast.base.resources import facts
from steadfast.judging.rewriting import same_language

Direction = int | None  # 1, what follows; -1, what precedes; None where the task has no directions

HAND_WRITTEN = "hand-written"  # the rewriter of an original
PASS = "pass"
# Failures with which people may use a text all the same, in the order in which they are checked.
Acceptable = Literal["direction", "terms", "examples", "length", "language", "duplicate"]
REASONS = ("fields", *get_args(Acceptable))  # why a text fails
# Failures with which nobody can use a text; people may accept one with another.
NOT_CLUSTERED = ("fields", "duplicate")
SHORTEST = 0.3  # of the original's characters
LONGEST = 3.0
_FIELD = re.compile(r"\{\w+(?:\[\d+\])*\}", re.ASCII)


@dataclass(frozen=True)
class Original:
    """A template that was rewritten, and what each rewrite must keep of it."""

    task: str  # one of the paper's
    direction: Direction  # that it requests
    text: str  # the template

    @cached_property
    def fields(self) -> Counter[str]:
        """Its fields, each as often as it stands there."""
        return fields_of(self.text) or Counter()

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """The terms that it holds."""
        terms = facts("lifbench/recs/keep.yaml")["terms"].get(self.task, ())
        return tuple(filter(partial(_holds, self.text), terms))

    @cached_property
    def examples(self) -> tuple[str, ...]:
        """Its literal examples."""
        matches: list[str] = []
        for pattern in facts("lifbench/recs/keep.yaml")["examples"].get(self.task, ()):
            matches += re.findall(pattern, self.text)
        return tuple(dict.fromkeys(matches))

    @property
    def keep(self) -> tuple[str, ...]:
        """All that a rewrite has to keep."""
        return (*self.fields.elements(), *self.terms, *self.examples)

    def mended(self, text: str) -> str:
        """Returns a text as it can be used: with braces doubled, where so its fields are right."""
        doubled = double_braces(text, self.fields)
        return doubled if fields_of(text) != self.fields == fields_of(doubled) else text

    def status(self, text: str) -> str:
        """Returns ``PASS`` or the first check that a text fails, but the one for duplicates."""
        return next(iter(self.failures(text)), PASS)

    def failures(self, text: str) -> list[str]:
        """Returns the names of all checks that a text fails, but the one for duplicates."""
        patterns = facts("lifbench/recs/keep.yaml")["directions"]
        unspaced = _unspaced(text)
        words = re.compile(patterns[self.direction], re.IGNORECASE) if self.direction else None
        fails = {
            "fields": fields_of(text) != self.fields,
            "direction": words and words.search(self.text) and not words.search(text),
            "terms": not all(map(partial(_holds, text), self.terms)),
            "examples": not all(_unspaced(example) in unspaced for example in self.examples),
            "length": not SHORTEST <= len(text) / len(self.text) <= LONGEST,
            "language": not same_language(_words(text), _words(self.text)),
        }
        return [reason for reason, failed in fails.items() if failed]


def checked(original: Original, rewrites: Mapping[str, Iterable[str]]) -> Iterator[Record]:
    """Yields original and rewrites, numbered, each with ``pass`` or the check that failed.

    ``rewrites`` are the texts as they came, by rewriter.
    """
    texts = [(HAND_WRITTEN, original.text)]
    for rewriter, rewritten_texts in rewrites.items():
        texts += [(rewriter, text) for text in rewritten_texts]
    seen: set[str] = set()
    for number, (rewriter, raw) in enumerate(texts):
        text = original.mended(raw)
        status = original.status(text)
        if status == PASS and folded(text) in seen:
            status = "duplicate"
        seen.add(folded(text))
        yield {
            "text_id": number,
            "text": text,
            "direction": original.direction,
            "rewriter": rewriter,
            "mended": text != raw,
            "status": status,
        }


def request_id(task: Settings) -> str:
    """Returns the id of the request about an original.

    >>> request_id({"id": "LOI", "directions": True}), request_id({"id": "OQ", "directions": False})
    ('LOI/+1', 'OQ')
    """
    return f"{task['id']}/+1" if task["directions"] else str(task["id"])


def rewritten_direction(task: Settings) -> Direction:
    """The direction of a task (``Task.expression_settings``) whose templates are rewritten."""
    return 1 if task["directions"] else None


def clustered(candidates: Iterable[Record]) -> list[Record]:
    """Returns the candidates that are clustered: those that pass or that people may accept."""
    return [candidate for candidate in candidates if candidate["status"] not in NOT_CLUSTERED]


def text_hash(text: str) -> str:
    """Returns the name of a text in a review: the first 16 digits of its sha256."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def folded(text: str) -> str:
    """Returns what two texts share that count as the same: case-folded, white space joined."""
    return " ".join(text.casefold().split())


def fields_of(text: str) -> Counter[str] | None:
    """Returns the fields of a template, as often as they are there; None if braces do not match.

    >>> fields_of("{num} and {num}, like {{this}}")
    Counter({'{num}': 2})
    """
    try:
        parsed = list(string.Formatter().parse(text))
    except ValueError:
        return None
    fields: Counter[str] = Counter()
    for _, name, form, conversion in parsed:
        if name is not None:
            conversion = f"!{conversion}" if conversion else ""
            form = f":{form}" if form else ""
            fields[f"{{{name}{conversion}{form}}}"] += 1
    return fields


def double_braces(text: str, fields: Counter[str]) -> str:
    """Doubles all braces of a template outside the given fields, those doubled already too.

    >>> double_braces('like {"a": "{x}"}', Counter(["{x}"]))
    'like {{"a": "{x}"}}'
    """
    parts = re.split(f"({'|'.join(map(re.escape, fields))})", text) if fields else [text]
    for index, part in enumerate(parts):
        if part not in fields:
            single = part.replace("{{", "{").replace("}}", "}")
            parts[index] = single.replace("{", "{{").replace("}", "}}")
    return "".join(parts)


def _holds(text: str, term: str) -> bool:
    """Whether a term stands in a text, plurals too; in any case unless it is in capitals."""
    words = r"\s+".join(map(re.escape, term.split()))
    case = re.NOFLAG if term.isupper() else re.IGNORECASE
    return re.search(rf"(?<!\w){words}s?(?!\w)", text, case) is not None


def _unspaced(text: str) -> str:
    return "".join(text.split())


def _words(text: str) -> str:
    """Returns a template without its fields, which are in no language."""
    return _FIELD.sub(" ", text)
