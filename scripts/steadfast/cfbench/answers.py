"""Stand-ins for models and judges: answers that say what they kept, and verdicts that believe it.

An answer ends with a line that names the checkpoints kept (``judging.stand_in``), and a judge
without a model goes by that line alone.
"""

import random
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from steadfast.cfbench.facts import read_yaml
from steadfast.cfbench.prompts import load_part
from steadfast.files import Record
from steadfast.judging.requests import by_sample
from steadfast.judging.stand_in import UNSIGNED, signature, signed

CHATTER = ("这份回答整体不错，建议通过。", "无法评估。", "1\n0", "以下是我的评估：\n{reply}", "")


class CfbenchOracle:
    """Reference answers and simulated readings of one part's prompts."""

    def __init__(self, prompts: Path, data: Mapping[str, Path]):
        self._records = {p["sample_id"]: record for p, record in load_part(prompts, data)}
        self._openings: list[str] = read_yaml("synthetic.yaml")["answers"]
        self._facts: dict[str, Any] = read_yaml("simulated.yaml")

    def reference(self, sample_id: str) -> str:
        """An answer that says it kept every checkpoint; the record's own, where it has one."""
        record = self._records[sample_id]
        text = record["gold"] or self._text(record)
        return _signed(text, range(1, len(record["checkpoints"]) + 1))

    def simulated(
        self, sample_id: str, reader: Mapping[str, Any], seen: float, rng: random.Random
    ) -> str:
        """What a reader answers, which slips more often the more is asked.

        Args:
            sample_id: of the prompt.
            reader: the reader's settings; ``slip`` and ``position_bias`` are used.
            seen: not used: an instruction is never cut.
            rng: source of everything random.
        """
        record = self._records[sample_id]
        checkpoints = record["checkpoints"]
        share = self._facts["first"] + self._facts["each"] * (len(checkpoints) - 1)
        kept = []
        for number, checkpoint in enumerate(checkpoints, start=1):
            hard = self._facts["difficulty"].get(checkpoint["type"], 1.0)
            late = self._facts["late"] * reader.get("position_bias", 0.0)
            late *= number / len(checkpoints)
            if rng.random() >= reader.get("slip", 0.0) * (share * hard + late):
                kept.append(number)
        return _signed(self._text(record, rng.randrange(len(self._openings))), kept)

    def _text(self, record: Record, which: int = 0) -> str:
        first_line = record["prompt"].strip().partition("\n")[0]
        return self._openings[which].format(topic=first_line[:40])


def _signed(text: str, kept: Iterable[int]) -> str:
    return f"{text}\n\n{signature(kept)}"


class CfbenchJudge:
    """Verdicts on answers that say what they kept."""

    def __init__(self, judging: Path):
        self._requests = by_sample(judging)
        self._facts: dict[str, Any] = read_yaml("simulated.yaml")

    def reference(self, sample_id: str) -> str:
        """A well-formed reply that goes by the answer's last line."""
        texts, kept = self._asked(sample_id)
        if kept is None:
            return UNSIGNED
        return _reply(texts, [number in kept for number in range(1, len(texts) + 1)])

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
        texts, kept = self._asked(sample_id)
        if kept is None:
            return UNSIGNED
        slip = reader.get("slip", 0.0)
        verdicts = [
            (number in kept) != (rng.random() < slip * self._facts["flip"])
            for number in range(1, len(texts) + 1)
        ]
        reply = _reply(texts, verdicts)
        if rng.random() < slip * self._facts["chatter"]:
            return rng.choice(CHATTER).replace("{reply}", reply)
        return reply

    def _asked(self, sample_id: str) -> tuple[list[str], frozenset[int] | None]:
        record, request = self._requests[sample_id]
        return request["expected"]["checkpoints"], signed(record["answer"])


def _reply(texts: Iterable[str], verdicts: Iterable[bool]) -> str:
    return "\n\n".join(f"{text}\t{int(v)}" for text, v in zip(texts, verdicts, strict=True))
