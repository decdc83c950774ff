"""Servers with a provider's documented cache rules, which bill each request themselves.

The rules are those of OpenAI's documentation (guide "Prompt caching" and the field descriptions
of the ``openai`` client): a machine is found by ``prompt_cache_key``, or else by how the prompt
begins, and takes about 15 requests a minute of each; what is more goes to machines with nothing.
"""

import json
import threading
import time
from functools import cache

from batch_server import BatchServer
from native_batch_servers import GeminiBatchServer
from native_servers import GeminiServer, as_chat, as_native
from servers import Server, echo, prompt_of, text_of
from steadfast.base.tokens import load_tokenizer

LEAST, STEP = 1024, 128  # tokens of a prefix that is cached, and by which an older cache grows
PER_MINUTE = 15
TEMPLATE = 7  # tokens of a chat template with one message
PRICE = {"input": 4.0, "cached": 0.4, "written": 5.0, "output": 20.0, "currency": "USD"}
SHARES = {"default": 1.0, "flex": 0.5, "batch": 0.5}

tokens = cache(load_tokenizer("o200k_base").encode)


class CachingServer(Server):
    """Answers with a cache; ``bill`` has what each request cost, by its own rules and ``price``.

    ``lifetime`` is in requests: an entry that so many others did not use is forgotten.
    """

    price = PRICE
    above = None
    spills = False
    in_batches = True
    least = LEAST
    lifetime = 10**9

    def __init__(self, delay=0.0):
        super().__init__(delay)
        self.machines, self.times, self.bill, self.usage = {}, {}, [], []
        self.turn = threading.Lock()
        self.number = 0

    def reply(self, prompt, path, body):
        batched = self.is_batched(path)
        with self.turn:
            self.number += 1
            plain, read, written = self.counted(prompt, body, batched)
        text = echo(prompt)
        output = body["max_tokens"]  # as the plan takes it
        tier = "batch" if batched else body.get("service_tier", "default")
        long = self.above and plain + read + written > self.above["tokens"]
        of = self.above if long else self.price
        cost = plain * of["input"] + read * of["cached"] + written * of["written"]
        self.bill.append((cost + output * of["output"]) * SHARES[tier] / 1e6)
        self.usage.append((plain, read, written))
        choice = {"index": 0, "finish_reason": "stop", "message": {"content": text}}
        return {
            "model": "echo-1-0001",
            "choices": [choice],
            "service_tier": "default" if batched else tier,
            "usage": {
                "prompt_tokens": plain + read + written,
                "completion_tokens": output,
                "prompt_tokens_details": {"cached_tokens": read, "cache_write_tokens": written},
            },
        }

    def is_batched(self, path):
        return not path.startswith("/v1") or isinstance(self, BatchServer | GeminiBatchServer)

    def machine(self, prompt, body):
        """The cache that a request meets: its key's, or an empty one where that has too many."""
        name = body.get("prompt_cache_key") or tuple(tokens(prompt)[:256])
        now = time.monotonic()
        recent = [at for at in self.times.get(name, ()) if now - at < 60]
        self.times[name] = [*recent, now]
        if self.spills and len(recent) >= PER_MINUTE:
            return {}
        return self.machines.setdefault(name, {})

    def known(self, machine, entry):
        """Whether a machine holds an entry still, which is then used, or written."""
        used = machine.get(entry)
        machine[entry] = self.number
        return used is not None and self.number - used <= self.lifetime


