"""A judge without a model: verdicts and copies that believe an answer's own account of itself.

An answer ends with a line that names the questions it keeps (``judging.stand_in``).
"""

import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from steadfast.complexbench.extraction import ABSENT, HEADING, LABEL, SEPARATOR
from steadfast.complexbench.pieces import pieces
from steadfast.files import Record
from steadfast.judging.requests import by_sample
from steadfast.judging.stand_in import UNSIGNED, signed

FLIP, CHATTER = 0.25, 0.25
"""Shares of a simulated judge's slips that turn a verdict round, and that miss the form."""

_VERDICTS = {
    "zh": "分析：依照回复的最后一行。\n答案：{}",
    "en": "Analysis: by the answer's last line.\nAnswer: {}",
}
_WORDS = {"zh": ("否", "是"), "en": ("no", "yes")}
_COPY = f"【解释】\n依照回复的最后一行。\n\n{HEADING}\n{LABEL}：{{}}"
_CHATTER = ("这份回复大体不错。", "无法判断。", "I cannot tell.", "")


class ComplexbenchJudge:
    """Replies to the judge prompts of one model and part."""

    def __init__(self, judging: Path):
        self._requests = by_sample(judging)

    def reference(self, sample_id: str) -> str:
        """A well-formed reply that goes by the answer's last line."""
        record, request = self._requests[sample_id]
        kept = signed(record["answer"])
        if kept is None:
            return UNSIGNED
        holds = request["expected"]["point"] in kept
        return _reply(record["answer"], request["expected"], holds)

    def simulated(
        self, sample_id: str, reader: Mapping[str, Any], seen: float, rng: random.Random
    ) -> str:
        """The same with a verdict turned round, or the form missed, now and then.

        Args:
            sample_id: of the judge request.
            reader: the judge's settings; ``slip`` is used.
            seen: not used.
            rng: source of everything random.
        """
        record, request = self._requests[sample_id]
        expected, slip = request["expected"], reader.get("slip", 0.0)
        kept = signed(record["answer"])
        if kept is None:
            return UNSIGNED
        holds = (expected["point"] in kept) != (rng.random() < slip * FLIP)
        reply = _reply(record["answer"], expected, holds)
        return rng.choice(_CHATTER) if rng.random() < slip * CHATTER else reply


def _reply(answer: str, expected: Record, holds: bool) -> str:
    if expected["by"] != "rule":
        language = expected["language"]
        return _VERDICTS[language].format(_WORDS[language][holds])
    parts = [part for part in pieces(expected["rule"], holds) if part in answer]
    return _COPY.format((SEPARATOR if expected["each"] else "").join(parts) or ABSENT)
