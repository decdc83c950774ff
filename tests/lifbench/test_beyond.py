"""Stability between formats and domains: what is computed, shown, and left as it is."""

import pandas as pd
import pytest

from score_records import FEW, cells_of, frames_of, printed_tables, record, run
from steadfast.base.errors import UserError
from steadfast.benchmarks.lifbench import stability
from steadfast.benchmarks.lifbench.benchmark import LIFBENCH
from steadfast.benchmarks.lifbench.frames import score_frame
from steadfast.benchmarks.lifbench.metrics import metrics
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.scored_tasks import PAPER, RUBRICS
from steadfast.config.load import load_config
from steadfast.contract.components import Scored
from steadfast.show.roster import Display, DisplayedModel
from steadfast.stats.tidy import rows_of

FORMATS = {"format": {"list": ["numbered", "json"], "multidoc": ["numbered", "json"]}}
DOMAINS = {"domain": {"list": ["mixed", "uuids"]}}
JSON = {"format": "json", "perspective": "format"}
UUIDS = {"domain": "uuids", "perspective": "domain"}


def scored(task: str, value: float | None, context: int = 1, **fields) -> Scored:
    """One response of model m with that total; ``fields`` has its format or domain."""
    points = None if value is None else dict.fromkeys(RUBRICS["released"][task], value)
    scores = record(task, points, "4k", (context, 0, 0))
    if domain := fields.get("domain"):
        scores["context_id"] = scores["context_id"].replace("-s", f"-{domain}-s")
    ending = "/".join(fields.values())
    return Scored("m", "4k", scores | fields | {"sample_id": f"{scores['sample_id']}/{ending}"})


def in_contexts(*values: float, **fields) -> list[Scored]:
    """Responses of a list task, a context each."""
    return [scored("LSI", value, number, **fields) for number, value in enumerate(values, 1)]


def computed(scores, beyond=None):
    return metrics(scores, {}, None, "rubric", "released", beyond=beyond)


def ifs_rows(scores, beyond) -> pd.DataFrame:
    return stability.beyond_ifs(score_frame(scores, "released", beyond=True), beyond)


def ars_of_groups(scores, beyond) -> pd.DataFrame:
    """ARS over all lengths, by format or domain."""
    frame = score_frame(scores, "released", beyond=True)
    return rows_of(stability.ars_by_group(frame, beyond, PAPER), length="").set_index("group")


def ifs(scores, beyond, task: str = "LSI") -> pd.Series:
    """The row of IFS between the formats or domains."""
    (perspective,) = beyond
    rows = rows_of(ifs_rows(scores, beyond), perspective=perspective, task=task, length="")
    (row,) = rows.itertuples()
    return row


def test_ifs_between_formats_is_their_spread_over_their_mean():
    row = ifs([scored("LSI", 1.0), scored("LSI", 0.5, **JSON), scored("OQ", 1.0)], FORMATS)
    # Means 1 and 0.5: sample standard deviation 0.3536 over 0.75.
    assert row.value == pytest.approx(0.4714, abs=1e-4) and row.n == 2


def test_overall_ifs_is_over_the_tasks_with_several_formats():
    scores = [scored("LSI", 1.0), scored("LSI", 0.5, **JSON)]
    scores += [scored("MB", 1.0), scored("MB", 1.0, **JSON), scored("OQ", 0.3)]
    row = ifs(scores, FORMATS, "overall")
    assert row.value == pytest.approx(0.4714 / 2, abs=1e-4) and row.n == 2
    assert "OQ" not in set(ifs_rows(scores, FORMATS)["task"])


def test_formats_share_contexts_whose_differences_are_no_chance():
    scores = [*in_contexts(0.2, 0.6, 0.9), *in_contexts(0.1, 0.3, 0.45, **JSON)]
    row = ifs(scores, FORMATS)
    assert [row.low, row.high] == pytest.approx([row.value] * 2)  # half in each context


def test_domains_have_an_interval_with_several_contexts_each():
    row = ifs([*in_contexts(1.0), *in_contexts(0.5, **UUIDS)], DOMAINS)
    assert row.value == pytest.approx(0.4714, abs=1e-4) and pd.isna(row.low)
    scores = [*in_contexts(0.9, 0.8, 1.0, 0.7), *in_contexts(0.3, 0.4, 0.2, 0.5, **UUIDS)]
    row = ifs(scores, DOMAINS)
    assert row.low < row.value < row.high


def test_domain_that_is_not_compared_is_in_no_group():
    instructions = UUIDS | {"domain": "instructions"}
    scores = [scored("LSI", 0.1), scored("LSI", 0.5, **UUIDS), scored("LSI", 1.0, **instructions)]
    beyond = {"domain": {"list": ["uuids", "instructions"]}}
    rows = ars_of_groups(scores, beyond)
    assert rows["value"].to_dict() == {"uuids": 0.5, "instructions": 1.0}


