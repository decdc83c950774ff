"""Which settings differ between two runs."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from steadfast.base.files import canonical_json

ABSENT = "(not there)"
COLUMNS = ("where", "key", "a", "b")


class Difference(NamedTuple):
    """A key whose values differ; a value is shown as JSON."""

    key: str
    a: str
    b: str


def differences(a: Any, b: Any, key: str = "") -> Iterator[Difference]:
    """The keys of nested plain values that differ, with dots between their names.

    Example:
        >>> list(differences({"m": {"t": 0.0, "k": 1}}, {"m": {"t": 0.7, "k": 1}, "seed": 2}))
        [Difference(key='m.t', a='0.0', b='0.7'), Difference(key='seed', a='(not there)', b='2')]
    """
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        for name in dict.fromkeys([*a, *b]):
            path = f"{key}.{name}" if key else str(name)
            if name in a and name in b:
                yield from differences(a[name], b[name], path)
            else:
                held = [canonical_json(of[name]) if name in of else ABSENT for of in (a, b)]
                yield Difference(path, *held)
    elif canonical_json(a) != canonical_json(b):
        yield Difference(key, canonical_json(a), canonical_json(b))
