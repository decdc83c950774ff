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
from steadfast.contract.part_files import PartFiles
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
        self.parts = [self.built.part(name) for name in self.built.task.parts]
        self.folder = folder
        self.out = folder / "results/export" / self.built.name
        self.export(self.out)

    def export(self, out: Path, module: str | None = None) -> None:
        """Exports it, or what an export of another module makes of it."""
        task = self.built.task
        exports = (module, task.exports.settings) if module else task.exports.plain
        export_benchmark(self.built.name, exports, task.simulator.plain, self.parts, out)

    def rows(self, table: str, split: str) -> list[dict]:
        return parquet.read_table(self.out / f"{table}/{split}.parquet").to_pylist()


@pytest.fixture(scope="module")
def lifbench(tmp_path_factory) -> Exported:
    return Exported(RAW, tmp_path_factory.mktemp("lifbench"))


def requested_prompts(part: PartFiles) -> list[str]:
    items = [part.joined.item(sample) for sample in part.read()]
    return [item.head + item.context + item.tail for item in items]


@pytest.mark.wide
def test_code_in_the_card_gives_the_requested_prompts(lifbench):
    (code,) = SNIPPET.findall((lifbench.out / "README.md").read_text())
    offline = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(lifbench.folder / "home")}
    process = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport json\nprint(json.dumps(prompts))"],
        cwd=lifbench.folder,
        env={**os.environ, **offline},
        capture_output=True,
        text=True,
    )
    assert process.returncode == 0, process.stderr
    prompts = json.loads(process.stdout)
    assert len(prompts) == len({*prompts}) == 461
    assert prompts == requested_prompts(lifbench.parts[0])


def test_each_context_is_exported_once(lifbench):
    contexts = lifbench.rows("contexts", "2k")
    prompts = lifbench.rows("prompts", "2k")
    context_ids = [row["context_id"] for row in contexts]
    assert len(context_ids) == len({*context_ids}) == 3
    assert {row["context_id"] for row in prompts} == {*context_ids}
    for prompt in prompts:
        fields = "\n".join(map(str, prompt.values()))
        assert not any(context["text"] in fields for context in contexts)


def test_each_prompt_has_its_expression_and_a_correct_answer(lifbench):
    scoring = lifbench.built.task.scoring.make()
    rows = lifbench.rows("expressions", "all_lengths")
    expressions = {(row["task"], row["expression_id"]) for row in rows}
    prompts = lifbench.rows("prompts", "2k")
    for prompt, sample in zip(prompts, lifbench.parts[0].read(), strict=True):
        assert (prompt["task"], prompt["expression_id"]) in expressions
        assert scoring.score(sample, Answer("ok", prompt["reference"]), {}).total == 1


@pytest.mark.wide
def test_splits_with_the_same_name_are_refused(tmp_path):
    with pytest.raises(UserError, match="2_k, 2-k differ in - and _ alone"):
        Exported({**RAW, "lifbench": {"lengths": {"2_k": 2048, "2-k": 2050}}}, tmp_path)


def exported_files(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*.*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_export_is_deterministic_and_without_local_paths(lifbench, tmp_path):
    lifbench.export(tmp_path)
    files = exported_files(tmp_path)
    assert files == exported_files(lifbench.out)
    assert len(files) == 6
    assert "prompts/2_k.parquet" in files  # a split's name must have no hyphen
    assert str(lifbench.folder).encode() not in b"".join(files.values())


def about(**raw):
    config = load_config({"models": MODELS, **raw})
    exports: Exports = component(LIFBENCH.of(config).exports.plain).make()
    return exports.about()


def test_texts_without_licence_to_share_are_listed():
    exported = about(corpora={"source": "hub"})
    assert exported.withheld == ["xsum", "paul_graham"]
    assert exported.licence is None


def test_local_texts_have_no_known_licence(tmp_path):
    assert len(about(corpora={"source": "local", "directory": str(tmp_path)}).withheld) == 5
    dataset = {"repo": "me/mine", "revision": "0" * 40, "fields": {"text": "t"}}
    exported = about(corpora={"source": "hub", "hub": {"qmsum": dataset}})
    assert exported.withheld == ["xsum", "qmsum", "paul_graham"]
    origins = [source.origin for source in exported.sources if source.name == "qmsum"]
    assert origins == [f"me/mine at {'0' * 40}"]


def test_released_contexts_are_listed_as_source():
    exported = about(lifbench={"contexts": "released", "tasks": ["LSI"]})
    assert [source.name for source in exported.sources] == ["contexts", "templates"]
    assert exported.withheld == ["contexts"]


def test_exported_settings_have_no_path_of_the_user():
    recs = {"originals": "released", "rewrites": "released", "review": "/home/me/review"}
    released = {"directory": "/home/me/released"}
    section = {"expressions": "recs", "recs": recs, "released": released}
    assert "/home/me" not in str(about(lifbench=section).settings)


class LossyExports(LifbenchExports):
    """An export whose tables omit the space at the end of a prompt."""

    def prompt(self, row):
        return super().prompt(row)[:-1]


def test_tables_that_give_another_prompt_are_refused(lifbench, tmp_path):
    with pytest.raises(
        UserError, match=r"the prompt of sample LSI/.* differs from that of its tables"
    ):
        lifbench.export(tmp_path, f"{__name__}:LossyExports")
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("name", ["followbench", "cfbench", "complexbench"])
def test_judged_benchmark_is_exported(name, tmp_path):
    exported = Exported({"benchmarks": [name]}, tmp_path)
    for part in exported.parts:
        rows = exported.rows("prompts", part.name.replace("-", "_"))
        assert [row["instruction"] for row in rows] == requested_prompts(part)
    _, header, _ = (exported.out / "README.md").read_text().split("---\n", 2)
    fields = yaml.safe_load(header)
    assert (fields["license"], fields["configs"][0].get("default")) == ("mit", True)


@pytest.mark.parametrize(
    ("name", "licence", "is_withheld"),
    [
        ("followbench", "apache-2.0", False),
        ("complexbench", "cc-by-4.0", False),
        ("cfbench", "other", True),
    ],
)
def test_released_benchmark_keeps_its_licence(name, licence, is_withheld):
    exports = Exports(f"{name}/export.yaml", {"instances": "released"}, {})
    text = card(exports.about(), [])
    assert f"\nlicense: {licence}\n" in text
    assert ("Not for publication as it is" in text) == is_withheld
