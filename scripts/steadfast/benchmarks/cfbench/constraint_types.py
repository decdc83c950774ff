"""The constraint types of checkpoints, primary and secondary, under the data's labels."""

from collections.abc import Mapping
from typing import NamedTuple

from steadfast.base.resources import facts


class PrimaryType(NamedTuple):
    """One of the ten primary constraint types (paper, Table 1)."""

    number: str  # the paper's, from C1 to C10
    name: str  # the paper's
    secondary: Mapping[str, str]  # name of each secondary type by the data's label


TYPES = {label: PrimaryType(**of) for label, of in facts("cfbench/types.yaml").items()}
"""By the data's label, in the paper's order."""
PRIMARY_OF = {label: primary for primary, of in TYPES.items() for label in of.secondary}
"""Label of the primary type by each secondary one's, in the paper's order."""
