"""Export of a benchmark whose prompts are their instructions: prompts by part, and its data."""

from collections.abc import Mapping, Sequence
from typing import Any

from steadfast.base.files import Settings
from steadfast.base.resources import facts
from steadfast.contract.components import Component, Data
from steadfast.contract.exports import About, Asked, Column, Exports, Rows, Source
from steadfast.schema.judged import JudgedSection


def plain_exports(
    name: str, section: JudgedSection, seed: int, shown: set[str], added: bool = False
) -> Component[Any]:
    """How a judged benchmark is exported, whose facts are in ``resources/{name}/export.yaml``.

    Args:
        name: of the benchmark.
        section: its section of the config.
        seed: of the config.
        shown: keys of the section that the card shows beside the source; none holds a path.
        added: whether the user added instances to those of the source.
    """
    sources = {"instances": section.source} | ({"instances added": "local"} if added else {})
    settings = {"seed": seed, **section.model_dump(include={"source", *shown})}
    return Component(
        "steadfast.contract.plain_exports:PlainExports",
        {"known": f"{name}/export.yaml", "sources": sources, "settings": settings},
        (f"{name}/export.yaml",),
    )


class PlainExports(Exports):
    """Tables and card.

    Args:
        known: file of facts: title, summary, languages, sources and citation.
        sources: which of its sources the instances are, by a name for the card.
        settings: of the config, for the card.
    """

    def __init__(self, known: str, sources: Mapping[str, str], settings: Settings):
        self._known, self._sources, self._settings = facts(known), sources, settings

    def tables(self, parts: Mapping[str, Sequence[Asked]], data: Mapping[str, Data]) -> Rows:
        """Prompts by part; each kind of data by file, once."""
        prompts = {part: [one.sample.prompt for one in asked] for part, asked in parts.items()}
        kinds: dict[str, dict[str, Any]] = {}
        for held in data.values():
            for kind, files in held.items():
                kinds.setdefault(kind, {}).update(files)
        return {"prompts": prompts, **kinds}

    def prompt(self, asked: Asked) -> str:
        """The instruction."""
        return asked.sample.prompt["instruction"]

    def about(self) -> About:
        """The card."""
        shared = facts("export/plain.yaml")
        return About(
            title=self._known["title"],
            summary=self._known["summary"],
            languages=self._known["languages"],
            tables=shared["tables"],
            columns={
                table: {name: Column(text) for name, text in columns.items()}
                for table, columns in shared["columns"].items()
            },
            keys=shared["keys"],
            sources=[
                Source(name=name, **self._known["sources"][source])
                for name, source in self._sources.items()
            ],
            settings=self._settings,
            usage=shared["usage"],
            citation=self._known["citation"],
        )
