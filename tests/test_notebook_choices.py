"""Models, parts and samples of a finished run, chosen by name in a notebook."""

from types import SimpleNamespace

import pytest

from steadfast.base.errors import UserError
from steadfast.notebook.run import Run


def finished_part(name, samples):
    records = {"s": {"total": 0.5}}
    chosen = [SimpleNamespace(id=sample) for sample in samples]
    return SimpleNamespace(
        name=name,
        samples=chosen,
        models=["a", "b"],
        scores=lambda model: records,
        answers=lambda model, names: [f"{model} {name}"],
    )


PARTS = {"4k": finished_part("4k", "st"), "8k": finished_part("8k", "su")}
RUN = Run(
    SimpleNamespace(
        benchmarks=["lifbench"], models=lambda name: ["a", "b"], parts=lambda name: PARTS
    )
)


def scores(*names: str | None) -> list[dict]:
    return RUN._records(*names, lambda part, model: part.scores(model)).to_dict("records")


def test_scores_are_of_the_chosen_models_and_parts():
    assert len(scores("lifbench", None, None)) == 4
    assert scores("lifbench", "b", "8k") == [{"model": "b", "part": "8k", "total": 0.5}]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("cfbench", None, None), "unknown benchmark 'cfbench'"),
        (("lifbench", "c", None), "unknown model 'c'"),
        (("lifbench", "a", "2k"), "unknown part '2k'"),
    ],
)
def test_unknown_name_is_refused(names, message):
    with pytest.raises(UserError, match=message):
        scores(*names)


def test_sample_of_several_parts_needs_one():
    assert RUN.sample("t").answers == ["a 4k", "b 4k"]
    assert RUN.sample("s", model="b", part="8k").answers == ["b 8k"]
    with pytest.raises(UserError, match=r"'s' is in several parts \(4k, 8k\)"):
        RUN.sample("s")
    with pytest.raises(UserError, match="no sample 't'"):
        RUN.sample("t", part="8k")
