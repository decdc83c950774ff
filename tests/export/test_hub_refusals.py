"""Results that would mislead beside a model are not written for the hub."""

from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from steadfast.base.errors import UserError
from steadfast.share.hub_results import refusals, write_hub_results
from steadfast.stats.tidy import SUMMARY, write_csv


def finished(folder: Path, origin="the paper's repository", real=("m",), partial=False, n=100):
    """A run of the models m and sim, with n of 100 samples scored."""
    rows = [(model, "ARS", 0.5, 0.4, 0.6, n, 100) for model in ("m", "sim")]
    rows += [("m", "IFS", 0.5, 0.4, 0.6, 1, 100)]  # no main measure
    summary = pd.DataFrame(rows, columns=list(SUMMARY)).assign(prompts="own")
    write_csv(folder / "summary.csv", summary)
    about = SimpleNamespace(sources=[SimpleNamespace(name="contexts", origin=origin)])
    exports = SimpleNamespace(make=lambda: SimpleNamespace(about=lambda: about))
    evaluation = SimpleNamespace(
        tasks={"b": SimpleNamespace(exports=exports)},
        benchmarks={"b": SimpleNamespace(measures={"ARS": None})},
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
