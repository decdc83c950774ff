"""Seeded English-like texts in the shapes of the five corpora, from Faker's word lists.

A record depends on the seed, the corpus and its number only, so that a longer corpus extends a
shorter one. Grammar and lengths are in ``resources/corpora/synthetic.yaml``.
"""

import random
import re
import string
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import count as numbers
from pathlib import Path
from typing import TypeAlias

from steadfast.base.files import Record, Settings
from steadfast.base.resources import facts
from steadfast.corpora.records import deduplicated

SLOT = re.compile(r"\{(\w+)\}")
ARTICLE = re.compile(r"\b([Aa]) (?=[aeiou])(?!uni|us[aeiu]|one|eu)")
FIRST_LETTER = re.compile(r"[^\W\d_]")

# A literal, a sequence (the last part first), or a list of alternatives.
Part: TypeAlias = "str | tuple[Part, ...] | list[Part]"


class Grammar:
    """Rules of alternatives with ``{symbol}`` slots; ``expand`` samples one text of a symbol."""

    def __init__(self, rules: Mapping[str, Sequence[str]]):
        self._rules: dict[str, list[Part]] = {symbol: [] for symbol in rules}
        for symbol, alternatives in rules.items():
            for alternative in alternatives:
                # re.split gives literals at even places and symbols at odd ones.
                literals_and_symbols = SLOT.split(alternative)
                parts: list[Part] = []
                for place, text in enumerate(literals_and_symbols):
                    if place % 2 == 1:
                        parts.append(self._rules[text])
                    elif text:
                        parts.append(text)
                has_slots = len(literals_and_symbols) > 1
                self._rules[symbol].append(tuple(reversed(parts)) if has_slots else alternative)

    def expand(self, symbol: str, rng: random.Random) -> str:
        """A text of the symbol; alternatives have equal probabilities."""
        text: list[str] = []
        # A stack with the next part at its end, faster than recursion: a corpus has many words.
        pending: list[Part] = [self._rules[symbol]]
        random_share = rng.random
        while pending:
            part = pending.pop()
            if isinstance(part, list):
                part = part[int(random_share() * len(part))]
            if isinstance(part, str):
                text.append(part)
            else:
                pending.extend(part)
        return "".join(text)

    def sentence(self, symbol: str, rng: random.Random) -> str:
        """The same as a sentence: with a capital, and "an" before a vowel."""
        text = ARTICLE.sub(r"\1n ", self.expand(symbol, rng))
        return FIRST_LETTER.sub(lambda letter: letter[0].upper(), text, count=1)


def corpus(inputs: Mapping[str, Path], corpus: str, seed: int, tokens: int) -> Iterator[Record]:
    """Records with at least this number of tokens."""
    return deduplicated(corpus, "synthetic", texts(corpus, seed), tokens=tokens)


def texts(corpus: str, seed: int) -> Iterator[Record]:
    """Yields records without end."""
    vocabulary = facts("corpora/synthetic.yaml")
    grammar = Grammar(vocabulary["grammar"] | _words(seed, set(vocabulary["unsuitable"])))
    shape = vocabulary["corpora"][corpus]
    for number in numbers():
        yield _record(f"{corpus}-{number:06d}", shape, grammar, f"{seed}/{corpus}/{number}")


def _record(name: str, shape: Settings, grammar: Grammar, key: str) -> Record:
    rng = random.Random(key)
    # Title, date, text: the order of the random numbers determines a seed's corpus.
    title = grammar.expand(shape["title"], rng) if "title" in shape else None
    date = grammar.expand(shape["date"], rng) if "date" in shape else None
    return {
        "id": name,
        "title": title and string.capwords(title),
        "date": date,
        "text": _text(shape, grammar, rng),
    }


def _text(shape: Settings, grammar: Grammar, rng: random.Random) -> str:
    paragraphs: list[str] = []
    for _ in range(rng.randint(*shape["paragraphs"])):
        count = rng.randint(*shape["sentences"])
        sentences = [grammar.sentence(shape["sentence"], rng) for _ in range(count)]
        paragraphs.append(" ".join(sentences))
    if "opening" in shape:
        paragraphs[0] = grammar.expand(shape["opening"], rng) + paragraphs[0]
    if "speakers" in shape:
        cast = [grammar.expand("speaker", rng) for _ in range(rng.randint(*shape["speakers"]))]
        paragraphs = [f"{rng.choice(cast)}: {paragraph}" for paragraph in paragraphs]
    return str(shape["separator"].join(paragraphs))


def _words(seed: int, unsuitable: set[str]) -> dict[str, list[str]]:
    """The grammar's terminals: Faker's word lists, and hundreds of its composed names.

    Nothing of Faker that depends on the date may be among them.
    """
    from faker import Faker
    from faker.providers.lorem.en_US import Provider as Lorem
    from faker.providers.person.en_US import Provider as Person

    def plain(words: Iterable[str]) -> list[str]:
        usable = {word for word in words if word.isalpha() and len(word) > 2}
        return sorted(usable - unsuitable)

    def composed(count: int, compose: Callable[[], str]) -> list[str]:
        return [compose() for _ in range(count)]

    speech = Lorem.parts_of_speech
    fake = Faker("en_US")
    fake.seed_instance(f"{seed}/words")
    return {
        "noun": plain(speech["noun"]),
        "verb": plain({*speech["verb"]} - {"have"}),
        "adjective": plain(speech["adjective"]),
        "adverb": [word for word in plain(speech["adverb"]) if word.endswith("ly")],
        "first": plain(Person.first_names),
        "last": plain(Person.last_names),
        # One generator composes all of them: their order determines a seed's words.
        "city": composed(300, fake.city),
        "state": composed(100, fake.state),
        "company": composed(300, fake.company),
        "phrase": composed(300, lambda: fake.catch_phrase().lower()),
        "number": [f"{number:,}" for number in range(2, 2500)],
        "percent": [f"{tenths / 10:g}" for tenths in range(11, 990)],
        "day": list(map(str, range(1, 29))),
        "year": list(map(str, range(1961, 2025))),
    }
