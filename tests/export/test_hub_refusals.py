"""Results for the hub: their files, and those that would mislead beside a model."""

from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
import yaml

from steadfast.base.errors import UserError
from steadfast.config.load import load_config
from steadfast.share.hub_results import refusals, write_hub_results
from steadfast.stats.tidy import SUMMARY, write_csv

JUDGES = {name: {"engine": "openai", "model": f"{name} judge"} for name in ("first", "second")}


def finished(folder: Path, origin="the paper's repository", real=("m",), partial=False, n=100):
    """A run of the models m and sim, with n of 100 samples scored."""
    rows = [(model, "ARS", 0.5, 0.4, 0.6, n, 100) for model in ("m", "sim")]
    rows += [("m", "IFS", 0.5, 0.4, 0.6, 1, 100)]  # no main measure
    summary = pd.DataFrame(rows, columns=list(SUMMARY)).assign(prompts="own")
    write_csv(folder / "summary.csv", summary)
    about = SimpleNamespace(sources=[SimpleNamespace(name="contexts", origin=origin)])
    about.title, about.summary, about.tables = "Bench", "Some\n prompts.", {"prompts": []}
    exports = SimpleNamespace(make=lambda: SimpleNamespace(about=lambda: about))
    evaluation = SimpleNamespace(
        tasks={"b": SimpleNamespace(exports=exports, parts=["4-k", "8k"], data_note="Released.")},
        benchmarks={"b": SimpleNamespace(measures={"ARS": SimpleNamespace(text="mean")})},
        config=load_config(
            {"models": {"m": {"engine": "openai", "model": "gpt"}}, "judges": JUDGES}
        ),
        judges_of=lambda name, model: ["first", "second"],
        real_models=real,
        evaluates_part_of=lambda name: partial,
    )
    return SimpleNamespace(
        evaluation=evaluation,
        benchmarks=["b"],
        models=lambda name: ["m", "sim"],
        metrics=lambda name: {},
        metric_path=lambda name, metric: folder / f"{metric}.csv",
    )


@pytest.mark.parametrize(
    ("options", "reasons"),
    [
        ({}, []),
        ({"origin": "made by steadfast"}, ["contexts: synthetic data measure no model"]),
        ({"real": ()}, ["all models are simulated or replayed"]),
        ({"partial": True}, ["only some of the prompts were evaluated"]),
        ({"n": 99}, ["ARS of m is of 99 of 100 samples"]),
    ],
)
def test_misleading_results_are_refused(tmp_path, options, reasons):
    refused = list(refusals(finished(tmp_path, **options), "b"))
    assert len(refused) == len(reasons)
    for text, reason in zip(refused, reasons, strict=True):
        assert text.startswith(reason)


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("b", "'b' names no data set"),
        ("b=me", "'b=me' names no data set"),
        ("c=me/b", "no benchmark 'c'; name one of b"),
        ("b=me/b", "b: only some of the prompts"),
    ],
)
def test_refused_export_writes_nothing(tmp_path, word, message):
    with pytest.raises(UserError, match=message):
        write_hub_results(finished(tmp_path, partial=True), [word], tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_values_have_files_of_the_benchmark_and_of_each_real_model(tmp_path):
    out = tmp_path / "out"
    entry = out / "m/.eval_results/b.yaml"
    written = write_hub_results(finished(tmp_path), ["b=me/b"], out)
    assert written == [out / "b/eval.yaml", entry]
    benchmark = yaml.safe_load((out / "b/eval.yaml").read_text())
    assert benchmark == {
        "name": "Bench",
        "description": "Some prompts.\nars: mean\nSplits: 4_k, 8k.",
        "tasks": [{"id": "ars", "config": "prompts", "split": "4_k"}],
    }
    (result,) = yaml.safe_load(entry.read_text())
    assert result["dataset"] == {"id": "me/b", "task_id": "ars"}
    assert result["value"] == 0.5
    notes = result["notes"].split("; ")
    assert notes[0].startswith("ARS of steadfast ")
    assert notes[1:3] == ["n = 100", "95 % interval 0.4 to 0.6"]
    assert '"temperature":0.0' in notes[3]
    assert notes[4:] == ["judge first judge", "Released."]
