"""What the README and docs/ show is there, and is as they show it."""

import re
from pathlib import Path

import pytest
import yaml

from steadfast.config import settings
from steadfast.config.load import config_model, load_config
from steadfast.evaluation import Evaluation
from steadfast.files import read_json
from steadfast.lineage import Lineage
from steadfast.stages.draw import draw

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "results/README.md", *sorted(ROOT.glob("docs/*.md"))]
SOME = {"reference": {"engine": "reference"}}
FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.M | re.S)


def blocks(kind):
    return [
        pytest.param(text, id=f"{page.name}-{number}")
        for page in PAGES
        for number, (found, text) in enumerate(FENCE.findall(page.read_text()))
        if found == kind
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\((?!https?://|#)([^)#]+)", page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []


def models_shown():
    """Models with an engine, of YAML that shows them whole; other YAML shows single keys."""
    for case in blocks("yaml"):
        (text,) = case.values
        shown = yaml.safe_load(text)
        for name, model in shown.get("models", shown).items():
            if isinstance(model, dict) and "engine" in model:
                yield pytest.param(name, model, id=f"{case.id}-{name}")


@pytest.mark.parametrize(("name", "model"), list(models_shown()))
def test_models_shown_are_valid(name, model):
    load_config({"models": {name: model}})


def configs_shown():
    """YAML that shows sections of a config whole; other YAML shows single keys, or other files."""
    for case in blocks("yaml"):
        (text,) = case.values
        shown = yaml.safe_load(text)
        models = [*shown.get("models", {}).values(), *shown.get("judges", {}).values()]
        if set(shown) <= set(config_model().model_fields) and all(
            "engine" in model for model in models
        ):
            yield pytest.param(shown, id=case.id)


@pytest.mark.parametrize("shown", list(configs_shown()))
def test_configs_shown_are_valid(shown):
    around = {"judges": {"judge": {"engine": "reference"}}, "models": SOME}
    load_config({**around, **shown})


@pytest.mark.parametrize("text", blocks("sh"))
def test_commands_shown_exist(text):
    rules = re.findall(r"^([\w./ ]+):", (ROOT / "Makefile").read_text(), re.M)
    targets = {target for names in rules for target in names.split()}
    for line in text.splitlines():
        for target in re.findall(r"\bmake (?!PYTHON)([\w./]+)", line):
            assert target in targets, line
        for config in re.findall(r"config/\w+\.yaml", line):
            assert (ROOT / config).exists(), line


def test_the_readme_s_picture_is_what_the_default_run_draws(tmp_path):
    """Drawn again of the metrics of `make tables`, where it has been run as the code is now."""
    run = Evaluation(load_config(yaml.safe_load((ROOT / "config/config.yaml").read_text())))
    folder, task = ROOT / "results/lifbench/metrics", run.tasks["lifbench"]
    identity = folder / "identity.json"
    lineage = read_json(identity)["lineage"] if identity.exists() else None
    if lineage != Lineage(run).metrics("lifbench").lineage:
        pytest.skip("results/ does not hold the default run: make tables")
    metrics = {name: folder / f"{name}.csv" for name in task.metrics.names}
    stem = tmp_path / "ars_by_length"
    shown = settings.display(run.config)
    draw(task.figures.function.plain, metrics, shown, {"ars_by_length": stem})
    drawn = stem.with_suffix(".png").read_bytes()
    assert drawn == (ROOT / "docs/ars_by_length.png").read_bytes(), "make docs"
