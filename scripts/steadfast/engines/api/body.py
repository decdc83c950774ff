"""The request body for an OpenAI-compatible server, the same live and in a batch file."""

import json
import re
from collections.abc import Iterable, Mapping
from itertools import chain

from steadfast.base.files import Record, Settings
from steadfast.contract.request import Request, Turns

SURROGATE = re.compile("[\ud800-\udfff]")
# A larger count is a server error.
LARGEST_COUNT = 10**12


def clean(text: str) -> str:
    """The text with U+FFFD for lone surrogates, which UTF-8 cannot encode."""
    return text if text.isascii() else SURROGATE.sub("�", text)


def parsed(content: bytes) -> object:
    """The value of a JSON text in UTF-8; None where it is invalid."""
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
    """A string that UTF-8 can encode; None for other values."""
    return clean(value) if isinstance(value, str) else None


def count(value: object) -> int | None:
    """A count from 0 to ``LARGEST_COUNT``; None for other values, booleans included."""
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= LARGEST_COUNT else None


SUFFIX = "Output: "  # what a base model's prompt ends with (appendix E)
SAMPLING = ("temperature", "top_p", "top_k", "min_p")  # sent where they are set


def request_body(answers: Settings, request: Request, max_tokens_field: str) -> Record:
    """The body of one request, from the engine's settings that determine a response."""
    if answers["template"] == "base":
        content: Record = {"prompt": plain_text(request.prompt, request.turns, request.system)}
    else:
        system = system_message(answers.get("system"), request.system)
        content = {"messages": messages(request.prompt, request.turns, system)}
    # Each repeat has its own seed: with the same one, a server returns the same response again.
    seed = {"seed": answers["seed"] + request.repeat} if "seed" in answers else {}
    response_format = {}
    if request.schema:  # a reply that follows a JSON schema (OpenAI's Structured Outputs)
        named = {"name": "reply", "strict": True, "schema": json.loads(request.schema)}
        response_format = {"response_format": {"type": "json_schema", "json_schema": named}}
    return {
        "model": answers["model"],
        **content,
        **{name: answers[name] for name in SAMPLING if name in answers},
        **seed,
        **answers.get("extra_body", {}),
        **response_format,
        max_tokens_field: request.max_tokens,
    }


def system_message(of_model: str | None, of_prompt: str) -> str | None:
    """The system message: the model's, and that of the prompt after it; None without either."""
    if not of_prompt:
        return of_model
    return f"{of_model}\n\n{clean(of_prompt)}" if of_model else clean(of_prompt)


def plain_text(prompt: str, turns: Turns = (), system: str = "") -> str:
    """A prompt and what precedes it, as one text that a base model continues."""
    opening = f"{clean(system)}\n\n" if system else ""
    return opening + as_text(turns) + _question(prompt)


def as_text(exchanges: Iterable[tuple[str, str]]) -> str:
    """Prompts with their responses, in the format of prompts of base models (appendix E)."""
    return "".join(f"{_question(prompt)}{clean(response)}\n\n" for prompt, response in exchanges)


def _question(prompt: str) -> str:
    prompt = clean(prompt)
    return prompt + ("" if prompt.endswith("\n") else "\n") + SUFFIX


def messages(prompt: str, turns: Turns = (), system: str | None = None) -> list[dict[str, str]]:
    """A prompt and the turns before it, as chat messages."""
    opening = [] if system is None else [{"role": "system", "content": system}]
    texts = enumerate([*chain.from_iterable(turns), prompt])
    roles = ("user", "assistant")
    return opening + [{"role": roles[n % 2], "content": clean(text)} for n, text in texts]
