"""What all sources of a corpus share: blank and repeated texts are left out."""

from collections.abc import Iterable, Iterator

from steadfast.base.errors import UserError
from steadfast.base.files import Record
from steadfast.base.tokens import fingerprint


def cleaned(
    corpus: str,
    source: str,
    records: Iterable[Record],
    tokens: int | None = None,
    limit: int | None = None,
) -> Iterator[Record]:
    """Yields the records in source order, without blank texts and texts equal to an earlier one.

    They end where the texts have at least ``tokens`` tokens, or after ``limit`` records; of endless
    ones no more than needed are taken.
    """
    texts: set[bytes] = set()  # half a fingerprint each, since this is all that is held in memory
    ids: set[str] = set()
    words = 0
    for record in records:
        key = bytes.fromhex(fingerprint(record["text"]))[:16]
        if not record["text"].strip() or key in texts:
            continue
        texts.add(key)
        name, repeats = record["id"], 1
        while record["id"] in ids:  # files of one corpus may number their records alike
            repeats += 1
            record["id"] = f"{name}-{repeats}"
        ids.add(record["id"])
        yield record
        # tiktoken's encodings never join two words into one token, so words bound tokens from below
        words += len(record["text"].split())
        if (tokens is not None and words >= tokens) or len(ids) == limit:
            break
    if not ids:
        raise UserError(
            f"corpus {corpus}: the {source} source holds no text; check its files and the field "
            "named as text"
        )
