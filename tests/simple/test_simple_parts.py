"""The parts of a simple benchmark: instances, scores, means."""

import dataclasses
import math

import numpy as np
import pandas as pd
import pytest

from outside import EXAMPLES
from steadfast.base.errors import UserError
from steadfast.config.load import load_config
from steadfast.contract.components import Answer, Reply, Sample, Score, Scored
from steadfast.contract.registry import checked_task
from steadfast.contract.task import Output, Part
from steadfast.jobs.digests import digest
from steadfast.jobs.evaluation import Evaluation
from steadfast.show.roster import Display
from steadfast.simple.benchmark import Judge
from steadfast.simple.figures import figures
from steadfast.simple.instance import (
    Instance,
    Mark,
    SimpleSamples,
    checked,
    instance_of,
    instances,
)
from steadfast.simple.metrics import metrics
from steadfast.simple.scoring import SimpleScoring
from steadfast.simple.tables import tables

ONE = Instance("1", "Which?", answer="blue", context="A text.", before="Read. ", by={"kind": "x"})


def sample(one: Instance = ONE) -> Sample:
    record = dataclasses.asdict(one) | {"context": "c"}
    prompt = {"sample_id": f"all/{one.id}", "task": "t", "context_id": "c", "long_context_id": "c"}
    prompt |= {"instruction": one.prompt, "before": one.before, "max_tokens": 9, "by": one.by}
    return Sample("all", prompt, {"instance": record, "context": one.context})


def gives(value):
    """A scorer that gives every answer the same."""
    return lambda text, instance: value


HALF, BOTH, READ, TWO, NONE = map(gives, (0.5, {"a": True, "b": 0.5}, Mark(1, "b"), 2, {}))


def fails(text, instance):
    """A scorer that cannot read what it is given."""
    return int(text)


@pytest.mark.parametrize(
    ("name", "total", "points", "extracted"),
    [
        ("HALF", 0.5, {"score": 0.5}, None),
        ("BOTH", 0.75, {"a": 1.0, "b": 0.5}, None),
        ("READ", 1.0, {"score": 1.0}, "b"),
    ],
)
def test_a_score_is_the_mean_of_what_the_function_gives(name, total, points, extracted):
    score = SimpleScoring(f"{__name__}:{name}").score(sample(), Answer("ok", "x"), {})
    assert (score.total, score.points, score.extracted) == (total, points, extracted)


def yes_or_no(reply, response):
    """What a judge replies; None for what is neither."""
    return reply if reply in ("yes", "no") else None


def by_verdict(text, instance, verdict):
    """Whether the judge says yes, and whether the text is short."""
    return {"Right": float(verdict == "yes"), "Short": float(len(text) < 5)}


def is_kind_x(instance):
    return instance.by["kind"] == "x"


def judged(reply: Reply | None, text: str = "blue", one: Instance = ONE, **settings) -> Score:
    scoring = SimpleScoring(
        f"{__name__}:by_verdict",
        main="Right",
        read=f"{__name__}:yes_or_no",
        **settings,
    )
    replies = {} if reply is None else {f"all/{one.id}": reply}
    return scoring.score(sample(one), Answer("ok", text), replies)


@pytest.mark.parametrize(
    ("reply", "status", "total"),
    [
        (Reply("ok", "yes"), "ok", 1.0),
        (Reply("ok", "no"), "ok", 0.0),
        (Reply("ok", "perhaps"), "invalid", None),
        (Reply("error", ""), "invalid", None),
        (None, "invalid", None),
    ],
)
def test_a_verdict_is_read_and_a_response_without_one_is_invalid(reply, status, total):
    score = judged(reply)
    assert (score.status, score.total) == (status, total)


def test_the_main_measure_is_the_total_and_the_line_of_a_simulated_model_is_no_response():
    score = judged(Reply("ok", "yes"), "blue\n\n[simulated: kept 1]")
    assert (score.total, score.points) == (1.0, {"Right": 1.0, "Short": 1.0})


def test_an_instance_that_is_not_judged_is_scored_without_a_verdict():
    other = dataclasses.replace(ONE, by={"kind": "y"})
    assert judged(None, one=other, applies=f"{__name__}:is_kind_x").total == 0.0
    assert judged(None, applies=f"{__name__}:is_kind_x").status == "invalid"