class PrefixServer(CachingServer):
    """Before GPT-5.6: the longest known prefix from 1,024 tokens on, in steps of 128."""

    price = PRICE | {"written": PRICE["input"]}
    in_batches = False

    def counted(self, prompt, body, batched):
        sequence = tuple(tokens(prompt))
        machine = {} if batched and not self.in_batches else self.machine(prompt, body)
        ends = [(len(sequence) + TEMPLATE) // STEP * STEP]
        read = 0
        for end in range(self.least, ends[0] + 1, STEP):
            if self.known(machine, hash(sequence[:end])):
                read = end
        return len(sequence) + TEMPLATE - read, read, 0


class ImplicitServer(PrefixServer, GeminiServer):
    """Gemini's implicit cache, as Pro models have it: from 4,096 tokens on."""

    least = 4096

    def reply(self, prompt, path, body):
        return as_native(path, super().reply(prompt, path, as_chat(path, body)))


class StoringServer(ImplicitServer):
    """Gemini's explicit caches, of which each is billed for what it holds and for how long.

    ``time`` is the server's clock, in seconds; each answer takes ``step`` of them. ``lost`` are
    caches to make without saying so; ``refused`` has statuses to refuse calls with, by method;
    ``evicts`` is how often all caches end as one is named.
    """

    price = ImplicitServer.price | {"storage": 500.0}
    step, start = 20.0, 1_800_000_000.0
    least = 1024

    def __init__(self, delay=0.0):
        super().__init__(delay)
        self.time, self.stored, self.made, self.lost = self.start, {}, [], 0
        self.refused, self.calls, self.held, self.evicts = {}, [], [], 0

    def now(self):
        return self.time

    def live(self):
        """The caches that are neither deleted nor at their end."""
        return {name: of for name, of in self.stored.items() if of["until"] > self.time}

    def storage(self):
        """What all caches have cost, those that live by now as well."""
        return sum(
            of["tokens"] * (of["price"] + (min(self.time, of["until"]) - of["from"]) / 3600 * 500)
            for of in self.made
        ) / 1e6  # fmt: skip

    def other(self, method, path, body):
        path = path.partition("?")[0]
        if not path.startswith("/v1/cachedContents") and "cachedContent" not in (body or {}):
            return None
        with self.turn:
            self.calls.append((method, path))
            if statuses := self.refused.get(method):
                return error_of(statuses.pop(0), "try again")
            if path.startswith("/v1/models"):
                if self.evicts:
                    self.evicts -= 1
                    for of in self.live().values():
                        of["until"] = self.time
                known = body["cachedContent"] in self.live()
                assert not {"systemInstruction", "tools", "toolConfig"} & body.keys()
                gone = "CachedContent not found (or permission denied)"
                return None if known else error_of(403, gone)
            if method == "POST":
                return self.make(body)
            if method == "GET":
                shown = [of["shown"] for of in self.live().values()]
                return json.dumps({"cachedContents": shown} if shown else {}).encode(), 200
            name = path.removeprefix("/v1/")
            if name not in self.live():
                return error_of(403, "CachedContent not found (or permission denied)")
            self.stored[name]["until"] = self.time
            return b"{}", 200

    def make(self, body):
        (context,) = body["contents"]
        count = len(tokens(text_of(context)))
        if count < self.least:
            said = f"total_token_count={count}, min_total_token_count={self.least}"
            return error_of(400, f"Cached content is too small. {said}")
        name = f"cachedContents/c{len(self.made)}"
        shown = {"name": name, "displayName": body["displayName"], "model": body["model"],
                 "usageMetadata": {"totalTokenCount": count}}  # fmt: skip
        rates = self.above if self.above and count > self.above["tokens"] else self.price
        self.stored[name] = {
            "shown": shown, "text": text_of(context), "tokens": count, "price": rates["input"],
            "from": self.time, "until": self.time + float(body["ttl"].removesuffix("s")),
        }  # fmt: skip
        self.made.append(self.stored[name])
        self.held.append(body)
        if self.lost:
            self.lost -= 1
            return error_of(503, "overloaded")
        return json.dumps(shown).encode(), 200

    def counted(self, prompt, body, batched):
        if (name := body.get("cachedContent")) is None:
            return super().counted(prompt, body, batched)
        self.time += self.step
        read = self.stored[name]["tokens"]
        return len(tokens(prompt)) + TEMPLATE, read, 0

    def handler(self):
        server = self

        class Handler(super().handler()):
            def do_GET(self):
                self.send(*server.other("GET", self.path, None))

            def do_DELETE(self):
                self.send(*server.other("DELETE", self.path, None))

        return Handler


def error_of(status, message):
    """A refusal in Google's form."""
    return json.dumps({"error": {"code": status, "message": message}}).encode(), status


class MarkingServer(CachingServer):
    """From GPT-5.6 on: an exact match at a mark, or else at the end of the newest message."""

    def counted(self, prompt, body, batched):
        whole = len(tokens(prompt)) + TEMPLATE
        content = body["messages"][-1]["content"]
        parts = [content] if isinstance(content, str) else [part["text"] for part in content]
        marked = [
            number
            for number, part in enumerate(content if isinstance(content, list) else [], start=1)
            if part.get("prompt_cache_breakpoint", {}).get("mode") == "explicit"
        ]
        if body.get("prompt_cache_options", {}).get("mode") != "explicit":
            marked.append(len(parts))
        machine = self.machine(prompt, body)
        ends = {len(tokens("".join(parts[:at]))): "".join(parts[:at]) for at in marked}
        ends = {end: text for end, text in ends.items() if end >= LEAST}
        held = [end for end, text in ends.items() if self.known(machine, text)]
        read = max(held, default=0)
        written = max(ends, default=0) - read
        return whole - read - written, read, written


def in_batches(kind):
    """The same server, of batches."""
    batches = GeminiBatchServer if issubclass(kind, GeminiServer) else BatchServer
    return type(f"Batched{kind.__name__}", (kind, batches), {})


__all__ = [
    "ImplicitServer", "MarkingServer", "PrefixServer", "StoringServer", "in_batches", "prompt_of",
]  # fmt: skip
