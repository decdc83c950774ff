"""Stability between formats and domains: what is computed, shown, and left as it is."""

import pandas as pd
import pytest

from score_records import FEW, frames_of, record, run
from steadfast.base.errors import UserError
from steadfast.benchmarks.lifbench.benchmark import LIFBENCH
from steadfast.benchmarks.lifbench.metrics import metrics
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.scored_tasks import RUBRICS
from steadfast.benchmarks.lifbench.tables import tables
from steadfast.config.load import load_config
from steadfast.contract.components import Scored
from steadfast.show.render import printed
from steadfast.show.roster import Display, Shown
from steadfast.stats.tidy import rows_of

pytestmark = pytest.mark.wide

FORMATS = {"format": {"list": ["numbered", "json"], "multidoc": ["numbered", "json"]}}
DOMAINS = {"domain": {"list": ["mixed", "uuids"]}}
MODELS = {"reference": {"engine": "reference"}}


def points(task: str, value: float) -> dict[str, float]:
    return dict.fromkeys(RUBRICS["released"][task], value)


def scored(task: str, value: float | None, context: int = 1, length: str = "4k", **more) -> Scored:
    """One answer of model m, with that total; ``more`` says in which format or domain."""
    of = record(task, None if value is None else points(task, value), length, (context, 0, 0))
    if domain := more.get("domain"):
        of["context_id"] = of["context_id"].replace("-s", f"-{domain}-s")
    ending = "/".join(more.values())
    return Scored("m", length, of | more | {"sample_id": f"{of['sample_id']}/{ending}"})


def as_json(*values: float, **more) -> list[Scored]:
    """Answers of a list task in JSON, a context each."""
    return [
        scored("LSI", value, context, format="json", perspective="format", **more)
        for context, value in enumerate(values, start=1)
    ]


def computed(scores, beyond=None):
    return metrics(scores, {}, None, "rubric", "released", beyond=beyond)


def ifs(frames, perspective: str, task: str = "LSI", length: str = "") -> pd.Series:
    keys = {"perspective": perspective, "task": task, "length": length}
    (row,) = rows_of(frames["ifs"], **keys).itertuples()
    return row


def test_ifs_between_formats_is_their_spread_over_their_mean_in_the_tasks_that_have_them():
    scores = [scored("LSI", 1.0), *as_json(0.5), scored("OQ", 1.0)]
    found = ifs(computed(scores, FORMATS), "format")
    # Means 1 and 0.5: sample standard deviation 0.3536 over 0.75.
    assert found.value == pytest.approx(0.4714, abs=1e-4) and found.n == 2
    extra = scored("MB", 1.0, format="json", perspective="format")
    scores = [scored("LSI", 1.0), *as_json(0.5), scored("MB", 1.0), extra, scored("OQ", 0.3)]
    frames = computed(scores, FORMATS)
    whole = ifs(frames, "format", "overall")
    assert whole.value == pytest.approx(0.4714 / 2, abs=1e-4) and whole.n == 2
    assert "OQ" not in set(frames["ifs"].query("perspective == 'format'")["task"])


def test_formats_share_contexts_so_that_what_contexts_differ_by_is_no_chance_between_them():
    first = [scored("LSI", value, context) for context, value in enumerate((0.2, 0.6, 0.9), 1)]
    found = ifs(computed([*first, *as_json(0.1, 0.3, 0.45)], FORMATS), "format")
    assert [found.low, found.high] == pytest.approx([found.value] * 2)  # half in each context


def test_domains_have_contexts_of_their_own_and_one_each_gives_no_interval():
    def uuids(*values: float) -> list[Scored]:
        return [
            scored("LSI", value, context, domain="uuids", perspective="domain")
            for context, value in enumerate(values, start=1)
        ]

    one = ifs(computed([scored("LSI", 1.0), *uuids(0.5)], DOMAINS), "domain")
    assert one.value == pytest.approx(0.4714, abs=1e-4) and pd.isna(one.low)
    first = [scored("LSI", value, context) for context, value in enumerate((0.9, 0.8, 1.0, 0.7), 1)]
    several = ifs(computed([*first, *uuids(0.3, 0.4, 0.2, 0.5)], DOMAINS), "domain")
    assert several.low < several.value < several.high


def test_a_domain_that_is_not_compared_is_in_no_group():
    extra = [
        scored("LSI", value, domain=name, perspective="domain")
        for name, value in (("uuids", 0.5), ("instructions", 1.0))
    ]
    beyond = {"domain": {"list": ["uuids", "instructions"]}}
    rows = computed([scored("LSI", 0.1), *extra], beyond)["perspectives"]
    assert rows.query("length == ''").set_index("group")["value"].to_dict() == {
        "uuids": 0.5,
        "instructions": 1.0,
    }


