"""LIFBench as a data set of its own: contexts once, prompts that refer to them, expressions."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from steadfast.components import Data, Sample
from steadfast.export.about import About, Column, Exports, Rows, Source
from steadfast.files import Record, Settings
from steadfast.lifbench.answers import reference_answer
from steadfast.lifbench.samples import render
from steadfast.lifbench.tasks import TASKS
from steadfast.resources import facts

CONTEXT = ("context_id", "scenario", "length", "seed", "tokens", "text")
EVERY = "all_lengths"


class LifbenchExports(Exports):
    """Tables and card of LIFBench.

    Args:
        corpora: source of each corpus: ``synthetic``, ``hub`` (as pinned), or where else it is
            from.
        templates: whose they are, by the name of their licence among the facts.
        settings: of the config, for the card; ``lengths`` are among them.
    """

    def __init__(self, corpora: Mapping[str, str], templates: str, settings: Settings):
        self._corpora, self._templates, self._settings = corpora, templates, settings

    def tables(self, parts: Mapping[str, Sequence[Sample]], data: Mapping[str, Data]) -> Rows:
        """Prompts and contexts by length; the expressions, which all lengths share."""
        return {
            "prompts": {part: map(_prompt, samples) for part, samples in parts.items()},
            "contexts": {part: _contexts(held) for part, held in data.items()},
            "expressions": {EVERY: _expressions(next(iter(data.values())))},
        }

    def asked(self, sample: Sample) -> str:
        """Scenario description, context and instruction, as the tables have them."""
        source = sample.source
        text = source["context"]["text"]
        return "".join(render(source["scenario_prompt"], text, sample.prompt["instruction"]))

    def about(self) -> About:
        """The card."""
        known = facts("lifbench/export.yaml")
        templates = Source(name="templates", **known["templates"][self._templates])
        return About(
            title=known["title"],
            summary=known["summary"],
            languages=["en"],
            tables=known["tables"],
            columns={
                table: {name: _column(of) for name, of in columns.items()}
                for table, columns in known["columns"].items()
            },
            keys=known["keys"],
            sources=[*(_corpus(*corpus) for corpus in self._corpora.items()), templates],
            settings=self._settings,
            usage=known["usage"].replace("LENGTH", next(iter(self._settings["lengths"]))),
            citation=known["citation"],
        )


def _prompt(sample: Sample) -> Record:
    return sample.prompt | {"reference": reference_answer(sample.prompt, sample.source["context"])}


def _contexts(data: Data) -> Iterator[Record]:
    for records in data["contexts"].values():
        for record in records:
            parts = {name: value for name, value in record.items() if name not in CONTEXT}
            yield {name: record.get(name) for name in CONTEXT} | {"parts": parts}


def _expressions(data: Data) -> Iterator[Record]:
    for task, held in data["expressions"].items():
        for expression in held["expressions"]:
            shared = {"task": task, "scenario": TASKS[task].scenario}
            number = {"expression_id": expression["expression_id"]}
            yield shared | number | {"scenario_prompt": held["scenario_prompt"]} | expression


def _corpus(name: str, source: str) -> Source:
    licences = facts("corpora/licences.yaml")
    known = licences["hub"][name] if source == "hub" else licences.get(source, licences["unknown"])
    pinned = facts("corpora/hub.yaml")[name]
    origin = f"{pinned['repo']} at {pinned['revision']}" if source == "hub" else source
    return Source(name=name, **{"origin": origin} | known)


def _column(of: Any) -> Column:
    return Column(of) if isinstance(of, str) else Column(of["text"], tuple(of["refers"]))
