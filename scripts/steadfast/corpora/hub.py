"""A corpus from a data set of the Hugging Face hub, at one commit, its files checked by sha256.

Which files hold the corpus follows from the data set's own list of files at that commit and from
the fields of their records; a config may name the files instead. A connection that drops is resumed
where it broke, a few times; files that are complete stay in the hub's cache, so another run fetches
only what is missing. The environment variables HF_ENDPOINT, HF_TOKEN, HF_HOME (or HF_HUB_CACHE) and
HF_HUB_OFFLINE are honoured.
"""

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from urllib.parse import urlsplit

from steadfast.base.errors import UserError
from steadfast.base.files import Record, file_sha256
from steadfast.corpora.lock import LOCK, LockFile, check
from steadfast.corpora.records import cleaned, fields_of, read_files
from steadfast.corpora.tables import FORMATS, tables

PUBLIC = "https://huggingface.co"
COMMIT = re.compile(r"[0-9a-f]{40}")
MOST_TRIED = 20  # tables whose records are looked at
SHOWN = 12  # names in a message


class NotThereError(UserError):
    """The hub has no such data set, or not at that revision; ``reason`` is what it answered."""

    def __init__(self, message: str, reason: str):
        super().__init__(message)
        self.reason = reason


class HubDataSet:
    """A data set at a revision, and the hub that has it, as the environment says when asked."""

    def __init__(self, corpus: str, repo: str, revision: str):
        self.corpus, self.repo, self.revision = corpus, repo, revision
        home = os.environ.get("HF_HOME")
        self._cache = os.environ.get("HF_HUB_CACHE") or (str(Path(home) / "hub") if home else None)
        self._endpoint = os.environ.get("HF_ENDPOINT", "").rstrip("/") or PUBLIC
        self._token = os.environ.get("HF_TOKEN") or None
        self._offline = os.environ.get("HF_HUB_OFFLINE", "").upper() in {"1", "ON", "YES", "TRUE"}
        self.otherwise = (
            "without the hub, set corpora.source to local and corpora.directory to a folder with "
            f"{corpus} in it"
        )

    def files(self, locked: Iterable[str]) -> list[str]:
        """Returns the names of its files, sorted; offline those of the lock file."""
        if self._offline:
            if names := sorted(locked):
                return names
            reason = "HF_HUB_OFFLINE is set and the lock file knows no file of it"
            raise NotThereError(self._sentence("the list of files", reason), reason)
        from huggingface_hub import HfApi

        with self._explained("the list of files"):
            api = HfApi(endpoint=self._endpoint, token=self._token)
            return sorted(
                api.list_repo_files(self.repo, revision=self.revision, repo_type="dataset")
            )

    def fetch(self, name: str) -> Path:
        """Returns the path of a file in the cache, fetched where it is not there yet."""
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
        """Turns whatever goes wrong into one sentence; the library's may hold keys."""
        from huggingface_hub.errors import (
            GatedRepoError,
            RepositoryNotFoundError,
            RevisionNotFoundError,
        )

        try:
            yield
        except Exception as error:
            reason = self._reason(error)
            sentence = self._sentence(wanted, reason)
            lacking = isinstance(error, RepositoryNotFoundError | RevisionNotFoundError)
            if lacking and not isinstance(error, GatedRepoError):
                raise NotThereError(sentence, reason) from None
            raise UserError(sentence) from None

    def _sentence(self, wanted: str, reason: str) -> str:
        return (
            f"corpus {self.corpus}: cannot fetch {wanted} of {self.repo} at {self.revision}: "
            f"{reason}; {self.otherwise}"
        )

    def _reason(self, error: Exception) -> str:
        from huggingface_hub.errors import HFValidationError

        host, status = urlsplit(self._endpoint).hostname or "the hub", _status(error)
        if self._offline:
            return "HF_HUB_OFFLINE is set and the cache does not hold it"
        if isinstance(error, HFValidationError):
            return "that is no name of a data set (owner/name)"
        if status in (401, 403):
            return (
                f"{host} answered {status}, so it has no such data set, or HF_TOKEN is missing, "
                "wrong, or has no access"
            )
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
    """Returns the HTTP status behind an error; the hub's library wraps some as missing files."""
    while error is not None:
        response = getattr(error, "response", None)
        if response is not None:
            return int(response.status_code)
        error = error.__cause__
    return None


