"""FollowBench on the released data, all of it: prompts, answers, a judge over HTTP, tables."""

import csv

import pytest

import judge_server
from followbench_run import Run
from steadfast.engines.run import run_part
from steadfast.files import read_jsonl
from steadfast.followbench import benchmark
from steadfast.followbench.tables import BUILDERS
from steadfast.judging.requests import items, reader
from steadfast.metrics.headline import read_headline
from steadfast.metrics.tidy import OVERALL, read_csv

ITEMS = {"en": (820, 470), "zh": (790, 460)}
IMPOSSIBLE = {"en": ["en/format/22/4", "en/format/22/5"], "zh": []}
# Table 1 of the paper: mean length in words and items, where the released data agrees with it.
PRINTED = {
    "Data-to-text generation": (84, 25),
    "Document-level named entity recognition": (376, 25),
    "Text generation with language constraints": (88, 25),
    "Summarization": (254, 25),
    "Machine translation": (91, 25),
    "Story generation": (34, 10),
    "40 diverse NLP tasks": (739, 200),
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Reference answers and a simulated reader's, judged over HTTP, in both languages."""
    folder, found = tmp_path_factory.mktemp("released"), {}
    with judge_server.judging() as server:
        for language in ("en", "zh"):
            run = found[language] = Run(folder, "local", language)
            for model in ("reference", "sim-a"):
                run.answer(model, "reference" if model == "reference" else "simulated")
                ask(run, model, server.url)
                run.score(model, "http")
        assert server.strange == []
    return found


def ask(run: Run, model: str, url: str) -> None:
    """Asks the judge at an address about a model's answers."""
    judging = run.path("judging", model)
    benchmark.write_judge_prompts(
        run.language,
        run.prompts,
        run.sources,
        run.path("outputs", model),
        {run.language: run.template},
        {},
        judging,
    )
    operation = {"base_url": url, "api_key_env": None, "concurrency": 16, "backoff": 0.01}
    run_part(
        model="http",
        answers={"engine": "openai", "model": "judge-1"},
        operation=operation,
        items=items(judging),
        oracle=benchmark.judge_oracle(judging),
        journal=run.path("journal", model),
        out=run.path("verdicts", "http", model),
        identity_out=run.folder / "identity.json",
        log=run.folder / "log",
        readable=reader(judging, benchmark.readable),
        attempts=3,
    )


@pytest.mark.parametrize("language", ITEMS)
def test_all_items_are_asked_and_the_judged_ones_judged(runs, language):
    run = runs[language]
    prompts = list(read_jsonl(run.prompts))
    judged = list(read_jsonl(run.path("verdicts", "http", "reference")))
    assert (len(prompts), len(judged)) == ITEMS[language]
    assert {reply["status"] for reply in judged} == {"ok"}


@pytest.mark.parametrize("language", ITEMS)
def test_the_reference_keeps_all_that_can_be_kept(runs, language):
    records = list(read_jsonl(runs[language].path("scores", "reference")))
    failed = [record["sample_id"] for record in records if record["total"] != 1]
    assert failed == IMPOSSIBLE[language]


@pytest.fixture(scope="module")
def tables(runs):
    folder = runs["en"].folder
    models = ("reference", "sim-a")
    scores = {(m, name): run.path("scores", m) for m in models for name, run in runs.items()}
    sources = {name: run.sources for name, run in runs.items()}
    outs = {name: folder / f"metrics/{name}.csv" for name in benchmark.METRICS}
    settings = {"languages": ["en", "zh"], "judges": ["http"]}
    benchmark.compute_metrics(scores, sources, settings, {}, outs)
    shown = {"mode": "strict", "languages": ["en", "zh"]}
    benchmark.build_tables(outs, {}, shown | {"names": list(BUILDERS)}, folder / "tables")
    benchmark.draw_figures(outs, {}, {"by_category": folder / "by_category.png"})
    return outs, folder


def test_table_1_has_the_papers_numbers(tables):
    outs, folder = tables
    text = (folder / "tables/followbench_table1_items.csv").read_text("utf-8")
    rows = {row[2]: row for row in csv.reader(text.splitlines())}
    for task, (words, count) in PRINTED.items():
        assert rows[task][4:6] == [str(words), str(count)]
    table = read_csv(outs["items"])
    sums = table[table["language"] == "en"].groupby("category")["n"].sum()
    assert sums.to_dict() == {
        "content": 125,
        "situation": 110,
        "style": 150,
        "format": 150,
        "example": 200,
        "mixed": 85,
    }


def test_metrics_tables_and_figure_are_of_all_items(tables):
    outs, folder = tables
    headline = read_headline(outs["headline"]).set_index(["model", "measure"])
    assert headline.loc[("reference", "HSR"), ["n", "expected"]].tolist() == [820, 820]
    assert headline.loc[("reference", "CSL"), "expected"] == 164
    # Two of 150 format items, in one of six categories.
    assert headline.loc[("reference", "HSR"), "value"] == pytest.approx(100 - 200 / 150 / 6)
    for measure in ("HSR", "SSR", "CSL"):
        low, middle, high = headline.loc[("sim-a", measure), ["low", "value", "high"]]
        assert 0 < low < middle < high < headline.loc[("reference", measure), "value"]
    hsr = read_csv(outs["hsr"]).set_index(["model", "language", "category", "level"])["value"]
    for language in ITEMS:
        by_level = [hsr["sim-a", language, OVERALL, str(level)] for level in range(1, 6)]
        assert by_level == sorted(by_level, reverse=True)
    for name in BUILDERS:
        assert (folder / f"tables/{name}.md").is_file()
    assert (folder / "by_category.png").stat().st_size > 20_000


def test_the_judge_understands_every_prompt(runs):
    for language, run in runs.items():
        for record in read_jsonl(run.path("judging", "sim-a")):
            (request,) = record["requests"]
            asked = judge_server.read(record["head"] + record["answer"] + request["tail"])
            assert (asked.language, asked.count) == (language, request["expected"]["count"])
