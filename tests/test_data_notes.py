"""What tables say of the text that was asked."""

import re
from pathlib import Path

import pytest
import yaml

from steadfast.base.errors import UserError
from steadfast.config.load import load_config
from steadfast.jobs.evaluation import Evaluation

ASKED = {"engine": "reference"}
RELEASED = {"engine": "scored"}
OTHER = "Not comparable with the paper's numbers."


def asked(benchmark="lifbench", models=None, **sections):
    models = models or {"reference": ASKED}
    config = load_config({"models": models, "judges": {"judge": ASKED}, **sections})
    return Evaluation(config).tasks[benchmark].data_note


def test_synthetic_and_other_text_is_called_what_it_is():
    assert asked() == (
        f"LIFBench: synthetic contexts; the project's own instruction templates. {OTHER}"
    )
    for sections, words in (
        ({"corpora": {"source": "hub"}}, "contexts built anew from the published corpora;"),
        ({"corpora": {"source": "local", "directory": "."}}, "contexts built from local corpora;"),
        ({"lifbench": {"expressions": "released"}}, "; the published templates."),
    ):
        assert words in asked(**sections), sections
        assert asked(**sections).endswith(OTHER), sections


def test_published_prompts_and_released_scores_are_called_what_they_are():
    text = asked(lifbench={"contexts": "released", "expressions": "released"})
    assert text == (
        "LIFBench: the published contexts; the published templates. These are the paper's prompts."
    )
    text = asked(models={"Qwen2.5-7B": RELEASED})
    assert text.endswith("of responses to the published prompts.")


def test_the_readme_s_published_data_is_that_of_every_benchmark():
    readme = (Path(__file__).parents[1] / "README.md").read_text()
    shown = [yaml.safe_load(text) for text in re.findall(r"```yaml\n(.*?)```", readme, re.S)]
    (config,) = (one for one in shown if len(one.get("benchmarks", ())) == 4)
    run = Evaluation(load_config(config | {"models": {"reference": ASKED}}))
    assert run.running == ["lifbench", "followbench", "cfbench", "complexbench"]
    for name in run.running:
        assert re.search("the paper's prompts|the released data", run.tasks[name].data_note)


@pytest.mark.parametrize("benchmark", ["followbench", "cfbench", "complexbench"])
def test_the_judged_benchmarks_say_where_their_data_is_from(benchmark):
    assert "synthetic data, not comparable" in asked(benchmark)
    assert "the released data." in asked(benchmark, **{benchmark: {"source": "released"}})


JUDGES = {
    "simulator": {"engine": "reference"},
    "judge": {"engine": "openai", "model": "gpt-4o-2024-05-13"},
}


def otherwise(judges, benchmark="cfbench", **section):
    config = load_config({"models": {"m": ASKED}, "judges": judges, benchmark: section})
    return Evaluation(config).tasks[benchmark].tables.function.settings["otherwise"]


def test_another_prompt_or_judge_than_the_paper_s_is_named_beside_its_numbers():
    assert otherwise(JUDGES) == (
        "The published values were judged with the paper's judge prompt, not with this run's."
    )
    assert "by GPT-4, not by judge, and with the paper's" in otherwise(JUDGES, "followbench")
    routed = {"judge": {**JUDGES["judge"], "model": "openai/gpt-4o", "label": "Mine"}}
    assert "GPT-4o" not in otherwise(routed)
    assert "by GPT-4, not by Mine" in otherwise(routed, "followbench")


def test_the_papers_judge_and_wording_need_no_note_but_their_file(tmp_path):
    prompt = tmp_path / "printed.txt"
    prompt.write_text("{{instruction}}{{reference}}{{answer}}{{checkpoints}}")
    templates = {"zh": str(prompt)}
    assert otherwise(JUDGES, template_source="printed", templates=templates) == ""
    assert "with the paper's judge prompt" in otherwise(JUDGES, templates=templates)
    with pytest.raises(UserError, match="template_source printed needs templates"):
        otherwise(JUDGES, template_source="printed")
