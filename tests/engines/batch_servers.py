"""Servers of OpenAI's, Anthropic's and Google's batches, by their documentation.

Batches advance as they are polled. Results come in another order.
"""

import json
import re
from collections import Counter, deque
from dataclasses import dataclass
from email.message import Message
from urllib.parse import parse_qs, urlsplit

from dialect_servers import LIVE_PATHS, AnthropicServer, GeminiServer
from servers import Fault, Server, error, prompt_of


@dataclass
class Fate:
    """How a batch ends: ``lose`` and ``fail`` are endings of prompts that get no response,
    ``message`` is their error message."""

    status: str = "completed"
    message: str = ""
    lose: tuple = ()
    fail: tuple = ()


def refusals(*statuses):
    """Consecutive replies to a call: an error status, or None for success."""
    return [error(status) if status else Fault() for status in statuses]


class Batching:
    """What the three servers share. ``faults`` apply to calls too, such as "POST /v1/files".

    Attributes:
        fates: one for each batch created; a failed one ends at once.
        looks: polls after which a batch has ended.
        page: batches in a page of the list, the newest first.
    """

    def __init__(self, delay=0.0):
        super().__init__(delay)
        self.fates = deque()
        self.batches = []
        self.files = {}
        self.looks = 2
        self.page = 100
        self.calls = Counter()

    def refuse(self, call, *statuses):
        self.faults[call].extend(refusals(*statuses))

    def respond(self, method, path, header, content):
        parts = urlsplit(path)
        if parts.path.endswith(LIVE_PATHS):
            return super().respond(method, path, header, content)
        call = f"{method} {parts.path}"
        with self.lock:
            self.calls[call] += 1
            fault = Server.next_fault(self, call)
            if fault.status and not fault.done:
                return None, (), fault
            return *self.called(parts.path, parse_qs(parts.query), content, header), fault

    def submitted(self):
        """How often each prompt was submitted in a batch."""
        prompts = Counter()
        for batch in self.batches:
            prompts.update(prompt_of(body) for _, body in batch["requests"])
        return prompts

    def batch_sizes(self):
        """The number of requests in each batch."""
        return [len(batch["requests"]) for batch in self.batches]

    def create(self, requests, **fields):
        fate = self.fates.popleft() if self.fates else Fate()
        batch = {"number": len(self.batches), "looks": 0, "fate": fate, "requests": requests}
        batch |= fields
        self.batches.append(batch)
        return batch

    def poll(self, batch):
        batch["looks"] += 1
        return batch

    def has_ended(self, batch):
        return batch["looks"] > self.looks or batch["fate"].status == "failed"

    def results(self, batch):
        """Whether each request was answered, and its line; the same at each call."""
        if "results" not in batch:
            batch["results"] = []
            for name, body in reversed(batch["requests"]):
                prompt = prompt_of(body)
                fate = "answered"
                if prompt.endswith(batch["fate"].lose or ("\0",)):
                    fate = "lost"
                elif prompt.endswith(batch["fate"].fail or ("\0",)):
                    fate = "failed"
                else:
                    self.answered[prompt] += 1
                if record := self.record(name, body, fate, batch["fate"].message):
                    line = json.dumps(record).encode() + b"\n"
                    batch["results"].append((fate == "answered", line))
        return batch["results"]

    def lines(self, batch):
        return b"".join(line for _, line in self.results(batch))

    def paged(self, query, after):
        """A page of the list, after the batch that the query names."""
        listed = [self.shown(batch) for batch in reversed(self.batches)]
        names = [batch["id"] for batch in listed]
        start = names.index(query[after][0]) + 1 if after in query else 0
        assert int(query["limit"][0]) <= 100  # at OpenAI
        stop = start + self.page
        return {"data": listed[start:stop], "has_more": stop < len(listed)}


class BatchServer(Batching, Server):
    """OpenAI's: one file with the responses and one with the errors."""

    def store(self, content):
        name = f"file-{len(self.files)}"
        self.files[name] = content
        return name

    def called(self, path, query, content, headers):
        path = path.removeprefix("/v1")
        if path == "/files":
            return {"id": self.store(uploaded(headers, content)), "object": "file"}, ()
        if path.startswith("/files/"):
            return self.files[path.split("/")[2]], ()
        if content is not None:
            definition = json.loads(content)
            lines = map(json.loads, self.files[definition["input_file_id"]].splitlines())
            requests = [(line["custom_id"], line["body"]) for line in lines]
            return self.shown(self.create(requests, definition=definition)), ()
        if path == "/batches":
            return self.paged(query, "after"), ()
        batch = self.batches[int(path.removeprefix("/batches/batch_"))]
        return self.shown(self.poll(batch)), ()

    def shown(self, batch):
        metadata = batch["definition"].get("metadata")
        shown = {"id": f"batch_{batch['number']}", "metadata": metadata}
        fate = batch["fate"]
        if fate.status == "failed":
            error = {"code": "x", "message": fate.message or "bad line"}
            return {**shown, "status": "failed", "errors": {"data": [error]}}
        if not self.has_ended(batch):
            return {**shown, "status": "in_progress" if batch["looks"] else "validating"}
        if "output" not in batch:
            contents = {True: b"", False: b""}
            for is_answered, line in self.results(batch):
                contents[is_answered] += line
            batch["output"] = self.store(contents[True]) if contents[True] else None
            batch["error"] = self.store(contents[False]) if contents[False] else None
        files = {"output_file_id": batch["output"], "error_file_id": batch["error"]}
        return {**shown, "status": fate.status, **files}

    def record(self, name, body, fate, message):
        response = None
        error = None
        if fate == "lost":
            error = {"code": "batch_expired", "message": "too late"}
        elif fate == "failed":
            details = {"message": message or "bad request", "code": "invalid"}
            response = {"status_code": 400, "body": {"error": details}}
        else:
            path = "/completions" if "prompt" in body else "/chat/completions"
            response = {"status_code": 200, "body": self.reply(prompt_of(body), path, body)}
        return {"id": "r", "custom_id": name, "response": response, "error": error}


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