INCOMPLETE = [
    *(scored("LSI", 1.0), scored("LSI", 0.5, **JSON)),
    *(scored("LMI", 0.4), scored("LMI", None, **JSON)),
]


def test_ars_of_a_group_is_weighted_and_counts_missing_scores():
    rows = ars_of_groups(INCOMPLETE, FORMATS)
    # LSI weighs 4 and LMI 10 (Table 6).
    assert rows.at["numbered", "value"] == pytest.approx((4 * 1.0 + 10 * 0.4) / (4 + 10))
    assert rows.at["json", "value"] == pytest.approx(0.5)  # of LSI alone, and marked
    assert rows[["n", "expected"]].values.tolist() == [[2, 2], [1, 2]]


def test_papers_measures_are_of_samples_without_another_perspective():
    paper = stability.paper_samples(score_frame(INCOMPLETE[1:], "released", beyond=True))
    assert paper["total"].tolist() == [0.4] and paper.index.tolist() == [0]
    assert paper["cluster"].cat.categories.tolist() == ["list-4k/list-4k-s1"]
    assert "index" not in paper


def test_run_without_anything_to_compare_has_no_row():
    scores = [scored("OQ", 1.0)]
    assert ifs_rows(scores, FORMATS).empty and ars_of_groups(scores, FORMATS).empty


@pytest.mark.wide
def test_table_of_formats_marks_incomplete_cells(tmp_path):
    frames = frames_of(INCOMPLETE, tmp_path, beyond=FORMATS)
    display = Display(group_order=["API"], models={"m": DisplayedModel("M", "API")})
    assert "formats" not in printed_tables(frames, display)
    page = printed_tables(frames, display, beyond=FORMATS)["formats"]
    row = cells_of(page).loc["M"]
    assert [*row.index[1:3]] == ["IFS", "List: Numbered"]
    assert "0.471" in row["IFS"] and "0.500" in "".join(row)
    assert "3 of 4" in page.md and "one format" in page.md
    assert "in three perspectives" not in page.md


@pytest.mark.wide
def test_further_formats_leave_all_other_measures():
    scores = list(run({"a": 0.7, "b": 0.5}, tasks=FEW))
    extra = []
    for one_score in scores:
        fields = one_score.record
        if TASKS[fields["task"]].scenario != "onedoc":
            fields = fields | JSON | {"total": 0.0, "sample_id": f"{fields['sample_id']}/x"}
            extra.append(one_score._replace(record=fields))
    alone = computed(scores)
    frames = computed([*scores, *extra], FORMATS)
    rows = frames["ifs"]
    frames["ifs"] = rows[rows["perspective"] != "format"].reset_index(drop=True)
    assert set(frames) == {*alone, "perspectives"}
    for name, frame in alone.items():
        pd.testing.assert_frame_equal(frames[name], frame)


# --- the config ----------------------------------------------------------------------------------


def section(**settings):
    models = {"reference": {"engine": "reference"}}
    return LIFBENCH.of(load_config({"models": models, "lifbench": settings}))


def test_domain_adds_its_files_and_leaves_the_other_ones():
    task = section(domains={"list": ["uuids", "mixed"]})
    files = {file.path: file for file in task.data}
    added = list(files.values())
    for file in section().data:
        added.remove(file)
    assert sorted(file.path for file in added) == [
        "lifbench/contexts/list/uuids/16k.jsonl",
        "lifbench/contexts/list/uuids/4k.jsonl",
        "lifbench/contexts/list/uuids/8k.jsonl",
    ]
    uuids = files["lifbench/contexts/list/uuids/4k.jsonl"]
    assert not uuids.inputs and uuids.content.settings["instruction_share"] == 0
    assert task.parts["4k"].sources["contexts", "list/uuids"] == uuids.path
    assert task.tables.names[-1] == "lifbench_domains"
    assert task.metrics.function.settings["beyond"] == {"domain": {"list": ["uuids", "mixed"]}}


def test_formats_apply_to_the_scenarios_that_have_them():
    task = section(formats=["json", "bulleted"], tasks=["LSI", "OQ"])
    assert task.metrics.function.settings["beyond"] == {"format": {"list": ["json", "bulleted"]}}
    formats = {}
    for file in task.data:
        if file.step == "contexts":
            formats[file.content.name.rpartition(".")[2]] = file.content.settings.get("formats")
    assert formats == {"lists:contexts": ["json", "bulleted"], "onedoc:contexts": None}


@pytest.mark.parametrize(
    ("settings", "message"),
    [
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
    ],
)
def test_mistake_is_reported(settings, message):
    with pytest.raises(UserError, match=message):
        section(**settings)
