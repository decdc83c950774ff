"""CFBench through the surface that the stages see, from a config to tables and figures."""

import ast
from pathlib import Path

import pytest

from cfbench_run import output
from steadfast.cfbench import benchmark as cfbench
from steadfast.config import answer_settings, judge_settings, load_config, model_settings
from steadfast.engines.run import run_part
from steadfast.errors import UserError
from steadfast.files import read_jsonl, write_jsonl
from steadfast.judging.requests import items as judge_items
from steadfast.judging.requests import reader

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "scripts/steadfast"
CODE = (
    "DATA_CODE",
    "PROMPTS_CODE",
    "JUDGING_CODE",
    "READING_CODE",
    "SCORING_CODE",
    "METRICS_CODE",
    "TABLES_CODE",
)
FACTS = ("DATA_FACTS", "JUDGING_FACTS", "SCORING_FACTS", "METRICS_FACTS", "TABLES_FACTS")
MODELS = {"reference": {"engine": "reference"}, "sim-a": {"engine": "simulated", "slip": 0.3}}
JUDGES = {"ref": {"engine": "reference"}, "sim-j": {"engine": "simulated", "slip": 0.4}}


def configured(**more):
    raw = {"benchmarks": ["cfbench"], "models": MODELS, "judges": JUDGES}
    return load_config(raw | more)


def test_what_is_listed_exists():
    for name in CODE:
        for path in getattr(cfbench, name):
            assert (PACKAGE / path).is_file(), path
    for name in FACTS:
        for path in getattr(cfbench, name):
            assert (ROOT / path).is_file(), path
    for engine in ("openai", "reference"):
        assert all((PACKAGE / path).is_file() for path in cfbench.inference_code(engine))
    for path in cfbench.templates(configured()).values():
        assert (ROOT / path).is_file()


