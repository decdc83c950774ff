"""Released files: downloads are compared with a pinned checksum."""

import hashlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from steadfast.base.errors import UserError
from steadfast.base.pinned import fetch, git_blob

CONTENT = b"hello"


@pytest.fixture(scope="module")
def url():
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200 if self.path == "/file" else 404)
            self.end_headers()
            self.wfile.write(CONTENT if self.headers["X-Kind"] != "other" else b"other")

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/file"
    server.shutdown()
    server.server_close()


SHA256 = hashlib.sha256(CONTENT).hexdigest()


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
