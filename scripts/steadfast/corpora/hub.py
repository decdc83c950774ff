"""A corpus from a data set of the Hugging Face hub, at one commit, its files checked by sha256.

Which files hold the corpus follows from the data set's list of files at that commit and from the
fields of their records. A dropped connection is resumed a few times; complete files stay in the
hub's cache, so that another run fetches the missing ones only. The environment variables
HF_ENDPOINT, HF_TOKEN, HF_HOME (or HF_HUB_CACHE) and HF_HUB_OFFLINE are honoured.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from steadfast.base.errors import UserError
from steadfast.base.files import Record, file_sha256
from steadfast.corpora.lock import LOCK, LockFile, check
from steadfast.corpora.records import deduplicated, fields_of, read_files
from steadfast.corpora.tables import FORMATS, tables

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
    sha256: Mapping[str, str] | None = None,
    limit: int | None = None,
) -> Iterator[Record]:
    """The records of the data set's files, which are all fetched and checked first.

    They are those of the first of ``tables`` whose records have all the fields. After the last
    record, one line names these files and the data set's others.
    """
    data_set = _DataSet(corpus, repo, revision, LockFile(lock), sha256 or {})
    offered = data_set.files()
    names = data_set.fitting(fields, tables(offered), offered)
    paths = [data_set.fetch(name) for name in names]
    data_set.locks.record(repo, revision, {name: data_set.digests[name] for name in names})
    number = 0
    for record in deduplicated(corpus, "hub", read_files(corpus, paths, [fields]), limit=limit):
        number += 1
        yield record
    unused = [name for name in offered if name.endswith(FORMATS) and name not in names]
    print(
        f"corpus {corpus}: {number:,} records from {_shown(names)} of {repo} at {revision}, found "
        f"by the fields {', '.join(sorted({*fields.values()}))}; other data files there: "
        f"{_shown(unused)}"
    )


@dataclass
class _DataSet:
    """A data set at a revision, on the hub that the environment names."""

    corpus: str
    repo: str
    revision: str
    locks: LockFile
    sha256: Mapping[str, str]
    digests: dict[str, str] = field(default_factory=dict)  # of fetched files

    def files(self) -> list[str]:
        """The names of its files, sorted; offline those in the lock file."""
        from huggingface_hub import HfApi, constants

        locked = self.locks.read(self.repo, self.revision)
        if constants.HF_HUB_OFFLINE and locked:
            return sorted(locked)
        with self._explained("list the files"):
            names = HfApi().list_repo_files(self.repo, revision=self.revision, repo_type="dataset")
        missing = sorted(set(locked) - set(names))
        if missing:
            raise UserError(
                f"corpus {self.corpus}: {self._at} no longer has {_shown(missing)}, which "
                f"{self.locks.path} lists; use the Hugging Face hub in place of a mirror, or "
                "remove that entry to accept the files that exist"
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
            path = Path(
                hf_hub_download(self.repo, name, revision=self.revision, repo_type="dataset")
            )
        if name not in self.digests:
            self.digests[name] = file_sha256(path)
            locked = self.locks.read(self.repo, self.revision)
            again = f"delete {path} and fetch it again"
            for checksums, by in ((self.sha256, "the config"), (locked, str(self.locks.path))):
                expected = checksums.get(name)
                check(f"{self.repo} {name}", self.digests[name], expected, by, again)
        return path

    @property
    def _at(self) -> str:
        return f"{self.repo} at {self.revision}"

    def _refused(self, reason: str) -> UserError:
        return UserError(
            f"corpus {self.corpus}: {reason}; without the hub, set corpora.source to local and "
            f"corpora.directory to a folder with {self.corpus} in it"
        )

    @contextmanager
    def _explained(self, action: str) -> Iterator[None]:
        """Turns any error into one sentence; the library's messages may contain keys."""
        try:
            yield
        except Exception as error:
            raise self._refused(f"cannot {action} of {self._at}: {self._reason(error)}") from None

    def _reason(self, error: Exception) -> str:
        from huggingface_hub import constants

        host = urlsplit(constants.ENDPOINT).hostname or "the hub"
        status = _status(error)
        if constants.HF_HUB_OFFLINE:
            return "HF_HUB_OFFLINE is set and the cache or the lock file lacks it"
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
