"""A benchmark exported as a data set: its tables, and its card."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import Template
from typing import Any, Literal, NamedTuple

from steadfast.base.files import Record, Settings
from steadfast.base.resources import facts
from steadfast.contract.components import Component, Data, Sample
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
    settings: Mapping[str, object]
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


class ExportedPrompt(NamedTuple):
    """A sample, its prompt for models, and its reference answer (``Simulator.reference``)."""

    sample: Sample
    item: Item
    reference: str


class Exports:
    """How a benchmark is exported: tables of its prompts and data; touches no files.

    Args:
        card: a file of facts for the card, in ``resources``, beside ``export/plain.yaml``.
        sources: of the texts by name, each the fields of a ``Source``, or its name in the card.
        settings: of the config, to show.
        words: what ``$name`` stands for in title, summary and usage.
    """

    def __init__(
        self, card: str, sources: Mapping[str, str | Settings], settings: Settings, **words: str
    ):
        self._card = {**facts("export/plain.yaml"), **facts(card)}
        self._sources = sources
        self._settings = settings
        self._words = words

    def tables(
        self, parts: Mapping[str, Sequence[ExportedPrompt]], data: Mapping[str, Data]
    ) -> Rows:
        """The rows of each table by split, the main table first: prompts by part, and each kind of
        data by file.

        ``parts`` has the samples of each part in the order of its prompts, ``data`` their data.
        """
        prompts: dict[str, list[Record]] = {}
        for part, requests in parts.items():
            prompts[part] = [self.row(request) for request in requests]
        # Parts may have data files in common, which are exported once.
        kinds: dict[str, dict[str, Any]] = {}
        for part_data in data.values():
            for kind, files in part_data.items():
                kinds.setdefault(kind, {}).update(files)
        filled = {kind: files for kind, files in kinds.items() if any(files.values())}
        return {"prompts": prompts, **filled}

    def row(self, exported: ExportedPrompt) -> Record:
        """A prompt's row, with the reference answer where the card describes that column."""
        row: Record = {**exported.sample.prompt}
        if "reference" in self._card["columns"]["prompts"]:
            row["reference"] = exported.reference
        return row

    def prompt(self, exported: ExportedPrompt) -> str:
        """The entire prompt, as the card describes how to join it from the tables: by default
        what precedes the context, the context and the instruction."""
        prompt = exported.sample.prompt
        return f"{prompt.get('before', '')}{exported.item.context}{prompt['instruction']}"

    def about(self) -> About:
        """The card."""
        texts = dict(self._card)
        known_sources = texts.pop("sources")
        for name in ("title", "summary", "usage"):
            texts[name] = Template(texts[name]).safe_substitute(self._words)
        sources = []
        for name, source in self._sources.items():
            fields = known_sources[source] if isinstance(source, str) else source
            sources.append(Source(name, **fields))
        return About(sources=sources, settings=self._settings, **texts)


def exports_by(card: str, by: str = f"{__name__}:Exports", **arguments: Any) -> Component[Any]:
    """How a benchmark is exported: arguments of ``Exports``, or of its own class (``by``)."""
    return Component(by, {"card": card, **arguments}, (card,))


def plain_exports(
    name: str, section: JudgedSection, seed: int, shown: set[str], added: bool = False
) -> Component[Any]:
    """The export of a judged benchmark, by the facts of ``resources/{name}/export.yaml``.

    ``shown`` are keys of its section that the card shows next to the source, none of which holds a
    path; ``added``: whether the user added instances to those of the source.
    """
    sources = {"instances": section.source} | ({"instances added": "local"} if added else {})
    settings = {"seed": seed, **section.model_dump(include={"source", *shown})}
    return exports_by(f"{name}/export.yaml", sources=sources, settings=settings)
