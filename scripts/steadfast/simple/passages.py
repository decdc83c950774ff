"""The passages of its context that answer an instance, to be highlighted in a sample."""

from typing import Any

from steadfast.contract.components import Sample
from steadfast.show.passages import Passages
from steadfast.simple.instance import instance_of


def passages(sample: Sample[Any]) -> Passages | None:
    """Returns the places of the answers that count as right; None where there is no context."""
    instance = instance_of(sample)
    if not instance.context:
        return None
    quotes = (text for text in instance.answers if isinstance(text, str))
    return Passages(instance.context, [text for text in quotes if len(text) > 1])
