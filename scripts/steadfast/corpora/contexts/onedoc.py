"""OneDoc contexts: joined essays with tagged key sentences (paper, 3.2 and appendix A.3)."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Mapping
from functools import partial
from itertools import accumulate, islice
from pathlib import Path
from random import Random
from typing import NamedTuple

from steadfast.base.errors import UserError
from steadfast.base.files import Record
from steadfast.base.tokens import Tokenizer
from steadfast.corpora.contexts import filling

ONEDOC = filling.FACTS["onedoc"]
TYPES: list[str] = ONEDOC["types"]
TRIES = 16  # sentences, each of which costs a search through the document
# Where white space of several bytes stands between a word and a full stop, the segmenter crashes.
WIDE_SPACE_BEFORE_STOP = re.compile(r"[^\S\x00-\x7f]+(?=\.)")
JOINT = 2  # tokens; a tag breaks up at most so many that would otherwise be one


class Sentence(NamedTuple):
    """A sentence and the white space before it."""

    space: str
    text: str


class Tag(NamedTuple):
    """The tags of a key sentence: type and number of the head tag, and the tail tag."""

    type: str
    id: int
    tail: str

    @property
    def head(self) -> str:
        return f"<{self.type}-{self.id}>"


def build(
    streams: filling.RandomStreams, budget: int, corpora: Mapping[str, Path], tokenizer: Tokenizer
) -> Record:
    """Builds the longest document that fits into a budget: tokens, text, key_sentences, ….

    Key sentences and ordinary ones are spread over it, and each occurs once. Their number does not
    grow with the document, so that each length has its own: a shorter document is not the beginning
    of a longer one.
    """
    rng = streams.placing
    tags = _tags(rng)
    ((corpus, path),) = corpora.items()
    sentences = _sentences(streams.content, budget, corpus, path, tokenizer)
    sizes = [tokenizer.count(space + text) for space, text in sentences]
    reserved = 0
    for tag in tags:
        reserved += tokenizer.count(tag.head) + tokenizer.count(tag.tail) + 2 * JOINT
    tagged = bisect_right(list(accumulate(sizes)), budget - reserved)
    keys, ordinary = _places(rng, sentences, tagged, tags, tokenizer)

    def count(units: int) -> int:
        return tokenizer.count(render(sentences[:units], keys))

    # Where the reserve was too small after all, the last sentences make room.
    while count(tagged) > budget:
        tagged -= 1
        keys, ordinary = _places(rng, sentences, tagged, tags, tokenizer)
    filled = filling.fill(sizes, budget, count, start=tagged)
    assert filled is not None  # the sentences alone exceed the budget
    key_sentences: list[Record] = []
    for index, tag in keys.items():
        text = sentences[index].text
        fake = tag.tail != f"<{tag.type}>"
        key_sentences.append(
            {"type": tag.type, "id": tag.id, "index": index, "fake": fake, "text": text}
        )
    key_sentences.sort(key=lambda key: (TYPES.index(key["type"]), key["id"]))
    return {
        "tokens": filled.tokens,
        "text": render(sentences[: filled.units], keys),
        "key_sentences": key_sentences,
        "absent_type": ONEDOC["absent_type"],
        "ordinary": [sentences[place].text for place in ordinary],
    }


contexts = partial(filling.seeded_contexts, "onedoc", build)  # the contexts of all seeds


def render(sentences: list[Sentence], keys: dict[int, Tag]) -> str:
    """The sentences with their white space, those at the keys' positions within their tags."""
    parts = []
    for place, (space, text) in enumerate(sentences):
        tag = keys.get(place)
        parts.append(f"{space}{tag.head}{text}{tag.tail}" if tag else space + text)
    return "".join(parts)


def segment(text: str) -> list[Sentence]:
    """The sentences of a text, with the white space before each."""
    import sentencex

    sentences = []
    end = 0  # of the previous sentence
    plain = WIDE_SPACE_BEFORE_STOP.sub(lambda space: " " * len(space[0]), text)
    # The segmenter leaves out some white space, so each sentence is looked up again.
    for sentence in map(str.strip, sentencex.segment("en", plain)):
        if sentence:
            start = plain.index(sentence, end)
            space = text[end:start]
            end = start + len(sentence)
            sentences.append(Sentence(space, text[start:end]))
    return sentences


