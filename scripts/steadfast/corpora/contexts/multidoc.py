"""MultiDoc contexts: documents with fields, some repeated (paper, 3.2 and appendix A.2)."""

from base64 import urlsafe_b64encode
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from random import Random
from typing import NamedTuple, TypeGuard
from uuid import UUID

from steadfast.base.files import Record
from steadfast.base.tokens import Tokenizer
from steadfast.corpora.contexts import filling
from steadfast.corpora.contexts.formats import NUMBERED, fill_formats, show_document, show_documents

MULTIDOC = filling.FACTS["multidoc"]
CHARACTERS = 20  # a token of running text has fewer
# Documents of which one repeats the text of an earlier one.
REPEATS_ONE_OF = round(1 / MULTIDOC["repeated_share"])


class Document(NamedTuple):
    """A document's fields in their order, and the number of its text."""

    fields: dict[str, str]
    text: int


def build(
    streams: filling.RandomStreams,
    budget: int,
    corpora: Mapping[str, Path],
    tokenizer: Tokenizer,
    formats: Sequence[str] = (NUMBERED,),
) -> Record:
    """Builds the most documents that fit into a budget in all formats, with their duplicate_groups.

    One of each ``REPEATS_ONE_OF`` documents, at a random position, repeats the text of an earlier
    one, so that a quarter of any first n does, to within one; from two documents on, at least one.
    From four on, all combinations of with or without title and source occur. All corpora have the
    same probability.
    """
    documents, sizes = filling.units_over_budget(
        _documents(streams.content, corpora, tokenizer),
        lambda document: tokenizer.count(show_document(0, document.fields) + "\n\n"),
        budget,
    )

    def shown(units: int) -> list[dict[str, str]]:
        return [document.fields for document in documents[:units]]

    filled = fill_formats("multidoc", shown, sizes, budget, formats, tokenizer)
    if filled is None:
        lowest, _ = MULTIDOC["text_tokens"]
        offers = f"{len(documents):,} documents of {lowest} tokens or more"
        raise filling.too_small(", corpora/".join(corpora), offers, "multidoc", budget)
    units, tokens = filled
    return {
        **tokens,
        "text": show_documents(shown(units)),
        "documents": shown(units),
        "duplicate_groups": _groups(documents[:units]),
    }


contexts = partial(filling.seeded_contexts, "multidoc", build)  # the contexts of all seeds


def _groups(documents: list[Document]) -> list[list[int]]:
    positions: defaultdict[int, list[int]] = defaultdict(list)
    for position, document in enumerate(documents):
        positions[document.text].append(position)
    return [group for group in positions.values() if len(group) > 1]


def _documents(
    rng: Random, corpora: Mapping[str, Path], tokenizer: Tokenizer
) -> Iterator[Document]:
    # Any first n have their share of repeated texts, but a document's position does not reveal
    # whether its text is repeated.
    texts: list[str] = []
    repeated: list[int] = []
    used_ids: set[str] = set()
    repeats_at = 1  # of the first two documents, one text is both
    for number, (record, text) in enumerate(_passages(rng, corpora, tokenizer)):
        if number and number % REPEATS_ONE_OF == 0:
            repeats_at = number + rng.randrange(REPEATS_ONE_OF)
        if number == repeats_at:
            order = _repeat(rng, len(texts), repeated)
            repeated.append(order)
        else:
            order = len(texts)
            texts.append(text)
        yield Document(_fields(rng, record, texts[order], number, used_ids), order)


def _repeat(rng: Random, texts: int, repeated: list[int]) -> int:
    # A set grows with a probability proportional to its size, so that sizes differ widely.
    sets = set(repeated)
    fresh = texts - len(sets)
    if not sets or (fresh and len(sets) < MULTIDOC["repeated_sets"] and rng.random() < 0.5):
        return rng.choice(sorted(set(range(texts)) - sets))
    return rng.choice(repeated)


def _fields(
    rng: Random, record: Record, text: str, number: int, used_ids: set[str]
) -> dict[str, str]:
    fields = {
        "text": text,
        "id": _fresh(lambda: urlsafe_b64encode(rng.randbytes(16)).decode().rstrip("="), used_ids),
        "iD2": _fresh(lambda: str(UUID(int=rng.getrandbits(128))), used_ids),
        "date": _date(rng, record["date"]),
    }
    # The first four documents have all combinations, the others random ones.
    titled = number & 1 if number < 4 else rng.random() >= MULTIDOC["without_title"]
    sourced = number & 2 if number < 4 else rng.random() >= MULTIDOC["without_source"]
    if titled:
        title = record["title"]
        fields["title"] = title if _is_value(title) else record["id"]
    if sourced:
        fields["source"] = rng.choice(MULTIDOC["sources"])
    return dict(rng.sample(list(fields.items()), len(fields)))


def _fresh(sample: Callable[[], str], used: set[str]) -> str:
    value = sample()
    while not _is_value(value) or value in used:
        value = sample()
    used.add(value)
    return value


def _is_value(text: str | None) -> TypeGuard[str]:
    return (
        text is not None
        and text.isascii()
        and filling.is_plain(text, MULTIDOC["unfit"])
        and not text.endswith(",")
    )


def _date(rng: Random, recorded: str | None) -> str:
    first, last = map(date.fromisoformat, MULTIDOC["dates"])
    # Sampled in any case, so that later random numbers do not depend on which records have a date.
    sampled = first + timedelta(days=rng.randint(0, (last - first).days))
    return recorded if _is_value(recorded) else sampled.isoformat()


def _passages(
    rng: Random, corpora: Mapping[str, Path], tokenizer: Tokenizer
) -> Iterator[tuple[Record, str]]:
    streams = {}
    for corpus, path in corpora.items():
        streams[corpus] = filling.shuffled(path, f"{rng.getrandbits(128):032x}")
    seen: set[str] = set()
    while streams:
        corpus = rng.choice(list(streams))
        record = next(streams[corpus], None)
        if record is None:
            del streams[corpus]
            continue
        text = truncated(record["text"], rng, tokenizer)
        if text is not None and text not in seen:
            seen.add(text)
            yield record, text


def truncated(text: str, rng: Random, tokenizer: Tokenizer) -> str | None:
    """A text's first tokens, a random number within ``text_tokens``; None if there are too few."""
    lowest, highest = MULTIDOC["text_tokens"]
    text = text[: CHARACTERS * highest].strip()
    tokens = tokenizer.encode(text)
    sampled = rng.randint(lowest, highest)
    if lowest <= len(tokens) <= sampled:
        return text
    # Truncated within a word or character, a text may have fewer tokens.
    for length in range(sampled, min(highest, len(tokens)) + 1):
        head = tokenizer.decode(tokens[:length]).rstrip()
        if lowest <= tokenizer.count(head) <= highest:
            return head
    return None