def test_a_scorer_without_its_main_measure_is_named():
    with pytest.raises(UserError, match=r"gives .*, which lacks 'Met'"):
        SimpleScoring(f"{__name__}:BOTH", main="Met").score(sample(), Answer("ok", "x"), {})


def test_each_measure_has_a_mean_over_the_responses_that_have_it():
    points = [{"Met": 1, "Long": 0.5}, {"Met": 0}, {"Met": 1, "Long": 1}, {}]
    scores = [
        Scored(
            "m", "all", scored_at("all", number, str(number), of.get("Met")).record | {"points": of}
        )
        for number, of in enumerate(points)
    ]
    frames = metrics(scores, {}, None, measures=["Met", "Long"])
    rows = frames["scores"][["measure", "value", "n"]]
    assert rows.values.tolist() == [["Met", pytest.approx(2 / 3), 3], ["Long", 0.75, 2]]
    assert frames["summary"][["measure", "n", "expected"]].values.tolist() == [
        ["Met", 3, 4],
        ["Long", 2, 4],
    ]


def scored_at(length: str, number: int, context: str, total: float | None) -> Scored:
    record = {"sample_id": f"{length}/{number}", "repeat": 0, "context_id": context}
    record |= {"status": "ok", "total": total, "by": {}, "points": {}, "response": "x"}
    return Scored("m", length, record)


def test_an_id_at_three_lengths_with_a_context_each_is_one_sampling_unit():
    scores = [
        scored_at(length, number, f"{length}-{number // 2}", number % 3 / 2)
        for length in ("4k", "8k", "16k")
        for number in range(24)
    ]
    units = metrics(scores, {}, None)["sampling_units"]
    # Two ids share each context, at each length: 12 units, of 24 ids and 36 contexts.
    assert units[["clusters", "records"]].values.tolist() == [[12, 72]]


def shown(title, *by):
    """How a benchmark describes itself to its tables and figures."""
    return {"name": title.lower(), "title": title, "by": by, "judged": False}


def test_one_context_for_all_is_said_below_the_table():
    scores = [scored_at("all", number, "the only one", number % 2) for number in range(6)]
    (results, *_) = tables(metrics(scores, {}, None), Display(), **shown("T"))
    assert any("All records share one context" in text for _, text in results.notes)


def test_what_is_not_answered_has_no_score():
    score = SimpleScoring(f"{__name__}:HALF").score(sample(), Answer("refused", ""), {})
    assert (score.status, score.total, score.points) == ("refused", None, None)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("TWO", "for the response to all/1 it gives 2, and not numbers from 0 to 1"),
        ("NONE", "gives {}"),
        ("fails", "fails .ValueError: invalid literal"),
    ],
)
def test_a_scorer_that_gives_no_share_is_named(name, sentence):
    with pytest.raises(UserError, match=sentence):
        SimpleScoring(f"{__name__}:{name}").score(sample(), Answer("ok", "x"), {})


def test_the_prompt_is_what_precedes_the_context_the_context_and_the_question():
    item = SimpleSamples().item(sample())
    assert (item.head, item.context, item.tail) == ("Read. ", "A text.", "Which?")
    assert instance_of(sample()) == ONE


@pytest.mark.parametrize(
    ("others", "sentence"),
    [
        ([{"id": "1"}], "instance '1': duplicate id"),
        ([{"id": ""}], "an id must be one line without #"),
        ([{"id": "2", "prompt": " ", "context": "", "before": ""}], "'2': empty prompt"),
        ([{"id": "2", "by": {"kin": "x"}}], "no value of 'kind' in by; did you mean 'kin'"),
        ([{"id": "2", "group": "g"}], "only some instances have a group"),
    ],
)
def test_an_instance_that_cannot_be_asked_is_named(others, sentence):
    found = [ONE, *(dataclasses.replace(ONE, **other) for other in others)]
    with pytest.raises(UserError, match=f"^mine: .*{sentence}"):
        list(checked(found, "mine", ["kind"]))


def test_the_page_shows_the_example_as_it_is():
    page = (EXAMPLES.parents[1] / "new-benchmark.md").read_text()
    package = "wordbench/wordbench"
    for name in ("constraints.py", f"{package}/benchmark.py", f"{package}/scoring.py"):
        assert f"```python\n{(EXAMPLES / name).read_text()}```" in page, name


