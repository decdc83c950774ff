"""Servers of Anthropic's and Google's own APIs, by their documentation."""

from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter

from parts import Part
from servers import Server, echo, prompt_of, running, text_of


def words(text):
    """The number of tokens, as these servers count."""
    return len(text.split())


class AnthropicServer(Server):
    """Anthropic's Messages API, with a cache of exact prefixes up to a mark.

    Attributes:
        blocks, stop: content and stop reason of each reply.
        plain, written, read: tokens that were uncached, written to the cache, read from it.
    """

    key_header = "x-api-key"

    def __init__(self, delay=0.0):
        super().__init__(delay)
        self.cache = set()
        self.blocks = None
        self.stop = "end_turn"
        self.plain = 0
        self.written = 0
        self.read = 0

    def usage(self, body):
        """The tokens of a request: uncached, written, read."""
        before = [(turn["role"], turn["content"]) for turn in body["messages"][:-1]]
        blocks = body["messages"][-1]["content"]
        plain = words(prompt_of(body)) + sum(words(content) for _, content in before)
        read = 0
        written = 0
        prefix = []
        prefix_tokens = 0
        with self.lock:
            for block in blocks:
                prefix.append(block["text"])
                prefix_tokens += words(block["text"])
                if "cache_control" not in block:
                    continue
                plain -= prefix_tokens
                key = repr((body.get("system"), before, prefix))
                read, written = (prefix_tokens, 0) if key in self.cache else (0, prefix_tokens)
                self.cache.add(key)
            self.read += read
            self.written += written
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
    """Google's generateContent; each reply has ``parts`` and finish reason ``finish``."""

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
"""Ends of the paths of requests in these dialects."""
LIVE_PATHS = ("/completions", *DIALECT_PATHS)
"""Ends of the paths of all live requests."""


def as_chat(path, body):
    """A provider's request body as that of a chat completion."""
    chat = {**body, "messages": []}
    for role, entries in groupby(body.get("messages") or body["contents"], itemgetter("role")):
        content = "".join(map(text_of, entries))
        chat["messages"].append({"role": role.replace("model", "assistant"), "content": content})
    chat["model"] = body.get("model") or path.rpartition("/")[2].partition(":")[0]
    config = body.get("generationConfig", {})
    if "maxOutputTokens" in config:
        chat["max_tokens"] = config["maxOutputTokens"]
    if "serviceTier" in body:
        chat["service_tier"] = body["serviceTier"]
    return chat


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
    """A server, and a part of a model that it serves."""
    with running(kind=SERVERS[engine]) as server:
        part = Part(tmp_path, server.url, engine)
        part.answers |= answers
        yield server, part
