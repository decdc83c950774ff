"""Notes of tables on the data, the prompts and the judge."""

import re
from pathlib import Path

import pytest
import yaml

from steadfast.base.errors import UserError
from steadfast.config.load import load_config
from steadfast.jobs.evaluation import Evaluation

REFERENCE = {"engine": "reference"}
NOT_COMPARABLE = "Not comparable with the paper's numbers."


def data_note(benchmark="lifbench", model="reference", engine="reference", **sections):
    models = {model: {"engine": engine}}
    config = load_config({"models": models, "judges": {"judge": REFERENCE}, **sections})
    return Evaluation(config).tasks[benchmark].data_note


def test_synthetic_contexts_are_noted_as_not_comparable():
    assert data_note() == (
        f"LIFBench: synthetic contexts; the project's own instruction templates. {NOT_COMPARABLE}"
    )


@pytest.mark.parametrize(
    ("section", "note"),
    [
        ({"corpora": {"source": "hub"}}, "contexts built anew from the published corpora;"),
        ({"corpora": {"source": "local", "directory": "."}}, "contexts built from local corpora;"),
        ({"lifbench": {"expressions": "released"}}, "; the published templates."),
    ],
)
def test_other_contexts_and_templates_are_noted_as_not_comparable(section, note):
    text = data_note(**section)
    assert note in text and text.endswith(NOT_COMPARABLE)


def test_published_prompts_and_released_scores_are_noted():
    assert data_note(lifbench={"contexts": "released", "expressions": "released"}) == (
        "LIFBench: the published contexts; the published templates. These are the paper's prompts."
    )
    released_scores = data_note(model="Qwen2.5-7B", engine="scored")
    assert released_scores.endswith("of responses to the published prompts.")


def test_config_of_the_readme_has_the_published_data_of_each_benchmark():
    readme = (Path(__file__).parents[1] / "README.md").read_text()
    configs = map(yaml.safe_load, re.findall(r"```yaml\n(.*?)```", readme, re.S))
    (config,) = [config for config in configs if len(config.get("benchmarks", ())) == 4]
    run = Evaluation(load_config(config | {"models": {"reference": REFERENCE}}))
    assert run.running == ["lifbench", "followbench", "cfbench", "complexbench"]
    for name in run.running:
        assert re.search("the paper's prompts|the released data", run.tasks[name].data_note)


@pytest.mark.parametrize("benchmark", ["followbench", "cfbench", "complexbench"])
def test_judged_benchmarks_note_the_source_of_their_data(benchmark):
    assert "synthetic data, not comparable" in data_note(benchmark)
    assert "the released data." in data_note(benchmark, **{benchmark: {"source": "released"}})


JUDGES = {
    "simulator": REFERENCE,
    "judge": {"engine": "openai", "model": "gpt-4o-2024-05-13"},
}


def judge_note(judges, benchmark="cfbench", **section):
    config = load_config({"models": {"m": REFERENCE}, "judges": judges, benchmark: section})
    return Evaluation(config).tasks[benchmark].tables.function.settings["otherwise"]


def test_other_judge_or_prompt_than_the_papers_is_noted():
    assert judge_note(JUDGES) == (
        "The published values were judged with the paper's judge prompt, not with this run's."
    )
    assert "by GPT-4, not by judge, and with the paper's" in judge_note(JUDGES, "followbench")
    routed = {"judge": {**JUDGES["judge"], "model": "openai/gpt-4o", "label": "Mine"}}
    assert "GPT-4o" not in judge_note(routed)
    assert "by GPT-4, not by Mine" in judge_note(routed, "followbench")


def test_printed_judge_prompt_needs_no_note_but_its_file(tmp_path):
    prompt = tmp_path / "printed.txt"
    prompt.write_text("{{instruction}}{{reference}}{{answer}}{{checkpoints}}")
    templates = {"zh": str(prompt)}
    assert judge_note(JUDGES, template_source="printed", templates=templates) == ""
    assert "with the paper's judge prompt" in judge_note(JUDGES, templates=templates)
    with pytest.raises(UserError, match="template_source printed needs templates"):
        judge_note(JUDGES, template_source="printed")
