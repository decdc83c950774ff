"""What an OpenAI-compatible server is sent: the same body live and in a batch file."""

import json
import re
from collections.abc import Iterable, Mapping
from itertools import chain

from steadfast.base.files import Record, Settings
from steadfast.contract.request import Request, Turns

SURROGATE = re.compile("[\ud800-\udfff]")
MOST = 10**12
"""A count above it is a fault of the server's."""


def clean(text: str) -> str:
    """The text with U+FFFD for lone surrogates, which no UTF-8 file can hold."""
    return text if text.isascii() else SURROGATE.sub("�", text)


def parsed(content: bytes) -> object:
    """The value of a JSON text in UTF-8; None where it is none."""
    try:
        return json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None


def mapping(value: object) -> Mapping[str, object]:
    """A JSON object, by default an empty one."""
    return value if isinstance(value, dict) else {}


def array(value: object) -> list[object]:
    """A JSON array, by default an empty one."""
    return value if isinstance(value, list) else []


def text(value: object) -> str | None:
    """A string that can be written."""
    return clean(value) if isinstance(value, str) else None


def count(value: object) -> int | None:
    """A number of things, from 0 to ``MOST``; true and false are none."""
    sound = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST
    return value if sound and isinstance(value, int) else None


SUFFIX = "Output: "  # what a base model's prompt ends with (appendix E)
SAMPLING = ("temperature", "top_p", "top_k", "min_p")  # sent where they are set


def request_body(answers: Settings, request: Request, max_tokens_field: str) -> Record:
    """The body of one request, by the engine's settings that determine a response."""
    if answers["template"] == "base":
        asked: Record = {"prompt": plain_text(request.prompt, request.turns)}
    else:
        asked = {"messages": messages(request.prompt, request.turns, answers.get("system"))}
    # Each repeat has a seed of its own: with the same one, a server gives the same answer again.
    seed = {"seed": answers["seed"] + request.repeat} if "seed" in answers else {}
    form = {}
    if request.schema:  # a reply that follows a JSON schema (OpenAI's Structured Outputs)
        named = {"name": "reply", "strict": True, "schema": json.loads(request.schema)}
        form = {"response_format": {"type": "json_schema", "json_schema": named}}
    return {
        "model": answers["model"],
        **asked,
        **{name: answers[name] for name in SAMPLING if name in answers},
        **seed,
        **answers.get("extra_body", {}),
        **form,
        max_tokens_field: request.max_tokens,
    }


def plain_text(prompt: str, turns: Turns = ()) -> str:
    """A prompt and the turns before it, as one text that a base model goes on with."""
    return as_text(turns) + _question(prompt)


def as_text(exchanges: Iterable[tuple[str, str]]) -> str:
    """Prompts with their answers, in the form in which a base model is to go on (appendix E)."""
    return "".join(f"{_question(prompt)}{clean(answer)}\n\n" for prompt, answer in exchanges)


def _question(prompt: str) -> str:
    prompt = clean(prompt)
    return prompt + ("" if prompt.endswith("\n") else "\n") + SUFFIX


def messages(prompt: str, turns: Turns = (), system: str | None = None) -> list[dict[str, str]]:
    """A prompt and the turns before it, as messages that a chat template takes."""
    opening = [] if system is None else [{"role": "system", "content": system}]
    texts = enumerate([*chain.from_iterable(turns), prompt])
    roles = ("user", "assistant")
    return opening + [{"role": roles[n % 2], "content": clean(text)} for n, text in texts]
