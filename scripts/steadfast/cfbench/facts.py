"""The facts of CFBench that several modules need, read from ``resources/cfbench``."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

RESOURCES = Path(__file__).resolve().parents[3] / "resources" / "cfbench"
LANGUAGE = "zh"  # the only one that is published
PRIMARY, SECONDARY = "主需", "次需"
PRIORITIES = (PRIMARY, SECONDARY)
SPLITS = ("easy", "hard")
FULL = "full"  # both splits together
SETS = (*SPLITS, FULL)
REAL_LIFE = "tob"  # the source whose records have a domain; the others name an NLP task
THRESHOLD = 0.8  # of PSR (paper, "Evaluation Metrics")
RATES = ("csr", "isr", "psr")
INVALID = "invalid"  # status of an answer without a readable verdict
Mode = Literal["strict", "released"]
MODES: tuple[Mode, ...] = ("strict", "released")


@dataclass(frozen=True)
class PrimaryType:
    """One of the ten primary constraint types (paper, Table 1).

    Attributes:
        number: the paper's, from C1 to C10.
        name: the paper's.
        secondary: label and name of each secondary type that the paper lists (Table 8).
        others: of those that only the data has.
    """

    number: str
    name: str
    secondary: dict[str, str]
    others: dict[str, str]


def read_yaml(name: str) -> Any:
    """A file of ``resources/cfbench``."""
    import yaml

    return yaml.safe_load((RESOURCES / name).read_text(encoding="utf-8"))


@cache
def types() -> dict[str, PrimaryType]:
    """The primary types by the data's label, in the paper's order."""
    return {
        label: PrimaryType(**{"others": {}} | facts)
        for label, facts in read_yaml("types.yaml").items()
    }


@cache
def secondary_names() -> dict[str, str]:
    """The names of all secondary types by the data's label, in the paper's order."""
    return {
        label: name
        for primary in types().values()
        for label, name in (primary.secondary | primary.others).items()
    }
