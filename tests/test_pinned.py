"""Released files: fetched at a pinned revision, checked, and mistakes named."""

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


def test_a_file_is_known_by_its_sha256_or_git_blob_and_headers_are_sent(url):
    sha256 = hashlib.sha256(CONTENT).hexdigest()
    assert fetch({"url": url, "bytes": 5, "sha256": sha256}, "") == CONTENT
    # printf hello | git hash-object --stdin
    assert git_blob(CONTENT) == "b6fc4c620b67d95f953a5c1c1230aaab5db5a1b0"
    assert fetch({"url": url, "git_blob": git_blob(CONTENT)}, "") == CONTENT
    source = {"url": url, "git_blob": git_blob(b"other"), "headers": {"X-Kind": "other"}}
    assert fetch(source, "") == b"other"


def test_another_longer_or_missing_file_is_refused(url):
    with pytest.raises(
        UserError, match=r"git_blob .* is not the pinned 0000; .* or use a directory"
    ):
        fetch({"url": url, "git_blob": "0000"}, "use a directory")
    # a longer one is not read to its end
    sha256 = hashlib.sha256(CONTENT).hexdigest()
    with pytest.raises(UserError, match="is not"):
        fetch({"url": url, "bytes": 3, "sha256": sha256}, "")
    with pytest.raises(UserError, match=r"gone: could not be fetched .*; use a directory"):
        fetch({"url": f"{url}gone", "sha256": ""}, "use a directory")
