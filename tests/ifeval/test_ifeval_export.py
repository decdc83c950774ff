"""IFEval as a data set: its tables, its card, and how a prompt is put together again."""

import pytest
from ifeval_shared import asked
from test_ifeval_metrics import PROMPTS

from steadfast.benchmarks.ifeval.export import IfevalExports
from steadfast.benchmarks.ifeval.prompts import IfevalSamples
from steadfast.contract.exports import Asked

TEXT = {"context_id": "multidoc-4k-s0", "tokens": 2, "text": "text 0"}


def exported():
    return IfevalExports("ifeval/export.yaml", {"ifeval": "ifeval"}, {"seed": 1})


def given(positions=("after",)):
    samples = asked(PROMPTS[:1], texts=1, positions=positions)
    return {
        part: [Asked(one, IfevalSamples().item(one), "gold") for one in of]
        for part, of in samples.items()
    }


def test_prompts_stand_by_length_and_what_they_refer_to_once():
    contexts = {"multidoc": [TEXT | {"seed": 1}]}
    data = {"0": {"data": {"prompts": PROMPTS}}, "4k": {"contexts": contexts}}
    found = exported().tables(given(), data)
    assert [one["sample_id"] for one in found["prompts"]["0"]] == ["synthetic/0"]
    assert {one["reference"] for of in found["prompts"].values() for one in of} == {"gold"}
    assert {name: of for name, of in found.items() if name != "prompts"} == {
        "instances": {"all_lengths": PROMPTS},
        "contexts": {"4k": [TEXT]},
    }
    assert [*exported().tables(given(), {"0": data["0"]})] == ["prompts", "instances"]


@pytest.mark.parametrize("position", ["after", "before", "both"])
def test_a_prompt_is_what_precedes_the_text_the_text_and_what_follows(position):
    parts = given((position,))
    assert exported().prompt(parts["0"][0]) == "Say it."
    whole = exported().prompt(parts["4k"][0])
    before, _, behind = whole.partition("text 0")
    assert ("Say it." in before, "Say it." in behind) == (position != "after", position != "before")
