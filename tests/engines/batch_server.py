"""A real HTTP server that speaks /v1/files and /v1/batches; batches advance as they are looked at.

It holds to what the API promises: files by purpose, states in their order, an output file for
what was answered and an error file for the rest, in any order.
"""

import json
import re
from collections import Counter, deque
from dataclasses import dataclass
from email.message import Message
from urllib.parse import parse_qs, urlsplit

from servers import JsonHandler, Server, prompt_of

STATES = ("validating", "in_progress", "finalizing")


@dataclass
class Fate:
    """How a batch ends; ``lose`` and ``fail`` are endings of prompts that are left unanswered,
    ``message`` is what is said of them."""

    status: str = "completed"
    message: str = ""
    lose: tuple = ()
    fail: tuple = ()


class BatchServer(Server):
    """``fates`` are used up one a batch; ``faults[path]`` are (status, headers) one a call.

    ``looks`` is how often a batch is looked at until it has ended; one that fails does so at once.
    ``odd[call]`` are bodies to send instead, once what was asked is done; ``odd_words`` change what
    is said of a batch that has failed. Lists have ``page`` batches each, the ``strangers``' first.
    """

    def __init__(self, delay=0.0):
        super().__init__(delay)
        self.files, self.batches = {}, {}
        self.fates = deque()
        self.looks = 2
        self.calls = Counter()
        self.refusals = {}
        self.complaint = "busy"  # what a refusal says
        self.lost_replies = 0  # batches to make without ever saying so
        self.odd, self.odd_words = {}, {}
        self.page, self.strangers = 100, 0

    def handler(self):
        return handler_of(self)

    def store(self, content):
        name = f"file-{len(self.files)}"
        self.files[name] = content
        return name

    def submitted(self):
        """How often each prompt stands in a batch."""
        lines = (json.loads(line) for b in self.batches.values() for line in b["lines"])
        return Counter(prompt_of(line["body"]) for line in lines)

    def make(self, wanted):
        name = f"batch_{len(self.batches)}"
        lines = self.files[wanted["input_file_id"]].splitlines()
        self.batches[name] = {
            "id": name, "object": "batch", "status": "validating", "created_at": 0,
            "endpoint": wanted["endpoint"], "input_file_id": wanted["input_file_id"],
            "completion_window": wanted["completion_window"], "metadata": wanted.get("metadata"),
            "output_file_id": None, "error_file_id": None, "errors": None,
            "lines": lines, "looks": 0, "fate": self.fates.popleft() if self.fates else Fate(),
        }  # fmt: skip
        return self.batches[name]

    def look(self, name):
        batch = self.batches[name]
        batch["looks"] += 1
        if batch["looks"] <= self.looks and batch["fate"].status != "failed":
            batch["status"] = STATES[min(batch["looks"], len(STATES)) - 1]
        elif batch["status"] != batch["fate"].status:
            self.end(batch)
        return batch

    def listed(self, query):
        """A page of the batches, behind the one that the query names."""
        strangers = [{"id": f"other_{n}", "status": "completed"} for n in range(self.strangers)]
        batches = strangers + [shown(batch) for batch in self.batches.values()]
        names = [batch["id"] for batch in batches]
        start = names.index(query["after"][0]) + 1 if "after" in query else 0
        page = batches[start : start + self.page]
        more = start + len(page) < len(batches)
        return {"object": "list", "data": page, "has_more": more}

    def end(self, batch):
        fate = batch["fate"]
        batch["status"] = fate.status
        if fate.status == "failed":
            error = {"code": "x", "message": fate.message or "bad line"}
            batch["errors"] = {"object": "list", "data": [error]}
            return
        answered, failed = [], []
        for line in reversed(batch["lines"]):
            record = json.loads(line)
            prompt = prompt_of(record["body"])
            if prompt.endswith(fate.lose or ("\0",)):
                error = {"code": "batch_expired", "message": "too late"}
                failed.append(reply(record, None, error))
            elif prompt.endswith(fate.fail or ("\0",)):
                body = {"error": {"message": fate.message or "bad request", "code": "invalid"}}
                failed.append(reply(record, {"status_code": 400, "body": body}))
            else:
                self.answered[prompt] += 1
                body = self.reply(prompt, record["url"], record["body"])
                answered.append(reply(record, {"status_code": 200, "body": body}))
        for name, replies in (("output_file_id", answered), ("error_file_id", failed)):
            if replies:
                batch[name] = self.store(b"".join(replies))


def reply(record, response, error=None):
    whole = {"id": "r", "custom_id": record["custom_id"], "response": response, "error": error}
    return json.dumps(whole).encode() + b"\n"


def shown(batch):
    return {key: batch[key] for key in batch if key not in ("lines", "looks", "fate")}


def uploaded(headers, content):
    """The file in a multipart body."""
    message = Message()
    message["Content-Type"] = headers["Content-Type"]
    boundary = message.get_param("boundary").encode()
    for part in content.split(b"--" + boundary):
        head, _, body = part.partition(b"\r\n\r\n")
        if re.search(rb'name="file"', head):
            return body.removesuffix(b"\r\n")
    raise ValueError("no file in the upload")


def handler_of(server):
    class Handler(JsonHandler):
        def do_POST(self):
            content = self.body()
            with server.lock:
                if self.refused():
                    return
                if self.path == "/v1/files":
                    content = uploaded(self.headers, content)
                    name = server.store(content)
                    self.say({"id": name, "object": "file", "bytes": len(content),
                              "created_at": 0, "filename": "f", "purpose": "batch",
                              "status": "processed"})  # fmt: skip
                elif self.path == "/v1/batches":
                    batch = server.make(json.loads(content))
                    if server.lost_replies:
                        server.lost_replies -= 1
                        self.close_connection = True
                        return
                    self.say(shown(batch))

        def do_GET(self):
            with server.lock:
                if self.refused():
                    return
                path = self.path.split("?")[0].removeprefix("/v1/")
                kind, _, rest = path.partition("/")
                name, _, rest = rest.partition("/")
                if kind == "files" and rest == "content":
                    self.send(server.files[name])
                elif kind == "batches" and name:
                    failed = {"id": name, "status": "failed", **server.odd_words}
                    self.say(failed if server.odd_words else shown(server.look(name)))
                else:
                    self.say(server.listed(parse_qs(urlsplit(self.path).query)))

        def refused(self):
            server.keys.add(self.headers.get("Authorization"))
            path = self.path.split("?")[0]
            server.calls[f"{self.command} {path}"] += 1
            statuses = server.refusals.get(f"{self.command} {path}")
            if not statuses:
                return False
            self.say({"error": {"message": server.complaint}}, statuses.pop(0))
            return True

        def say(self, value, status=200):
            odd = server.odd.get(f"{self.command} {self.path.split('?')[0]}")
            self.send(odd.pop(0) if odd else json.dumps(value).encode(), status)

    return Handler
