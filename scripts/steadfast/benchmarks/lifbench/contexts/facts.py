"""The facts that contexts are built from, read from ``resources/lifbench/contexts.yaml``."""

from collections.abc import Iterable, Mapping

from steadfast.base.files import Settings
from steadfast.base.resources import facts

FACTS: Mapping[str, Settings] = facts("lifbench/contexts.yaml")


def is_plain(text: str, unfit: Iterable[str]) -> bool:
    """Tells whether a text is one printable line that reads the same after any escaping.

    Characters beyond the Basic Multilingual Plane are out because JSON escapes them as two, which
    the released rubric does not join again.
    """
    return (
        text != ""
        and text == text.strip()
        and text.isprintable()
        and max(text) <= "\uffff"
        and not any(part in text for part in unfit)
    )
