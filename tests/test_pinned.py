"""Released files: downloads are compared with a pinned checksum."""

import hashlib

import pytest

from http_server import http_server
from steadfast.base.errors import UserError
from steadfast.base.pinned import fetch, git_blob

CONTENT = b"hello"


SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture(scope="module")
def url():
    def respond(path, headers):
        content = b"other" if headers["X-Kind"] == "other" else CONTENT
        return 200 if path == "/file" else 404, content

    with http_server(respond) as address:
        yield f"{address}/file"


def test_file_is_checked_by_sha256_or_git_blob(url):
    assert fetch({"url": url, "bytes": 5, "sha256": SHA256}, "") == CONTENT
    # printf hello | git hash-object --stdin
    assert git_blob(CONTENT) == "b6fc4c620b67d95f953a5c1c1230aaab5db5a1b0"
    assert fetch({"url": url, "git_blob": git_blob(CONTENT)}, "") == CONTENT


def test_configured_headers_are_sent(url):
    source = {"url": url, "git_blob": git_blob(b"other"), "headers": {"X-Kind": "other"}}
    assert fetch(source, "") == b"other"


@pytest.mark.parametrize(
    ("path", "source", "message"),
    [
        ("", {"git_blob": "0000"}, r"git_blob .* is not the pinned 0000; .* or use a directory"),
        ("", {"bytes": 3, "sha256": SHA256}, "is not"),  # which is not read to its end
        ("gone", {"sha256": ""}, r"gone: could not be fetched .*; use a directory"),
    ],
    ids=["other", "longer", "missing"],
)
def test_other_longer_or_missing_file_is_refused(url, path, source, message):
    with pytest.raises(UserError, match=message):
        fetch({"url": url + path, **source}, "use a directory")
