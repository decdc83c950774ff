"""What a stage depends on is what it reads: a change of scoring asks no model anything."""

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from project import ROOT
from steadfast.config.load import load_config
from steadfast.contract.components import Component
from steadfast.contract.engine_names import ENGINES
from steadfast.jobs.digests import modules, resources
from steadfast.jobs.evaluation import Evaluation
from warm_python import warm_python

BENCHMARKS = ["lifbench", "followbench", "cfbench", "complexbench"]
SMALL = {
    "benchmarks": BENCHMARKS,
    "lifbench": {"lengths": {"2k": 2048}, "tasks": ["LSI", "MB", "OQ"]},
    "models": {"reference": {"engine": "reference"}, "sim-a": {"engine": "simulated"}},
    "judges": {"sim-judge": {"engine": "simulated"}},
}
OTHER = {
    **SMALL,
    "lifbench": {
        "lengths": {"4k": 3072},
        "contexts": "released",
        "expressions": "recs",
        "recs": {"rewrites": "own"},
    },
    "followbench": {
        "source": "released",
        "judge_prompts": ["path", "last", "rating"],
    },
    "cfbench": {"source": "released", "direct": True},
    "complexbench": {"source": "released", "decomposition": True},
    "rewriters": {"sim-a": {"engine": "simulated"}},
    "judging": {"mode": "released"},
}
SCORERS = {
    "lifbench": ["rubric", "scoring", "scored_tasks"],
    "followbench": ["rules", "scoring"],
    "cfbench": ["satisfaction", "scoring"],
    "complexbench": ["rules", "scoring", "aggregation"],
}
"""Modules, and packages of modules, that decide what an answer is worth."""
SHOWING = ["metrics", "tables", "figures", "measures", "frames", "results", "agreement"]
FACTS_OF_SCORING = {
    "lifbench/answer_words.yaml",
    "lifbench/released_scores.yaml",
    *(f"lifbench/scoring/{path.name}" for path in (ROOT / "resources/lifbench/scoring").iterdir()),
    "followbench/rules.yaml",
    "followbench/impossible.yaml",
    "cfbench/factors.yaml",
    *(f"{name}/{kind}.yaml" for name in BENCHMARKS for kind in ("tables", "figures", "printed")),
}


def asking(run, name):
    """Script and components of each stage of a benchmark up to its verdicts."""
    task = run.tasks[name]
    for file in task.data:
        yield "stages.make_data", [file.content]
    yield "stages.write_prompts", [task.prompts]
    for engine in ENGINES.values():
        yield "stages.one_load", [engine, task.samples, task.simulator]
    asked = [task.rewriting] if task.rewriting else []
    if task.judging:
        yield "judging.ask_judge", [task.samples, task.judging.prompts]
        asked.append(task.judging)
    for judging in asked:
        for engine in ENGINES.values():
            yield "stages.one_load", [engine, judging.readable, judging.simulator]


def named(used):
    """The names by which components are loaded."""
    return [one.name if isinstance(one, Component) else one for one in used]


@pytest.mark.parametrize("config", [SMALL, OTHER], ids=["synthetic", "released"])
@pytest.mark.parametrize("name", BENCHMARKS)
def test_nothing_up_to_the_verdicts_reads_a_scorer_or_its_facts(name, config):
    unread = [f"steadfast.benchmarks.{name}.{one}" for one in [*SCORERS[name], *SHOWING]]
    unread += ["steadfast.stats", "steadfast.show"]
    found = set()
    for script, used in asking(Evaluation(load_config(config)), name):
        names = [f"steadfast.{script}", *named(used)]
        found |= {
            (*names, module)
            for module in modules(*names)
            if any(module == one or module.startswith(f"{one}.") for one in unread)
        }
        read = {path.relative_to(ROOT / "resources").as_posix() for path in resources(*names)}
        found |= {(*names, path) for path in read & FACTS_OF_SCORING}
    assert found == set()


# --- what a change in a copy of the project makes anew -----------------------------------------

INPUT_DIGESTS = """
import json, sys
from steadfast.config.load import load_config
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.input_digests import InputDigests
run = Evaluation(load_config(json.load(sys.stdin)))
input_digest, found = InputDigests(run), {}
def note(*name, step):
    found[" ".join(name)] = step.input_digest
for name, task in run.tasks.items():
    for file in task.data:
        note(name, "data", file.path, step=input_digest.data(file.path))
    for part in task.parts:
        note(name, "prompts", part, step=input_digest.prompts(name, part))
        for model in run.evaluated_models(name):
            if task.judging:
                step = input_digest.judge_prompts(name, model, part)
                note(name, "judge_prompts", model, part, step=step)
            for path, step in input_digest.answers(name, model, part).items():
                note(name, path.split("/")[1], path, step=step)
            note(name, "scores", model, part, step=input_digest.scores(name, model, part))
    for stage in ("metrics", "tables", "figures"):
        note(name, stage, step=getattr(input_digest, stage)(name))
print(json.dumps(found))
"""
SHOWN = {"metrics", "tables", "figures"}
SCORED = {"scores", *SHOWN}
JUDGED = {"verdicts", *SCORED}
ANSWERED = {"outputs", "judge_prompts", *JUDGED}
CODE = "\nCHANGED = True\n"
"""Added at the end of a module."""


