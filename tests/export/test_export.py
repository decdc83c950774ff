"""A benchmark exported as a data set, which `datasets` loads."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from pyarrow import parquet

from prepared import Prepared
from steadfast.base.errors import UserError
from steadfast.benchmarks.lifbench.benchmark import LIFBENCH
from steadfast.benchmarks.lifbench.export import LifbenchExports
from steadfast.config.load import load_config
from steadfast.contract.components import Answer, component
from steadfast.contract.exports import Exports
from steadfast.share.card import card
from steadfast.share.export import export_benchmark

MODELS = {"reference": {"engine": "reference"}}
RAW = {"benchmarks": ["lifbench"], "lifbench": {"lengths": {"2k": 2048, "2-k": 2050}}}
SNIPPET = re.compile(r"```python\n(.*?)```", re.S)


class Exported:
    """A benchmark that was built and exported below a folder."""

    def __init__(self, raw: dict, folder: Path):
        self.built = Prepared({"judges": MODELS, "models": MODELS, **raw}, folder / "results")
        self.built.make_data()
        self.built.write_prompts()
        self.cwd = folder
        self.out = folder / "results/export" / self.built.name
        self.export(self.out)

    @property
    def parts(self):
        return [self.built.part(name) for name in self.built.task.parts]

    def export(self, out: Path) -> None:
        export_benchmark(
            self.built.name,
            self.built.task.exports.plain,
            self.built.task.simulator.plain,
            self.parts,
            out,
        )

    def rows(self, table: str, split: str) -> list[dict]:
        return parquet.read_table(self.out / f"{table}/{split}.parquet").to_pylist()

    def run(self, code: str, cwd: Path):
        """What code prints as JSON, in a process of its own, without the hub."""
        home = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(self.cwd / "home")}
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=cwd,
            env={**os.environ, **home},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)


@pytest.fixture(scope="module")
def lifbench(tmp_path_factory) -> Exported:
    return Exported(RAW, tmp_path_factory.mktemp("lifbench"))


def asked(exported: Exported, part: int) -> list[str]:
    """The prompts that inference asks."""
    files = exported.parts[part]
    items = [files.joined.item(sample) for sample in files.read()]
    return [item.head + item.context + item.tail for item in items]


@pytest.mark.wide
def test_the_card_s_own_code_gives_the_very_prompts_that_models_are_asked(lifbench):
    (code,) = SNIPPET.findall((lifbench.out / "README.md").read_text())
    loaded = lifbench.run(f"{code}\nimport json\nprint(json.dumps(prompts))", lifbench.cwd)
    assert len(loaded) == len({*loaded}) == 461
    assert loaded == asked(lifbench, 0)


def test_each_context_is_there_once(lifbench):
    contexts = lifbench.rows("contexts", "2k")
    prompts = lifbench.rows("prompts", "2k")
    names = [row["context_id"] for row in contexts]
    assert len(names) == len({*names}) == 3
    assert {row["context_id"] for row in prompts} == {*names}
    assert not any(row["text"] in str(prompt) for row in contexts for prompt in prompts)


def test_wording_and_a_right_answer_of_each_prompt_are_in_the_data_set(lifbench):
    scoring = lifbench.built.task.scoring.make()
    texts = {
        (row["task"], row["expression_id"]) for row in lifbench.rows("expressions", "all_lengths")
    }
    rows = lifbench.rows("prompts", "2k")
    for row, sample in zip(rows, lifbench.parts[0].read(), strict=True):
        assert (row["task"], row["expression_id"]) in texts
        assert scoring.score(sample, Answer("ok", row["reference"]), {}).total == 1


def test_a_split_has_no_hyphen_in_its_name(lifbench):
    assert (lifbench.out / "prompts/2_k.parquet").is_file()


@pytest.mark.wide
def test_two_splits_of_one_name_are_refused(tmp_path):
    with pytest.raises(UserError, match="2_k, 2-k differ in - and _ alone"):
        Exported({**RAW, "lifbench": {"lengths": {"2_k": 2048, "2-k": 2050}}}, tmp_path)


def test_the_same_inputs_give_the_same_bytes(lifbench, tmp_path):
    lifbench.export(tmp_path)
    files = [path.relative_to(tmp_path) for path in tmp_path.rglob("*.*") if path.is_file()]
    assert len(files) == 6
    for file in files:
        assert (tmp_path / file).read_bytes() == (lifbench.out / file).read_bytes(), file


def front(exported: Exported) -> dict:
    _, text, _ = (exported.out / "README.md").read_text().split("---\n", 2)
    return yaml.safe_load(text)


def test_no_path_or_host_is_in_any_file(lifbench):
    for path in lifbench.out.rglob("*.*"):
        if path.is_file():
            assert str(lifbench.cwd).encode() not in path.read_bytes()


def about(**raw):
    config = load_config({"models": MODELS, **raw})
    how: Exports = component(LIFBENCH.of(config).exports.plain).make()
    return how.about()


def test_texts_that_may_not_be_passed_on_are_named():
    found = about(corpora={"source": "hub"})
    assert found.withheld == ["xsum", "paul_graham"]
    assert found.licence is None


def test_texts_of_one_s_own_are_unknown(tmp_path):
    assert len(about(corpora={"source": "local", "directory": str(tmp_path)}).withheld) == 5
    own = {"repo": "me/mine", "revision": "0" * 40, "fields": {"text": "t"}}
    found = about(corpora={"source": "hub", "hub": {"qmsum": own}})
    assert found.withheld == ["xsum", "qmsum", "paul_graham"]
    assert [one.origin for one in found.sources if one.name == "qmsum"] == [
        f"me/mine at {'0' * 40}"
    ]


def test_published_contexts_are_named_as_what_they_hold():
    found = about(lifbench={"contexts": "released", "tasks": ["LSI"]})
    assert [one.name for one in found.sources] == ["contexts", "templates"]
    assert found.withheld == ["contexts"]


def test_the_settings_of_recs_hold_no_path_of_the_user_s():
    recs = {"originals": "released", "rewrites": "released", "review": "/home/me/review"}
    released = {"directory": "/home/me/released"}
    section = {"expressions": "recs", "recs": recs, "released": released}
    assert "/home/me" not in str(about(lifbench=section).settings)


class Otherwise(LifbenchExports):
    """An export whose tables forget the blank at the end of a prompt."""

    def prompt(self, asked):
        return super().prompt(asked)[:-1]


def test_tables_that_would_give_another_prompt_are_refused(lifbench, tmp_path):
    settings = lifbench.built.task.exports.settings
    with pytest.raises(UserError, match=r"are asked sample LSI/.* otherwise than its tables"):
        export_benchmark(
            "lifbench",
            (f"{__name__}:Otherwise", settings),
            lifbench.built.task.simulator.plain,
            lifbench.parts,
            tmp_path,
        )
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("name", ["followbench", "cfbench", "complexbench"])
def test_a_judged_benchmark_s_prompts_and_data_are_exported(name, tmp_path):
    exported = Exported({"benchmarks": [name]}, tmp_path)
    for place, part in enumerate(exported.built.task.parts):
        rows = exported.rows("prompts", part.replace("-", "_"))
        assert [row["instruction"] for row in rows] == asked(exported, place)
    head = front(exported)
    assert (head["license"], head["configs"][0].get("default")) == ("mit", True)


@pytest.mark.parametrize(
    ("name", "licence", "withheld"),
    [
        ("followbench", "apache-2.0", False),
        ("complexbench", "cc-by-4.0", False),
        ("cfbench", "other", True),
    ],
)
def test_a_released_benchmark_s_licence_is_its_own(name, licence, withheld):
    known = Exports(f"{name}/export.yaml", {"instances": "released"}, {}).about()
    text = card(known, [])
    assert f"\nlicense: {licence}\n" in text
    assert ("Not for publication as it is" in text) == withheld
