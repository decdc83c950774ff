"""What the README and docs/ show is there, and is as they show it."""

import json
import re
from pathlib import Path

import pytest
import yaml

from steadfast.base.files import read_json
from steadfast.config import settings
from steadfast.config.load import config_model, load_config
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.input_digests import InputDigests
from steadfast.stages.draw import draw

ROOT = Path(__file__).parents[1]
DOCS = sorted(ROOT.glob("docs/*.md"))
OTHERS = ("README.md", "CONTRIBUTING.md", "config/README.md", "results/README.md")
PAGES = [*map(ROOT.joinpath, OTHERS), *DOCS]
SOME = {"reference": {"engine": "reference"}}
FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.M | re.S)


def named(page):
    return str(page.relative_to(ROOT))


def blocks(kind):
    return [
        pytest.param(text, id=f"{named(page)}-{number}")
        for page in PAGES
        for number, (found, text) in enumerate(FENCE.findall(page.read_text()))
        if found == kind
    ]


def links(page):
    """Targets and anchors of a page's links within the project; no target: the page itself."""
    for link in re.findall(r"\]\((?!https?://)([^)\s]+)\)", page.read_text()):
        target, _, anchor = link.partition("#")
        yield (page.parent / target).resolve() if target else page, anchor


def anchors(page):
    """Of a page's headings: in lower case, without punctuation, hyphens for blanks."""
    text = FENCE.sub("", page.read_text())
    headings = re.findall(r"^#+ +(.*?) *$", text, re.M)
    plain = [re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower() for heading in headings]
    return {re.sub(r"[^\w\- ]", "", heading).replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_links_lead_somewhere(page):
    assert [target for target, _ in links(page) if not target.exists()] == []
    pages = [(target, anchor) for target, anchor in links(page) if anchor]
    assert [(t.name, anchor) for t, anchor in pages if anchor not in anchors(t)] == []


def test_pages_targets_and_flags_are_named_where_readers_look():
    index = ROOT / "docs/README.md"
    begun = {target for page in (ROOT / "README.md", index) for target, _ in links(page)}
    assert [named(page) for page in PAGES if page not in begun | {ROOT / "README.md"}] == []
    text = (ROOT / "Makefile").read_text()
    (targets,) = re.findall(r"^\.PHONY: (.*)$", text, re.M)
    assert set(targets.split()) - set(re.findall(r"^# make ([\w-]+)", text, re.M)) == set()
    usage = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text())["usage"]
    profile = yaml.safe_load((ROOT / "profiles/default/config.yaml").read_text())
    flags = usage["mandatory-flags"]["flags"]
    for name in ("rerun-triggers", "max-checksum-file-size"):
        value = profile[name]
        words = " ".join(value) if isinstance(value, list) else str(value)
        assert f"--{name} {words}" in flags


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
def test_configs_shown_are_valid(shown, tmp_path, monkeypatch):
    around = {"judges": {"judge": {"engine": "reference"}}, "models": SOME}
    if sets := shown.get("datasets"):
        monkeypatch.chdir(tmp_path)
        fields = ("prompt", "answer", "context", "question", "continent", "scenario")
        record = dict.fromkeys(fields, "x")
        for section in sets.values():
            Path(section["path"]).parent.mkdir(parents=True, exist_ok=True)
            Path(section["path"]).write_text(json.dumps(record))
            Path(section.get("judge_template", "none")).write_text("{{prompt}} {{answer}}")
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


def test_the_tutorial_s_picture_is_what_the_default_run_draws(tmp_path):
    """Drawn again of the metrics of `make tables`, where it has been run as the code is now."""
    run = Evaluation(load_config(yaml.safe_load((ROOT / "config/config.yaml").read_text())))
    folder = ROOT / "results/lifbench/metrics"
    task = run.tasks["lifbench"]
    provenance = folder / "provenance.json"
    input_digest = read_json(provenance)["input_digest"] if provenance.exists() else None
    if input_digest != InputDigests(run).metrics("lifbench").input_digest:
        pytest.skip("results/ does not hold the default run: make tables")
    metrics = {name: folder / f"{name}.csv" for name in task.metrics.names}
    stem = tmp_path / "ars_by_length"
    shown = settings.display(run.config)
    draw(task.figures.function.plain, metrics, shown, {"ars_by_length": stem})
    drawn = stem.with_suffix(".png").read_bytes()
    assert drawn == (ROOT / "docs/ars_by_length.png").read_bytes(), "make docs"


def test_files_that_pages_name_exist():
    """Whole paths in docs, and in CONTRIBUTING.md those below scripts/steadfast/ too."""
    missing = []
    for page in (ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/*.md"))):
        for name in re.findall(r"`([\w/]+/[\w/]+\.(?:py|yaml|smk|js))`", page.read_text("utf-8")):
            folders = ["", "scripts", "scripts/steadfast", "docs/examples/benchmarks/wordbench"]
            places = [ROOT / folder / name for folder in folders]
            if not any(path.exists() for path in places):
                missing.append(f"{page.name}: {name}")
    # Files of a run, and of an unpacked bundle.
    assert [one for one in missing if " results/" not in one and " there/" not in one] == []
