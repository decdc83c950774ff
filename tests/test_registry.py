"""Entry points that name no benchmark end in a sentence."""

from dataclasses import replace
from importlib.metadata import EntryPoint

import pytest

from steadfast import registry
from steadfast.errors import UserError
from steadfast.followbench.benchmark import FOLLOWBENCH

SEED, DASHED = (replace(FOLLOWBENCH, name=name) for name in ("seed", "my-bench"))
NOTHING = "no benchmark"


@pytest.fixture
def named(monkeypatch):
    """Registers one more entry point, of this module."""

    def named(name: str, value: str) -> dict:
        point = EntryPoint(name, value, registry.GROUP)
        monkeypatch.setattr(registry, "entry_points", lambda group: [point])
        return registry.benchmarks.__wrapped__()

    return named


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("mine", "no_such_module:MINE", "entry point mine .* cannot be loaded .*No module"),
        ("mine", f"{__name__}:MISSING", "cannot be loaded .*MISSING"),
        ("mine", f"{__name__}:NOTHING", "no benchmark of that name"),
        ("mine", f"{__name__}:SEED", "no benchmark of that name"),
        ("seed", f"{__name__}:SEED", "a key of the config"),
        ("my-bench", f"{__name__}:DASHED", "letters, digits and '_'"),
    ],
)
def test_an_entry_point_that_is_no_benchmark_is_named(named, name, value, complaint):
    with pytest.raises(UserError, match=complaint):
        named(name, value)
