"""The number of expected responses of each model, and the prompts that it answered."""

import pandas as pd

from steadfast.base.files import read_jsonl
from steadfast.contract.records import OWN, RELEASED
from steadfast.stages.release_scores import release_scores
from steadfast.stats.scores import expected_responses, models_by_prompts, prompts_of


def responses(model: str, *names: str, prompts: str = OWN) -> pd.DataFrame:
    """Responses such as "a0", sample and repeat; sample a is of task T, others of U."""
    frame = pd.DataFrame({"model": model, "sample_id": names, "prompts": prompts})
    frame["repeat"] = frame["sample_id"].str[1].astype(int)
    frame["sample_id"] = frame["sample_id"].str[0]
    return frame.assign(task=frame["sample_id"].map({"a": "T"}).fillna("U"))


def expected(*models: pd.DataFrame, by: tuple[str, ...] = ()) -> dict:
    rows = expected_responses(pd.concat(models), by)
    return rows.set_index(["model", *by])["expected"].to_dict()


def test_expected_responses_count_samples_of_the_same_prompts():
    released = responses("other", "x0", "y0", "z0", prompts=RELEASED)
    counts = expected(responses("m", "a0", "b0"), responses("short", "a0"), released)
    assert counts == {"m": 2, "short": 2, "other": 3}


def test_expected_responses_count_repeats():
    repeated = responses("m", "a0", "a1", "a2", "b0", "b1", "b2")
    single = responses("n", "a0", "b0")
    counts = expected(repeated, single, responses("lost", "a0", "a1"), by=("task",))
    assert counts == {
        ("m", "T"): 3, ("m", "U"): 3, ("n", "T"): 1, ("n", "U"): 1, ("lost", "T"): 2,
        ("lost", "U"): 2,
    }  # fmt: skip


def test_models_without_recorded_prompts_answered_own_prompts():
    assert models_by_prompts(pd.DataFrame({"model": ["m", "n"]})) == {"m": OWN, "n": OWN}


def test_released_scores_are_recorded_as_of_other_prompts(tmp_path):
    scores = tmp_path / "scores/onedoc-qa.csv"
    scores.parent.mkdir()
    header = "model,ins_id,param_id,length,correct,format,total_score\n"
    scores.write_text(header + "m-1,0,0,3,1.0,0.5,0.8\n")
    source = {"url": "unused", "files": {"onedoc-qa.csv": {}}}
    settings = {"directory": str(tmp_path), "tasks": ["OQ"], "source": source}
    released = ("steadfast.benchmarks.lifbench.released_scores:released_scores", settings)
    release_scores(released, {"m": "m-1"}, {("m", "4k"): tmp_path / "out.jsonl"})
    (record,) = read_jsonl(tmp_path / "out.jsonl")
    assert prompts_of(record) == RELEASED
    del record["prompts"]
    assert prompts_of(record) == OWN
