"""How prompts are put together: the scenario description, the context, the instruction."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings
from steadfast.base.resources import facts
from steadfast.benchmarks.lifbench.records import Prompt
from steadfast.contract import components, request
from steadfast.corpora.contexts.formats import NUMBERED, in_format


class LifbenchSamples(components.Samples):
    """A prompt names its context and, by its task, its expressions."""

    def sources(self, prompts: Sequence[Settings], data: components.Data) -> Iterator[Record]:
        """Yields ``context``, one object for its prompts in a format, and ``scenario_prompt``."""
        records = chain.from_iterable(data["contexts"].values())
        contexts = {record["context_id"]: record for record in records}
        in_formats = cache(lambda context, format: in_format(contexts[context], format))
        expressions = data["expressions"]
        for prompt in prompts:
            context = prompt["context_id"]
            task = prompt["task"]
            if context not in contexts or task not in expressions:
                missing = f"context {context!r}" if task in expressions else f"task {task!r}"
                where = f"prompts: the {missing} of {prompt['sample_id']}"
                raise UserError(f"{where} is not in the data; build the prompts again")
            format = prompt.get("format", NUMBERED)
            scenario_prompt = expressions[task]["scenario_prompt"]
            if format != NUMBERED:
                scenario = contexts[context]["scenario"]
                scenario_prompt = facts("lifbench/formats.yaml")[scenario][format]
            yield {"context": in_formats(context, format), "scenario_prompt": scenario_prompt}

    def item(self, sample: components.Sample[Prompt]) -> request.Item:
        """Returns the request's text in three parts, of which only the context may be truncated."""
        prompt = sample.prompt
        source = sample.source
        context = source["context"]["text"]
        head, text, tail = render(source["scenario_prompt"], context, prompt["instruction"])
        context_id = prompt["context_id"]
        return request.Item(
            sample_id=prompt["sample_id"],
            context_id=f"{context_id}/{prompt['format']}" if "format" in prompt else context_id,
            head=head,
            context=text,
            tail=tail,
            max_tokens=prompt["max_tokens"],
            task=prompt["task"],
            repeat=sample.repeat,
        )


def render(scenario_prompt: str, text: str, instruction: str) -> tuple[str, str, str]:
    """Returns head, context and tail of a full prompt (paper, equation 1: D and I around X).

    Only the middle part, the context, may be truncated. Nothing in ``text`` or ``instruction`` is
    read as a field.
    """
    head, _, tail = scenario_prompt.partition("{input}")
    before, instruction_slot, after = tail.partition("{instruction}")
    once = scenario_prompt.count("{input}") == scenario_prompt.count("{instruction}") == 1
    if not (instruction_slot and once):
        raise UserError(
            f"scenario description {scenario_prompt[:40]!r}…: it must have {{input}} once and, "
            "after it, {instruction} once"
        )
    return head, text, before + instruction + after