def corpus(
    inputs: Mapping[str, Path],
    corpus: str,
    repo: str,
    revision: str,
    fields: Mapping[str, str],
    lock: str = LOCK,
    files: Sequence[str] = (),
    preferred: Sequence[str] = (),
    alternatives: Sequence[str] = (),
    sha256: Mapping[str, str] | None = None,
    limit: int | None = None,
) -> Iterator[Record]:
    """Returns the records of the data set's files, all fetched and checked before one is read.

    Files are named, by globs too; without names the first of ``tables`` is taken whose records have
    all the fields, preferred globs first. Alternatives, other names of the data set, are tried in
    their order where it is not there. One sentence says what was found: after the last record it is
    printed, and written to the lock file.
    """
    if not COMMIT.fullmatch(revision):
        raise UserError(
            f"corpus {corpus}: revision {revision!r} of {repo} is no commit; give the 40 "
            "hexadecimal digits of one, because a branch or a tag can move"
        )
    locks = LockFile(lock)
    data_set, offered, lacking = _first_there(corpus, [repo, *alternatives], revision, locks)
    search = _Search(data_set, offered, locks, sha256 or {})
    names, how = search.named(files) if files else search.fitting(fields, preferred)
    paths = [search.fetch(name) for name in names]
    others = [name for name in offered if name.endswith(FORMATS) and name not in names]
    digests = {name: search.digests[name] for name in names}
    locks.record(data_set.repo, revision, digests)
    records = cleaned(corpus, "hub", read_files(corpus, paths, [fields]), limit=limit)

    def noted() -> Iterator[Record]:
        number = 0
        for record in records:
            number += 1
            yield record
        sentence = (
            f"{number:,} records from {_shown(names)} of {data_set.repo} at {revision}, "
            f"{how}; other data files there: {_shown(others)}"
        )
        sentence += f"; not there: {', '.join(lacking)}" if lacking else ""
        print(f"corpus {corpus}: {sentence}")
        locks.note(corpus, sentence)

    return noted()


def _first_there(
    corpus: str, repos: Sequence[str], revision: str, locks: LockFile
) -> tuple[HubDataSet, list[str], list[str]]:
    """Returns the first data set that is there, its files, and the names of those before it."""
    reasons: dict[str, str] = {}
    for repo in repos:
        data_set, locked = HubDataSet(corpus, repo, revision), locks.read(repo, revision)
        try:
            offered = data_set.files(locked)
        except NotThereError as error:
            if locked or len(repos) == 1:  # what was taken once is not replaced by another
                raise
            reasons[repo] = error.reason
            continue
        if gone := sorted(set(locked) - set(offered)):
            raise UserError(
                f"corpus {corpus}: {repo} at {revision} has no {_shown(gone)} any more, by which "
                f"{locks.path} knows it; ask the hub itself instead of a mirror, or remove that "
                "entry to take what is there"
            )
        return data_set, offered, list(reasons)
    tried = "; ".join(f"{repo}: {reason}" for repo, reason in reasons.items())
    raise UserError(
        f"corpus {corpus}: none of its data sets is there at {revision} ({tried}); "
        f"{data_set.otherwise}"
    )


class _Search:
    """Looks a corpus's files up, and fetches and checks what it looks at."""

    def __init__(
        self,
        data_set: HubDataSet,
        offered: Sequence[str],
        locks: LockFile,
        sha256: Mapping[str, str],
    ):
        self._data_set, self._offered = data_set, offered
        locked = locks.read(data_set.repo, data_set.revision)
        self._expected = ((sha256, "the config"), (locked, str(locks.path)))
        self.digests: dict[str, str] = {}

    def named(self, files: Sequence[str]) -> tuple[list[str], str]:
        """Returns the files that match the config's names, and by what they were found."""
        names: dict[str, None] = {}
        for pattern in files:
            matching = [n for n in self._offered if n == pattern or fnmatchcase(n, pattern)]
            if not matching:
                raise self._refused(
                    f"no file of {self._data_set.repo} matches {pattern!r}; the files of the "
                    f"revision are: {_shown(self._offered)}"
                )
            names |= dict.fromkeys(matching)
        return list(names), "named in the config"

    def fitting(self, fields: Mapping[str, str], preferred: Sequence[str]) -> tuple[list[str], str]:
        """Returns the files of the first table whose records have all the fields, and by what."""
        wanted = sorted(set(fields.values()))
        looked: list[str] = []
        for names in tables(self._offered, preferred)[:MOST_TRIED]:
            has = fields_of(self.fetch(names[0]))
            if has is not None and set(wanted) <= set(has):
                return names, f"found by the fields {', '.join(wanted)}"
            looked.append(f"{names[0]} ({', '.join(has) if has else 'no records'})")
        raise self._refused(
            f"no data file of {self._data_set.repo} at {self._data_set.revision} has records with "
            f"the fields {', '.join(wanted)}; looked at: {_shown(looked)}; the files of the "
            f"revision are: {_shown(self._offered)}"
        )

    def _refused(self, what: str) -> UserError:
        return UserError(f"corpus {self._data_set.corpus}: {what}; {self._data_set.otherwise}")

    def fetch(self, name: str) -> Path:
        """Returns the path of a file, whose digest is the expected one."""
        path = self._data_set.fetch(name)
        if name not in self.digests:
            self.digests[name] = file_sha256(path)
            for expected, by in self._expected:
                where = f"{self._data_set.repo} {name}"
                again = f"delete {path} and fetch it again"
                check(where, self.digests[name], expected.get(name), by, again)
        return path


def _shown(names: Sequence[str]) -> str:
    """Returns some names for a message; how many more where there are many."""
    more = [f"and {len(names) - SHOWN} more"] if len(names) > SHOWN else []
    return ", ".join([*names[:SHOWN], *more]) or "none"
