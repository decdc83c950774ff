"""Servers that speak Anthropic's and Google's own APIs, by the rules of their documentation."""

from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter

from parts import Part
from servers import Server, echo, prompt_of, running, text_of


def words(text):
    """Tokens, as these servers count them."""
    return len(text.split())


class AnthropicServer(Server):
    """Messages. What stands before a mark is written to the cache once its answer begins, and read
    where it is exactly the same; ``blocks`` and ``stop`` are of each reply."""

    key_header = "x-api-key"

    def __init__(self, delay=0.0):
        super().__init__(delay)
        self.cache = set()
        self.blocks = None
        self.stop = "end_turn"
        self.written = self.read = self.plain = 0

    def usage(self, body):
        """The tokens of a request, each in one of three counts."""
        before = [(turn["role"], turn["content"]) for turn in body["messages"][:-1]]
        blocks = body["messages"][-1]["content"]
        plain = words(prompt_of(body)) + sum(words(said) for _, said in before)
        marked = [n for n, block in enumerate(blocks) if "cache_control" in block]
        read = written = 0
        with self.lock:
            for last in marked:
                key = repr((body.get("system"), before, [b["text"] for b in blocks[: last + 1]]))
                tokens = sum(words(block["text"]) for block in blocks[: last + 1])
                plain -= tokens
                read, written = (tokens, 0) if key in self.cache else (0, tokens)
                self.cache.add(key)
            self.read = self.read + read
            self.written = self.written + written
            self.plain += plain
        return plain, written, read

    def reply(self, prompt, path, body):
        plain, written, read = self.usage(body)
        blocks = [{"type": "text", "text": echo(prompt)}] if self.blocks is None else self.blocks
        return {
            "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-echo-1",
            "content": blocks, "stop_reason": self.stop, "stop_sequence": None,
            "usage": {
                "input_tokens": plain, "cache_creation_input_tokens": written,
                "cache_read_input_tokens": read, "output_tokens": 7,
                "output_tokens_details": {"thinking_tokens": 3},
            },
        }  # fmt: skip


class GeminiServer(Server):
    """generateContent; ``parts`` and ``finish`` are of each reply."""

    key_header = "x-goog-api-key"

    def __init__(self, delay=0.0):
        super().__init__(delay)
        self.parts = None
        self.finish = "STOP"

    def reply(self, prompt, path, body):
        parts = [{"text": echo(prompt)}] if self.parts is None else self.parts
        return {
            "candidates": [
                {"content": {"parts": parts, "role": "model"}, "finishReason": self.finish}
            ],
            "usageMetadata": {
                "promptTokenCount": words(prompt), "cachedContentTokenCount": 2,
                "candidatesTokenCount": 4, "thoughtsTokenCount": 3,
                "totalTokenCount": words(prompt) + 7,
            },
            "modelVersion": "gemini-echo-001", "responseId": "r",
        }  # fmt: skip


DIALECT_PATHS = ("/messages", ":generateContent")
"""How the paths of such requests end."""
LIVE_PATHS = ("/completions", *DIALECT_PATHS)
"""How those of any request for a response at once end."""


def as_chat(path, body):
    """A provider's body as that of a chat completion."""
    roles = {"model": "assistant"}
    turns = groupby(body.get("messages") or body["contents"], key=itemgetter("role"))
    messages = [
        {"role": roles.get(role, role), "content": "".join(map(text_of, entries))}
        for role, entries in turns
    ]
    model = body.get("model") or path.rpartition("/")[2].partition(":")[0]
    config = body.get("generationConfig", {})
    limit = {"max_tokens": config["maxOutputTokens"]} if "maxOutputTokens" in config else {}
    tier = {"service_tier": body["serviceTier"]} if "serviceTier" in body else {}
    return {**body, "model": model, "messages": messages, **limit, **tier}


def in_dialect(path, reply):
    """A chat completion as a provider's reply."""
    text = reply["choices"][0]["message"]["content"]
    usage = reply["usage"]
    if path.endswith("/messages"):
        return {
            "type": "message", "model": reply["model"], "stop_reason": "end_turn",
            "content": [{"type": "text", "text": text}],
            "usage": {"input_tokens": usage["prompt_tokens"], "cache_read_input_tokens": 0,
                      "output_tokens": usage["completion_tokens"]},
        }  # fmt: skip
    cached = usage.get("prompt_tokens_details", {}).get("cached_tokens")
    return {
        "candidates": [{"content": {"parts": [{"text": text}]}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": usage["prompt_tokens"],
                          "candidatesTokenCount": usage["completion_tokens"],
                          **({"cachedContentTokenCount": cached} if cached else {})},
        "modelVersion": reply["model"],
    }  # fmt: skip


SERVERS = {"openai": Server, "anthropic": AnthropicServer, "gemini": GeminiServer}


@contextmanager
def served(tmp_path, engine, **answers):
    """A server and a part that asks it."""
    with running(kind=SERVERS[engine]) as server:
        part = Part(tmp_path, server.url, engine)
        part.answers |= answers
        yield server, part
