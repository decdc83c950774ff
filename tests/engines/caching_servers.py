"""Servers with a provider's documented cache rules, which bill each request themselves.

The rules are those of OpenAI's documentation (guide "Prompt caching" and the field descriptions
of the ``openai`` client): a machine is found by ``prompt_cache_key``, or else by how the prompt
begins, and takes about 15 requests a minute of each; what is more goes to machines with nothing.
"""

import time
from functools import cache

from batch_servers import BatchServer, GeminiBatchServer
from dialect_servers import GeminiServer, as_chat, in_dialect
from servers import Server, echo
from steadfast.base.tokens import load_tokenizer

LEAST, STEP = 1024, 128  # tokens of a prefix that is cached, and by which an older cache grows
PER_MINUTE = 15
TEMPLATE = 7  # tokens of a chat template with one message
PRICE = {"input": 4.0, "cached": 0.4, "written": 5.0, "output": 20.0}
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
        return in_dialect(path, super().reply(prompt, path, as_chat(path, body)))


class MarkingServer(CachingServer):
    """From GPT-5.6 on: an exact match at a mark, or else at the end of the newest message."""

    def counted(self, prompt, body, batched):
        total = len(tokens(prompt)) + TEMPLATE
        content = body["messages"][-1]["content"]
        parts = [{"text": content}] if isinstance(content, str) else content
        is_explicit = body.get("prompt_cache_options", {}).get("mode") == "explicit"
        entries = {}  # by the tokens that they have
        beginning = ""
        for part in parts:
            beginning += part["text"]
            marked = part.get("prompt_cache_breakpoint", {}).get("mode") == "explicit"
            if marked or (part is parts[-1] and not is_explicit):
                entries[len(tokens(beginning))] = beginning
        machine = self.machine(prompt, body)
        read = end = 0
        for count, text in entries.items():
            if count >= LEAST:
                end = count
                read = count if self.known(machine, text) else read
        return total - end, read, end - read


def in_batches(kind):
    """The same server, of batches."""
    batches = GeminiBatchServer if issubclass(kind, GeminiServer) else BatchServer
    return type(f"Batched{kind.__name__}", (kind, batches), {})
