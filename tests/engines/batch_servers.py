"""Servers of OpenAI's, Anthropic's and Google's batches, by their documentation.

Batches advance as they are looked at. Results come in any order.
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
    """How a batch ends; ``lose`` and ``fail`` are endings of prompts that are left unanswered,
    ``message`` is what is said of them."""

    status: str = "completed"
    message: str = ""
    lose: tuple = ()
    fail: tuple = ()


def refusals(*statuses):
    """Refusals of a call, one after the other; it is taken where a status is None."""
    return [error(status) if status else Fault() for status in statuses]


class Batching:
    """What the three have in common. ``faults`` are of calls too, by how "POST /v1/files" ends.

    Attributes:
        fates: are used up one a batch; one that fails does so at once.
        looks: how often a batch is looked at until it has ended.
        page: batches of a page of a list, the newest first.
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
        """How often each prompt stands in a batch."""
        return Counter(prompt_of(body) for batch in self.batches for _, body in batch["asked"])

    def make(self, asked, **known):
        fate = self.fates.popleft() if self.fates else Fate()
        batch = {"number": len(self.batches), "asked": asked, "looks": 0, "fate": fate, **known}
        self.batches.append(batch)
        return batch

    def look(self, batch):
        batch["looks"] += 1
        return batch

    def has_ended(self, batch):
        return batch["looks"] > self.looks or batch["fate"].status == "failed"

    def results(self, batch):
        """Whether each request was answered, and its line, which is the same each time."""
        if "results" not in batch:
            batch["results"] = []
            for name, body in reversed(batch["asked"]):
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
        """A page of the list, behind the batch that the query names, and whether more follow."""
        listed = [self.shown(batch) for batch in reversed(self.batches)]
        names = [batch["id"] for batch in listed]
        start = names.index(query[after][0]) + 1 if after in query else 0
        stop = start + min(self.page, int(query["limit"][0]))
        return {"data": listed[start:stop], "has_more": stop < len(listed)}


class BatchServer(Batching, Server):
    """OpenAI's: files by purpose, states in their order, a file for what was answered and one for
    the rest."""

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
            wanted = json.loads(content)
            lines = [json.loads(line) for line in self.files[wanted["input_file_id"]].splitlines()]
            asked = [(line["custom_id"], line["body"]) for line in lines]
            return self.shown(self.make(asked, wanted=wanted)), ()
        if path == "/batches":
            return self.paged(query, "after"), ()
        return self.shown(self.look(self.batches[int(path.removeprefix("/batches/batch_"))])), ()

    def shown(self, batch):
        said = {"id": f"batch_{batch['number']}", "metadata": batch["wanted"].get("metadata")}
        fate = batch["fate"]
        if fate.status == "failed":
            error = {"code": "x", "message": fate.message or "bad line"}
            return {**said, "status": "failed", "errors": {"data": [error]}}
        if not self.has_ended(batch):
            return {**said, "status": ("validating", "in_progress")[batch["looks"] > 0]}
        if "output" not in batch:
            results = self.results(batch)
            for name, answered in (("output", True), ("error", False)):
                content = b"".join(line for one, line in results if one is answered)
                batch[name] = self.store(content) if content else None
        files = {"output_file_id": batch["output"], "error_file_id": batch["error"]}
        return {**said, "status": fate.status, **files}

    def record(self, name, body, fate, message):
        response = None
        error = None
        if fate == "lost":
            error = {"code": "batch_expired", "message": "too late"}
        elif fate == "failed":
            why = {"message": message or "bad request", "code": "invalid"}
            response = {"status_code": 400, "body": {"error": why}}
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
    """Where it is ``stuck``, each page of its list is the first."""

    stuck = False

    def called(self, path, query, content, headers):
        rest = path.removeprefix("/v1/messages/batches").strip("/").split("/")
        if content is not None:
            wanted = json.loads(content)["requests"]
            return self.shown(
                self.make([(line["custom_id"], line["params"]) for line in wanted])
            ), ()
        if rest == [""]:
            for batch in self.batches:
                self.look(batch)
            if self.stuck:
                query.pop("after_id", None)
            return self.paged(query, "after_id"), ()
        batch = self.batches[int(rest[0].removeprefix("msgbatch_"))]
        if rest[1:] == ["results"]:
            assert self.has_ended(batch)
            return self.lines(batch), ()
        return self.shown(self.look(batch)), ()

    def shown(self, batch):
        ended = self.has_ended(batch)
        name = f"msgbatch_{batch['number']}"
        place = f"http://thief.invalid/v1/messages/batches/{name}/results"
        counts = {"processing": 0 if ended else len(batch["asked"]),
                  "succeeded": len(batch["asked"]) if ended else 0,
                  "errored": 0, "canceled": 0, "expired": 0}  # fmt: skip
        return {"id": name, "type": "message_batch", "request_counts": counts,
                "processing_status": "ended" if ended else "in_progress",
                "results_url": place if ended else None}  # fmt: skip

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
                place = f"http://thief.invalid/upload/v1/files?upload_id={name}"
                return {}, [("X-Goog-Upload-URL", place)]
            self.files[query["upload_id"][0]] = content
            return {"file": {"name": query["upload_id"][0]}}, ()
        if path.endswith(":batchGenerateContent"):
            wanted = json.loads(content)["batch"]
            lines = self.files[wanted["inputConfig"]["fileName"]].splitlines()
            asked = [(line["key"], line["request"]) for line in map(json.loads, lines)]
            return self.shown(self.make(asked, name=wanted["displayName"])), ()
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
        return self.shown(self.look(self.batches[int(path.rpartition("/b")[2])])), ()

    def shown(self, batch):
        ended = self.has_ended(batch)
        state = batch["fate"].status.upper().replace("COMPLETED", "SUCCEEDED")
        about = {"displayName": batch["name"],
                 "state": f"BATCH_STATE_{state if ended else 'RUNNING'}"}  # fmt: skip
        if ended and state in ("SUCCEEDED", "EXPIRED"):
            about["output"] = {"responsesFile": f"files/batch-{batch['number']}"}
        failed = {"error": {"code": 3, "message": "bad line"}} if state == "FAILED" else {}
        return {"name": f"batches/b{batch['number']}", "metadata": about, **failed}

    def record(self, name, body, fate, message):
        if fate == "lost":
            return None
        if fate == "failed":
            return {"key": name, "error": {"code": 3, "message": "bad request"}}
        return {"key": name, "response": self.reply(prompt_of(body), "", body)}
