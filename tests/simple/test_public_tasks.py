"""IFScale and GraphWalks, the public tasks of docs/examples/benchmarks: parts, and a run."""

import sys
from collections import Counter
from random import Random

import numpy as np
import pytest

from outside import EXAMPLES, installed_project, steadfast_output
from project import csv_rows
from steadfast.base.errors import UserError
from steadfast.base.files import read_jsonl
from steadfast.simple.instance import Instance

ENDINGS = ["{}", "{}s", "{}-led", "({}),", "{}'s"]
EMPHASES = ["**{}**", "_{}_", "“{}”", "*{}", "<b>{}", "__{}!__."]


@pytest.fixture(scope="module")
def tasks():
    """The two modules."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(EXAMPLES)
        yield {name: __import__(name) for name in ("graphwalks", "ifscale")}
    for name in ("graphwalks", "ifscale", "ifscale_density"):
        sys.modules.pop(name, None)


def without_emphasis(text):
    """A text without the marks of *words* and __words__, which open and close within a line."""
    plain = ""
    while text:
        for mark in ("**", "*", "__", "_"):
            end = text.find(mark, len(mark))
            if text.startswith(mark) and end > 0 and "\n" not in text[:end]:
                plain += text[len(mark) : end]
                text = text[end + len(mark) :]
                break
        else:
            plain += text[0]
            text = text[1:]
    return plain


def has_word(text, keyword):
    """Whether a keyword stands between white space, apart from punctuation around it."""
    punctuation = set('.,!?()[]{}":;*_')
    plain = f" {' '.join(without_emphasis(text).lower().split())} "
    start = plain.find(keyword)
    while start >= 0:
        left = plain[plain.rfind(" ", 0, start) + 1 : start]
        right = plain[start + len(keyword) : plain.find(" ", start)]
        if set(left) | set(right) <= punctuation:
            return True
        start = plain.find(keyword, start + 1)
    return False


def test_keywords_match_as_in_the_released_program(tasks):
    """6,400 verdicts on keywords with emphasis, endings and punctuation around them."""
    random = Random(1)
    words = ["tax", "tax-free", "bond", "asset", "audit", "loan", "risk", "yield"]
    verdicts = []
    for _ in range(800):
        forms = [random.choice(ENDINGS + EMPHASES).format(random.choice(words)) for _ in range(6)]
        text = "".join(form + random.choice((" ", "\n", " and ")) for form in forms)
        text = random.choice((str, str.upper, str.title))(text)
        mark = tasks["ifscale"].score(text, Instance("1", "", words))
        expected = [has_word(text, word) for word in words]
        assert [word not in mark.extracted for word in words] == expected, text
        assert mark.score == pytest.approx(sum(expected) / len(words))
        verdicts += expected
    assert len(verdicts) == 6400 and 1000 < sum(verdicts) < 5400


def test_densities_share_keywords_sampled_as_released(tasks):
    """The released program samples the vocabulary with pandas, by the seed."""
    import pandas as pd

    make = tasks["ifscale"].instances
    vocabulary = [f"word{number}" for number in range(40)]
    sparse = list(make("5", 0, 3, vocabulary))
    dense = list(make("40", 0, 3, vocabulary))
    for seed in range(3):
        released = pd.Series(vocabulary).sample(n=5, random_state=seed).tolist()
        assert sparse[seed].answer == dense[seed].answer[:5] == released
    assert len(sparse) == len(dense) == 3
    with pytest.raises(UserError, match="50 of 40 keywords"):
        list(make("50", 0, 3, vocabulary))


def test_walks_agree_with_floyd_warshall_distances(tasks):
    from scipy.sparse.csgraph import floyd_warshall

    for walk in tasks["graphwalks"].instances("1k", 1, {"1k": 1024}, 6):
        edges = [line.split(" -> ") for line in walk.context.splitlines()]
        nodes = sorted({node for edge in edges for node in edge})
        adjacency = np.zeros((len(nodes), len(nodes)))
        for parent, child in edges:
            adjacency[nodes.index(parent), nodes.index(child)] = 1.0
        words = walk.prompt.rstrip(".").split(" ")
        if "BFS" in walk.prompt:  # "… from START with depth DEPTH."
            distances = floyd_warshall(adjacency)[nodes.index(words[-4])]
            expected = np.array(nodes)[distances == int(words[-1])].tolist()
        else:
            node = words[-1]
            expected = sorted({a for a, b in edges if b == node and a != node})
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
def test_f1_of_a_set_of_nodes(tasks, answer, text, f1):
    mark = tasks["graphwalks"].score(text, Instance("1", "", answer))
    assert mark.score == pytest.approx({"F1": f1 or 0.0, "Exact": float(f1 == 1)})
    assert mark.unread is (f1 is None)


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    folder = tmp_path_factory.mktemp("public")
    tasks = {"ifscale": "ifscale:IFSCALE", "graphwalks": "graphwalks:GRAPHWALKS"}
    config = {
        "benchmarks": ["ifscale", "graphwalks"],
        "ifscale": {"densities": [10, 40], "reports": 20},
        "graphwalks": {"lengths": {"1k": 1024, "2k": 2048}},
        "models": {
            "reference": {"engine": "reference"},
            "sim-a": {"engine": "simulated", "slip": 0.3},
        },
    }
    with installed_project(folder, **tasks) as project:
        project.configure(config)
        project.snakemake("results/tables", PYTHONPATH=str(folder))
        yield project


@pytest.mark.wide
@pytest.mark.workflow
def test_run_has_effective_density_and_context_length(project):
    for path in project.path("results").glob("*/scores/reference/*.jsonl"):
        assert {score["total"] for score in read_jsonl(path)} == {1}
    rows = {row["model"]: row for row in project.rows("ifscale/metrics/effective_density.csv")}
    assert rows["reference"]["value"] == rows["reference"]["low"] == "40"
    table = project.path("results/tables/ifscale_effective_density.md").read_text()
    assert "Effective density" in table and "sim-a" in table
    steadfast_output(project, "export", "my.yaml", "--scores")
    scores = csv_rows(project.path("results/scores.csv"))
    # Instances with one id at two densities, or lengths, are one sampling unit.
    units = {(score["benchmark"], score["sampling_unit"]) for score in scores}
    assert Counter(benchmark for benchmark, _ in units) == {"ifscale": 20, "graphwalks": 12}
    summary = project.path("results/tables/summary.md").read_text()
    assert "GraphWalks: Effective context length" in summary
