"""A corpus from a data set of the Hugging Face hub, at one commit, its files checked by sha256.

A connection that drops is resumed where it broke, a few times; files that are complete stay in
the hub's cache, so another run fetches only what is missing. The environment variables
HF_ENDPOINT, HF_TOKEN, HF_HOME (or HF_HUB_CACHE) and HF_HUB_OFFLINE are honoured.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from steadfast.corpora.lock import Lock, check, sha256_of
from steadfast.corpora.records import read_files
from steadfast.errors import UserError
from steadfast.files import Record

COMMIT = re.compile(r"[0-9a-f]{40}")
PUBLIC = "https://huggingface.co"


@dataclass(frozen=True)
class Surroundings:
    """What the environment says of the hub, read when a corpus is built, not at import."""

    endpoint: str
    token: str | None
    cache: Path | None
    offline: bool

    @classmethod
    def read(cls) -> "Surroundings":
        """The surroundings of this process."""
        home = os.environ.get("HF_HOME")
        cache = os.environ.get("HF_HUB_CACHE") or (home and str(Path(home) / "hub"))
        return cls(
            endpoint=os.environ.get("HF_ENDPOINT", "").rstrip("/") or PUBLIC,
            token=os.environ.get("HF_TOKEN") or None,
            cache=Path(cache) if cache else None,
            offline=os.environ.get("HF_HUB_OFFLINE", "").upper() in {"1", "ON", "YES", "TRUE"},
        )


def read(corpus: str, source: dict[str, Any], seed: int) -> Iterator[Record]:
    """The records of the data set's files, every one fetched and checked before the first is read.

    Raises:
        UserError: the revision is no commit, a file cannot be fetched, its sha256 is another than
            the config's or the lock file's, or a record is bad.
    """
    repo, revision = source["repo"], str(source["revision"])
    if not COMMIT.fullmatch(revision):
        raise UserError(
            f"corpus {corpus}: revision {revision!r} of {repo} is no commit; give the 40 "
            "hexadecimal digits of one, because a branch or a tag can move"
        )
    here, lock = Surroundings.read(), Lock(source["lock"])
    locked = lock.read(repo, revision)
    names = _names(corpus, source, here, locked)
    paths = {name: _fetch(corpus, source, name, here) for name in names}
    found = {name: sha256_of(path) for name, path in paths.items()}
    given = source.get("sha256") or {}
    for name, path in paths.items():
        check(f"{repo} {name}", found[name], given.get(name), "the config", path)
        check(f"{repo} {name}", found[name], locked.get(name), str(lock.path), path)
    lock.record(repo, revision, found)
    return read_files(corpus, paths.values(), source["fields"])


def _names(
    corpus: str, source: dict[str, Any], here: Surroundings, locked: dict[str, str]
) -> list[str]:
    """The files' names: those given, and for a glob those of the revision that match, sorted."""
    if not any("*" in pattern for pattern in source["files"]):
        return list(source["files"])
    there = sorted(locked) if here.offline else _listing(corpus, source, here)
    names: list[str] = []
    for pattern in source["files"]:
        matching = [name for name in there if fnmatchcase(name, pattern)]
        if not matching:
            known = ", ".join(there) or "none that the lock file knows"
            raise UserError(
                f"corpus {corpus}: no file of {source['repo']} matches {pattern!r}; the files of "
                f"the revision are: {known}; {_otherwise(corpus)}"
            )
        names += [name for name in matching if name not in names]
    return names


def _listing(corpus: str, source: dict[str, Any], here: Surroundings) -> list[str]:
    from huggingface_hub import HfApi

    with _Explained(corpus, source, "the list of files", here):
        api = HfApi(endpoint=here.endpoint, token=here.token)
        return sorted(
            api.list_repo_files(source["repo"], revision=source["revision"], repo_type="dataset")
        )


def _fetch(corpus: str, source: dict[str, Any], name: str, here: Surroundings) -> Path:
    from huggingface_hub import hf_hub_download

    with _Explained(corpus, source, name, here):
        path = hf_hub_download(
            source["repo"],
            name,
            repo_type="dataset",
            revision=source["revision"],
            endpoint=here.endpoint,
            token=here.token,
            cache_dir=here.cache,
            local_files_only=here.offline,
        )
    return Path(path)


class _Explained:
    """Turns whatever goes wrong between here and the hub into one sentence.

    The library's own messages are left out: they can hold request headers and signed addresses.
    """

    def __init__(self, corpus: str, source: dict[str, Any], wanted: str, here: Surroundings):
        self._corpus, self._source, self._wanted, self._here = corpus, source, wanted, here

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: type | None, error: BaseException | None, trace: object) -> None:
        if not isinstance(error, Exception):
            return
        raise UserError(
            f"corpus {self._corpus}: cannot fetch {self._wanted} of {self._source['repo']} at "
            f"{self._source['revision']}: {_reason(error, self._here)}; {_otherwise(self._corpus)}"
        ) from None


def _reason(error: Exception, here: Surroundings) -> str:
    from huggingface_hub.errors import HFValidationError

    host = urlsplit(here.endpoint).hostname or "the hub"
    if here.offline:
        return "HF_HUB_OFFLINE is set and the cache does not hold it"
    if isinstance(error, HFValidationError):
        return "that is no name of a data set (owner/name)"
    status = _status(error)
    if status in (401, 403):
        return f"{host} answered {status}, so HF_TOKEN is missing, wrong, or has no access to it"
    if status == 404:
        return f"{host} answered 404, so the data set, the revision or the file is not there"
    if status is not None:
        return f"{host} answered {status}; try again later"
    if isinstance(error, OSError) and error.strerror:
        return (
            f"the cache cannot be written ({error.strerror}); set HF_HOME to a directory of yours"
        )
    return (
        f"{host} could not be reached or broke off ({type(error).__name__}); run again, what is "
        "complete is kept"
    )


def _status(error: BaseException | None) -> int | None:
    """The HTTP status behind an error; the hub's library wraps some as a missing local file."""
    while error is not None:
        response = getattr(error, "response", None)
        if response is not None:
            return response.status_code
        error = error.__cause__
    return None


def _otherwise(corpus: str) -> str:
    return (
        f"without the hub, set corpora.source to local and corpora.directory to a folder with "
        f"{corpus} in it"
    )
