"""A benchmark exported as a data set: its tables, and its card."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from steadfast.base.files import Record, Settings
from steadfast.base.resources import facts
from steadfast.contract.components import Component, Data, Sample
from steadfast.contract.records import Prompt
from steadfast.contract.request import Item
from steadfast.schema.judged import JudgedSection

# The rows of each table, by split.
Rows = Mapping[str, Mapping[str, Iterable[Record]]]


@dataclass(frozen=True)
class Source:
    """A source of a data set, and its licence.

    Attributes:
        name: of the source, such as a corpus.
        origin: where it was published.
        licence: SPDX identifier where there is one, else its name.
        redistribution: whether its text may be redistributed (conditions: see the note).
        note: a sentence on redistribution.
        url: of the licence.
    """

    name: str
    origin: str
    licence: str
    redistribution: Literal["yes", "conditions", "no", "unknown"]
    note: str
    url: str | None = None


@dataclass(frozen=True)
class About:
    """The content of a data set's card.

    Attributes:
        title: name of the data set.
        summary: a paragraph on it.
        languages: ISO 639-1 codes.
        tables: description of each table, the main one first.
        columns: descriptions of columns, by table; those without one are left out.
        sources: of its text.
        settings: of the config that made it, by name.
        usage: how to use it, in Markdown.
        citation: the work to cite.
    """

    title: str
    summary: str
    languages: Sequence[str]
    tables: Mapping[str, str]
    columns: Mapping[str, Mapping[str, str]]
    sources: Sequence[Source]
    settings: Mapping[str, object] = field(default_factory=dict)
    usage: str = ""
    citation: str = ""

    @property
    def licence(self) -> str | None:
        """The licence of all its sources; None where they have several."""
        licences = {source.licence for source in self.sources}
        return licences.pop() if len(licences) == 1 else None

    @property
    def withheld(self) -> list[str]:
        """Names of the sources whose redistribution is not allowed, or unknown."""
        barred = ("no", "unknown")
        return [source.name for source in self.sources if source.redistribution in barred]


def about_by(card: Settings, sources: Sequence[Source], settings: Settings) -> About:
    """The card by a file of facts, with sources and settings of the config."""
    names = ("title", "summary", "languages", "tables", "columns", "usage", "citation")
    fixed = {name: card[name] for name in names if name in card}
    return About(sources=sources, settings=settings, **fixed)


class Asked(NamedTuple):
    """A sample, its prompt for models, and its reference answer (``Simulator.reference``)."""

    sample: Sample
    item: Item
    reference: str


class Exports(ABC):
    """How a benchmark is exported; touches no files."""

    @abstractmethod
    def tables(self, parts: Mapping[str, Sequence[Asked]], data: Mapping[str, Data]) -> Rows:
        """The rows of each table by split, the main table first.

        ``parts`` has the samples of each part in the order of its prompts, ``data`` their data.
        """

    def prompt(self, asked: Asked) -> str:
        """The entire prompt, as the card describes how to join it from the tables: by default
        what precedes the context, the context and the instruction."""
        prompt = asked.sample.prompt
        return f"{prompt.get('before', '')}{asked.item.context}{prompt['instruction']}"

    @abstractmethod
    def about(self) -> About:
        """The card."""


def plain_exports(
    name: str, section: JudgedSection, seed: int, shown: set[str], added: bool = False
) -> Component[Any]:
    """The export of a judged benchmark, by the facts of ``resources/{name}/export.yaml``.

    ``shown`` are keys of its section that the card shows next to the source, none of which holds a
    path; ``added``: whether the user added instances to those of the source.
    """
    sources = {"instances": section.source} | ({"instances added": "local"} if added else {})
    settings = {"seed": seed, **section.model_dump(include={"source", *shown})}
    return Component(
        "steadfast.contract.exports:PlainExports",
        {"known": f"{name}/export.yaml", "sources": sources, "settings": settings},
        (f"{name}/export.yaml",),
    )


class PlainExports(Exports):
    """Tables of prompts and data; the card by a file of facts (``known``), the kind of source of
    each set of instances, and the config's settings to show.
    """

    def __init__(self, known: str, sources: Mapping[str, str], settings: Settings):
        self._facts = facts(known)
        self._sources = sources
        self._settings = settings

    def tables(self, parts: Mapping[str, Sequence[Asked]], data: Mapping[str, Data]) -> Rows:
        """Prompts by part, and each kind of data by file."""
        prompts: dict[str, list[Prompt]] = {}
        for part, requests in parts.items():
            prompts[part] = [request.sample.prompt for request in requests]
        # Parts may have data files in common, which are exported once.
        kinds: dict[str, dict[str, Any]] = {}
        for part_data in data.values():
            for kind, files in part_data.items():
                kinds.setdefault(kind, {}).update(files)
        return {"prompts": prompts, **kinds}

    def about(self) -> About:
        sources: list[Source] = []
        for name, kind in self._sources.items():
            sources.append(Source(name=name, **self._facts["sources"][kind]))
        return about_by({**facts("export/plain.yaml"), **self._facts}, sources, self._settings)
