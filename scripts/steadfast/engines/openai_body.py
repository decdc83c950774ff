"""What an OpenAI-compatible server is sent: the same body live and in a batch file."""

from collections.abc import Mapping
from typing import Any

from steadfast.engines.replies import clean
from steadfast.engines.request import Request, Turns

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
    said = request.prompt, request.turns
    return {
        "model": answers["model"],
        **(
            {"prompt": plain_text(*said)}
            if base
            else {"messages": messages(*said, answers.get("system"))}
        ),
        **{name: answers[name] for name in ("temperature", "seed") if name in answers},
        **(_logprobs(answers["logprobs"], base) if "logprobs" in answers else {}),
        **answers.get("extra_body", {}),
        max_tokens_field: request.max_tokens,
    }


def plain_text(prompt: str, turns: Turns = ()) -> str:
    """A prompt and what was said before it, as one text that a base model goes on with."""
    said = "".join(f"{_asked(earlier)}{clean(answer)}\n\n" for earlier, answer in turns)
    return said + _asked(prompt)


def _asked(prompt: str) -> str:
    prompt = clean(prompt)
    return prompt + ("" if prompt.endswith("\n") else "\n") + SUFFIX


def messages(prompt: str, turns: Turns = (), system: str | None = None) -> list[dict[str, str]]:
    """A prompt and what was said before it, as messages that a chat template takes."""
    said = [] if system is None else [{"role": "system", "content": system}]
    for earlier, answer in turns:
        said.append({"role": "user", "content": clean(earlier)})
        said.append({"role": "assistant", "content": clean(answer)})
    return [*said, {"role": "user", "content": clean(prompt)}]


def _logprobs(alternatives: int, base: bool) -> dict[str, Any]:
    if base:
        return {"logprobs": alternatives}
    return {"logprobs": True, "top_logprobs": alternatives}
