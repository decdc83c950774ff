"""LIFBench as a data set of its own: contexts once, prompts that refer to them, expressions."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from steadfast.base.files import Record
from steadfast.benchmarks.lifbench.samples import render
from steadfast.contract.components import Data
from steadfast.contract.exports import ExportedPrompt, Exports, Rows

CONTEXT = ("context_id", "scenario", "length", "seed", "tokens", "text")
EVERY = "all_lengths"


class LifbenchExports(Exports):
    """Tables of prompts, contexts and expressions."""

    def tables(
        self, parts: Mapping[str, Sequence[ExportedPrompt]], data: Mapping[str, Data]
    ) -> Rows:
        """Returns prompts and contexts by length; the expressions, which all lengths share."""
        scenarios = {}
        for request in chain.from_iterable(parts.values()):
            scenario = request.sample.source["context"]["scenario"]
            scenarios[request.sample.prompt["task"]] = scenario
        contexts = {part: _contexts(requests) for part, requests in parts.items()}
        expressions = {EVERY: _expressions(next(iter(data.values())), scenarios)}
        prompts = super().tables(parts, {})
        return {**prompts, "contexts": contexts, "expressions": expressions}

    def row(self, exported: ExportedPrompt) -> Record:
        """Returns a prompt's row; its context by the name of the context in that form."""
        scenario_prompt = exported.sample.source["scenario_prompt"]
        context = {"context_id": exported.item.context_id}
        return {**super().row(exported), **context, "scenario_prompt": scenario_prompt}

    def prompt(self, exported: ExportedPrompt) -> str:
        """Returns scenario description, context and instruction, as the tables have them."""
        row = self.row(exported)
        text = exported.sample.source["context"]["text"]
        return "".join(render(row["scenario_prompt"], text, row["instruction"]))


def _contexts(exported: Sequence[ExportedPrompt]) -> Iterator[Record]:
    contexts = {request.item.context_id: request.sample.source["context"] for request in exported}
    for name, context in contexts.items():
        parts = {key: value for key, value in context.items() if key not in CONTEXT}
        yield {key: context.get(key) for key in CONTEXT} | {"context_id": name, "parts": parts}


def _expressions(data: Data, scenarios: Mapping[str, str]) -> Iterator[Record]:
    for task, record in data["expressions"].items():
        for expression in record["expressions"]:
            yield {"task": task, "scenario": scenarios.get(task), **expression}