def test_no_instance_at_all_is_a_sentence():
    with pytest.raises(UserError, match="mine: no instances"):
        list(checked([], "mine", []))


@pytest.mark.parametrize(
    ("one", "gold"),
    [
        (Instance("1", "?", answer=["a", "b"]), "a"),
        (Instance("1", "?", answer=3), "3"),
        (Instance("1", "?", answer={"words": 2}, reference="two words"), "two words"),
    ],
)
def test_the_gold_answer_is_the_reference_or_the_first_answer(one, gold):
    assert one.reference_answer == gold


def record(sample_id, total, cluster, topic, status="ok"):
    return {
        "sample_id": sample_id,
        "repeat": 0,
        "context_id": cluster,
        "status": status,
        "points": {"score": total},
        "total": total,
        "by": {"topic": topic},
    }


def test_means_intervals_and_coverage_of_four_answers():
    """Totals .3, .5 and .7: t of two degrees reaches further than Wilson's of three verdicts."""
    scores = [("a", 0.3, "sea"), ("b", 0.5, "sea"), ("c", 0.7, "sky")]
    records = [Scored("m", "all", record(id, of, id, topic)) for id, of, topic in scores]
    records.append(Scored("m", "all", record("d", None, "d", "sky", "error")))
    found = metrics(records, {}, None, by=["topic"])
    (whole,) = found["summary"].to_dict("records")
    assert (whole["value"], whole["n"], whole["expected"]) == (pytest.approx(0.5), 3, 4)
    half = math.sqrt(3.841459 / (3 + 3.841459)) / 2
    assert [whole["low"], whole["high"]] == pytest.approx([0.5 - half, 0.5 + half])
    by = found["scores"].set_index(["kind", "category"])["value"]
    assert (by["topic", "sea"], by["topic", "sky"]) == (pytest.approx(0.4), pytest.approx(0.7))
    (counts,) = found["coverage"].to_dict("records")
    assert (counts["scored"], counts["expected"], counts["status_error"]) == (3, 4, 1)


@pytest.mark.parametrize(("read", "unread"), [({}, None), ({"a": False, "b": True}, 1)])
def test_the_coverage_counts_answers_out_of_which_the_scorer_read_nothing(read, unread):
    rows = [record(id, 0.0, id, "x") for id in "abc"]
    rows = [
        row | ({"unread": read[row["sample_id"]]} if row["sample_id"] in read else {})
        for row in rows
    ]
    frames = metrics([Scored("m", "all", row) for row in rows], {}, None)
    assert frames["coverage"].get("unread", pd.Series([None])).tolist() == [unread]
    (table,) = [of for of in tables(frames, Display(), **shown("Mine")) if "coverage" in of.name]
    assert ("Unreadable" in [column.heading for column in table.columns]) == (unread is not None)


def test_answers_of_a_group_are_no_independent_evidence():
    """Two groups with means .2 and .8 say no more than two verdicts do, one right and one wrong."""
    scores = [
        Scored("m", "all", record(str(n), of, str(n % 2), "x"))
        for n, of in enumerate([0.2, 0.8] * 3)
    ]
    (whole,) = metrics(scores, {}, None)["summary"].to_dict("records")
    assert whole["sampled"] == "2 groups of records"
    half = math.sqrt(3.841459 / (2 + 3.841459)) / 2
    assert [whole["low"], whole["high"]] == pytest.approx([0.5 - half, 0.5 + half])


def test_two_models_are_compared_on_what_both_have_scored():
    totals = {"a": (1.0, 0.5), "b": (0.5, 0.0), "c": (1.0, None)}
    records = [
        Scored(model, "all", record(id, of[n], id, "x"))
        for id, of in totals.items()
        for n, model in enumerate(("m", "n"))
    ]
    records += [Scored("gold", "all", record(id, 1.0, id, "x")) for id in totals]
    (pair,) = metrics(records, {}, None, references=["gold"])["comparisons"].to_dict("records")
    assert (pair["model"], pair["other"], pair["difference"], pair["n"]) == ("m", "n", 0.5, 2)


def test_metrics_stand_in_order_of_fields_as_they_occur():
    rows = [record(str(n), 1.0, str(n), topic) for n, topic in enumerate(("z", "a", "m"))]
    found = metrics([Scored("m", "all", one) for one in rows], {}, None, by=["topic"])["scores"]
    assert found["category"].tolist() == ["", "z", "a", "m"]
    assert isinstance(found, pd.DataFrame)