class AnthropicBatchServer(Batching, AnthropicServer):
    """Anthropic's; where it is ``stuck``, each page of its list is the first."""

    stuck = False

    def called(self, path, query, content, headers):
        if content is not None:
            lines = json.loads(content)["requests"]
            requests = [(line["custom_id"], line["params"]) for line in lines]
            return self.shown(self.create(requests)), ()
        name, _, action = path.removeprefix("/v1/messages/batches").strip("/").partition("/")
        if not name:
            for batch in self.batches:
                self.poll(batch)
            if self.stuck:
                query.pop("after_id", None)
            return self.paged(query, "after_id"), ()
        batch = self.batches[int(name.removeprefix("msgbatch_"))]
        if action == "results":
            assert self.has_ended(batch)
            return self.lines(batch), ()
        return self.shown(self.poll(batch)), ()

    def shown(self, batch):
        ended = self.has_ended(batch)
        name = f"msgbatch_{batch['number']}"
        url = f"http://thief.invalid/v1/messages/batches/{name}/results"
        size = len(batch["requests"])
        counts = {"processing": 0 if ended else size, "succeeded": size if ended else 0,
                  "errored": 0, "canceled": 0, "expired": 0}  # fmt: skip
        return {"id": name, "type": "message_batch", "request_counts": counts,
                "processing_status": "ended" if ended else "in_progress",
                "results_url": url if ended else None}  # fmt: skip

    def record(self, name, body, fate, message):
        if fate == "lost":
            result = {"type": "expired"}
        elif fate == "failed":
            error = {"type": "invalid_request_error", "message": "bad request"}
            result = {"type": "errored", "error": {"type": "error", "error": error}}
        else:
            result = {"type": "succeeded", "message": self.reply(prompt_of(body), "", body)}
        return {"custom_id": name, "result": result}


class GeminiBatchServer(Batching, GeminiServer):
    """Google's: uploads in two steps, and lists by page tokens."""

    def called(self, path, query, content, headers):
        if path == "/upload/v1/files":
            if headers["X-Goog-Upload-Command"] == "start":
                name = f"files/f{len(self.files)}"
                self.files[name] = None
                url = f"http://thief.invalid/upload/v1/files?upload_id={name}"
                return {}, [("X-Goog-Upload-URL", url)]
            self.files[query["upload_id"][0]] = content
            return {"file": {"name": query["upload_id"][0]}}, ()
        if path.endswith(":batchGenerateContent"):
            definition = json.loads(content)["batch"]
            file = self.files[definition["inputConfig"]["fileName"]]
            lines = map(json.loads, file.splitlines())
            requests = [(line["key"], line["request"]) for line in lines]
            return self.shown(self.create(requests, name=definition["displayName"])), ()
        if path == "/v1/batches":
            start = int(query.get("pageToken", ["0"])[0])
            listed = [self.shown(batch) for batch in reversed(self.batches)]
            page = {"operations": listed[start : start + self.page]} if listed else {}
            if start + self.page < len(listed):
                page["nextPageToken"] = str(start + self.page)
            return page, ()
        if path.endswith(":download"):
            number = int(path.removesuffix(":download").rpartition("-")[2])
            return self.lines(self.batches[number]), ()
        batch = self.batches[int(path.rpartition("/b")[2])]
        return self.shown(self.poll(batch)), ()

    def shown(self, batch):
        ended = self.has_ended(batch)
        state = batch["fate"].status.upper().replace("COMPLETED", "SUCCEEDED")
        metadata = {"displayName": batch["name"],
                    "state": f"BATCH_STATE_{state if ended else 'RUNNING'}"}  # fmt: skip
        if ended and state in ("SUCCEEDED", "EXPIRED"):
            metadata["output"] = {"responsesFile": f"files/batch-{batch['number']}"}
        failed = {"error": {"code": 3, "message": "bad line"}} if state == "FAILED" else {}
        return {"name": f"batches/b{batch['number']}", "metadata": metadata, **failed}

    def record(self, name, body, fate, message):
        if fate == "lost":
            return None
        if fate == "failed":
            return {"key": name, "error": {"code": 3, "message": "bad request"}}
        return {"key": name, "response": self.reply(prompt_of(body), "", body)}
