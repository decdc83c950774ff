"""A corpus from a data set of the Hugging Face hub, at one commit, its files checked by sha256.

A connection that drops is resumed where it broke, a few times; files that are complete stay in
the hub's cache, so another run fetches only what is missing. The environment variables
HF_ENDPOINT, HF_TOKEN, HF_HOME (or HF_HUB_CACHE) and HF_HUB_OFFLINE are honoured.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from urllib.parse import urlsplit

from steadfast.corpora.cleaning import cleaned
from steadfast.corpora.lock import Lock, check, sha256_of
from steadfast.corpora.records import read_files
from steadfast.errors import UserError
from steadfast.files import Record

COMMIT = re.compile(r"[0-9a-f]{40}")
PUBLIC = "https://huggingface.co"


def corpus(
    inputs: Mapping[str, Path],
    corpus: str,
    repo: str,
    revision: str,
    files: Sequence[str],
    fields: Mapping[str, str],
    lock: str,
    sha256: Mapping[str, str] | None = None,
    limit: int | None = None,
) -> list[Record]:
    """The records of the data set's files, every one fetched and checked before the first is read.

    Args:
        inputs: none.
        corpus: its name.
        repo: the data set, owner/name.
        revision: a commit, 40 hexadecimal digits.
        files: names, or globs of them.
        fields: of a record, see ``read_files``.
        lock: the lock file.
        sha256: checksum by file, of those that the config gives one for.
        limit: records to take.

    Raises:
        UserError: the revision is no commit, a file cannot be fetched, its sha256 is another than
            the config's or the lock file's, a record is bad, or there is no text.
    """
    if not COMMIT.fullmatch(revision):
        raise UserError(
            f"corpus {corpus}: revision {revision!r} of {repo} is no commit; give the 40 "
            "hexadecimal digits of one, because a branch or a tag can move"
        )
    data_set, locks = _DataSet(corpus, repo, revision), Lock(lock)
    locked = locks.read(repo, revision)
    paths = {name: data_set.fetch(name) for name in data_set.names(files, locked)}
    found = {name: sha256_of(path) for name, path in paths.items()}
    for name, path in paths.items():
        for expected, by in ((sha256 or {}, "the config"), (locked, str(locks.path))):
            check(f"{repo} {name}", found[name], expected.get(name), by, path)
    locks.record(repo, revision, found)
    return cleaned(corpus, "hub", read_files(corpus, paths.values(), fields), limit=limit)


class _DataSet:
    """A data set at a revision, and the hub that has it, as the environment says when asked.

    Args:
        corpus: name of the corpus that it is taken for.
        repo: the hub's id, owner/name.
        revision: a commit.
    """

    def __init__(self, corpus: str, repo: str, revision: str):
        self.corpus, self.repo, self.revision = corpus, repo, revision
        home = os.environ.get("HF_HOME")
        self._cache = os.environ.get("HF_HUB_CACHE") or (str(Path(home) / "hub") if home else None)
        self._endpoint = os.environ.get("HF_ENDPOINT", "").rstrip("/") or PUBLIC
        self._token = os.environ.get("HF_TOKEN") or None
        self._offline = os.environ.get("HF_HUB_OFFLINE", "").upper() in {"1", "ON", "YES", "TRUE"}
        self._otherwise = (
            "without the hub, set corpora.source to local and corpora.directory to a folder with "
            f"{corpus} in it"
        )

    def names(self, files: Sequence[str], locked: Mapping[str, str]) -> list[str]:
        """The files' names: those given, and for a glob those of the revision that match."""
        if not any("*" in pattern for pattern in files):
            return list(files)
        offered = sorted(locked) if self._offline else self._listing()
        names: dict[str, None] = {}
        for pattern in files:
            matching = [name for name in offered if fnmatchcase(name, pattern)]
            if not matching:
                known = ", ".join(offered) or "none that the lock file knows"
                raise UserError(
                    f"corpus {self.corpus}: no file of {self.repo} matches {pattern!r}; the "
                    f"files of the revision are: {known}; {self._otherwise}"
                )
            names |= dict.fromkeys(matching)
        return list(names)

    def _listing(self) -> list[str]:
        from huggingface_hub import HfApi

        with self._explained("the list of files"):
            api = HfApi(endpoint=self._endpoint, token=self._token)
            return sorted(
                api.list_repo_files(self.repo, revision=self.revision, repo_type="dataset")
            )

    def fetch(self, name: str) -> Path:
        """The path of a file in the cache, fetched where it is not there yet."""
        from huggingface_hub import hf_hub_download

        with self._explained(name):
            path = hf_hub_download(
                self.repo,
                name,
                repo_type="dataset",
                revision=self.revision,
                endpoint=self._endpoint,
                token=self._token,
                cache_dir=self._cache,
                local_files_only=self._offline,
            )
        return Path(path)

    @contextmanager
    def _explained(self, wanted: str) -> Iterator[None]:
        """Turns whatever goes wrong between here and the hub into one sentence.

        The library's own messages are left out: they can hold request headers and signed addresses.
        """
        try:
            yield
        except Exception as error:
            raise UserError(
                f"corpus {self.corpus}: cannot fetch {wanted} of {self.repo} at {self.revision}: "
                f"{self._reason(error)}; {self._otherwise}"
            ) from None

    def _reason(self, error: Exception) -> str:
        from huggingface_hub.errors import HFValidationError

        host, status = urlsplit(self._endpoint).hostname or "the hub", _status(error)
        if self._offline:
            return "HF_HUB_OFFLINE is set and the cache does not hold it"
        if isinstance(error, HFValidationError):
            return "that is no name of a data set (owner/name)"
        if status in (401, 403):
            return f"{host} answered {status}, so HF_TOKEN is missing, wrong, or has no access"
        if status == 404:
            return f"{host} answered 404, so the data set, the revision or the file is not there"
        if status is not None:
            return f"{host} answered {status}; try again later"
        if isinstance(error, OSError) and error.strerror:
            return f"no writing to the cache ({error.strerror}); set HF_HOME to a folder of yours"
        return (
            f"{host} could not be reached or broke off ({type(error).__name__}); run again, what "
            "is complete is kept"
        )


def _status(error: BaseException | None) -> int | None:
    """The HTTP status behind an error; the hub's library wraps some as a missing local file."""
    while error is not None:
        response = getattr(error, "response", None)
        if response is not None:
            return response.status_code
        error = error.__cause__
    return None
