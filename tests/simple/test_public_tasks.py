"""IFScale and GraphWalks, the public tasks of docs/examples/benchmarks: parts, and a run."""

import csv
import os
import subprocess
import sys
from collections import Counter
from random import Random

import pytest

from outside import EXAMPLES, installed
from project import ROOT, Project
from steadfast.base.errors import UserError
from steadfast.base.files import read_jsonl
from steadfast.contract import registry
from steadfast.simple.instance import Instance

NAMES = ("graphwalks", "ifscale", "ifscale_density")
ODD = ("{}", "{}s", "{}-led", "**{}**", "_{}_", "({}),", "“{}”", "{}'s", "*{}", "<b>{}", "__{}!__.")


@pytest.fixture(scope="module")
def tasks():
    """The two modules."""
    patch = pytest.MonkeyPatch()
    patch.syspath_prepend(EXAMPLES)
    yield {name: __import__(name) for name in NAMES[:2]}
    patch.undo()
    for name in NAMES:
        sys.modules.pop(name, None)


def without_emphasis(text):
    """What a reader sees of *words* and __words__; a mark opens and closes within a line."""
    read = ""
    while text:
        for mark in ("**", "*", "__", "_"):
            end = text.find(mark, len(mark))
            if text.startswith(mark) and end > 0 and "\n" not in text[:end]:
                read += text[len(mark) : end]
                text = text[end + len(mark) :]
                break
        else:
            read += text[0]
            text = text[1:]
    return read


def has_word(text, keyword):
    """Whether a keyword stands between white space, apart from signs around it."""
    around = set('.,!?()[]{}":;*_')
    plain = f" {' '.join(without_emphasis(text).lower().split())} "
    start = plain.find(keyword)
    while start >= 0:
        left = plain[plain.rfind(" ", 0, start) + 1 : start]
        right = plain[start + len(keyword) : plain.find(" ", start)]
        if set(left) | set(right) <= around:
            return True
        start = plain.find(keyword, start + 1)
    return False


def test_keywords_are_matched_as_released(tasks):
    """6,400 verdicts on keywords with marks, endings and signs around them."""
    random = Random(1)
    words = ["tax", "tax-free", "bond", "asset", "audit", "loan", "risk", "yield"]
    verdicts = []
    for _ in range(800):
        forms = [random.choice(ODD).format(random.choice(words)) for _ in range(6)]
        text = "".join(form + random.choice((" ", "\n", " and ")) for form in forms)
        text = random.choice((str, str.upper, str.title))(text)
        mark = tasks["ifscale"].score(text, Instance("1", "", words))
        expected = [has_word(text, word) for word in words]
        assert [word not in mark.extracted for word in words] == expected, text
        assert mark.score == pytest.approx(sum(expected) / len(words))
        verdicts += expected
    assert len(verdicts) == 6400 and 1000 < sum(verdicts) < 5400


def test_higher_densities_have_the_keywords_of_lower_ones(tasks):
    """And those that pandas samples of the vocabulary by the seed, as the released program does."""
    import pandas as pd

    make = tasks["ifscale"].instances
    vocabulary = [f"word{number}" for number in range(40)]
    low, high = (list(make(part, 0, 3, vocabulary)) for part in ("5", "40"))
    for seed, (fewer, more) in enumerate(zip(low, high, strict=True)):
        released = pd.Series(vocabulary).sample(n=5, random_state=seed).tolist()
        assert fewer.answer == more.answer[:5] == released
    with pytest.raises(UserError, match="50 of 40 keywords"):
        list(make("50", 0, 3, vocabulary))


