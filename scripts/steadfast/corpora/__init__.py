"""The corpora stage: five text collections, each from one of three sources.

Every source ends in the same file, one record ``{"id", "title", "date", "text"}`` a line.
"""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from steadfast.errors import UserError
from steadfast.files import Record, write_jsonl
from steadfast.tokens import fingerprint

RESOURCES = Path(__file__).resolve().parents[3] / "resources" / "corpora"
CORPORA = ("alpaca", "paul_graham", "govreport", "xsum", "qmsum")
KINDS = ("synthetic", "local", "hub")


def build_corpus(corpus: str, source: dict[str, Any], seed: int, out: Path | str) -> None:
    """Write one corpus from its source, replacing the file atomically.

    Records stand in source order. Texts of blanks only are left out, and so is every text equal
    to an earlier one.

    Args:
        corpus: one of ``CORPORA``.
        source: ``kind`` (``synthetic``, ``local`` or ``hub``) and the keys of that kind; a key that
            is absent has the value in ``default_source``. ``limit`` (``local`` and ``hub``) ends
            the corpus after that many records.
        seed: of the synthetic texts; the other sources do not use it.
        out: the JSON-lines file.

    Raises:
        UserError: the corpus or kind is unknown, or the source cannot be read (the sentence says
            where and what to do).
    """
    source = default_source(source.get("kind", "synthetic"), corpus) | source
    records = _without_repeats(_reader(source["kind"])(corpus, source, seed))
    kept = list(_until_enough(records, source.get("tokens"), source.get("limit")))
    if not kept:
        raise UserError(
            f"corpus {corpus}: the {source['kind']} source holds no text; check its files and the "
            "field named as text"
        )
    write_jsonl(out, kept)


def default_source(kind: str, corpus: str) -> dict[str, Any]:
    """What ``resources/corpora/{kind}.yaml`` says of a corpus, as a source.

    For ``local``: glob and fields. For ``hub``: repo, revision, files, fields (and limit).

    Raises:
        UserError: no such kind or corpus.
    """
    if kind not in KINDS:
        raise UserError(f"corpus {corpus}: no source kind {kind!r}; choose one of {_list(KINDS)}")
    if corpus not in CORPORA:
        raise UserError(f"no corpus {corpus!r}; choose one of {_list(CORPORA)}")
    facts = {} if kind == "synthetic" else _facts(kind)[corpus]
    return {"kind": kind} | facts


@cache
def _facts(kind: str) -> dict[str, dict[str, Any]]:
    return yaml.safe_load((RESOURCES / f"{kind}.yaml").read_text(encoding="utf-8"))


def _reader(kind: str) -> Callable[[str, dict[str, Any], int], Iterator[Record]]:
    # One module a kind, imported only when used: Faker and huggingface_hub are slow to load.
    if kind == "synthetic":
        from steadfast.corpora.synthetic import read
    elif kind == "local":
        from steadfast.corpora.local import read
    else:
        from steadfast.corpora.hub import read
    return read


def _without_repeats(records: Iterator[Record]) -> Iterator[Record]:
    texts: set[str] = set()
    ids: set[str] = set()
    for record in records:
        key = fingerprint(record["text"])
        if not record["text"].strip() or key in texts:
            continue
        texts.add(key)
        name, repeats = record["id"], 1
        while record["id"] in ids:  # files of one corpus may number their records alike
            repeats += 1
            record["id"] = f"{name}-{repeats}"
        ids.add(record["id"])
        yield record


def _until_enough(
    records: Iterator[Record], tokens: int | None, limit: int | None
) -> Iterator[Record]:
    # tiktoken's encodings never join two words into one token, so words bound tokens from below.
    words = 0
    for count, record in enumerate(records, start=1):
        yield record
        words += len(record["text"].split())
        if (tokens is not None and words >= tokens) or count == limit:
            return


def _list(names: tuple[str, ...]) -> str:
    return ", ".join(names)