def fact(
    benchmark: str, file: str, old: str, new: str, stages: set[str]
) -> tuple[str, dict[str, object], set[str]]:
    """A change of a file of facts: its benchmark, the edit, and the stages that it makes anew."""
    return benchmark, {f"resources/{benchmark}/{file}": (old, new)}, stages


OF_ANSWERS = {"prompts", "outputs", *SCORED}
OF_LSI = {"data lifbench/expressions/LSI.json", *OF_ANSWERS}
READING = {"scripts/steadfast/benchmarks/complexbench/replies.py": CODE}
CHANGES = {
    "a weight": fact("lifbench", "scoring/MB.yaml", "weight: 3", "weight: 4", SCORED),
    "words of options": fact(
        "lifbench", "answer_words.yaml", "continues: [idea", "continues: [reasoning, idea", SCORED
    ),
    "an output limit": fact(
        "lifbench", "tasks/LSI.yaml", "max_tokens: 100", "max_tokens: 101", OF_ANSWERS
    ),
    "a space": fact("lifbench", "tasks/LSI.yaml", "margin: 0", "margin: 1", OF_LSI),
    "a scenario": fact("lifbench", "scenarios/list.yaml", "Below is", "Here is", OF_LSI),
    "a heading": fact("lifbench", "tables.yaml", "Above baseline", "Over", {"tables", "figures"}),
    "a rule": fact("followbench", "rules.yaml", "stuff", "stuffs", SCORED),
    "a judge's words": fact(
        "followbench", "judge/words.yaml", "en:", "en:\n  more: more", {"judge_prompts", *JUDGED}
    ),
    "a simulator's facts": fact("cfbench", "simulated.yaml", "first: 0.5", "first: 0.6", ANSWERED),
    "how a reply is read": ("complexbench", READING, JUDGED),
}
for name, modules_of_scoring in SCORERS.items():
    edits = {f"scripts/steadfast/benchmarks/{name}/{one}": CODE for one in modules_of_scoring}
    CHANGES[f"all scorers of {name}"] = (name, edits, SCORED)


class Copy:
    """A copy of code and facts."""

    def __init__(self, folder: Path):
        self.folder = folder
        for part in ("scripts", "resources", "rules"):
            shutil.copytree(ROOT / part, folder / part)
        for file in ("pyproject.toml", "Snakefile"):
            shutil.copy(ROOT / file, folder)
        self.before = self.input_digests()

    def input_digests(self) -> dict[str, str]:
        done = subprocess.run(
            [warm_python(), "-c", INPUT_DIGESTS],
            input=json.dumps(SMALL),
            env={**os.environ, "PYTHONPATH": str(self.folder / "scripts")},
            capture_output=True,
            text=True,
            check=True,
        )
        return json.loads(done.stdout)

    def changed(self, edits) -> set[str]:
        """The files of benchmarks that are made anew after some edits, which are undone."""
        paths = {path: edit for name, edit in edits.items() for path in self.files(name)}
        texts = {path: path.read_text() for path in paths}
        for path, edit in paths.items():
            old, new = ("", edit) if isinstance(edit, str) else edit
            assert old in texts[path], f"{path} has no {old!r}"
            path.write_text(texts[path].replace(old, new, 1) if old else texts[path] + new)
        try:
            after = self.input_digests()
        finally:
            for path, text in texts.items():
                path.write_text(text)
        assert after.keys() == self.before.keys()
        return {name for name, input_digest in after.items() if input_digest != self.before[name]}

    def files(self, name: str) -> list[Path]:
        """The file of that name, or the modules of a package or of the module that it names."""
        path = self.folder / name
        if path.is_dir():
            return sorted(path.rglob("*.py"))
        return [path if path.suffix else path.with_suffix(".py")]


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    return Copy(tmp_path_factory.mktemp("copy"))


@pytest.mark.quick(6)
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_makes_anew_what_reads_it_and_what_follows(copy, change):
    benchmark, edits, stages = CHANGES[change]
    expected = {
        name
        for name in copy.before
        for of, stage in [name.split(" ", 1)]
        if of == benchmark and (stage in stages or stage.split(" ")[0] in stages)
    }
    assert expected
    assert copy.changed(edits) == expected
