"""What an OpenAI-compatible server is sent: the same body live and in a batch file."""

from collections.abc import Mapping
from typing import Any

from steadfast.engines.replies import clean
from steadfast.engines.request import Request

SUFFIX = "Output: "  # what a base model's prompt ends with (appendix E)
CHAT, COMPLETIONS = "/v1/chat/completions", "/v1/completions"


def request_url(answers: Mapping[str, Any]) -> str:
    """The path that a model's requests go to, as batch files name it."""
    return COMPLETIONS if answers["template"] == "base" else CHAT


def request_body(
    answers: Mapping[str, Any], request: Request, max_tokens_field: str
) -> dict[str, Any]:
    """The body of one request.

    Args:
        answers: the engine's settings that determine a response.
        request: what is asked.
        max_tokens_field: the field that carries the output limit.
    """
    base = answers["template"] == "base"
    return {
        "model": answers["model"],
        **(_prompt(request) if base else _messages(request, answers.get("system"))),
        **{name: answers[name] for name in ("temperature", "seed") if name in answers},
        **(_logprobs(answers["logprobs"], base) if "logprobs" in answers else {}),
        **answers.get("extra_body", {}),
        max_tokens_field: request.max_tokens,
    }


def _prompt(request: Request) -> dict[str, Any]:
    prompt = clean(request.prompt)
    gap = "" if prompt.endswith("\n") else "\n"
    return {"prompt": prompt + gap + SUFFIX}


def _messages(request: Request, system: str | None) -> dict[str, Any]:
    messages = [{"role": "user", "content": clean(request.prompt)}]
    if system is not None:
        messages.insert(0, {"role": "system", "content": system})
    return {"messages": messages}


def _logprobs(alternatives: int, base: bool) -> dict[str, Any]:
    if base:
        return {"logprobs": alternatives}
    return {"logprobs": True, "top_logprobs": alternatives}
