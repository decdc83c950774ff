"""Servers of Anthropic's and Google's batches, by their documentation.

Batches advance as they are looked at. Results come in any order.
"""

import json
from collections import Counter, deque
from urllib.parse import parse_qs, urlsplit

from batch_server import Fate
from dialect_servers import AnthropicServer, GeminiServer
from servers import JsonHandler, prompt_of


class Batching:
    """``fates`` are used up one a batch; ``looks`` is how often one is looked at until it has
    ended; ``lost_replies`` are batches to make without ever saying so (``lost_as``: with that
    status instead); ``cut`` are downloads of results to end in the middle; ``refusals[call]`` are
    statuses to refuse a call with (None: it is taken). Lists have ``page`` batches each, the newest
    first."""

    def __init__(self, delay=0.0):
        super().__init__(delay)
        self.fates, self.batches, self.files = deque(), [], {}
        self.looks, self.lost_replies, self.page = 2, 0, 100
        self.lost_as, self.cut = None, 0
        self.calls, self.refusals = Counter(), {}

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
        return batch["looks"] > self.looks

    def lines(self, batch):
        """The results, each a ``record`` of its name, body and fate: lost, failed or answered."""
        for name, body in reversed(batch["asked"]):
            prompt, fate = prompt_of(body), "answered"
            if prompt.endswith(batch["fate"].lose or ("\0",)):
                fate = "lost"
            elif prompt.endswith(batch["fate"].fail or ("\0",)):
                fate = "failed"
            else:
                self.answered[prompt] += 1
            if record := self.record(name, body, fate):
                yield json.dumps(record).encode() + b"\n"

    def handler(self):
        server = self

        class Handler(JsonHandler):
            def do_POST(self):
                self.answer(self.body())

            def do_GET(self):
                self.answer(None)

            def answer(self, content):
                parts = urlsplit(self.path)
                call = f"{self.command} {parts.path}"
                with server.lock:
                    server.calls[call] += 1
                    server.keys.add(self.headers.get(server.key_header))
                    statuses = server.refusals.get(call)
                    if statuses and (status := statuses.pop(0)):
                        self.send(b"{}", status)
                        return
                    made = len(server.batches)
                    reply, headers = server.called(
                        parts.path, parse_qs(parts.query), content, self.headers
                    )
                    if len(server.batches) > made and server.lost_replies:
                        server.lost_replies -= 1
                        self.close_connection = True
                        if server.lost_as:
                            self.send(b"{}", server.lost_as)
                        return
                    if isinstance(reply, bytes) and reply and server.cut:
                        server.cut -= 1
                        reply = reply[: len(reply) // 2]
                    whole = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
                    known = isinstance(reply, dict) and "file_id" in reply
                    self.send(whole, 409 if known else 200, headers)

        return Handler


class AnthropicBatchServer(Batching, AnthropicServer):
    """Where it is ``stuck``, each page of its list is the first."""

    stuck = False

    def called(self, path, query, content, headers):
        rest = path.removeprefix("/v1/messages/batches").strip("/").split("/")
        if content is not None:
            wanted = json.loads(content)["requests"]
            asked = [(one["custom_id"], one["params"]) for one in wanted]
            return self.shown(self.make(asked)), ()
        if rest == [""]:
            listed = [self.shown(self.look(batch)) for batch in reversed(self.batches)]
            names = [batch["id"] for batch in listed]
            turns = "after_id" in query and not self.stuck
            start = names.index(query["after_id"][0]) + 1 if turns else 0
            stop = start + min(self.page, int(query["limit"][0]))
            return {"data": listed[start:stop], "has_more": stop < len(listed)}, ()
        batch = self.batches[int(rest[0].removeprefix("msgbatch_"))]
        if rest[1:] == ["results"]:
            assert self.has_ended(batch)
            return b"".join(self.lines(batch)), ()
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

    def record(self, name, body, fate):
        if fate == "lost":
            result = {"type": "expired"}
        elif fate == "failed":
            error = {"type": "invalid_request_error", "message": "bad request"}
            result = {"type": "errored", "error": {"type": "error", "error": error}}
        else:
            result = {"type": "succeeded", "message": self.reply(prompt_of(body), "", body)}
        return {"custom_id": name, "result": result}


class GeminiBatchServer(Batching, GeminiServer):
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
            asked = [(one["key"], one["request"]) for one in map(json.loads, lines)]
            return self.shown(self.make(asked, name=wanted["displayName"])), ()
        if path == "/v1/batches":
            start = int(query.get("pageToken", ["0"])[0])
            listed = [self.shown(batch) for batch in reversed(self.batches)]
            found = {"operations": listed[start : start + self.page]} if listed else {}
            more = start + self.page < len(listed)
            return {**found, **({"nextPageToken": str(start + self.page)} if more else {})}, ()
        if path.endswith(":download"):
            number = int(path.removesuffix(":download").rpartition("-")[2])
            return b"".join(self.lines(self.batches[number])), ()
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

    def record(self, name, body, fate):
        if fate == "lost":
            return None
        if fate == "failed":
            return {"key": name, "error": {"code": 3, "message": "bad request"}}
        return {"key": name, "response": self.reply(prompt_of(body), "", body)}
