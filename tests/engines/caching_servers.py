"""Servers with a provider's documented cache rules, which compute the cost of each request.

The rules are those of OpenAI's documentation (guide "Prompt caching" and the field descriptions
of the ``openai`` client): requests with an equal ``prompt_cache_key``, or else an equal beginning,
go to one machine, up to 15 a minute; further ones go to machines with an empty cache.
"""

import time
from functools import cache

from batch_servers import BatchServer, GeminiBatchServer
from dialect_servers import GeminiServer, as_chat, in_dialect
from servers import Server, echo
from steadfast.base.tokens import load_tokenizer

MIN_PREFIX = 1024  # tokens of the shortest prefix that is cached
STEP = 128  # tokens by which the prefixes of older caches grow
PER_MINUTE = 15  # requests of one machine
TEMPLATE = 7  # tokens of a chat template with one message
PRICE = {"input": 4.0, "cached": 0.4, "written": 5.0, "output": 20.0}
SHARES = {"default": 1.0, "flex": 0.5, "batch": 0.5}

tokens = cache(load_tokenizer("o200k_base").encode)


class CachingServer(Server):
    """A server with a cache.

    Attributes:
        above: prices of longer prompts, and their tokens.
        spills: whether a machine has a limit of requests.
        in_batches: whether batches use the cache.
        lifetime: requests after which an unused entry is dropped.
        bill: the cost of each request.
        usage: tokens of each request: uncached, read, written.
    """

    price = PRICE
    above = None
    spills = False
    in_batches = True
    min_prefix = MIN_PREFIX
    lifetime = 10**9

    def __init__(self, delay=0.0):
        super().__init__(delay)
        self.machines = {}
        self.times = {}
        self.bill = []
        self.usage = []
        self.number = 0

    def reply(self, prompt, path, body):
        batched = self.is_batched(path)
        with self.lock:
            self.number += 1
            plain, read, written = self.counted(prompt, body, batched)
        output = body["max_tokens"]  # as the plan takes it
        tier = "batch" if batched else body.get("service_tier", "default")
        is_long = self.above and plain + read + written > self.above["tokens"]
        price = self.above if is_long else self.price
        cost = plain * price["input"] + read * price["cached"] + written * price["written"]
        self.bill.append((cost + output * price["output"]) * SHARES[tier] / 1e6)
        self.usage.append((plain, read, written))
        choice = {"index": 0, "finish_reason": "stop", "message": {"content": echo(prompt)}}
        details = {"cached_tokens": read, "cache_write_tokens": written}
        return {
            "model": "echo-1-0001", "choices": [choice],
            "service_tier": "default" if batched else tier,
            "usage": {"prompt_tokens": plain + read + written, "completion_tokens": output,
                      "prompt_tokens_details": details},
        }  # fmt: skip

    def is_batched(self, path):
        return not path.startswith("/v1") or isinstance(self, BatchServer | GeminiBatchServer)

    def machine(self, prompt, body):
        """The cache of the machine that serves a request."""
        name = body.get("prompt_cache_key") or tuple(tokens(prompt)[:256])
        now = time.monotonic()
        recent = [at for at in self.times.get(name, ()) if now - at < 60]
        self.times[name] = [*recent, now]
        if self.spills and len(recent) >= PER_MINUTE:
            return {}
        return self.machines.setdefault(name, {})

    def is_hit(self, machine, entry):
        """Whether a machine still has an entry; it is written if not."""
        last_use = machine.get(entry)
        machine[entry] = self.number
        return last_use is not None and self.number - last_use <= self.lifetime


class PrefixServer(CachingServer):
    """Before GPT-5.6: the longest cached prefix from 1,024 tokens on, in steps of 128."""

    price = PRICE | {"written": PRICE["input"]}
    in_batches = False

    def counted(self, prompt, body, batched):
        sequence = tuple(tokens(prompt))
        machine = {} if batched and not self.in_batches else self.machine(prompt, body)
        total = len(sequence) + TEMPLATE
        read = 0
        for end in range(self.min_prefix, total // STEP * STEP + 1, STEP):
            if self.is_hit(machine, hash(sequence[:end])):
                read = end
        return total - read, read, 0


class ImplicitServer(PrefixServer, GeminiServer):
    """The implicit cache of Gemini Pro models: from 4,096 tokens on."""

    min_prefix = 4096

    def reply(self, prompt, path, body):
        return in_dialect(path, super().reply(prompt, path, as_chat(path, body)))


class MarkingServer(CachingServer):
    """From GPT-5.6 on: exact matches at marks and, in implicit mode, at the end of the prompt."""

    def counted(self, prompt, body, batched):
        total = len(tokens(prompt)) + TEMPLATE
        content = body["messages"][-1]["content"]
        parts = [{"text": content}] if isinstance(content, str) else content
        is_explicit = body.get("prompt_cache_options", {}).get("mode") == "explicit"
        entries = {}  # texts by their number of tokens
        beginning = ""
        for part in parts:
            beginning += part["text"]
            is_marked = part.get("prompt_cache_breakpoint", {}).get("mode") == "explicit"
            if is_marked or (part is parts[-1] and not is_explicit):
                entries[len(tokens(beginning))] = beginning
        machine = self.machine(prompt, body)
        read = end = 0
        for count, text in entries.items():
            if count >= MIN_PREFIX:
                end = count
                read = count if self.is_hit(machine, text) else read
        return total - end, read, end - read


def in_batches(kind):
    """The same server with batches."""
    batches = GeminiBatchServer if issubclass(kind, GeminiServer) else BatchServer
    return type(f"Batched{kind.__name__}", (kind, batches), {})
