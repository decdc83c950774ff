"""Rewriters without a model: they put other words around an instruction, and slip now and then."""

import json
import re
from collections.abc import Callable, Sequence
from itertools import product
from random import Random

from steadfast.base.files import Settings
from steadfast.base.resources import facts
from steadfast.contract.components import JudgePrompt, JudgeRequest, JudgeStandIn

CHATTER = 0.25  # share of a rewriter's slip with which its whole reply is spoilt

_SLIPS: tuple[Callable[[str], str], ...] = (
    lambda text: re.sub(r"\{[^{}]*\}", "it", text, count=1),
    lambda text: text.replace("{{", "{").replace("}}", "}"),
    lambda text: " ".join(text.split()[:3]),
    lambda text: f"{text} {text} {text} {text}",
)
_SPOILT: tuple[Callable[[list[str]], str], ...] = (
    lambda texts: f"Here are the rewrites:\n```json\n{_list(texts)}\n```\nI hope that this helps.",
    lambda texts: _list(texts[: len(texts) // 2]),
    lambda texts: _list(texts)[: len(_list(texts)) // 2],
    lambda texts: "I am sorry, I cannot help with that.",
)


class RewriterStandIn(JudgeStandIn):
    """Replies with as many rewordings as asked for, which keep all that the original holds."""

    def reference(self, prompt: JudgePrompt, request: JudgeRequest) -> str:
        """Returns the same rewordings in every reply."""
        return _list(_rewordings(prompt.answer, request.expected["count"], Random(prompt.answer)))

    def simulated(
        self, prompt: JudgePrompt, request: JudgeRequest, reader: Settings, rng: Random
    ) -> str:
        """Others in each reply; by the rewriter's ``slip`` one, or the list, is spoilt."""
        slip = reader.get("slip", 0.0)
        texts = _rewordings(prompt.answer, request.expected["count"], rng)
        for place in range(len(texts)):
            if rng.random() < slip:
                spoilt = [spoil(texts[place]) for spoil in _SLIPS]
                texts[place] = rng.choice([*spoilt, rng.choice(texts)])
        return rng.choice(_SPOILT)(texts) if rng.random() < slip * CHATTER else _list(texts)


def _rewordings(original: str, count: int, rng: Random) -> list[str]:
    """Returns so many texts, no two the same up to a hundred less one."""
    words = facts("rewriting/stand_in.yaml")
    around = [pair for pair in product(words["openings"], words["closings"]) if any(pair)]
    rng.shuffle(around)
    pairs = [around[place % len(around)] for place in range(count)]
    return [f"{opening}{original}{closing}" for opening, closing in pairs]


def _list(texts: Sequence[str]) -> str:
    return json.dumps(list(texts), ensure_ascii=False, indent=1)
