"""ComplexBench through the surface that the stages see, from a config to tables and figures."""

import ast
from pathlib import Path

import pytest

from complexbench_instances import data_file
from complexbench_rails import JUDGES, MODELS, Rails
from steadfast.complexbench import benchmark as complexbench
from steadfast.config import load_config
from steadfast.errors import UserError
from steadfast.files import read_jsonl

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "scripts/steadfast"
ENTRIES = {
    "DATA_CODE": ["data.py"],
    "PROMPTS_CODE": ["prompts.py"],
    "JUDGING_CODE": ["judge.py"],
    "READING_CODE": ["judge.py", "stand_in.py"],
    "SCORING_CODE": ["scoring.py"],
    "METRICS_CODE": ["metrics.py"],
    "TABLES_CODE": ["tables/__init__.py", "figures.py"],
}
FACTS = ("DATA_FACTS", "JUDGING_FACTS", "SCORING_FACTS", "METRICS_FACTS", "TABLES_FACTS")


def configured(settings=None, **more):
    raw = {"benchmarks": ["complexbench"], "models": MODELS, "judges": JUDGES}
    return load_config({**raw, "complexbench": settings or {}, **more})


def module_file(module: str) -> Path | None:
    """The file of a module of the benchmark's, unless it is empty."""
    base = ROOT / "scripts" / module.replace(".", "/")
    for path in (base.with_suffix(".py"), base / "__init__.py"):
        if path.is_file() and "complexbench/" in str(path) and path.read_text("utf-8"):
            return path
    return None


def imported(path: Path) -> set[Path]:
    """The benchmark's modules that a module needs, itself included, through all of them."""
    found, waiting = set(), [path]
    while waiting:
        current = waiting.pop()
        if current in found:
            continue
        found.add(current)
        for node in ast.walk(ast.parse(current.read_text("utf-8"))):
            names = []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            waiting += [file for name in names if (file := module_file(name))]
    return found


@pytest.mark.parametrize("name", ENTRIES)
def test_code_lists_hold_all_that_is_imported(name):
    listed: set[Path] = set()
    for place in getattr(complexbench, name):
        path = PACKAGE / place
        assert path.exists(), place
        listed |= set(path.rglob("*.py")) if path.is_dir() else {path}
    needed = set().union(*(imported(PACKAGE / "complexbench" / e) for e in ENTRIES[name]))
    assert needed - listed == set()


@pytest.mark.parametrize("engine", ["reference", "simulated", "openai"])
def test_inference_lists_no_scorer(engine):
    code = complexbench.inference_code(engine)
    assert all((PACKAGE / place).is_file() for place in code)
    assert not {"complexbench/scoring.py", "complexbench/judge.py"} & set(code)
    if engine != "openai":
        listed = {PACKAGE / place for place in code}
        needed = imported(PACKAGE / "complexbench/answers.py")
        assert needed - listed == set()


def test_facts_and_templates_are_there():
    for name in FACTS:
        assert all((ROOT / path).is_file() for path in getattr(complexbench, name))
    both = configured({"languages": ["zh", "en"]})
    assert all((ROOT / path).is_file() for path in complexbench.templates(both).values())


def test_tables_are_those_that_the_config_gives_a_reason_for():
    one, both = JUDGES, {"second": {"engine": "reference"}, **JUDGES}
    plain = set(complexbench.table_names(configured(judges=one)))
    turns = set(complexbench.table_names(configured({"decomposition": True}, judges=one)))
    raters = set(complexbench.table_names(configured(judges=both)))
    assert turns - plain == {"complexbench_decomposition"}
    assert raters - plain == {"complexbench_agreement"}


def test_settings_are_plain_and_hold_only_what_matters(tmp_path):
    config = configured({"instances": 10}, seed=5)
    assert complexbench.data_settings(config, "zh") == {
        "source": "synthetic",
        "extra": None,
        "instances": 10,
        "seed": 5,
    }
    assert complexbench.data_files(config, "zh") == []
    here, mine = str(tmp_path), str(tmp_path / "mine.json")
    local = configured({"source": "local", "directory": here, "extra": mine})
    assert complexbench.data_settings(local, "zh") == {
        "source": "local",
        "extra": mine,
        "directory": here,
        "file": "data_final.json",
    }
    assert complexbench.data_files(local, "zh") == []
    for name in ("data_final.json", "mine.json"):
        (tmp_path / name).touch()
    assert complexbench.data_files(local, "zh") == [f"{here}/data_final.json", mine]
    released = configured({"source": "released", "labels": "people.jsonl"})
    assert complexbench.data_settings(released, "zh") == {"source": "released", "extra": None}
    assert complexbench.metrics_files(released) == {"labels": "people.jsonl"}


