"""Prompts: each alone, and with several framing sentences beside a context of each length."""

from collections.abc import Iterator, Sequence
from itertools import chain, product

from steadfast.base.files import Record, Settings
from steadfast.base.resources import facts
from steadfast.base.tokens import fingerprint
from steadfast.benchmarks.ifeval.facts import ALONE, FILLER, Prompt
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
    """Yields the prompts of one length, those that share a context one after the other.

    The seed assigns each prompt a family of nested contexts, for all lengths, positions and framing
    sentences; the numbers of prompts of any two families differ by one at most.
    """
    instances = list(chain(*data["data"].values()))
    if part == ALONE:
        for instance in instances:
            yield _record(instance, instance["prompt_id"], 0, max_tokens)
        return
    by_kind = {kind: file for kind, file in data["contexts"].items() if kind != FILLER}
    texts = [context["context_id"] for context in chain(*by_kind.values())]
    beside_texts = [position for position in positions if position != FILLER]
    shuffled = sorted(instances, key=lambda record: fingerprint(f"{seed}/{record['prompt_id']}"))
    for number, text in enumerate(texts):
        sharing = {instance["prompt_id"] for instance in shuffled[number :: len(texts)]}
        # Instances in the order of the data, whichever of them share the context.
        selected = [instance for instance in instances if instance["prompt_id"] in sharing]
        for position, framing in product(beside_texts, range(framing_sentences)):
            for instance in selected:
                yield _framed(instance, text, position, framing, max_tokens)
    for filler in data["contexts"].get(FILLER, ()):
        for framing, instance in product(range(framing_sentences), instances):
            yield _framed(instance, filler["context_id"], FILLER, framing, max_tokens)


def _framed(instance: Record, context: str, position: str, framing: int, max_tokens: int) -> Record:
    """Returns the prompt of an instance beside a context, in a framing sentence."""
    # A filler stands before the prompt, as a text does.
    form = FRAMING_SENTENCES["after" if position == FILLER else position][framing]
    framed = {key: _filled(text, instance["prompt"]) for key, text in form.items()}
    sample_id = f"{instance['prompt_id']}/{position}/w{framing}"
    before = {"before": framed["ahead"]} if "ahead" in framed else {}
    return {
        **_record(instance, sample_id, framing, max_tokens),
        **before,
        "long_context_id": context,
        "position": position,
        "instruction": framed["behind"],
    }


def _record(instance: Record, sample_id: str, framing: int, max_tokens: int) -> Record:
    return {
        "sample_id": sample_id,
        "task": instance["set"],
        "context_id": instance["prompt_id"],
        "expression_id": framing,
        "instruction": instance["prompt"],
        "max_tokens": max_tokens,
    }


def _filled(form: str, prompt: str) -> str:
    """Returns a form with the prompt in it; nothing in the prompt is read as a slot."""
    return prompt.join(form.split("{prompt}"))


class IfevalSamples(Samples):
    """A prompt names its instance by ``context_id``, and its context by ``long_context_id``."""

    def sources(self, prompts: Sequence[Settings], data: Data) -> Iterator[Record]:
        """Yields ``instance`` and ``context``, None where the prompt stands alone."""
        instances = {record["prompt_id"]: record for record in chain(*data["data"].values())}
        all_contexts = chain(*data.get("contexts", {}).values())
        contexts = {record["context_id"]: record for record in all_contexts}
        for prompt in prompts:
            context = None
            if "long_context_id" in prompt:
                context = named_by(prompt, "long_context_id", contexts)
            yield {"instance": named_by(prompt, "context_id", instances), "context": context}

    def text(self, sample: Sample[Prompt]) -> str:
        context = sample.source["context"]
        return context["text"] if context else ""
