"""Prompts: each alone, and with several framing sentences beside a context of each length."""

from collections.abc import Iterator, Sequence
from itertools import chain, product

from steadfast.base.files import Record, Settings
from steadfast.base.resources import facts
from steadfast.base.tokens import fingerprint
from steadfast.benchmarks.ifeval.facts import ALONE, Prompt
from steadfast.contract.components import Data, Sample, Samples, named_by

FRAMING_SENTENCES = facts("ifeval/framing_sentences.yaml")


def prompts(
    part: str,
    data: Data,
    seed: int,
    positions: Sequence[str],
    framing_sentences: int,
    max_tokens: int,
) -> Iterator[Record]:
    """Yields the prompts of one length, those that share a text one after the other.

    Each stands beside one of the texts of the length, whatever position and framing; which one is
    drawn by the seed, so that each text has as many as another, or one more. At all lengths it
    stands beside texts of the same family, the shorter of which are beginnings of the longer ones.
    """
    known = list(chain(*data["data"].values()))
    if part == ALONE:
        yield from (_record(one, one["prompt_id"], 0, max_tokens) for one in known)
        return
    texts = [text["context_id"] for text in chain(*data["contexts"].values())]
    drawn = sorted(known, key=lambda one: fingerprint(f"{seed}/{one['prompt_id']}"))
    for number, text in enumerate(texts):
        beside = {one["prompt_id"] for one in drawn[number :: len(texts)]}
        for position, framing in product(positions, range(framing_sentences)):
            form = FRAMING_SENTENCES[position][framing]
            for one in known:
                if one["prompt_id"] in beside:
                    name = f"{one['prompt_id']}/{position}/w{framing}"
                    asked = {key: _filled(of, one["prompt"]) for key, of in form.items()}
                    before = {"before": asked["ahead"]} if "ahead" in asked else {}
                    yield {
                        **_record(one, name, framing, max_tokens),
                        **before,
                        "long_context_id": text,
                        "position": position,
                        "instruction": asked["behind"],
                    }


def _record(one: Record, name: str, framing: int, max_tokens: int) -> Record:
    return {
        "sample_id": name,
        "task": one["set"],
        "context_id": one["prompt_id"],
        "expression_id": framing,
        "instruction": one["prompt"],
        "max_tokens": max_tokens,
    }


def _filled(form: str, prompt: str) -> str:
    """Returns a form with the prompt in it; nothing in the prompt is read as a slot."""
    return prompt.join(form.split("{prompt}"))


class IfevalSamples(Samples):
    """A prompt names its instance by ``context_id``, and its context by ``long_context_id``."""

    def sources(self, prompts: Sequence[Settings], data: Data) -> Iterator[Record]:
        """Yields ``instance`` and ``context``, None where the prompt stands alone."""
        known = {one["prompt_id"]: one for one in chain(*data["data"].values())}
        texts = {one["context_id"]: one for one in chain(*data.get("contexts", {}).values())}
        for prompt in prompts:
            text = (
                named_by(prompt, "long_context_id", texts) if "long_context_id" in prompt else None
            )
            yield {"instance": named_by(prompt, "context_id", known), "context": text}

    def text(self, sample: Sample[Prompt]) -> str:
        context = sample.source["context"]
        return context["text"] if context else ""
