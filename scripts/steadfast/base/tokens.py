"""Token counts by tiktoken, from the vocabularies that come with the project."""

import hashlib
import os
import shutil
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.resources import resource

VOCABULARIES = resource("tiktoken")
LONG = 10**6  # characters


class Tokenizer:
    """A byte-pair encoding by name; text that spells a special token is ordinary text."""

    def __init__(self, name: str):
        import tiktoken

        check_name(name)
        self.name = name
        self._encoding = tiktoken.get_encoding(name)

    def encode(self, text: str) -> list[int]:
        """The token ids of a text."""
        return self._encoding.encode_ordinary(text)

    def decode(self, tokens: Sequence[int]) -> str:
        """The text of token ids; bytes that are no UTF-8 (a cut character) are left out."""
        return self._encoding.decode_bytes(tokens).decode("utf-8", errors="ignore")

    def count(self, text: str) -> int:
        """The number of tokens of a text."""
        if len(text) < LONG:
            return len(self._encoding.encode_ordinary(text))
        # As an array, which takes a tenth of the memory of a list.
        return len(self._encoding.encode_to_numpy(text, disallowed_special=()))


def check_name(name: str) -> None:
    """Raises a ``UserError`` where tiktoken has no encoding of a name."""
    import tiktoken

    encodings = sorted(tiktoken.list_encoding_names())
    if name not in encodings:
        raise UserError(
            f"tokenizer: tiktoken has no encoding {name!r}; choose one of {', '.join(encodings)}"
        )


@cache
def load_tokenizer(name: str) -> Tokenizer:
    """Returns a tokenizer, without network for the encodings in ``resources/tiktoken``."""
    if "TIKTOKEN_CACHE_DIR" not in os.environ:
        os.environ["TIKTOKEN_CACHE_DIR"] = str(_cache_copy())
    return Tokenizer(name)


def cache_folder() -> Path:
    """The folder of the user's cache for this program."""
    return Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "steadfast"


def _cache_copy() -> Path:
    # tiktoken deletes a file in its cache whose checksum fails, so it never gets the original.
    root = cache_folder()
    for source in sorted(VOCABULARIES.iterdir()):
        if source.suffix:
            continue
        copy = root / "tiktoken" / source.name
        if copy.exists() and copy.stat().st_size == source.stat().st_size:
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        # Jobs start at the same time: none may read what another has copied in part.
        partial = copy.with_name(f".{copy.name}.{os.getpid()}")
        shutil.copyfile(source, partial)
        os.replace(partial, copy)
    return root / "tiktoken"


def fingerprint(text: str) -> str:
    """sha256 of a text's UTF-8, in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()
