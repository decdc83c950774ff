"""A finished run as logs of Inspect: steadfast export --inspect."""

import json
import subprocess
from statistics import fmean
from types import SimpleNamespace

import pytest

from cached_venv import cached_python
from project import ROOT, command
from steadfast.base.files import read_jsonl
from steadfast.jobs.finished import FinishedAnswer
from steadfast.share.inspect_logs import messages, provider_model, results

pytestmark = pytest.mark.workflow


@pytest.fixture
def logs(project):
    done = command("export", "my.yaml", "--inspect", folder=project.folder)
    assert done.returncode == 0, done.stderr
    folder = project.path("results/inspect")
    assert done.stdout.startswith(f"{len(list(folder.iterdir()))} logs written")
    return folder


@pytest.fixture
def totals(project):
    """The totals in each file of scores, by task and model as logs name them."""
    scores = {}
    for path in sorted(project.folder.glob("results/*/scores/*/*.jsonl")):
        benchmark, _, model, _ = path.parts[-4:]
        scores[f"{benchmark}-{path.stem}/{model}"] = [row["total"] for row in read_jsonl(path)]
    return scores


def test_logs_have_every_response_of_each_model_and_part(logs, totals):
    logged = {}
    for path in logs.iterdir():
        log = json.loads(path.read_text())
        scores = [sample["scores"]["total"]["value"] for sample in log["samples"]]
        logged[f"{log['eval']['task']}/{log['eval']['model']}"] = scores
        assert log["eval"]["metadata"]["data"]  # a note that the contexts are synthetic
        (score,) = log["results"]["scores"]
        assert score["metrics"]["mean"]["value"] == pytest.approx(fmean(scores))
        # Of a context of thousands of words, only both ends are logged.
        assert all(len(sample["messages"][0]["content"]) < 4_000 for sample in log["samples"])
    assert logged == totals


def test_responses_without_a_score_are_unscored():
    scores = ({"total": 0.5}, {"total": None}, None)
    (score,) = results([FinishedAnswer("m", 0, {}, score) for score in scores])["scores"]
    assert score["metrics"]["mean"]["value"] == 0.5
    assert (score["scored_samples"], score["unscored_samples"]) == (1, 2)


@pytest.mark.parametrize(
    ("middle", "shown"),
    [("b" * 500, "b" * 500), ("b" * 501, "\n\n[… 501 characters of c1 …]\n\n")],
)
def test_long_context_is_logged_without_its_middle(middle, shown):
    context = "a" * 500 + middle + "c" * 500
    plain = {"system": "Be brief.", "turns": [("Hi", "Hello")], "context_id": "c1"}
    item = SimpleNamespace(head="<", context=context, tail=">", **plain)
    part = SimpleNamespace(files=SimpleNamespace(joined=SimpleNamespace(item=lambda turn: item)))
    first = SimpleNamespace(id="s", before=None)
    turns = [first, SimpleNamespace(id="t", before=first)]
    sample = SimpleNamespace(turns=turns)
    conversation = messages(part, sample, 1, {"s#1": {"response": "Yes"}})
    prompt = f"<{'a' * 500}{shown}{'c' * 500}>"
    expected = [
        ("system", "Be brief."), ("user", "Hi"), ("assistant", "Hello"), ("user", prompt),
        ("assistant", "Yes"), ("user", prompt),
    ]  # fmt: skip
    assert [(message["role"], message["content"]) for message in conversation] == expected


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"engine": "openai", "model": "gpt-4o"}, "openai/gpt-4o"),
        ({"engine": "openai", "model": "Qwen/Qwen3-8B"}, "openai-api/Qwen/Qwen3-8B"),
        ({"engine": "gemini", "model": "gemini-3"}, "google/gemini-3"),
        ({"engine": "vllm", "model": "/checkpoints/tuned"}, "vllm/tuned"),  # no local path
        ({"engine": "simulated"}, "m"),
    ],
)
def test_models_have_the_names_of_inspect(settings, name):
    assert provider_model(SimpleNamespace(**settings), "m") == name


@pytest.mark.heavy
@pytest.mark.parametrize("version", ["0.3.240", "0.3.285"])
def test_inspect_reads_the_logs(logs, totals, version):
    python = cached_python("inspect", "inspect.txt", [f"inspect_ai=={version}"])
    script = ROOT / "tests/export/read_inspect_logs.py"
    done = subprocess.run([python, script, logs], capture_output=True, text=True, check=True)
    read = json.loads(done.stdout.splitlines()[-1])
    assert read["means"] == pytest.approx({name: fmean(rows) for name, rows in totals.items()})
    assert read["samples"] == sum(map(len, totals.values()))
    assert read["total"] == pytest.approx(sum(map(sum, totals.values())))
