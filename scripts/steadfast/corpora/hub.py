"""A corpus from a data set of the Hugging Face hub, at one commit, its files checked by sha256.

Which files hold the corpus follows from the data set's list of files at that commit and from the
fields of their records. A dropped connection is resumed a few times; complete files stay in the
hub's cache, so that another run fetches the missing ones only. The environment variables
HF_ENDPOINT, HF_TOKEN, HF_HOME (or HF_HUB_CACHE) and HF_HUB_OFFLINE are honoured.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
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
NO_ACCESS = ", so it has no such data set, or HF_TOKEN is missing, wrong, or has no access"
# The meaning of the hub's HTTP statuses.
ANSWERS = {
    401: NO_ACCESS,
    403: NO_ACCESS,
    404: ", so the data set, the revision or the file is not there",
}


def corpus(
    inputs: Mapping[str, Path],
    corpus: str,
    repo: str,
    revision: str,
    fields: Mapping[str, str],
    lock: str = LOCK,
    preferred: Sequence[str] = (),
    sha256: Mapping[str, str] | None = None,
    limit: int | None = None,
) -> Iterator[Record]:
    """The records of the data set's files, which are all fetched and checked first.

    They are those of the first of ``tables``, preferred globs before others, whose records have all
    the fields. After the last record, one line names these files and the data set's others.
    """
    if not COMMIT.fullmatch(revision):
        raise UserError(
            f"corpus {corpus}: revision {revision!r} of {repo} is not a commit; give the 40 "
            "hexadecimal digits of one, because a branch or a tag can move"
        )
    locks = LockFile(lock)
    data_set = _DataSet(corpus, repo, revision, locks, sha256 or {})
    offered = data_set.files()
    names = data_set.fitting(fields, tables(offered, preferred), offered)
    paths: list[Path] = []
    digests: dict[str, str] = {}
    for name in names:
        paths.append(data_set.fetch(name))
        digests[name] = data_set.digests[name]
    locks.record(repo, revision, digests)
    records = cleaned(corpus, "hub", read_files(corpus, paths, [fields]), limit=limit)
    unused = [name for name in offered if name.endswith(FORMATS) and name not in names]
    field_names = ", ".join(sorted({*fields.values()}))
    where = f"{_shown(names)} of {repo} at {revision}, found by the fields {field_names}"
    return _counted(records, f"{where}; other data files there: {_shown(unused)}", corpus)


def _counted(records: Iterator[Record], where: str, corpus: str) -> Iterator[Record]:
    number = 0
    for record in records:
        number += 1
        yield record
    print(f"corpus {corpus}: {number:,} records from {where}")


class _DataSet:
    """A data set at a revision, on the hub that the environment names."""

    def __init__(
        self, corpus: str, repo: str, revision: str, locks: LockFile, sha256: Mapping[str, str]
    ):
        self._corpus = corpus
        self._repo = repo
        self._revision = revision
        self._lock = locks.path
        self._locked = locks.read(repo, revision)
        self._expected = ((sha256, "the config"), (self._locked, str(locks.path)))
        self.digests: dict[str, str] = {}
        home = os.environ.get("HF_HOME")
        self._cache = os.environ.get("HF_HUB_CACHE") or (str(Path(home) / "hub") if home else None)
        self._endpoint = os.environ.get("HF_ENDPOINT", "").rstrip("/") or PUBLIC
        self._token = os.environ.get("HF_TOKEN") or None
        self._offline = os.environ.get("HF_HUB_OFFLINE", "").upper() in {"1", "ON", "YES", "TRUE"}

    def files(self) -> list[str]:
        """The names of its files, sorted; offline those in the lock file."""
        if self._offline:
            if self._locked:
                return sorted(self._locked)
            reason = "HF_HUB_OFFLINE is set and the lock file lists no file of it"
            raise self._refused(f"cannot list the files of {self._at}: {reason}")
        from huggingface_hub import HfApi

        with self._explained("list the files"):
            api = HfApi(endpoint=self._endpoint, token=self._token)
            names = api.list_repo_files(self._repo, revision=self._revision, repo_type="dataset")
        missing = sorted(set(self._locked) - set(names))
        if missing:
            raise UserError(
                f"corpus {self._corpus}: {self._at} no longer has {_shown(missing)}, which "
                f"{self._lock} lists; use the Hugging Face hub in place of a mirror, or remove "
                "that entry to accept the files that exist"
            )
        return sorted(names)

    def fitting(
        self, fields: Mapping[str, str], groups: Sequence[list[str]], offered: Sequence[str]
    ) -> list[str]:
        """The files of the first table whose records have all the fields."""
        required = {*fields.values()}
        rejected: list[str] = []
        for names in groups[:MOST_TRIED]:
            # Shards of a table have the same fields: the first is enough to tell.
            file_fields = fields_of(self.fetch(names[0]))
            if file_fields is not None and required <= {*file_fields}:
                return names
            rejected.append(f"{names[0]} ({', '.join(file_fields or ['no records'])})")
        raise self._refused(
            f"no data file of {self._at} has records with the fields "
            f"{', '.join(sorted(required))}; looked at: {_shown(rejected)}; the files of "
            f"the revision are: {_shown(offered)}"
        )

    def fetch(self, name: str) -> Path:
        """The path of a file in the cache, fetched if it is not there, and checked."""
        from huggingface_hub import hf_hub_download

        with self._explained(f"fetch {name}"):
            path = hf_hub_download(
                self._repo,
                name,
                repo_type="dataset",
                revision=self._revision,
                endpoint=self._endpoint,
                token=self._token,
                cache_dir=self._cache,
                local_files_only=self._offline,
            )
        if name not in self.digests:
            self.digests[name] = file_sha256(Path(path))
            again = f"delete {path} and fetch it again"
            for expected, by in self._expected:
                place = f"{self._repo} {name}"
                check(place, self.digests[name], expected.get(name), by, again)
        return Path(path)

    @property
    def _at(self) -> str:
        return f"{self._repo} at {self._revision}"

    def _refused(self, reason: str) -> UserError:
        return UserError(
            f"corpus {self._corpus}: {reason}; without the hub, set corpora.source to local and "
            f"corpora.directory to a folder with {self._corpus} in it"
        )

    @contextmanager
    def _explained(self, action: str) -> Iterator[None]:
        """Turns any error into one sentence; the library's messages may contain keys."""
        try:
            yield
        except Exception as error:
            raise self._refused(f"cannot {action} of {self._at}: {self._reason(error)}") from None

    def _reason(self, error: Exception) -> str:
        host = urlsplit(self._endpoint).hostname or "the hub"
        status = _status(error)
        if self._offline:
            return "HF_HUB_OFFLINE is set and it is not in the cache"
        if status is not None:
            return f"{host} returned HTTP status {status}{ANSWERS.get(status, '; try again later')}"
        if isinstance(error, OSError) and error.strerror:
            return f"cannot write to the cache ({error.strerror}); set HF_HOME to a writable folder"
        return (
            f"connection to {host} failed ({type(error).__name__}); run again, complete files are "
            "kept"
        )


def _status(error: BaseException | None) -> int | None:
    """The HTTP status behind an error; the hub's library wraps some as missing files."""
    while error is not None:
        response = getattr(error, "response", None)
        if response is not None:
            return int(response.status_code)
        error = error.__cause__
    return None


def _shown(names: Sequence[str]) -> str:
    """Names for a message, and the number of further ones."""
    remainder = [f"and {len(names) - SHOWN} more"] if len(names) > SHOWN else []
    return ", ".join([*names[:SHOWN], *remainder]) or "none"
