"""LIFBench as a data set of its own: contexts once, prompts that refer to them, expressions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from steadfast.base.files import Record, Settings
from steadfast.base.resources import facts
from steadfast.benchmarks.lifbench.samples import render
from steadfast.contract.components import Data
from steadfast.contract.exports import About, Asked, Exports, Rows, Source, about_by

CONTEXT = ("context_id", "scenario", "length", "seed", "tokens", "text")
EVERY = "all_lengths"


@dataclass(frozen=True)
class LifbenchExports(Exports):
    """Tables and card of LIFBench, as ``exports`` says where texts and templates are from."""

    texts: Mapping[str, Settings]
    templates: str
    settings: Settings

    def tables(self, parts: Mapping[str, Sequence[Asked]], data: Mapping[str, Data]) -> Rows:
        """Returns prompts and contexts by length; the expressions, which all lengths share."""
        scenarios = {}
        for request in chain.from_iterable(parts.values()):
            scenario = request.sample.source["context"]["scenario"]
            scenarios[request.sample.prompt["task"]] = scenario
        return {
            "prompts": {part: map(_prompt, requests) for part, requests in parts.items()},
            "contexts": {part: _contexts(requests) for part, requests in parts.items()},
            "expressions": {EVERY: _expressions(next(iter(data.values())), scenarios)},
        }

    def prompt(self, asked: Asked) -> str:
        """Returns scenario description, context and instruction, as the tables have them."""
        row = _prompt(asked)
        text = asked.sample.source["context"]["text"]
        return "".join(render(row["scenario_prompt"], text, row["instruction"]))

    def about(self) -> About:
        card = facts("lifbench/export.yaml")
        templates = Source(name="templates", **card["templates"][self.templates])
        length = next(iter(self.settings["lengths"])).replace("-", "_")
        texts = [_source(name, **fields) for name, fields in self.texts.items()]
        usage = card["usage"].replace("LENGTH", length)
        sources = [*texts, templates]
        return about_by({**card, "usage": usage}, sources, self.settings)


def _prompt(asked: Asked) -> Record:
    # The name by which requests share a context tells its forms apart.
    return {
        **asked.sample.prompt,
        "context_id": asked.item.context_id,
        "reference": asked.reference,
        "scenario_prompt": asked.sample.source["scenario_prompt"],
    }


def _contexts(asked: Sequence[Asked]) -> Iterator[Record]:
    contexts = {request.item.context_id: request.sample.source["context"] for request in asked}
    for name, context in contexts.items():
        parts = {key: value for key, value in context.items() if key not in CONTEXT}
        yield {key: context.get(key) for key in CONTEXT} | {"context_id": name, "parts": parts}


def _expressions(data: Data, scenarios: Mapping[str, str]) -> Iterator[Record]:
    for task, record in data["expressions"].items():
        for expression in record["expressions"]:
            yield {"task": task, "scenario": scenarios.get(task), **expression}


def _source(name: str, source: str, repo: str | None = None, revision: str | None = None) -> Source:
    """Describes a corpus, or the published contexts; an unpinned corpus is unknown."""
    licences = facts("corpora/licences.yaml")
    if source in ("synthetic", "released"):
        return Source(name=name, **licences[source])
    origin = f"{repo} at {revision}" if repo else "a directory of your own"
    pinned = repo is not None and repo == facts("corpora/hub.yaml")[name]["repo"]
    return Source(name=name, origin=origin, **licences["hub"][name if pinned else "another"])
