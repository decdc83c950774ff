"""Links, configs, commands, files and pictures in README.md and docs/ are valid."""

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
READMES = ("README.md", "CONTRIBUTING.md", "config/README.md", "results/README.md")
PAGES = [*map(ROOT.joinpath, READMES), *DOCS]
REFERENCE = {"engine": "reference"}
FENCE = re.compile(r"^```(\w+)\n(.*?)^```", re.M | re.S)


def page_id(page):
    return str(page.relative_to(ROOT))


def code_blocks(language):
    """The code blocks of all pages in a language, by page and number."""
    blocks = {}
    for page in PAGES:
        for number, (name, text) in enumerate(FENCE.findall(page.read_text())):
            if name == language:
                blocks[f"{page_id(page)}-{number}"] = text
    return blocks


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


@pytest.mark.parametrize("page", PAGES, ids=page_id)
def test_links_lead_to_files_and_headings(page):
    for target, anchor in links(page):
        assert target.exists()
        assert not anchor or anchor in anchors(target), target


def test_every_page_is_linked_from_readme_or_index():
    linked = {ROOT / "README.md"}
    for page in (ROOT / "README.md", ROOT / "docs/README.md"):
        linked |= {target for target, _ in links(page)}
    assert [page_id(page) for page in PAGES if page not in linked] == []


def test_every_make_target_is_described():
    text = (ROOT / "Makefile").read_text()
    (targets,) = re.findall(r"^\.PHONY: (.*)$", text, re.M)
    assert set(targets.split()) <= set(re.findall(r"^# make ([\w-]+)", text, re.M))


def test_workflow_catalog_has_the_flags_of_the_profile():
    usage = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text())["usage"]
    profile = yaml.safe_load((ROOT / "profiles/default/config.yaml").read_text())
    flags = usage["mandatory-flags"]["flags"]
    for name in ("rerun-triggers", "max-checksum-file-size"):
        value = profile[name]
        words = " ".join(value) if isinstance(value, list) else str(value)
        assert f"--{name} {words}" in flags


def models_shown():
    """Models with an engine; other YAML shows single keys."""
    for block, text in code_blocks("yaml").items():
        config = yaml.safe_load(text)
        for name, model in config.get("models", config).items():
            if isinstance(model, dict) and "engine" in model:
                yield pytest.param(name, model, id=f"{block}-{name}")


@pytest.mark.parametrize(("name", "model"), list(models_shown()))
def test_models_shown_are_valid(name, model):
    load_config({"models": {name: model}})


def configs_shown():
    """Complete sections of a config; other YAML shows single keys, or other files."""
    for block, text in code_blocks("yaml").items():
        config = yaml.safe_load(text)
        models = [*config.get("models", {}).values(), *config.get("judges", {}).values()]
        if set(config) <= set(config_model().model_fields) and all("engine" in m for m in models):
            yield pytest.param(config, id=block)


@pytest.mark.parametrize("config", list(configs_shown()))
def test_configs_shown_are_valid(config, tmp_path, monkeypatch):
    required = {"judges": {"judge": REFERENCE}, "models": {"reference": REFERENCE}}
    if "datasets" in config:
        monkeypatch.chdir(tmp_path)
        fields = ("prompt", "answer", "context", "question", "continent", "scenario")
        record = dict.fromkeys(fields, "x")
        for section in config["datasets"].values():
            Path(section["path"]).parent.mkdir(parents=True, exist_ok=True)
            Path(section["path"]).write_text(json.dumps(record))
            Path(section.get("judge_template", "none")).write_text("{{prompt}} {{answer}}")
    load_config({**required, **config})


@pytest.mark.parametrize("text", code_blocks("sh").values(), ids=code_blocks("sh"))
def test_commands_shown_exist(text):
    rules = re.findall(r"^([\w./ ]+):", (ROOT / "Makefile").read_text(), re.M)
    targets = " ".join(rules).split()
    for line in text.splitlines():
        for target in re.findall(r"\bmake (?!PYTHON)([\w./]+)", line):
            assert target in targets, line
        for config in re.findall(r"config/\w+\.yaml", line):
            assert (ROOT / config).exists(), line


def test_picture_of_the_tutorial_is_that_of_the_default_run(tmp_path):
    """Where `make tables` has been run with the code as it is now."""
    run = Evaluation(load_config(yaml.safe_load((ROOT / "config/config.yaml").read_text())))
    folder = ROOT / "results/lifbench/metrics"
    task = run.tasks["lifbench"]
    provenance = folder / "provenance.json"
    input_digest = read_json(provenance)["input_digest"] if provenance.exists() else None
    if input_digest != InputDigests(run).metrics("lifbench").input_digest:
        pytest.skip("results/ does not hold the default run: make tables")
    metrics = {name: folder / f"{name}.csv" for name in task.metrics.names}
    stem = tmp_path / "ars_by_length"
    display = settings.display(run.config)
    draw(task.figures.function.plain, metrics, display, {"ars_by_length": stem})
    picture = stem.with_suffix(".png").read_bytes()
    assert picture == (ROOT / "docs/ars_by_length.png").read_bytes(), "make docs"


def test_files_named_on_pages_exist():
    """CONTRIBUTING.md also names files relative to scripts/steadfast/."""
    folders = ["", "scripts", "scripts/steadfast", "docs/examples/benchmarks/wordbench"]
    missing = []
    for page in (ROOT / "CONTRIBUTING.md", *DOCS):
        for name in re.findall(r"`([\w/]+/[\w/]+\.(?:py|yaml|smk|js))`", page.read_text("utf-8")):
            is_of_a_run = name.startswith(("results/", "there/"))  # "there": an unpacked bundle
            if not is_of_a_run and not any((ROOT / f / name).exists() for f in folders):
                missing.append(f"{page.name}: {name}")
    assert missing == []
