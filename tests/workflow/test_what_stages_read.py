"""What a stage depends on is what it reads: a change of scoring re-requests nothing."""

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
SYNTHETIC = {
    "benchmarks": BENCHMARKS,
    "lifbench": {"lengths": {"2k": 2048}, "tasks": ["LSI", "MB", "OQ"]},
    "models": {"reference": {"engine": "reference"}, "sim-a": {"engine": "simulated"}},
    "judges": {"sim-judge": {"engine": "simulated"}},
}
RELEASED = {
    **SYNTHETIC,
    "lifbench": {
        "lengths": {"4k": 3072},
        "contexts": "released",
        "expressions": "recs",
        "recs": {"rewrites": "own"},
    },
    "followbench": {"source": "released", "judge_prompts": ["path", "last", "rating"]},
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
"""Modules, and packages of modules, that score answers."""
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


def stages_up_to_verdicts(task):
    """Script and components of each stage of a benchmark up to its verdicts."""
    for file in task.data:
        yield "stages.make_data", [file.content]
    yield "stages.write_prompts", [task.prompts]
    oracles = [(task.samples, task.simulator)]
    if task.rewriting:
        oracles.append((task.rewriting.readable, task.rewriting.simulator))
    if task.judging:
        yield "judging.judge_prompts", [task.samples, task.judging.prompts]
        oracles.append((task.judging.readable, task.judging.simulator))
    for engine in ENGINES.values():
        for components in oracles:
            yield "stages.one_load", [engine, *components]


@pytest.mark.parametrize("config", [SYNTHETIC, RELEASED], ids=["synthetic", "released"])
@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_no_stage_up_to_verdicts_reads_a_scorer_or_its_facts(benchmark, config):
    folder = f"steadfast.benchmarks.{benchmark}"
    scoring = ("steadfast.stats.", "steadfast.show.")
    scoring += tuple(f"{folder}.{name}." for name in [*SCORERS[benchmark], *SHOWING])
    for script, parts in stages_up_to_verdicts(Evaluation(load_config(config)).tasks[benchmark]):
        names = [f"steadfast.{script}"]
        names += [part.name if isinstance(part, Component) else part for part in parts]
        assert [name for name in modules(*names) if f"{name}.".startswith(scoring)] == [], names
        files = {path.relative_to(ROOT / "resources").as_posix() for path in resources(*names)}
        assert not files & FACTS_OF_SCORING, names


# --- input digests that a change in a copy of the project changes -------------------------------

INPUT_DIGESTS = """
import json, sys
from steadfast.config.load import load_config
from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.input_digests import InputDigests

run = Evaluation(load_config(json.load(sys.stdin)))
steps = InputDigests(run)
digests = {}

def note(*name, step):
    digests[" ".join(name)] = step.input_digest

for name, task in run.tasks.items():
    for file in task.data:
        note(name, "data", file.path, step=steps.data(file.path))
    for part in task.parts:
        note(name, "prompts", part, step=steps.prompts(name, part))
        for model in run.evaluated_models(name):
            if task.judging:
                step = steps.judge_prompts(name, model, part)
                note(name, "judge_prompts", model, part, step=step)
            for path, step in steps.answers(name, model, part).items():
                note(name, path.split("/")[1], path, step=step)
            note(name, "scores", model, part, step=steps.scores(name, model, part))
    for stage in ("metrics", "tables", "figures"):
        note(name, stage, step=getattr(steps, stage)(name))
print(json.dumps(digests))
"""
SHOWN = {"metrics", "tables", "figures"}
SCORED = {"scores", *SHOWN}
JUDGED = {"verdicts", *SCORED}
JUDGE_PROMPTS = {"judge_prompts", *JUDGED}
ANSWERED = {"outputs", *JUDGE_PROMPTS}
OF_PROMPTS = {"prompts", "outputs", *SCORED}
OF_LSI = {"data lifbench/expressions/LSI.json", *OF_PROMPTS}


def edit(path: str, old: str, new: str) -> dict[str, tuple[str, str]]:
    return {f"resources/{path}": (old, new)}


CHANGES = {
    "a weight": (edit("lifbench/scoring/MB.yaml", "weight: 3", "weight: 4"), SCORED),
    "words of options": (edit("lifbench/answer_words.yaml", "[idea", "[reasoning, idea"), SCORED),
    "an output limit": (edit("lifbench/tasks/LSI.yaml", "tokens: 100", "tokens: 101"), OF_PROMPTS),
    "a space": (edit("lifbench/tasks/LSI.yaml", "margin: 0", "margin: 1"), OF_LSI),
    "a scenario": (edit("lifbench/scenarios/list.yaml", "Below is", "Here is"), OF_LSI),
    "a heading": (edit("lifbench/tables.yaml", "Above baseline", "Over"), {"tables", "figures"}),
    "a rule": (edit("followbench/rules.yaml", "stuff", "stuffs"), SCORED),
    "a judge's words": (edit("followbench/judge/words.yaml", "en:", "en:\n  a: a"), JUDGE_PROMPTS),
    "a simulator's facts": (edit("cfbench/simulated.yaml", "first: 0.5", "first: 0.6"), ANSWERED),
    "how a reply is read": ({"scripts/steadfast/benchmarks/complexbench/replies.py": None}, JUDGED),
}
"""Edits by file (old and new text; None appends a statement to all modules below a path), and the
stages whose input digests they change."""
for name, scorers in SCORERS.items():
    edits = {f"scripts/steadfast/benchmarks/{name}/{scorer}": None for scorer in scorers}
    CHANGES[f"all scorers of {name}"] = (edits, SCORED)


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
            input=json.dumps(SYNTHETIC),
            env={**os.environ, "PYTHONPATH": str(self.folder / "scripts")},
            capture_output=True,
            text=True,
            check=True,
        )
        return json.loads(done.stdout)

    def changed(self, edits) -> set[str]:
        """The names of the input digests that edits change; the edits are undone."""
        texts = {}
        for name, edit in edits.items():
            for path in self.files(name):
                texts[path] = path.read_text()
                old, new = edit or (texts[path], texts[path] + "\nCHANGED = True\n")
                assert old in texts[path], f"{path} has no {old!r}"
                path.write_text(texts[path].replace(old, new, 1))
        try:
            after = self.input_digests()
        finally:
            for path, text in texts.items():
                path.write_text(text)
        assert after.keys() == self.before.keys()
        return {name for name, digest in after.items() if digest != self.before[name]}

    def files(self, name: str) -> list[Path]:
        """The file of that name, or the modules of the package or module that it names."""
        path = self.folder / name
        if path.is_dir():
            return sorted(path.rglob("*.py"))
        return [path if path.suffix else path.with_suffix(".py")]


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    return Copy(tmp_path_factory.mktemp("copy"))


@pytest.mark.quick(6)
@pytest.mark.parametrize("change", CHANGES)
def test_change_affects_what_reads_it_and_what_follows(copy, change):
    edits, stages = CHANGES[change]
    benchmark = next(name for name in BENCHMARKS if f"/{name}/" in next(iter(edits)))
    expected = set()
    for name in copy.before:
        owner, stage = name.split(" ", 1)
        if owner == benchmark and (stage in stages or stage.split(" ")[0] in stages):
            expected.add(name)
    assert expected
    assert copy.changed(edits) == expected