def _sentences(
    rng: Random, budget: int, corpus: str, path: Path, tokenizer: Tokenizer
) -> list[Sentence]:
    # Essays until they exceed the budget: tags only add to them.
    sentences: list[Sentence] = []
    remaining = budget
    seen: set[str] = set()
    for record in filling.shuffled(path, f"{rng.getrandbits(128):032x}"):
        essay = record["text"].strip()
        if not essay or essay in seen:
            continue
        seen.add(essay)
        first, *following = segment(essay)
        space = "\n\n" if sentences else ""
        sentences += [Sentence(space, first.text), *following]
        remaining -= tokenizer.count(essay)
        if remaining < 0:
            return sentences
    raise filling.too_small(corpus, f"{budget - remaining:,} tokens", "onedoc", budget)


def _tags(rng: Random) -> list[Tag]:
    present = [name for name in TYPES if name != ONEDOC["absent_type"]]
    faked = set(rng.sample(present, ONEDOC["fakes"]))
    tags = []
    for name in present:
        number = rng.randint(*ONEDOC["per_type"])
        fake = rng.randrange(number) if name in faked else None
        for id in range(number):
            tail = name
            if id == fake:
                other_types = [other for other in TYPES if other != name]
                tail = rng.choice(rng.choice((other_types, ONEDOC["no_types"])))
            tags.append(Tag(name, id, f"<{tail}>"))
    return tags


def _places(
    rng: Random, sentences: list[Sentence], tagged: int, tags: list[Tag], tokenizer: Tokenizer
) -> tuple[dict[int, Tag], list[int]]:
    """The tag of each key sentence by its position, and the positions of ordinary sentences."""
    plain = render(sentences, {})
    occurrences = Counter(sentence.text for sentence in sentences)
    candidates = []
    for place, (_, text) in enumerate(sentences[:tagged]):
        if occurrences[text] == 1 and _may_be_key(text, tokenizer):
            candidates.append(place)

    def occurs_once(place: int) -> bool:
        text = sentences[place].text
        return plain.find(text, plain.index(text) + 1) == -1

    least_ordinary, most_ordinary = ONEDOC["ordinary"]
    lowest = len(tags) + least_ordinary
    highest = len(tags) + most_ordinary
    # One from each of as many equal parts of the document.
    number = min(len(candidates), highest)
    picked: list[int] = []
    for part in range(number):
        start = len(candidates) * part // number
        end = len(candidates) * (part + 1) // number
        places = candidates[start:end]
        tried = rng.sample(places, min(len(places), TRIES))
        picked += islice(filter(occurs_once, tried), 1)
    if len(picked) < lowest:
        raise UserError(
            f"only {len(picked)} of the {tagged} sentences within the token budget can be key "
            f"sentences, {lowest} are needed; raise the length's budget"
        )
    ordinary = sorted(rng.sample(picked, len(picked) - len(tags)))
    return _scattered(rng, sorted({*picked} - {*ordinary}), tags), ordinary


def _scattered(rng: Random, places: list[int], tags: list[Tag]) -> dict[int, Tag]:
    # Within each type the order of the ids must differ from that of the places, or tests nothing.
    while True:
        rng.shuffle(places)
        order: dict[str, list[int]] = {}
        for tag, place in zip(tags, places, strict=True):
            order.setdefault(tag.type, []).append(place)
        if all(type_places != sorted(type_places) for type_places in order.values()):
            return dict(zip(places, tags, strict=True))


def _may_be_key(text: str, tokenizer: Tokenizer) -> bool:
    return (
        len(text.split()) >= ONEDOC["sentence_words"]
        and filling.is_plain(text, ONEDOC["unfit"])
        and tokenizer.count(text) <= ONEDOC["sentence_tokens"]
    )
