"""The chance level of IFS, against simulated models that are perfectly stable."""

import numpy as np
import pandas as pd
import pytest

from steadfast.benchmarks.lifbench.measures import with_chance
from steadfast.stats.chance import crossed, nested
from steadfast.stats.intervals import Clusters

MODELS = 400
PERSPECTIVES = {"expression": "expression_id", "variable": "variable_id", "length": "length"}


def stable_models(contexts: int, sample) -> pd.DataFrame:
    """Models whose expressions (5), variables (4) and lengths (3) truly make no difference."""
    shape = (MODELS, 3, contexts, 5, 4)
    rng = np.random.default_rng(contexts)
    context_means = 0.7 + rng.normal(0, 0.05, (*shape[:3], 1, 1))
    means = context_means + rng.normal(0, 0.02, (MODELS, 1, 1, 1, 1))
    model, length, context, expression, variable = np.indices(shape).reshape(5, -1)
    lengths = np.array(["4k", "8k", "16k"])[length]
    frame = pd.DataFrame({"model": model, "length": lengths, "task": "OQ", "stratum": "onedoc"})
    frame["cluster"] = frame["length"] + "/" + pd.Series(context.astype(str))
    frame = frame.assign(expression_id=expression, variable_id=variable)
    frame["total"] = sample(rng, np.broadcast_to(means, shape)).ravel()
    return frame.astype({"model": "category", "length": "category"})


SCORES = {
    "right or wrong": lambda rng, means: (rng.random(means.shape) < means).astype(float),
    "normal": lambda rng, means: means + rng.normal(0, 0.1, means.shape),
}


def ifs(frame: pd.DataFrame) -> pd.DataFrame:
    """Equation 5 over all lengths with its chance level, by perspective and model."""
    rows = []
    for perspective, column in PERSPECTIVES.items():
        means = frame.groupby(["model", column], observed=True)["total"].mean().unstack()
        values = (means.std(axis=1) / means.mean(axis=1)).rename("value").reset_index()
        rows.append(values.assign(perspective=perspective).astype({"model": object}))
    average = pd.concat(rows).groupby("model")["value"].mean().reset_index()
    rows.append(average.assign(perspective="average"))
    values = pd.concat(rows, ignore_index=True).assign(task="OQ", length="")
    return with_chance(values, frame).set_index(["perspective", "model"])[["value", "chance"]]


@pytest.mark.quick(1)
@pytest.mark.parametrize("sample", SCORES.values(), ids=SCORES)
@pytest.mark.parametrize("contexts", [1, 4])
def test_stable_models_have_the_ifs_of_chance(contexts, sample):
    means = ifs(stable_models(contexts, sample)).groupby("perspective").mean().dropna()
    over_lengths = {"length", "average"} if contexts > 1 else set()
    assert set(means.index) == {"expression", "variable"} | over_lengths
    assert means["chance"].to_numpy() == pytest.approx(means["value"].to_numpy(), rel=0.1)


def test_unstable_models_exceed_the_chance_level():
    frame = stable_models(2, SCORES["normal"])
    unstable = frame.assign(total=frame["total"] + 0.1 * (frame["expression_id"] == 0))
    stable_ifs = ifs(frame).loc["expression"].mean()
    unstable_ifs = ifs(unstable).loc["expression"].mean()
    assert unstable_ifs["value"] > 2 * stable_ifs["value"]
    assert unstable_ifs["chance"] == pytest.approx(stable_ifs["chance"], rel=0.05)


def test_three_groups_of_two_blocks_by_hand():
    frame = pd.DataFrame({"e": list("abc") * 2, "v": list("xxxyyy"), "model": "m", "task": "T"})
    frame["total"] = [0.5, 0.6, 0.7, 0.7, 0.6, 0.5]  # residual .04: variance .04 ÷ (2 · 1) ÷ 2
    # √.01 ÷ .6; groups and variance both have two degrees of freedom, so that their c4 cancel
    assert crossed(frame, "e", ["v"]).tolist() == pytest.approx([1 / 6])


def test_single_length_has_no_chance_level():
    frame = pd.DataFrame({"cluster": list("ab"), "length": "4k", "model": "m", "task": "T"})
    frame["total"] = [0.5, 0.7]
    assert nested(frame, "length", Clusters(frame, ["length"])).isna().tolist() == [True]


def test_blocks_with_a_missing_group_do_not_count():
    frame = stable_models(2, SCORES["normal"])
    frame = frame[frame["model"].isin(range(3))]
    is_first = (frame["expression_id"] == 0) & (frame["variable_id"] == 0)
    incomplete = frame.assign(total=frame["total"].where(~is_first))
    without_block = frame[frame["variable_id"] != 0]
    chance = ifs(incomplete).loc["expression", "chance"].to_numpy(float)
    assert chance == pytest.approx(ifs(without_block).loc["expression", "chance"].to_numpy(float))
