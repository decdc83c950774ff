"""A benchmark as a data set of its own: its tables, and what the card says of it."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from steadfast.base.files import Record, Settings
from steadfast.base.resources import facts
from steadfast.contract.components import Component, Data, Sample
from steadfast.contract.request import Item
from steadfast.schema.judged import JudgedSection

Rows = Mapping[str, Mapping[str, Iterable[Record]]]
"""The rows of each table, by split."""


@dataclass(frozen=True)
class Source:
    """Something that a data set was made of, and what its licence allows.

    Attributes:
        name: such as a corpus.
        origin: where it was taken from.
        licence: its name; SPDX's where it has one.
        redistribution: whether its text may be passed on: yes, conditions (the note says which),
            no, or unknown.
        note: a sentence on that.
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
    """A data set, for its card.

    Attributes:
        title: its name.
        summary: what it is, a paragraph.
        languages: ISO 639-1 codes.
        tables: what each table holds, the main one first.
        columns: what each holds, by table; one that is not named here has no text.
        sources: what it was made of.
        settings: of the config that made it, by name.
        usage: how to use it, in Markdown.
        citation: whose work to cite.
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
        """The one licence of all its sources; None where they have several."""
        licences = {source.licence for source in self.sources}
        return licences.pop() if len(licences) == 1 else None

    @property
    def withheld(self) -> list[str]:
        """Names of the sources whose text may not be passed on, or nobody knows."""
        return [
            source.name for source in self.sources if source.redistribution in ("no", "unknown")
        ]


def about_by(known: Settings, sources: Sequence[Source], settings: Settings) -> About:
    """The card by facts that have its attributes, and what only the config says."""
    names = ("title", "summary", "languages", "tables", "columns", "usage", "citation")
    fixed = {name: known[name] for name in names if name in known}
    return About(sources=sources, settings=settings, **fixed)


class Asked(NamedTuple):
    """A sample, what models are asked, and the simulator's answer (``Simulator.reference``)."""

    sample: Sample
    item: Item
    reference: str


class Exports(ABC):
    """How a benchmark is exported; touches no files."""

    @abstractmethod
    def tables(self, parts: Mapping[str, Sequence[Asked]], data: Mapping[str, Data]) -> Rows:
        """Returns the rows of each table by split, the main table first.

        ``parts`` has what is asked in each part, in the order of its prompts, ``data`` what these
        refer to.
        """

    def prompt(self, asked: Asked) -> str:
        """The whole prompt, as the card says to put it together from the tables: by default what
        precedes the context, the context and the instruction."""
        prompt = asked.sample.prompt
        return f"{prompt.get('before', '')}{asked.item.context}{prompt['instruction']}"

    @abstractmethod
    def about(self) -> About:
        """The card."""


def plain_exports(
    name: str, section: JudgedSection, seed: int, shown: set[str], added: bool = False
) -> Component[Any]:
    """Returns how a judged benchmark is exported, by the facts of ``resources/{name}/export.yaml``.

    ``shown`` are keys of its section that the card shows beside the source, none of which holds a
    path; ``added`` says whether the user added instances to those of the source.
    """
    sources = {"instances": section.source} | ({"instances added": "local"} if added else {})
    settings = {"seed": seed, **section.model_dump(include={"source", *shown})}
    return Component(
        "steadfast.contract.exports:PlainExports",
        {"known": f"{name}/export.yaml", "sources": sources, "settings": settings},
        (f"{name}/export.yaml",),
    )


class PlainExports(Exports):
    """Tables and card, by a file of facts, which of its sources the instances are, and the config's
    settings to show.
    """

    def __init__(self, known: str, sources: Mapping[str, str], settings: Settings):
        self._known = facts(known)
        self._sources = sources
        self._settings = settings

    def tables(self, parts: Mapping[str, Sequence[Asked]], data: Mapping[str, Data]) -> Rows:
        """Returns prompts by part; each kind of data by file, once."""
        prompts = {
            part: [request.sample.prompt for request in requests]
            for part, requests in parts.items()
        }
        kinds: dict[str, dict[str, Any]] = {}
        for held in data.values():
            for kind, files in held.items():
                kinds.setdefault(kind, {}).update(files)
        return {"prompts": prompts, **kinds}

    def about(self) -> About:
        sources = [
            Source(name=name, **self._known["sources"][source])
            for name, source in self._sources.items()
        ]
        return about_by({**facts("export/plain.yaml"), **self._known}, sources, self._settings)
