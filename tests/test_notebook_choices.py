"""Models, parts and samples of a finished run, chosen by name in a notebook."""

from types import SimpleNamespace

import pytest

from steadfast.base.errors import UserError
from steadfast.jobs.finished import FinishedPart
from steadfast.notebook import start
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


def test_totals_by_other_raters_are_columns(monkeypatch):
    records = {"s": {"other_raters": {"corrected": {"total": 0.5}}}, "t": {"other_raters": {}}}
    monkeypatch.setattr(FinishedPart, "scores", lambda part, model: records)
    frame = RUN.scores("lifbench", "a", "4k")
    assert frame["total by corrected"].fillna(-1).tolist() == [0.5, -1]


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


def test_table_has_all_cells_as_text(tmp_path):
    folder = tmp_path / "tables"
    folder.mkdir()
    (folder / "summary.csv").write_text("Model,ARS,IFS,marks\nNA,0.50,--,\n")
    finished = SimpleNamespace(results=tmp_path, check=lambda provenance: None)
    table = Run(finished).table("summary")
    assert table.to_dict("records") == [{"Model": "NA", "ARS": "0.50", "IFS": "--", "marks": ""}]


@pytest.mark.parametrize(
    ("arguments", "words", "results"),
    [
        ({}, [], "made"),
        ({"config": "my.yaml", "cores": 2}, ["my.yaml", "--cores", "2"], "mine"),
        (
            {"settings": {"seed": 3, "pathvars": {"results": "third"}}},
            ["--set", "seed=3", "--set", 'pathvars={"results": "third"}'],
            "third",
        ),
    ],
)
def test_run_from_a_notebook_starts_the_command(tmp_path, monkeypatch, arguments, words, results):
    calls = []
    words = [str(tmp_path / word) if word == "my.yaml" else word for word in words]
    monkeypatch.setattr(start, "_print_output", lambda command, folder: calls.append(command[3:]))
    monkeypatch.setattr(start, "load", lambda folder: folder)
    monkeypatch.chdir(tmp_path)
    for name, folder in (("config/config.yaml", "made"), ("my.yaml", "mine")):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(f"pathvars: {{results: {folder}}}\n")
    assert start.run(directory=tmp_path, **arguments) == tmp_path / results
    assert calls == [["run", *words]]
