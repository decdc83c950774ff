"""Whose prompts models answered, and how many answers are expected of each."""

import pandas as pd

from steadfast.base.files import read_jsonl
from steadfast.contract.records import OWN, RELEASED
from steadfast.stages.release_scores import release_scores
from steadfast.stats.scores import answers_expected, models_by_prompts, prompts_of


def answers(**by_model: str) -> pd.DataFrame:
    """Answers such as "a0 a1 b0!": sample and repeat; ! is one of released scores."""
    rows = [
        {
            "model": model,
            "task": "T" if answer < "b" else "U",
            "sample_id": answer[0],
            "repeat": int(answer[1]),
            "prompts": RELEASED if answer.endswith("!") else OWN,
        }
        for model, given in by_model.items()
        for answer in given.split()
    ]
    return pd.DataFrame(rows)


def expected(frame: pd.DataFrame, *by: str) -> dict:
    rows = answers_expected(frame, by)
    return rows.set_index(["model", *by])["expected"].to_dict()


def test_expected_answers_are_those_of_a_model_s_own_prompts_and_repeats():
    mixed = answers(m="a0 b0", short="a0", other="x0! y0! z0!")
    assert expected(mixed) == {"m": 2, "short": 2, "other": 3}
    frame = answers(m="a0 a1 a2 b0 b1 b2", n="a0 b0", lost="a0 a1")
    for model, repeats in {"m": 3, "n": 1, "lost": 2}.items():
        assert expected(frame, "task")[model, "T"] == expected(frame, "task")[model, "U"] == repeats
    assert models_by_prompts(pd.DataFrame({"model": ["m", "n"]})) == {"m": OWN, "n": OWN}


def test_released_score_files_say_that_they_are_of_other_prompts(tmp_path):
    scores = tmp_path / "scores/onedoc-qa.csv"
    scores.parent.mkdir()
    head = "model,ins_id,param_id,length,correct,format,total_score\n"
    scores.write_text(head + "m-1,0,0,3,1.0,0.5,0.8\n")
    source = {"url": "unused", "files": {"onedoc-qa.csv": {}}}
    settings = {"directory": str(tmp_path), "tasks": ["OQ"], "source": source}
    released = "steadfast.benchmarks.lifbench.released_scores:released_scores", settings
    release_scores(released, {"m": "m-1"}, {("m", "4k"): tmp_path / "out.jsonl"})
    (record,) = read_jsonl(tmp_path / "out.jsonl")
    assert prompts_of(record) == RELEASED
    del record["prompts"]
    assert prompts_of(record) == OWN