def test_walks_are_those_of_a_distance_matrix(tasks):
    """Nodes at depth d are those that Floyd and Warshall's distances put there."""
    from scipy.sparse.csgraph import floyd_warshall

    for walk in tasks["graphwalks"].instances("1k", 1, {"1k": 1024}, 6):
        edges = [line.split(" -> ") for line in walk.context.splitlines()]
        nodes = sorted({node for edge in edges for node in edge})
        distances = [[1.0 if [a, b] in edges else 0.0 for b in nodes] for a in nodes]
        *_, name, end = walk.prompt.replace(" with depth ", " ").rstrip(".").split(" ")
        if "BFS" in walk.prompt:
            row = floyd_warshall(distances)[nodes.index(name)]
            expected = [node for node, far in zip(nodes, row, strict=True) if far == int(end)]
        else:
            expected = sorted({a for a, b in edges if b == end and a != end})
        assert walk.answer == expected


@pytest.mark.parametrize(
    ("answer", "text", "f1"),
    [
        (["a", "b"], "Final Answer: [b, a]", 1.0),
        (["a", "b"], "So:\nFinal Answer: [a]\n", 2 / 3),  # precision 1, recall 1/2
        (["a", "b"], "Final Answer: [a, c, d, a]", 0.4),  # precision 1/3, recall 1/2
        (["a"], "Final Answer: []", 0.0),
        ([], "Final Answer: []", 1.0),
        (["a"], "Final Answer: [a]\nI hope that helps.", None),
        (["a"], "a", None),
    ],
)
def test_sets_of_nodes_are_compared(tasks, answer, text, f1):
    mark = tasks["graphwalks"].score(text, Instance("1", "", answer))
    assert mark.score == pytest.approx({"F1": f1 or 0.0, "Exact": float(f1 == 1)})
    assert mark.unread is (f1 is None)


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    project = Project.new(tmp_path_factory.mktemp("public"), {})
    installed(project.folder, ifscale="ifscale:IFSCALE", graphwalks="graphwalks:GRAPHWALKS")
    patch = pytest.MonkeyPatch()
    patch.syspath_prepend(project.folder)
    registry.installed.cache_clear()
    config = {
        "benchmarks": ["ifscale", "graphwalks"],
        "ifscale": {"densities": [10, 40], "reports": 20},
        "graphwalks": {"lengths": {"1k": 1024, "2k": 2048}},
        "models": {
            "reference": {"engine": "reference"},
            "sim-a": {"engine": "simulated", "slip": 0.3},
        },
    }
    project.configure(config)
    project.snakemake("results/tables", PYTHONPATH=str(project.folder))
    yield project
    patch.undo()
    registry.installed.cache_clear()
    for name in NAMES:
        sys.modules.pop(name, None)


@pytest.mark.wide
@pytest.mark.workflow
@pytest.mark.xdist_group("workflow")
def test_a_run_has_an_effective_density_and_an_effective_context_length(project):
    for path in project.path("results").glob("*/scores/reference/*.jsonl"):
        assert {score["total"] for score in read_jsonl(path)} == {1}
    with open(project.path("results/ifscale/metrics/effective_density.csv"), newline="") as lines:
        rows = {row["model"]: row for row in csv.DictReader(lines)}
    assert rows["reference"]["value"] == rows["reference"]["low"] == "40"
    table = project.path("results/tables/ifscale_effective_density.md").read_text()
    assert "Effective density" in table and "sim-a" in table
    words = [sys.executable, "-m", "steadfast.command.main", "export", "my.yaml", "--scores"]
    places = os.pathsep.join([str(ROOT / "scripts"), str(project.folder)])
    environment = {**os.environ, "PYTHONPATH": places}
    subprocess.run(words, cwd=project.folder, env=environment, check=True)
    with open(project.path("results/scores.csv"), newline="") as lines:
        units = {(row["benchmark"], row["sampling_unit"]) for row in csv.DictReader(lines)}
    # What has one id at two densities, or lengths, is one sampling unit.
    assert Counter(name for name, _ in units) == {"ifscale": 20, "graphwalks": 12}
    summary = project.path("results/tables/summary.md").read_text()
    assert "GraphWalks: Effective context length" in summary
