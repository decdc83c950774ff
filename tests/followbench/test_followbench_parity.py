"""Every recorded rule verdict, judge reply and metric comes out as the released code gave it."""

from collections.abc import Iterator

import pytest

from followbench_run import LANGUAGES, run
from released_files import cases
from steadfast.benchmarks.followbench.data import scorer_of, sources
from steadfast.benchmarks.followbench.facts import CATEGORIES, JUDGE
from steadfast.benchmarks.followbench.metrics import metrics
from steadfast.benchmarks.followbench.replies import released
from steadfast.benchmarks.followbench.rules import satisfied
from steadfast.benchmarks.followbench.tables import tables
from steadfast.contract.components import Frames, Scored
from steadfast.show.roster import Display
from test_followbench_metrics import record

FAILURE = (-1, -1)


def rule_verdict(case: dict) -> bool | None:
    """A rule's verdict; None if it raises, as many do on a null generation and on nothing else.

    Which error a null raises depends on how a rule is written: a null has no ``split``, and no
    pattern is looked for in it. No output of ours is null.
    """
    # Released code asks for no category; some cases were recorded under one without such a source.
    categories = [case["category"], *CATEGORIES]
    category = next(name for name in categories if case["source"] in sources(name))
    rule = scorer_of(case["lang"], category, case["source"], case["example_id"])
    given = (rule, case["lang"], case["level"], case["target"], case["generation"])
    try:
        return satisfied(*given)
    except (AttributeError, TypeError):
        if case["generation"] is not None:
            raise
        return None


def test_every_rule_verdict_is_reproduced():
    wrong = [c for c in cases("followbench", "rules") if rule_verdict(c) != c["verdict"]]
    assert not wrong, f"{len(wrong)} differ, first: {wrong[:3]}"


def hard_and_soft(case: dict) -> tuple[float, float]:
    verdicts = released(case["judge_text"], case["level"], case["lang"])
    return (int(all(verdicts)), sum(verdicts) / len(verdicts)) if verdicts else FAILURE


def test_every_judge_reply_is_read_as_released_but_what_only_an_evaluation_reads():
    wrong = [
        (hard_and_soft(case), case)
        for case in cases("followbench", "judge_parse")
        if not case["needs_python_eval"] and hard_and_soft(case) != (case["hard"], case["soft"])
    ]
    assert not wrong, f"{len(wrong)} differ, first: {wrong[:3]}"
    expressions = [
        case for case in cases("followbench", "judge_parse") if case["needs_python_eval"]
    ]
    assert expressions, "no case with needs_python_eval"
    assert [case for case in expressions if hard_and_soft(case) != FAILURE] == []


def scores(case: dict) -> Iterator[Scored]:
    """The scores in mode released of a recorded case, whose id is the model."""
    for kind, scorer in (("judged", JUDGE), ("ruled", "exact")):
        for row in case[kind]:
            level = row["level"]
            points = [float(row.get("satisfied", 0))]
            if kind == "judged":
                kept = round(row["soft"] * level)
                failed = row["hard"] < 0
                points = [-1.0] * level if failed else [1.0] * kept + [0.0] * (level - kept)
            group = f"{case['category']}/{kind}{row['example_id']}"
            yield Scored(case["id"], case["lang"], record(group, level, points, scorer=scorer))


@pytest.fixture(scope="module", params=LANGUAGES)
def measured(request) -> tuple[list[dict], Frames]:
    """The recorded cases of a language, each as a model, and their metrics."""
    found = [case for case in cases("followbench", "metrics") if case["lang"] == request.param]
    scored = [score for case in found for score in scores(case)]
    data = run(language=request.param).data
    return found, metrics(scored, data, None, [request.param], ["judge"])


@pytest.mark.quick(1)
def test_every_rate_and_level_is_printed_as_released(measured):
    found, frames = measured
    language = found[0]["lang"]
    names = [f"table{7 + place}_{category}" for place, category in enumerate(CATEGORIES)]
    printed = {}
    made = tables(frames, Display(), "released", [language], names)
    for category, table in zip(CATEGORIES, made, strict=True):
        for row in (row for section in table.sections for row in section.rows):
            printed[category, row[0].text] = [cell.text for cell in row]
    for case in found:
        _, *hsr, _, s1, s2, s3, s4, s5, _, csl, _ = printed[case["category"], case["id"]]
        assert hsr == [text.rstrip("%") for text in case["HSR"]], case["id"]
        assert csl == case["CSL"], case["id"]
        if case["category"] != "example":
            soft = [text.rstrip("%") for text in case["SSR"]]
            assert [s1, s2, s3, s4, s5] == soft, case["id"]


# Fifths of level 5, −5 of a reply that could not be read; added up one by one in this order.
@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("fifths", "printed"),
    [
        ([-5, 1, 1, 3], "-0.00"),  # −0.8, −0.6000000000000001, −1.1e-16
        ([1, 1, 3, -5], "0.00"),
        ([-5, 3, -5, 3, -5, 3, 3, 3], "0.00"),
        ([1, -5, 1, -5, 1, 4, -5, 3, -5, 2, 1, -5, 4, 1, 3, 4], "-0.00"),
    ],
)
def test_a_rate_of_nothing_has_the_sign_that_the_released_sum_has(fifths, printed):
    judged = []
    for level in range(1, 6):
        for place, share in enumerate(fifths if level == 5 else [5] * len(fifths)):
            hard = -1 if share < 0 else int(share == 5)
            row = {"example_id": place, "level": level, "hard": hard, "soft": share / 5}
            judged.append(row)
    case = {"id": "m", "lang": "en", "category": "style", "judged": judged, "ruled": []}
    frames = metrics(scores(case), run(language="en").data, None, ["en"], ["judge"])
    (table,) = tables(frames, Display(), "released", ["en"], ["table9_style"])
    ((row,),) = (section.rows for section in table.sections)
    assert row[11].text == printed  # SSR of level 5


def test_failure_consistency_counts_the_judged_groups_that_the_released_code_counts(measured):
    found, frames = measured
    rows = frames["consistency"]
    by_key = rows.set_index(["model", "kind", "category"])
    for case in found:
        if counts := case["failure_consistency_judged_only"]:
            row = by_key.loc[case["id"], "judge", case["category"]]
            assert row["n"] == counts["n_groups_with_early_failure"], case["id"]
            if row["n"]:
                assert row["value"] * row["n"] / 100 == pytest.approx(counts["n_consistent"])
