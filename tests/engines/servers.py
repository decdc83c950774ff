"""A real HTTP server that speaks chat completions and fails on demand."""

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
    """What the server does instead of answering; a status of 0 leaves the body to stand alone,
    a body of None its own reply. ``reason`` stands beside the status."""

    status: int = 0
    body: bytes | None = None
    reason: str | None = None
    headers: dict = field(default_factory=dict)
    drop: bool = False  # close the connection in the middle of the body; before it, if it is empty
    cut: bool = False  # end in the middle of the body, as if that were all
    done: bool = False  # do what a call of the batch API asks for all the same
    delay: float = 0.0  # answer, but so many seconds later


def error(status, code=None, message="", **headers):
    body = {"error": {"message": message or f"fault {status}", "type": "fault", "code": code}}
    return Fault(status, json.dumps(body).encode(), headers=headers)


def replied(content, finish_reason="stop", **fields):
    """A reply of that content in place of the server's own."""
    choice = {"finish_reason": finish_reason, "message": {"content": content}}
    return Fault(body=json.dumps({"choices": [choice], **fields}).encode())


def echo(prompt):
    """What the server answers to a prompt."""
    return f"You said: {prompt[-40:]}"


class Server:
    """Counts its requests; ``faults`` are used up one a request, by the prompt's ending.

    ``faults[""]`` holds for any prompt. ``log`` has (prompt, start, end) of each request,
    ``requests`` its path, header and body as they came.
    """

    key_header = "Authorization"

    def __init__(self, delay=0.0):
        self.delay = delay
        self.faults = defaultdict(deque)
        self.stopped = False
        self.asked = Counter()
        self.answered = Counter()
        self.log = []
        self.requests = []
        self.bodies = []
        self.busy = self.most_busy = 0
        self.lock = threading.RLock()

    @property
    def keys(self):
        """The API keys that it was sent."""
        return {header.get(self.key_header) for _, header, _ in self.requests}

    def next_fault(self, name):
        for ending, faults in self.faults.items():
            if faults and name.endswith(ending):
                return faults.popleft()
        return Fault()

    def respond(self, method, path, header, content):
        """The reply to a request, its headers, and what is to go wrong with it."""
        body = json.loads(content)
        prompt = prompt_of(body)
        start = time.monotonic()
        with self.lock:
            self.asked[prompt] += 1
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
            "id": "r",
            "created": 0,
            "model": "echo-1-0001",
            "system_fingerprint": "fp_1",
            "object": "text_completion" if base else "chat.completion",
            "choices": [{"index": 0, "finish_reason": "stop", **choice}],
            "usage": {
                "prompt_tokens": len(prompt.split()),
                "completion_tokens": len(text.split()),
                "total_tokens": 0,
                "prompt_tokens_details": {"cached_tokens": 2},
            },
        }


def prompt_of(body):
    """The last prompt of a body, of whichever dialect."""
    if "prompt" in body:
        return body["prompt"]
    turns = body.get("messages") or body["contents"]
    return [
        "".join(map(text_of, entries)) for _, entries in groupby(turns, key=itemgetter("role"))
    ][-1]


def text_of(message):
    """A message's text, whole or in parts."""
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
            if server.stopped:  # a connection that outlives its server
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
            """Sends a body; ``sent``: only so many bytes, and then the connection is closed."""
            self.send_response(status, reason)
            for name, value in headers:
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.close_connection |= sent is not None
            self.wfile.write(body[:sent])

        def log_message(self, *_):
            """Nothing is printed."""

    return Handler


class Http(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


@contextmanager
def running(delay=0.0, kind=Server):
    """A server of that kind that runs while the block does; its address is ``server.url``."""
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
