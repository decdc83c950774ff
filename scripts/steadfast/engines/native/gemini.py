"""Google's Gemini API: generateContent."""

import json
from collections.abc import Mapping
from itertools import chain
from urllib.parse import quote

from steadfast.base.files import Record
from steadfast.contract.request import Request, Response
from steadfast.engines.base import Setup
from steadfast.engines.native.dialect import NativeProvider, joined, parts_of
from steadfast.engines.openai.body import array, clean, count, mapping, text
from steadfast.engines.openai.replies import Retry

SAMPLING = {"temperature": "temperature", "top_p": "topP", "top_k": "topK"}


class Gemini(NativeProvider):
    """Gemini models.

    A prompt is one text, whose beginning the provider's implicit cache may know. With ``parts:
    apart`` its context is an entry of its own, which an explicit cache may hold.
    """

    engine = "gemini"

    def __init__(self, setup: Setup):
        super().__init__(setup, "GEMINI_API_KEY")
        self._tier: str | None = setup.operation.get("service_tier")
        name = self.answers["model"]
        self.whole_name = name if "/" in name else f"models/{name}"
        self.path = f"{self.facts['path']}/{quote(self.whole_name)}:generateContent"
        self._apart = "parts" in self.answers

    def headers(self, key: str) -> Record:
        return {"x-goog-api-key": key, "content-type": "application/json"}

    def body(self, request: Request) -> Record:
        roles = ("user", "model")
        turns = enumerate(chain.from_iterable(request.turns))
        asked = parts_of(request) if self._apart else [request.prompt]
        contents = [content(said, role=roles[n % 2]) for n, said in turns]
        contents += map(content, asked)
        seed = self.answers.get("seed")
        config: Record = {
            "maxOutputTokens": request.max_tokens,
            **self._sent(SAMPLING),
            # Each draw has a seed of its own: with the same one, the same answer may come again.
            **({} if seed is None else {"seed": seed + request.draw}),
        }
        if thinking := self._thinking():
            config["thinkingConfig"] = thinking
        if request.schema:
            config["responseMimeType"] = "application/json"
            config["responseJsonSchema"] = json.loads(request.schema)
        system = self.answers.get("system")
        return self._with_extra(
            {
                "contents": contents,
                **({} if system is None else {"systemInstruction": content(system)}),
                "generationConfig": config,
                **({"serviceTier": self._tier} if self._tier else {}),
            }
        )

    def parts(self, request: Request) -> int | None:
        return 2 if self._apart and len(parts_of(request)) > 1 else None

    def _thinking(self) -> Record:
        """How long it thinks, and with it that the thought is told."""
        if effort := self.answers.get("effort"):
            return {"thinkingLevel": effort.upper(), "includeThoughts": True}
        match self.answers.get("thinking"):
            case "budget":
                return {"thinkingBudget": self.answers["budget"], "includeThoughts": True}
            case "disabled":
                return {"thinkingBudget": 0}
        return {}

    def _answer(self, reply: Mapping[str, object]) -> Response | Retry:
        candidate = mapping(next(iter(array(reply.get("candidates"))), None))
        usage = mapping(reply.get("usageMetadata"))
        # A count of 0 is left out.
        counts = [count(usage.get(f"{name}TokenCount")) for name in ("candidates", "thoughts")]
        counted = count(usage.get("totalTokenCount")) or any(counts)
        known: Record = {
            "prompt_tokens": count(usage.get("promptTokenCount")),
            "cached_tokens": count(usage.get("cachedContentTokenCount")),
            "completion_tokens": sum(one or 0 for one in counts) if counted else None,
            "thought_tokens": counts[1],
            "served_model": text(reply.get("modelVersion")),
            "tier": self._tier,  # what is not served by it is refused
        }
        blocked = text(mapping(reply.get("promptFeedback")).get("blockReason"))
        if blocked and not candidate:
            return Response("refused", **known, finish_reason=blocked)
        if not candidate:
            return Retry("a body without candidates")
        parts = array(mapping(candidate.get("content")).get("parts"))
        return self._settled(text(candidate.get("finishReason")), self._words(parts), known)

    def _words(self, parts: list[object]) -> tuple[str | None, str | None] | None:
        answers: list[str] = []
        thoughts: list[str] = []
        for part in map(mapping, parts):
            said = text(part.get("text"))
            if said is not None:
                (thoughts if part.get("thought") is True else answers).append(said)
            elif not self._tools and not part.keys() <= {"thoughtSignature"}:
                return None
        return joined(answers), joined(thoughts) or None


def content(said: str, role: str = "user") -> Record:
    """A text as an entry of a conversation."""
    return {"parts": [{"text": clean(said)}], "role": role}
