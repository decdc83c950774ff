"""Recorded rule verdicts, judge replies and metrics are those of the released code."""

from collections.abc import Iterator
from itertools import chain

import pytest

from followbench_run import LANGUAGES, run
from released_files import cases
from steadfast.benchmarks.followbench.data import scorer_of, sources
from steadfast.benchmarks.followbench.facts import CATEGORIES, JUDGE
from steadfast.benchmarks.followbench.metrics import metrics
from steadfast.benchmarks.followbench.replies import released_verdicts
from steadfast.benchmarks.followbench.rules import is_satisfied
from steadfast.benchmarks.followbench.tables import tables
from steadfast.contract.components import Frames, Scored
from steadfast.show.roster import Display
from test_followbench_metrics import record

UNREADABLE = (-1, -1)


def rule_verdict(case: dict) -> bool | None:
    """A rule's verdict; None if it raises, as many rules do on a null generation.

    No response of ours is null; which error a null raises depends on how a rule is written.
    """
    # The released code needs no category; some cases have one without their source.
    categories = [case["category"], *CATEGORIES]
    category = next(name for name in categories if case["source"] in sources(name))
    rule = scorer_of(case["lang"], category, case["source"], case["example_id"])
    try:
        return is_satisfied(rule, case["lang"], case["level"], case["target"], case["generation"])
    except (AttributeError, TypeError):
        if case["generation"] is not None:
            raise
        return None


def test_recorded_rule_verdicts():
    for case in cases("followbench", "rules"):
        assert rule_verdict(case) == case["verdict"], case


def hard_and_soft(case: dict) -> tuple[float, float]:
    verdicts = released_verdicts(case["judge_text"], case["level"], case["lang"])
    return (int(all(verdicts)), sum(verdicts) / len(verdicts)) if verdicts else UNREADABLE


def test_recorded_judge_replies_but_those_that_need_python_are_read():
    evaluated = 0
    for case in cases("followbench", "judge_parse"):
        evaluated += case["needs_python_eval"]
        released_rates = (case["hard"], case["soft"])
        expected = UNREADABLE if case["needs_python_eval"] else released_rates
        assert hard_and_soft(case) == expected, case
    assert evaluated


def scores(case: dict) -> Iterator[Scored]:
    """The scores of a recorded case in mode released, with its id as the model."""
    for kind, scorer in (("judged", JUDGE), ("ruled", "exact")):
        for row in case[kind]:
            level = row["level"]
            points = [float(row.get("satisfied", 0))]
            if kind == "judged":
                satisfied_count = round(row["soft"] * level)
                readable = [1.0] * satisfied_count + [0.0] * (level - satisfied_count)
                points = [-1.0] * level if row["hard"] < 0 else readable
            group = f"{case['category']}/{kind}{row['example_id']}"
            yield Scored(case["id"], case["lang"], record(group, level, points, scorer=scorer))


@pytest.fixture(scope="module", params=LANGUAGES)
def recorded(request) -> tuple[list[dict], Frames]:
    """The recorded cases of a language, each as a model, and their metrics."""
    recorded_cases = cases("followbench", "metrics")
    in_language = [case for case in recorded_cases if case["lang"] == request.param]
    all_scores = chain.from_iterable(map(scores, in_language))
    data = run(language=request.param).data
    return in_language, metrics(all_scores, data, None, [request.param], ["judge"])


@pytest.mark.quick(1)
def test_recorded_rates_and_levels_are_printed(recorded):
    recorded_cases, frames = recorded
    language = recorded_cases[0]["lang"]
    names = [f"table{number}_{category}" for number, category in enumerate(CATEGORIES, start=7)]
    printed = {}
    built = tables(frames, Display(), "released", [language], names)
    for category, table in zip(CATEGORIES, built, strict=True):
        for section in table.sections:
            for row in section.rows:
                printed[category, row[0].text] = [cell.text for cell in row]
    for case in recorded_cases:
        _, *hsr, _, s1, s2, s3, s4, s5, _, csl, _ = printed[case["category"], case["id"]]
        assert " ".join(hsr) == " ".join(case["HSR"]).replace("%", ""), case["id"]
        assert csl == case["CSL"], case["id"]
        if case["category"] != "example":
            soft = " ".join(case["SSR"]).replace("%", "")
            assert " ".join((s1, s2, s3, s4, s5)) == soft, case["id"]


# Fifths of level 5, −5 of an unreadable reply; added up in this order.
@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("fifths", "by_rule", "printed"),
    [
        ([-5, 1, 1, 3], [], "-0.00"),  # −0.8, −0.6000000000000001, −1.1e-16
        ([1, 1, 3, -5], [], "0.00"),
        ([2, -5, -5, 3], [1], "0.00"),  # with the rule's first −1.1e-16
        ([-5, 3, -5, 3, -5, 3, 3, 3], [], "0.00"),
        ([1, -5, 1, -5, 1, 4, -5, 3, -5, 2, 1, -5, 4, 1, 3, 4], [], "-0.00"),
    ],
)
def test_zero_rate_has_the_sign_of_the_released_sum(fifths, by_rule, printed):
    judged = []
    for level in range(1, 6):
        for example, share in enumerate(fifths if level == 5 else [5] * len(fifths)):
            hard = -1 if share < 0 else int(share == 5)
            row = {"example_id": example, "level": level, "hard": hard, "soft": share / 5}
            judged.append(row)
    ruled = [{"example_id": 0, "level": 5, "satisfied": verdict} for verdict in by_rule]
    case = {"id": "m", "lang": "en", "category": "style", "judged": judged, "ruled": ruled}
    frames = metrics(scores(case), run(language="en").data, None, ["en"], ["judge"])
    (table,) = tables(frames, Display(), "released", ["en"], ["table9_style"])
    (section,) = table.sections
    (row,) = section.rows
    assert row[11].text == printed  # SSR of level 5


def test_recorded_failure_consistency_of_judged_groups(recorded):
    recorded_cases, frames = recorded
    rows = frames["consistency"].set_index(["model", "kind", "category"])
    for case in recorded_cases:
        if counts := case["failure_consistency_judged_only"]:
            row = rows.loc[case["id"], "judge", case["category"]]
            assert row["n"] == counts["n_groups_with_early_failure"], case["id"]
            if row["n"]:
                assert row["value"] * row["n"] / 100 == pytest.approx(counts["n_consistent"])
