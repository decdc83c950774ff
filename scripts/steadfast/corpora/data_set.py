"""A data set of the Hugging Face hub at one commit: its list of files, and each of them fetched.

A connection that drops is resumed where it broke, a few times; files that are complete stay in
the hub's cache, so another run fetches only what is missing. The environment variables
HF_ENDPOINT, HF_TOKEN, HF_HOME (or HF_HUB_CACHE) and HF_HUB_OFFLINE are honoured.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

from steadfast.base.errors import UserError

PUBLIC = "https://huggingface.co"


class NotThereError(UserError):
    """The hub has no such data set, or not at that revision; ``reason`` is what it answered."""

    def __init__(self, message: str, reason: str):
        super().__init__(message)
        self.reason = reason


class DataSet:
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
        """Turns whatever goes wrong between here and the hub into one sentence.

        The library's own messages are left out: they can hold request headers and signed addresses.
        """
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
            return response.status_code
        error = error.__cause__
    return None
