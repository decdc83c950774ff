"""What chance makes of the IFS of a perfectly stable model, against models that are."""

import numpy as np
import pandas as pd
import pytest

from steadfast.benchmarks.lifbench.measures import with_chance

MODELS = 400
GROUPS = {"expression": "expression_id", "variable": "variable_id", "length": "length"}


def stable(contexts: int, draw) -> pd.DataFrame:
    """Models whose expressions (5), variables (4) and lengths (3) make no difference in truth."""
    shape = (MODELS, 3, contexts, 5, 4)
    rng = np.random.default_rng(contexts)
    chance = (
        0.7 + rng.normal(0, 0.05, (*shape[:3], 1, 1)) + rng.normal(0, 0.02, (MODELS, 1, 1, 1, 1))
    )
    model, length, context, expression, variable = (axis.ravel() for axis in np.indices(shape))
    names = np.array(["4k", "8k", "16k"])[length]
    frame = pd.DataFrame({"model": model, "length": names, "task": "OQ", "stratum": "onedoc"})
    frame["cluster"] = frame["length"] + "/" + pd.Series(context.astype(str))
    frame = frame.assign(expression_id=expression, variable_id=variable)
    frame["total"] = draw(rng, np.broadcast_to(chance, shape)).ravel()
    return frame.astype({"model": "category", "length": "category"})


DRAWS = {
    "right or wrong": lambda rng, chance: (rng.random(chance.shape) < chance).astype(float),
    "normal": lambda rng, chance: chance + rng.normal(0, 0.1, chance.shape),
}


def ifs(frame: pd.DataFrame) -> pd.DataFrame:
    """Equation 5 over all lengths, by perspective and model, and what chance makes of it."""
    parts = []
    for perspective, column in GROUPS.items():
        means = frame.groupby(["model", column], observed=True)["total"].mean().unstack()
        found = (means.std(axis=1) / means.mean(axis=1)).rename("value").reset_index()
        parts.append(found.assign(perspective=perspective, task="OQ", length=""))
    rows = pd.concat(parts, ignore_index=True).astype({"model": object})
    average = rows.groupby("model")["value"].mean().reset_index()
    average = average.assign(perspective="average", task="OQ", length="")
    found = with_chance(pd.concat([rows, average], ignore_index=True), frame)
    return found.set_index(["perspective", "model"])[["value", "chance"]]


@pytest.mark.quick(1)
@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
@pytest.mark.parametrize("contexts", [1, 4])
def test_stable_models_have_the_ifs_of_chance(contexts, draw):
    means = ifs(stable(contexts, draw)).groupby("perspective").mean().dropna()
    known = {"expression", "variable"} | ({"length", "average"} if contexts > 1 else set())
    assert set(means.index) == known
    assert means["chance"].to_numpy() == pytest.approx(means["value"].to_numpy(), rel=0.1)


def test_unstable_models_have_more_and_blocks_that_lack_a_group_are_left_out():
    frame = stable(2, DRAWS["normal"])
    apart = frame.assign(total=frame["total"] + 0.1 * (frame["expression_id"] == 0))
    both = [ifs(of).loc["expression"].mean() for of in (frame, apart)]
    assert both[1]["value"] > 2 * both[0]["value"]
    assert both[1]["chance"] == pytest.approx(both[0]["chance"], rel=0.05)
    frame = stable(2, DRAWS["normal"])
    few = frame[frame["model"].isin(range(3))]
    first = (few["expression_id"] == 0) & (few["variable_id"] == 0)
    lacking = few.assign(total=few["total"].where(~first))
    without = few[few["variable_id"] != 0]
    levels = [ifs(of).loc["expression", "chance"].to_numpy(float) for of in (lacking, without)]
    assert levels[0] == pytest.approx(levels[1])