@pytest.mark.parametrize(("values", "note"), [(39, ""), (40, "The first 40 of 41 values")])
def test_a_figure_says_where_it_has_no_room_for_all_values(values, note):
    rows = [record(str(n), 0.5, str(n), f"topic {n}") for n in range(values)]
    frames = metrics([Scored("m", "all", one) for one in rows], {}, None, by=["topic"])
    made = figures(frames, Display(), **shown("Mine", "topic"))["scores"]
    assert note in made.caption and ("values are shown" in made.caption) == bool(note)


# --- names, before anything runs --------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"parts": {"4 k": Part(1, {})}}, "part name '4 k' cannot name files; use letters"),
        ({"parts": {}}, "its task has no part"),
        ({"metrics": ("scores", "summary")}, "its metrics lack 'coverage'"),
        ({"tables": ("words",)}, "the table 'words' shares a folder"),
        ({"figures": ("a/b",)}, "figure name 'a/b'"),
    ],
)
def test_names_of_a_task_are_checked_before_anything_runs(changed, sentence):
    task = Evaluation(load_config({"models": {"a": {"engine": "reference"}}})).tasks["lifbench"]
    outputs = {
        name: Output(getattr(task, name).function, of)
        for name, of in changed.items()
        if name != "parts"
    }
    with pytest.raises(UserError, match=f"^benchmark lifbench: .*{sentence}"):
        checked_task("lifbench", dataclasses.replace(task, **{**changed, **outputs}))


def test_a_component_that_its_module_lacks_is_named_before_anything_runs():
    assert digest("steadfast.stages.score", "steadfast.simple.scorers:exact")
    with pytest.raises(UserError, match=r"scorers has no 'exac'; did you mean 'exact'"):
        digest("steadfast.stages.score", "steadfast.simple.scorers:exac")


def own_metric(frame):
    """A metric that names a column which there is not."""
    return frame["errors"]


def test_a_measure_that_no_response_has_and_a_function_that_fails_are_named():
    scores = [scored_at("all", number, str(number), 1.0) for number in range(3)]
    for scored in scores:
        scored.record["points"] = {"Met": 1.0, "Form": 1.0}
    with pytest.raises(UserError, match=r"no response has the measure 'Warm'; .* Form, Met"):
        metrics(scores, {}, None, measures=["Met", "Warm"])
    with pytest.raises(UserError, match=r":own_metric: fails \(KeyError: 'errors'\); .*extracted"):
        metrics(scores, {}, None, further={"errors": f"{__name__}:own_metric"})


def test_a_judge_whose_replies_cannot_be_read_is_refused_before_the_run():
    read = f"{__name__}:yes_or_no"
    with pytest.raises(UserError, match="reads no verdict in 'perhaps'"):
        Judge("judge.txt", read, ("no", "perhaps")).check(f"{__name__}:by_verdict")
    with pytest.raises(UserError, match="HALF: a scorer of judged responses takes verdict"):
        Judge("judge.txt", read, ("no", "yes")).check(f"{__name__}:HALF")


def test_the_fields_of_a_judge_template_are_looked_for_in_the_instances():
    settings = {"function": f"{__name__}:two_instances", "settings": {}, "by": []}
    assert len(list(instances({}, slots=["topic"], **settings))) == 2
    with pytest.raises(UserError, match=r"'1': no value of 'topics' in fields.*'topic'"):
        list(instances({}, slots=["topics"], **settings))


def two_instances():
    return [Instance(str(number), "Write.", fields={"topic": "rain"}) for number in (1, 2)]


def test_the_figure_has_a_mark_for_each_mean():
    scores = [scored_at("all", number, str(number), number % 2) for number in range(12)]
    for scored in scores:
        scored.record["by"] = {"thing": "lamp"}
    frames = metrics(scores, {}, None, by=["thing"])
    drawn = figures(frames, Display(), **shown("T", "thing"))["scores"].figure
    lines = [line for axes in drawn.axes for line in axes.lines]
    ends = [end for line in lines for end in (line.get_xdata(), line.get_ydata())]
    values = [float(value) for end in ends for value in np.ravel(end)]
    assert values.count(0.5) >= 2  # the mean of all, and of the one thing