def test_parts_and_templates_follow_the_config():
    config = configured({"languages": ["en", "zh"], "decomposition": True})
    assert complexbench.parts(config) == ["en", "en-decomposed", "zh", "zh-decomposed"]
    assert complexbench.sources(config, "en-decomposed") == {
        "data": {"en": "results/complexbench/data/en.jsonl"}
    }
    assert list(complexbench.templates(configured({"judging": "plain"}))) == ["judge_zh"]
    own = configured({"templates": {"judge_zh": "mine.txt"}})
    assert complexbench.templates(own)["judge_zh"] == "mine.txt"
    with pytest.raises(UserError, match=r"complexbench\.templates: .* did you mean 'judge_zh'"):
        complexbench.templates(configured({"templates": {"judge_hz": "mine.txt"}}))


EVERY = {"instances": 40, "languages": ["zh", "en"], "decomposition": True}


@pytest.mark.parametrize("judging", ["rules", "plain"])
@pytest.mark.parametrize("mode", ["strict", "released"])
def test_the_reference_has_drfr_one_however_it_is_judged(tmp_path, mode, judging):
    rails = Rails(tmp_path, EVERY | {"judging": judging}, judging={"mode": mode})
    metrics = rails.all()
    drfr = metrics["drfr"]
    reference = drfr[drfr["model"] == "reference"]
    assert len(reference) > 50 and set(reference["value"]) == {1.0}
    reader = drfr[(drfr["model"] == "sim-a") & (drfr["measure"] == "overall")]
    assert len(reader) == 2 and reader["value"].between(0.2, 0.9).all()
    headline = metrics["headline"].set_index("model")
    assert headline.loc["reference", "value"] == 1.0
    assert headline.loc["sim-a", "low"] < headline.loc["sim-a", "value"]
    coverage = metrics["coverage"]
    assert (coverage["scored"] == coverage["expected"]).all()
    # Turn by turn nothing is nested, and a simulated reader misses less.
    turns = metrics["decomposition"]
    assert (turns[turns["model"] == "reference"]["value"].isin([0.0, 1.0])).all()
    decided = metrics["judging"].groupby("kind")["n"].sum()
    assert ("rule" in decided) == (judging == "rules")


def test_every_rule_is_decided_by_itself_in_chinese(tmp_path):
    rails = Rails(tmp_path, {"instances": 40}, models={"reference": MODELS["reference"]})
    rails.answer("reference", "zh")
    rails.judge("reference", "zh", "ref")
    asked = {r["main_id"]: r for r in read_jsonl(tmp_path / "data/zh.jsonl")}
    ways = set()
    for record in rails.score("reference", "zh"):
        questions = asked[int(record["sample_id"])]["scoring_questions"]
        for point, how in record["extracted"].items():
            assert (how["by"] == "rule") == (questions[int(point)]["rule"] is not None)
            ways.add(how["by"])
        assert record["total"] == 1.0
    assert ways == {"judge", "rule"}


def test_a_turn_is_asked_in_the_conversation_of_those_before(tmp_path):
    rails = Rails(tmp_path, {"instances": 20, "decomposition": True})
    prompts = rails.prompts("zh-decomposed")
    items = list(complexbench.items(prompts, rails.sources("zh-decomposed")))
    assert {item.follows for item in items} > {None, "1/0"}
    outputs = list(read_jsonl(rails.answer("reference", "zh-decomposed")))
    assert [record["sample_id"] for record in outputs] == [item.sample_id for item in items]


@pytest.mark.parametrize("model", ["gpt4_1106", "llama3_8b", "qwen1.5_72b"])
def test_released_generations_are_replayed_and_scored(tmp_path, model):
    """On the sample instances: a stand-in judge gives no verdict on what no stand-in wrote."""
    directory = str(data_file("sample_instances.json").parent)
    settings = {"source": "local", "directory": directory, "file": "sample_instances.json"}
    models = {
        "reference": MODELS["reference"],
        "real": {
            "engine": "replay",
            "file": str(data_file(f"generations/{model}.jsonl")),
            "fields": {"sample_id": "main_id", "text": "generated"},
        },
    }
    rails = Rails(tmp_path, settings, models=models)
    metrics = rails.all()
    headline = metrics["headline"].set_index("model")
    assert headline.at["reference", "value"] == 1.0
    assert headline.loc["real", ["n", "expected"]].tolist() == [0, 43]
    outputs = list(read_jsonl(rails.path("outputs", "real", "zh")))
    assert len(outputs) == 9 and all(len(record["text"]) > 5 for record in outputs)
    judged = list(read_jsonl(rails.path("judging", "real", "zh")))
    assert sum(len(record["requests"]) for record in judged) == 43
