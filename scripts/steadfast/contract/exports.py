"""A benchmark as a data set of its own: its tables, and what the card says of it."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from steadfast.base.files import Record
from steadfast.contract.components import Data, Sample
from steadfast.contract.request import Item

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
class Column:
    """A column of a table: what it holds, and the column of another table that it refers to."""

    text: str
    refers: tuple[str, str] | None = None


@dataclass(frozen=True)
class About:
    """A data set, for its card.

    Attributes:
        title: its name.
        summary: what it is, a paragraph.
        languages: ISO 639-1 codes.
        tables: what each table holds, the main one first.
        columns: by table; one that is not named here has no text.
        keys: the column that names a row, by table.
        sources: what it was made of.
        settings: of the config that made it, by name.
        usage: how to use it, in Markdown.
        citation: whose work to cite.
    """

    title: str
    summary: str
    languages: Sequence[str]
    tables: Mapping[str, str]
    columns: Mapping[str, Mapping[str, Column]]
    keys: Mapping[str, str]
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
        return [one.name for one in self.sources if one.redistribution in ("no", "unknown")]


class Asked(NamedTuple):
    """A sample, what models are asked, and the stand-in's answer (``StandIn.reference``)."""

    sample: Sample
    item: Item
    reference: str


class Exports(ABC):
    """How a benchmark is exported; touches no files."""

    @abstractmethod
    def tables(self, parts: Mapping[str, Sequence[Asked]], data: Mapping[str, Data]) -> Rows:
        """The rows of each table by split, the main table first.

        Args:
            parts: what is asked in each part, in the order of its prompts.
            data: what the prompts refer to, by part.
        """

    @abstractmethod
    def prompt(self, asked: Asked) -> str:
        """The whole prompt, as the card says to put it together from the tables."""

    @abstractmethod
    def about(self) -> About:
        """The card."""
