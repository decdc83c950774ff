"""ComplexBench's surface: what a config asks of it, and all of it from data to figures."""

import pytest

from complexbench_run import MODES, Run, synthetic, task
from steadfast.base.errors import UserError
from steadfast.benchmarks.complexbench.benchmark import METRICS
from steadfast.show.roster import Display

BOTH = {name: {"engine": "reference"} for name in ("first", "second")}


def test_files_that_the_config_names_are_known_by_their_keys():
    section = {"source": "local", "directory": "here", "extra": "mine.json"}
    found = task(section | {"labels": "people.jsonl", "templates": {"judge_zh": "own.txt"}})
    assert sorted(found.files) == [
        ("complexbench.directory", "here"),
        ("complexbench.directory", "here/data_final.json"),
        ("complexbench.extra", "mine.json"),
        ("complexbench.labels", "people.jsonl"),
        ("complexbench.templates.judge_zh", "own.txt"),
    ]


def test_parts_follow_the_config():
    found = task({"languages": ["en", "zh"], "decomposition": True})
    assert list(found.parts) == ["en", "en-decomposed", "zh", "zh-decomposed"]
    sources = found.parts["en-decomposed"].sources
    assert sources == {("data", "en"): "complexbench/data/en.jsonl"}


def test_templates_are_those_in_use():
    assert list(task({"judging": "plain"}).judging.templates) == ["judge_zh"]
    own = task({"templates": {"judge_zh": "mine.txt"}}).judging
    assert own.templates["judge_zh"] == "mine.txt"
    assert "complexbench/judge/judge_zh.txt" not in own.prompts.resources
    with pytest.raises(UserError, match=r"complexbench\.templates: .* did you mean 'judge_zh'"):
        task({"templates": {"judge_hz": "mine.txt"}})


def test_instructions_in_turns_have_a_table_of_their_own():
    turns = set(task({"decomposition": True}).tables.names)
    assert turns - set(task().tables.names) == {"complexbench_decomposition"}


@pytest.mark.quick(1)
@pytest.mark.parametrize("judging", ["rules", "plain"])
@pytest.mark.parametrize("mode", MODES)
def test_the_reference_has_drfr_one_however_it_is_judged(mode, judging):
    run = Run(synthetic(40), mode, judging)
    for part in run.task.parts:
        run.score(run.read(part=part), "reference", part)
        run.score(run.read(0.4, part), "sim-a", part)
    frames = run.metrics(languages=["zh", "en"])
    assert set(frames) == {*METRICS, "corrected"}
    drfr = frames["drfr"]
    reference = drfr[drfr["model"] == "reference"]
    assert len(reference) > 50 and set(reference["value"]) == {1.0}
    reader = drfr[(drfr["model"] == "sim-a") & (drfr["measure"] == "overall")]
    assert len(reader) == 2 and reader["value"].between(0.2, 0.9).all()
    summary = frames["summary"].set_index("model")
    assert summary.loc["sim-a", "low"] < summary.loc["sim-a", "value"]
    coverage = frames["coverage"]
    assert len(coverage) == 8 and (coverage["scored"] == coverage["expected"]).all()
    assert ("rule" in set(frames["judging"]["kind"])) == (judging == "rules")
    assert run.task.tables.function.make(frames, Display())
    assert set(run.task.figures.function.make(frames, Display())) == set(run.task.figures.names)
