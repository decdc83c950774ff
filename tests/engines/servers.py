"""An HTTP server of chat completions that fails on demand."""

import json
import threading
import time
from collections import Counter, defaultdict, deque
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import groupby
from operator import itemgetter


@dataclass
class Fault:
    """A fault of one reply."""

    status: int = 0  # of HTTP; 0: 200
    body: bytes | None = None  # None: the server's own reply
    reason: str | None = None  # phrase beside the status
    headers: dict = field(default_factory=dict)
    drop: bool = False  # close the connection in the middle of the body, or instead of an empty one
    cut: bool = False  # send half of the body as if it were complete
    done: bool = False  # of a batch API: perform the call nevertheless
    delay: float = 0.0  # seconds before the reply


def error(status, code=None, message="", **headers):
    body = {"error": {"message": message or f"fault {status}", "type": "fault", "code": code}}
    return Fault(status, json.dumps(body).encode(), headers=headers)


def replied(content, finish_reason="stop", **fields):
    """A reply with this content instead of the server's own."""
    choice = {"finish_reason": finish_reason, "message": {"content": content}}
    return Fault(body=json.dumps({"choices": [choice], **fields}).encode())


def echo(prompt):
    """The server's response to a prompt."""
    return f"You said: {prompt[-40:]}"


class Server:
    """A server that counts its requests.

    Attributes:
        faults: faults of the next requests, by the end of their prompts; "" fits all prompts.
        requested, answered: the number of requests and of responses, by prompt.
        log: prompt, start and end of each request.
        requests: path, headers and body of each request.
    """

    key_header = "Authorization"

    def __init__(self, delay=0.0):
        self.delay = delay
        self.faults = defaultdict(deque)
        self.stopped = False
        self.requested = Counter()
        self.answered = Counter()
        self.log = []
        self.requests = []
        self.bodies = []
        self.busy = 0
        self.most_busy = 0
        self.lock = threading.RLock()

    @property
    def keys(self):
        """The API keys received."""
        return {header.get(self.key_header) for _, header, _ in self.requests}

    def next_fault(self, name):
        for ending, faults in self.faults.items():
            if faults and name.endswith(ending):
                return faults.popleft()
        return Fault()

    def respond(self, method, path, header, content):
        """The reply to a request, its headers, and its fault."""
        body = json.loads(content)
        prompt = prompt_of(body)
        start = time.monotonic()
        with self.lock:
            self.requested[prompt] += 1
            self.bodies.append(body)
            self.busy += 1
            self.most_busy = max(self.most_busy, self.busy)
            fault = self.next_fault(prompt)
        time.sleep(self.delay + fault.delay)
        with self.lock:
            self.busy -= 1
            self.log.append((prompt, start, time.monotonic()))
            if not fault.status and not fault.drop:
                self.answered[prompt] += 1
        return self.reply(prompt, path, body) if fault.body is None else None, (), fault

    def reply(self, prompt, path, body):
        text = echo(prompt)
        base = path.endswith("/completions") and "prompt" in body
        choice = {"text": text} if base else {"message": {"role": "assistant", "content": text}}
        return {
            "id": "r", "created": 0, "model": "echo-1-0001", "system_fingerprint": "fp_1",
            "object": "text_completion" if base else "chat.completion",
            "choices": [{"index": 0, "finish_reason": "stop", **choice}],
            "usage": {"prompt_tokens": len(prompt.split()), "completion_tokens": len(text.split()),
                      "total_tokens": 0, "prompt_tokens_details": {"cached_tokens": 2}},
        }  # fmt: skip


def prompt_of(body):
    """The last prompt of a request body in any dialect."""
    if "prompt" in body:
        return body["prompt"]
    turns = body.get("messages") or body["contents"]
    texts = []
    for _, entries in groupby(turns, key=itemgetter("role")):
        texts.append("".join(map(text_of, entries)))
    return texts[-1]


def text_of(message):
    """The text of a message, which may consist of parts."""
    content = message.get("content") or message["parts"]
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def handler_of(server):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # else bodies wait 40 ms for the header's acknowledgement

        def do_GET(self):
            self.answer(None)

        def do_POST(self):
            self.answer(self.rfile.read(int(self.headers["Content-Length"])))

        def answer(self, content):
            if server.stopped:  # a connection that was kept alive
                self.close_connection = True
                return
            with server.lock:
                server.requests.append((self.path, self.headers, content))
            reply, headers, fault = server.respond(self.command, self.path, self.headers, content)
            body = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
            body = body if fault.body is None else fault.body
            body = body[: len(body) // 2] if fault.cut else body
            names = ((name.replace("_", "-"), value) for name, value in fault.headers.items())
            if fault.drop and not body:
                self.close_connection = True
                return
            sent = len(body) // 2 if fault.drop else None
            try:
                self.send(body, fault.status or 200, [*headers, *names], sent, fault.reason)
            except OSError:
                self.close_connection = True

        def send(self, body, status=200, headers=(), sent=None, reason=None):
            """Sends a body, or its first ``sent`` bytes before the connection is closed."""
            self.send_response(status, reason)
            for name, value in headers:
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.close_connection |= sent is not None
            self.wfile.write(body[:sent])

        def log_message(self, *_):
            """Prints nothing."""

    return Handler


class Http(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


@contextmanager
def running(delay=0.0, kind=Server):
    """Runs a server of that kind within the block; its URL is ``server.url``."""
    server = kind(delay)
    http = Http(("127.0.0.1", 0), handler_of(server))
    server.url = f"http://127.0.0.1:{http.server_address[1]}/v1"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.stopped = True
        http.shutdown()
        http.server_close()
        thread.join()
