"""A hub on this machine: the few addresses that huggingface_hub requests, over real HTTP."""

import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

REPO = "someone/texts"
REVISION = "0123456789abcdef0123456789abcdef01234567"


class Hub(ThreadingHTTPServer):
    """Serves ``files`` (name to bytes) of one data set at one revision, and logs its requests."""

    daemon_threads = True

    def __init__(self, files: dict[str, bytes]):
        super().__init__(("127.0.0.1", 0), _Handler)
        self.repo = REPO
        self.revision = REVISION
        self.files = files
        self.requests: list[tuple[str, str, dict[str, str]]] = []  # method, path, headers
        self.status: int | None = None  # of every reply, if set
        self.breaks: list[int] = []  # after how many bytes the next bodies break off
        self.url = f"http://127.0.0.1:{self.server_port}"

    def __enter__(self) -> "Hub":
        self._thread = threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.shutdown()
        self._thread.join()
        self.server_close()

    def bodies(self) -> list[dict[str, str]]:
        """The headers of the requests for a file's body."""
        bodies = []
        for method, path, headers in self.requests:
            if method == "GET" and "resolve" in path:
                bodies.append(headers)
        return bodies

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that disconnects is not reported."""


class _Handler(BaseHTTPRequestHandler):
    server: Hub
    protocol_version = "HTTP/1.1"

    def log_message(self, *message: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def _answer(self) -> None:
        path = unquote(urlsplit(self.path).path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.requests.append((self.command, path, headers))
        repo = self.server.repo
        revision = self.server.revision
        tree = f"/api/datasets/{repo}/tree/{revision}"
        resolve = f"/datasets/{repo}/resolve/{revision}/"
        if self.server.status:
            self._send(self.server.status, b"{}", {})
        elif path.rstrip("/") == tree:
            self._send(200, self._tree(), {"Content-Type": "application/json"})
        elif path.startswith(resolve) and path.removeprefix(resolve) in self.server.files:
            self._file(self.server.files[path.removeprefix(resolve)])
        elif f"datasets/{repo}/" not in path:  # private data sets are not disclosed
            self._send(401, b"{}", {"X-Error-Code": "RepoNotFound"})
        else:
            missing = "Entry" if revision in path else "Revision"
            self._send(404, b"{}", {"X-Error-Code": f"{missing}NotFound"})

    def _tree(self) -> bytes:
        entries = []
        for name, body in self.server.files.items():
            digest = hashlib.sha1(body).hexdigest()
            entries.append({"type": "file", "path": name, "size": len(body), "oid": digest})
        return json.dumps(entries).encode()

    def _file(self, body: bytes) -> None:
        headers = {
            "X-Repo-Commit": self.server.revision,
            "ETag": f'"{hashlib.sha1(body).hexdigest()}"',
            "Accept-Ranges": "bytes",
        }
        byte_range = self.headers.get("Range")
        if byte_range:
            start = int(byte_range.removeprefix("bytes=").split("-")[0])
            headers["Content-Range"] = f"bytes {start}-{len(body) - 1}/{len(body)}"
            self._send(206, body[start:], headers)
        else:
            self._send(200, body, headers)

    def _send(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            sent_bytes = self.server.breaks.pop(0) if self.server.breaks else len(body)
            self.wfile.write(body[:sent_bytes])
            self.close_connection = sent_bytes < len(body)