def test_ars_of_a_group_weighs_the_tasks_and_counts_what_was_expected():
    extra = scored("LMI", None, format="json", perspective="format")
    scores = [scored("LSI", 1.0), *as_json(0.5), scored("LMI", 0.4), extra]
    rows = computed(scores, FORMATS)["perspectives"].query("length == ''").set_index("group")
    weights = {task: sum(p.weight for p in RUBRICS["released"][task].values()) for task in TASKS}
    both = (weights["LSI"] * 1.0 + weights["LMI"] * 0.4) / (weights["LSI"] + weights["LMI"])
    assert rows.at["numbered", "value"] == pytest.approx(both)
    assert rows.at["json", "value"] == pytest.approx(0.5)  # of LSI alone, and marked
    assert rows[["n", "expected"]].values.tolist() == [[2, 2], [1, 2]]


def test_all_other_measures_are_of_the_paper_s_samples():
    scores = list(run({"a": 0.7, "b": 0.5}, tasks=FEW))
    extra = [
        Scored(one.model, one.part, one.record | {**more, "sample_id": f"{sample}/x"})
        for one in scores
        for sample in [one.record["sample_id"]]
        for more in [{"format": "json", "perspective": "format", "total": 0.0}]
        if TASKS[one.record["task"]].scenario != "onedoc"
    ]
    alone = computed(scores)
    frames = computed([*scores, *extra], FORMATS)
    rows = frames["ifs"]
    frames["ifs"] = rows[rows["perspective"] != "format"].reset_index(drop=True)
    assert set(frames) == {*alone, "perspectives"}
    for name, frame in alone.items():
        pd.testing.assert_frame_equal(frames[name], frame)


def test_the_table_says_what_is_compared_marks_what_lacks_and_repeats_no_other_table(tmp_path):
    extra = scored("LMI", None, format="json", perspective="format")
    scores = [scored("LSI", 1.0), *as_json(0.5), scored("LMI", 0.4), extra]
    frames = frames_of(scores, tmp_path, beyond=FORMATS)
    display = Display(group_order=["API"], models={"m": Shown("M", "API")})
    pages = {p.name: p for p in map(printed, tables(frames, display, "rubric", "released"))}
    assert "lifbench_formats" not in pages
    (page,) = (
        printed(table)
        for table in tables(frames, display, "rubric", "released", beyond=FORMATS)
        if table.name == "lifbench_formats"
    )
    heading, row = page.csv.splitlines()[:2]
    assert heading.split(",")[1:4] == ["Model", "IFS", "List: Numbered"]
    assert "0.471" in row and "0.500" in row
    assert "3 of 4" in page.md and "one format" in page.md
    assert "in three perspectives" not in page.md


def section(**settings):
    return LIFBENCH.of(load_config({"models": MODELS, "lifbench": settings}))


def test_a_domain_has_files_of_its_own_and_leaves_the_others_as_they_are():
    task = section(domains={"list": ["uuids", "mixed"]})
    alone = section()
    files, before = ({file.path: file for file in of.data} for of in (task, alone))
    assert {path: files[path] for path in before} == before
    assert set(files) - set(before) == {
        f"lifbench/contexts/list/uuids/{length}.jsonl" for length in ("4k", "8k", "16k")
    }
    uuids = files["lifbench/contexts/list/uuids/4k.jsonl"]
    assert not uuids.inputs and uuids.content.settings["instruction_share"] == 0
    assert task.parts["4k"].sources["contexts", "list/uuids"] == uuids.path
    assert task.tables.names[-1] == "lifbench_domains"
    assert task.metrics.function.settings["beyond"] == {"domain": {"list": ["uuids", "mixed"]}}


def test_formats_are_of_the_scenarios_that_run_and_have_some():
    task = section(formats=["json", "bulleted"], tasks=["LSI", "OQ"])
    assert task.metrics.function.settings["beyond"] == {"format": {"list": ["json", "bulleted"]}}
    contexts = (file for file in task.data if file.step == "contexts")
    shown = {f.content.name.rpartition(".")[2]: f.content.settings.get("formats") for f in contexts}
    assert shown == {"lists:contexts": ["json", "bulleted"], "onedoc:contexts": None}


def test_a_mistake_is_said():
    for settings, sentence in (
        ({"formats": ["json", "json"]}, "formats: 'json' is listed twice"),
        ({"formats": ["yaml"]}, "yaml"),
        ({"formats": []}, "formats"),
        (
            {"formats": ["json"], "expressions": "released"},
            "descriptions are only of numbered contexts",
        ),
        (
            {"formats": ["numbered", "json"], "tasks": ["OQ"]},
            "only their contexts have several formats",
        ),
        ({"domains": {"list": ["uuid", "mixed"]}}, "unknown domain 'uuid'; did you mean 'uuids'"),
        ({"domains": {"list": ["uuids"]}}, "one domain cannot be compared with another"),
        ({"domains": {"list": ["uuids", "uuids"]}}, "one domain cannot be compared with another"),
        ({"domains": {"lists": ["uuids", "mixed"]}}, "lists"),
        ({"domains": {"list": ["uuids", "mixed"]}, "tasks": ["OQ"]}, "no task of list runs"),
    ):
        with pytest.raises(UserError, match=sentence):
            section(**settings)