@pytest.mark.parametrize("name", CODE)
def test_what_a_listed_module_imports_of_the_package_is_listed_too(name):
    listed = {path for path in getattr(cfbench, name) if path.startswith("cfbench/")}
    for path in listed:
        for node in ast.walk(ast.parse((PACKAGE / path).read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module.startswith("steadfast.cfbench."):
                needed = f"cfbench/{node.module.rpartition('.')[2]}.py"
                assert needed in listed, f"{path} imports {needed}"


def test_settings_are_plain_and_hold_only_what_matters():
    config = configured(seed=5, cfbench={"records": 30})
    settings = cfbench.data_settings(config, "zh")
    assert settings == {"source": "synthetic", "records": 30, "seed": 5}
    local = configured(seed=5, cfbench={"source": "local", "directory": "here"})
    assert cfbench.data_settings(local, "zh") == {"source": "local", "directory": "here"}
    assert cfbench.data_files(local, "zh") == ["here/cfbench_data.json"]
    assert cfbench.data_files(config, "zh") == []
    released = configured(cfbench={"source": "released", "labels": "my.jsonl"})
    assert cfbench.data_settings(released, "zh") == {"source": "released"}
    assert cfbench.metrics_files(released) == {"labels": "my.jsonl"}
    assert cfbench.tokens(released, "zh") > cfbench.tokens(config, "zh")
    assert cfbench.parts(config) == cfbench.languages(config) == ["zh"]


def test_tables_depend_on_judges_and_labels():
    def shown(**more):
        return set(cfbench.table_names(configured(**more)))

    both = shown(cfbench={"labels": "my.jsonl"})
    assert {"cfbench_table6_humans", "cfbench_agreement"} <= both
    assert both - shown() == {"cfbench_table6_humans"}
    assert shown() - shown(judges={"ref": JUDGES["ref"]}) == {"cfbench_agreement"}


class Rails:
    """What the rules do, with the engines, in a folder."""

    def __init__(self, folder, config):
        self.folder, self.config = folder, config
        self.data = {"data": {"zh": folder / "zh.jsonl"}}
        self.prompts = folder / "prompts.jsonl"
        cfbench.write_data(cfbench.data_settings(config, "zh"), "zh", self.data["data"]["zh"])
        cfbench.write_prompts("zh", self.data, self.prompts)

    def ask(self, model, settings, items, oracle, **more):
        out = self.folder / f"{model}.jsonl"
        run_part(
            model=model,
            answers=answer_settings(settings),
            operation={},
            items=items,
            oracle=oracle,
            journal=self.folder / "journal" / f"{model}.jsonl",
            out=out,
            identity_out=self.folder / f"{model}.identity.json",
            log=self.folder / f"{model}.log",
            **more,
        )
        return out

    def scored(self, model):
        """Answers, verdicts of every judge, scores."""
        oracle = cfbench.oracle(self.prompts, self.data)
        items = cfbench.items(self.prompts, self.data)
        outputs = self.ask(model, model_settings(self.config, model), items, oracle)
        judging, out = self.folder / f"{model}.judging.jsonl", self.folder / f"{model}.scores.jsonl"
        templates = {k: ROOT / path for k, path in cfbench.templates(self.config).items()}
        how = cfbench.judge_settings(self.config)
        cfbench.write_judge_prompts("zh", self.prompts, self.data, outputs, templates, how, judging)
        verdicts = {
            judge: self.ask(
                f"{judge}.{model}",
                judge_settings(self.config, judge),
                judge_items(judging),
                cfbench.judge_oracle(judging),
                readable=reader(judging, cfbench.readable),
                attempts=3,
            )
            for judge in JUDGES
        }
        how = cfbench.scoring_settings(self.config)
        cfbench.score_part("zh", how, self.prompts, self.data, outputs, out, verdicts)
        return out


@pytest.mark.parametrize("mode", ["strict", "released"])
def test_everything_runs_with_the_engines_that_need_no_model(tmp_path, mode):
    config = configured(judging={"mode": mode})
    rails = Rails(tmp_path, config)
    scores = {(model, "zh"): rails.scored(model) for model in MODELS}
    assert all(record["total"] == 1 for record in read_jsonl(scores["reference", "zh"]))
    replies = list(read_jsonl(tmp_path / "sim-j.sim-a.jsonl"))
    assert max(reply["attempts"] for reply in replies) > 1  # unreadable ones were asked again
    outs = {name: tmp_path / "metrics" / f"{name}.csv" for name in cfbench.METRICS}
    settings = cfbench.metrics_settings(config)
    cfbench.compute_metrics(scores, {"zh": rails.data}, settings, {}, outs)
    display = {"engines": {"reference": "reference"}}
    how = cfbench.tables_settings(config)
    cfbench.build_tables(outs, display, how, tmp_path / "tables")
    found = {path.stem for path in (tmp_path / "tables").iterdir()}
    assert found == set(cfbench.table_names(config))
    figures = {name: tmp_path / f"{name}.png" for name in cfbench.FIGURES}
    cfbench.draw_figures(outs, display, figures)
    assert all(path.stat().st_size for path in figures.values())


def test_a_judge_template_of_ones_own_is_used(tmp_path):
    own = tmp_path / "own.txt"
    own.write_text("{{instruction}}|{{reference}}|{{answer}}|{{checkpoints}}", encoding="utf-8")
    config = configured(cfbench={"templates": {"zh": str(own)}})
    rails = Rails(tmp_path, config)
    outputs = tmp_path / "outputs.jsonl"
    first = next(iter(read_jsonl(rails.prompts)))
    write_jsonl(outputs, [output(p["sample_id"], "答") for p in read_jsonl(rails.prompts)])
    templates = {k: Path(path) for k, path in cfbench.templates(config).items()}
    cfbench.write_judge_prompts(
        "zh", rails.prompts, rails.data, outputs, templates, {"mode": "strict"}, tmp_path / "j"
    )
    asked = next(iter(read_jsonl(tmp_path / "j")))
    assert asked["head"].startswith(f"{first['instruction']}|")
    assert asked["requests"][0]["reminder"] == ""


def test_an_unknown_template_is_named(tmp_path):
    config = configured(cfbench={"templates": {"en": "own.txt"}})
    with pytest.raises(UserError, match="'en'"):
        cfbench.templates(config)
