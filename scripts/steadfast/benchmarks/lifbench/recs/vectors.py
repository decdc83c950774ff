"""Stage 4 of RECS: each text as a vector of length one."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from steadfast.base.commands import installation
from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings, canonical_json, file_sha256, read_jsonl
from steadfast.benchmarks.lifbench.recs.checks import clustered

DIGITS = 6  # after the point
Matrix = NDArray[np.float32]  # A text a row


def vectors(inputs: Mapping[str, Path], encoder: Settings) -> Iterator[Record]:
    """Yields the vectors (float32, six digits) of a task's texts that can be used (section 3.3)."""
    pool = clustered(read_jsonl(inputs["candidates"]))
    texts = [record["text"] for record in pool]
    settings = {name: value for name, value in encoder.items() if name != "kind"}
    with threadpool_limits(limits=1):
        provenance, encoded = ENCODERS[encoder["kind"]](texts, **settings)
    for record, vector in zip(pool, encoded.astype(np.float32), strict=True):
        key = canonical_json([encoder["kind"], provenance, record["text"]])
        yield {
            "text_id": record["text_id"],
            "key": hashlib.sha256(key.encode()).hexdigest()[:16],
            "vector": [round(float(value), DIGITS) for value in vector],
        }


def _tfidf(texts: Sequence[str]) -> tuple[object, Matrix]:
    from sklearn.feature_extraction.text import TfidfVectorizer

    analyzer = "char_wb"
    shortest = 2
    longest = 4
    vectorizer = TfidfVectorizer(analyzer=analyzer, ngram_range=(shortest, longest))
    encoded = vectorizer.fit_transform(texts).toarray()
    # A text's vector follows from the others too, by the frequencies.
    return [analyzer, shortest, longest, list(texts)], encoded


def _sentence_transformers(
    texts: Sequence[str], model: str, revision: str | None = None, pooling: str | None = None
) -> tuple[object, Matrix]:
    if find_spec("sentence_transformers") is None:
        raise UserError(
            "lifbench.recs.encoder: sentence-transformers is not installed; run "
            f"'{installation('embeddings')}', "
            "or take kind: tfidf, which needs nothing more"
        )
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    try:
        loaded = SentenceTransformer(model, revision=revision, device="cpu")
    except (OSError, ValueError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise UserError(
            f"lifbench.recs.encoder.model: {model} cannot be loaded ({reason}); name a model on "
            "the hub with its revision, or a directory that holds one"
        ) from None
    if pooling is not None:
        _pool(loaded, model, pooling)
    # One by one: beside a longer text a vector would differ in its last digits.
    encoded = loaded.encode(
        list(texts), batch_size=1, normalize_embeddings=True, show_progress_bar=False
    )
    return [_provenance(model, revision), pooling], encoded


def _pool(loaded: Any, model: str, pooling: str) -> None:
    """Has the model take its vector in another way, if it has another of its own."""
    from sentence_transformers.models import Pooling

    for name, module in loaded.named_children():
        if isinstance(module, Pooling):
            size = loaded.get_embedding_dimension()
            setattr(loaded, name, Pooling(size, pooling_mode=pooling))
            return
    raise UserError(f"lifbench.recs.encoder.pooling: {model} has none; leave the key out")


def _provenance(model: str, revision: str | None) -> object:
    """Returns a model's name and revision; of a directory what it holds, wherever it lies."""
    folder = Path(model)
    if not folder.is_dir():
        return [model, revision]
    hasher = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        hasher.update(f"{path.relative_to(folder).as_posix()} {file_sha256(path)}\n".encode())
    return hasher.hexdigest()


ENCODERS: Mapping[str, Callable[..., tuple[object, Matrix]]] = {
    "tfidf": _tfidf,
    "sentence-transformers": _sentence_transformers,
}
