"""What stands in files of templates, and of tasks of the user's own, code by name among it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar

import yaml
from pydantic import BaseModel, Field, ValidationError, field_validator

from steadfast.base.errors import UserError
from steadfast.base.files import Record, read_text
from steadfast.base.names import shown
from steadfast.benchmarks.lifbench.own_tasks.calls import check_values
from steadfast.config.complaint import complaint
from steadfast.config.source import check_source
from steadfast.schema.strict import StrictModel

M = TypeVar("M", bound=BaseModel)
PAGE = "docs/new-task.md"
Text = Annotated[str, Field(min_length=1)]


class Point(StrictModel):
    """A score point: its weight, the capabilities it counts for, and what it asks, in words."""

    weight: float = Field(gt=0, allow_inf_nan=False)
    capabilities: list[Literal["Ori", "Num", "Spat", "Fmt", "Logic", "Recog"]] = Field(min_length=1)
    asks: Text


class Drawing(StrictModel):
    """How the variables of the instruction get their values: ``tasks.Variables``."""

    draw: str
    shown: list[Text] = Field(default=[])
    space: dict[str, Any] = Field(default={})
    neighbours: bool = False


class Function(StrictModel):
    """A function that gives an answer."""

    function: str


class StandIns(StrictModel):
    """Answers in place of a model: texts with the names of variables, or functions."""

    reference: Text | Function
    floor: str | Function | None = None


class Expression(StrictModel):
    """A template, as in ``expressions``."""

    expression_id: int = Field(ge=0)
    template: Text
    direction: Literal[1, -1] | None = None
    origin: str | None = None
    cluster: int | None = None


class Templates(StrictModel):
    """The templates of a task, in a file that may hold more."""

    origin: str | None = None
    expressions: list[Expression] = Field(min_length=1)

    @field_validator("expressions")
    @classmethod
    def _numbered(cls, expressions: list[Expression]) -> list[Expression]:
        if len({one.expression_id for one in expressions}) < len(expressions):
            raise ValueError("every expression needs an expression_id of its own")
        return expressions

    @property
    def templates(self) -> list[Record]:
        """The templates, as expressions."""
        return [
            {**one.model_dump(), "origin": one.origin or self.origin} for one in self.expressions
        ]


class TaskFile(Templates):
    """The file of a task."""

    name: Text
    scenario: Literal["list", "multidoc", "onedoc"]
    max_tokens: int = Field(ge=1)
    directions: bool = False
    variables: Drawing
    points: dict[str, Point] = Field(min_length=1)
    scoring: str
    stand_ins: StandIns

    @field_validator("points")
    @classmethod
    def _named(cls, points: dict[str, Point]) -> dict[str, Point]:
        for name in points:
            if not (name.isascii() and name.isidentifier()):
                raise ValueError(
                    f"name a score point by letters, digits and '_', not {shown(name)}"
                )
        return points


def read_file(schema: type[M], path: str, page: str = PAGE) -> M:
    """Returns the content of a YAML file, checked; ``page`` of the docs says what it holds."""
    check_source(path, page)
    content = yaml.safe_load(read_text(path))
    check_values(content, path)
    return validated(schema, content, path, page)


def validated(schema: type[M], content: Any, where: str, page: str = PAGE) -> M:
    """Returns content as a schema has it; what is wrong is said in one sentence."""
    try:
        return schema.model_validate(content)
    except ValidationError as error:
        raise UserError(complaint(schema, error, where, page)) from None


# --- the spaces of the kinds of drawing --------------------------------------------------------


class Positions(StrictModel):
    """Sections of a list by where they end, positions in each, entries left out at both ends."""

    section_ends: list[Annotated[float, Field(gt=0, le=1)]] = Field(min_length=1)
    per_section: int = Field(ge=1)
    margin: int = Field(ge=0)


class IndexLists(StrictModel):
    """How many positions each list of them has."""

    sizes: list[Annotated[int, Field(ge=1)]] = Field(min_length=1)


class Listed(StrictModel):
    """The settings themselves."""

    settings: list[dict[Text, Any]] = Field(min_length=1)

    @field_validator("settings")
    @classmethod
    def _alike(cls, settings: list[dict[str, Any]]) -> list[dict[str, Any]]:
        if any(one.keys() != settings[0].keys() for one in settings):
            raise ValueError("give every setting the same keys")
        return settings


class Repeat(StrictModel):
    """So many key sentences, and what stands between a sentence and its type."""

    num: int = Field(ge=1)
    sep: Text


class Repeats(StrictModel):
    """Settings as of Repeat."""

    settings: list[Repeat] = Field(min_length=1)


class Evidence(StrictModel):
    """The kind of the sentence that is asked about, and the options of the answer."""

    kind: Literal["true", "fake", "ordinary"]
    options: list[Text] = Field(min_length=1)


class Evidences(StrictModel):
    """Settings as of QA."""

    settings: list[Evidence] = Field(min_length=1)


class Types(StrictModel):
    """Types of key sentences, in angle brackets; one of them is left out."""

    types: list[Text] = Field(min_length=2)


@dataclass(frozen=True)
class ScoringKind:
    """A kind of drawing; of listed settings the keys are the names that it gives."""

    space: type[StrictModel]  # the schema of its space
    scenario: str | None  # that it is for; None: any
    gives: frozenset[str] = frozenset()


KINDS: Mapping[str, ScoringKind] = {
    "positions": ScoringKind(Positions, "list", frozenset({"id", "ordid", "element"})),
    "index_lists": ScoringKind(IndexLists, "list", frozenset({"id_arr"})),
    "listed": ScoringKind(Listed, None),
    "duplicates": ScoringKind(Listed, "multidoc"),
    "repeats": ScoringKind(Repeats, "onedoc", frozenset({"num", "sep"})),
    "evidence": ScoringKind(Evidences, "onedoc", frozenset({"evidence", "options"})),
    "types": ScoringKind(Types, "onedoc", frozenset({"type"})),
}
"""Those of ``variables.DRAWS``."""
NEIGHBOURS = frozenset({"pre_element", "post_element"})
