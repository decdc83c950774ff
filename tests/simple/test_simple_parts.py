"""The parts of a simple benchmark: instances, scores, means."""

import dataclasses
import math
from itertools import product
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from outside import EXAMPLES
from steadfast.base.errors import UserError
from steadfast.config.load import load_config
from steadfast.contract.components import Answer, Reply, Sample, Score, Scored
from steadfast.contract.judge_template import load_template
from steadfast.contract.registry import checked_task
from steadfast.contract.task import Output, Part
from steadfast.jobs.digests import digest
from steadfast.jobs.evaluation import Evaluation
from steadfast.show.roster import Display
from steadfast.simple.answers import SimpleSimulator
from steadfast.simple.benchmark import Judge
from steadfast.simple.figures import figures
from steadfast.simple.instance import (
    Instance,
    Mark,
    SimpleSamples,
    checked,
    context_name,
    contexts,
    instance_of,
    instances,
    prompts,
)
from steadfast.simple.judge import (
    JUDGE_PROMPT,
    OWN_SLOTS,
    InstanceJudge,
    InstanceJudgePrompts,
    share_of_scale,
)
from steadfast.simple.metrics import joined_clusters, metrics
from steadfast.simple.passages import passages
from steadfast.simple.scoring import SimpleScoring
from steadfast.simple.tables import SimpleResults, tables

BLUE = Instance("1", "Which?", answer="blue", context="A text.", before="Read. ", by={"kind": "x"})
ANSWER = Answer("ok", "x")


def sample(instance: Instance = BLUE) -> Sample:
    record = dataclasses.asdict(instance) | {"context": "c"}
    prompt = {"sample_id": f"all/{instance.id}", "task": "t", "max_tokens": 9}
    prompt |= {"context_id": "c", "long_context_id": "c", "by": instance.by}
    prompt |= {"instruction": instance.prompt, "before": instance.before}
    return Sample("all", prompt, {"instance": record, "context": instance.context})


def scored(id, total, context, by=None, model="m", part="all", **fields) -> Scored:
    record = {"sample_id": id, "repeat": 0, "context_id": context, "by": by or {}}
    record |= {"status": "ok", "total": total, "points": {"score": total}, "response": "x"}
    return Scored(model, part, record | fields)


def shown(title, *by):
    """How a benchmark describes itself to its tables and figures."""
    return {"name": title.lower(), "title": title, "by": by, "judged": False}


# --- scores ------------------------------------------------------------------------------------


def constant(score):
    """A scorer that gives every response the same score."""
    return lambda text, instance: score


half = constant(0.5)
two = constant(2)
two_measures = constant({"a": True, "b": 0.5})
no_measures = constant({})
mark = constant(Mark(1, "b"))
unread_mark = constant(Mark(0, unread=True))


def integer(text, instance):
    return int(text)


@pytest.mark.parametrize(
    ("scorer", "total", "points", "extracted"),
    [
        ("half", 0.5, {"score": 0.5}, None),
        ("two_measures", 0.75, {"a": 1.0, "b": 0.5}, None),
        ("mark", 1.0, {"score": 1.0}, "b"),
    ],
)
def test_total_is_the_mean_of_the_measures(scorer, total, points, extracted):
    score = SimpleScoring(f"{__name__}:{scorer}").score(sample(), ANSWER, {})
    assert (score.total, score.points, score.extracted) == (total, points, extracted)


@pytest.mark.parametrize(("scorer", "values"), [("mark", {}), ("unread_mark", {"unread": True})])
def test_score_says_whether_the_response_was_unreadable(scorer, values):
    score = SimpleScoring(f"{__name__}:{scorer}").score(sample(), ANSWER, {})
    assert score.values == values


def test_refused_response_has_no_score():
    score = SimpleScoring(f"{__name__}:half").score(sample(), Answer("refused", ""), {})
    assert (score.status, score.total, score.points) == ("refused", None, None)


@pytest.mark.parametrize(
    ("scorer", "main", "sentence"),
    [
        ("two", None, "for the response to all/1 it gives 2, and not numbers from 0 to 1"),
        ("no_measures", None, "gives {}"),
        ("integer", None, "fails .ValueError: invalid literal"),
        ("two_measures", "Met", "gives .*, which lacks 'Met'"),
    ],
)
def test_bad_scorer_is_reported(scorer, main, sentence):
    with pytest.raises(UserError, match=sentence):
        SimpleScoring(f"{__name__}:{scorer}", main=main).score(sample(), ANSWER, {})


# --- judged scores -----------------------------------------------------------------------------


def yes_or_no(reply, response):
    return reply if reply in ("yes", "no") else None


def by_verdict(text, instance, verdict):
    return {"Right": float(verdict == "yes"), "Short": float(len(text) < 5)}


def is_kind_x(instance):
    return instance.by["kind"] == "x"


def judged(reply: Reply | None, text="blue", instance=BLUE, **settings) -> Score:
    function = f"{__name__}:by_verdict"
    read = f"{__name__}:yes_or_no"
    scoring = SimpleScoring(function, main="Right", read=read, **settings)
    replies = {} if reply is None else {f"all/{instance.id}": reply}
    return scoring.score(sample(instance), Answer("ok", text), replies)


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
def test_response_without_a_verdict_is_invalid(reply, status, total):
    score = judged(reply)
    assert (score.status, score.total) == (status, total)


def test_main_measure_is_the_total():
    """The signature of a simulated model is no part of the response."""
    score = judged(Reply("ok", "yes"), "blue\n\n[simulated: kept 1]")
    assert (score.total, score.points) == (1.0, {"Right": 1.0, "Short": 1.0})


def test_judge_s_number_is_a_share_of_its_scale():
    mark = share_of_scale("x", BLUE, 4.0, [1.0, 5.0])
    assert mark == ({"judge": 0.75}, {"score": 4.0}, None)


def test_instance_that_needs_no_judge_is_scored_without_a_verdict():
    instance = dataclasses.replace(BLUE, by={"kind": "y"})
    assert judged(None, instance=instance, applies=f"{__name__}:is_kind_x").total == 0.0
    assert judged(None, applies=f"{__name__}:is_kind_x").status == "invalid"


def test_judge_is_asked_about_instances_that_need_one():
    templates = {JUDGE_PROMPT: load_template("resource:datasets/judge/score.txt", OWN_SLOTS)}
    judge = InstanceJudgePrompts([], {"scale": [0, 1]}, applies=f"{__name__}:is_kind_x")
    (prompt,) = judge.prompts(sample(), ANSWER, templates)
    (request,) = prompt.requests
    assert (prompt.answer, request.id, request.expected) == ("x", "all/1", {"scale": [0, 1]})
    assert "Read. Which?" in prompt.head
    simulated = InstanceJudge(["no", "yes"])
    assert [simulated.reply(prompt, request, [met]) for met in (False, True)] == ["no", "yes"]
    other = sample(dataclasses.replace(BLUE, by={"kind": "y"}))
    assert not list(judge.prompts(other, ANSWER, templates))


def test_simulated_model_fails_with_half_of_the_answer_or_none():
    answer = "one two three four"
    for text, chance, response in (
        (answer, 0.49, "one two"), (answer, 0.51, "I do not know."), ("a", 0.49, "I do not know."),
    ):  # fmt: skip
        item = sample(dataclasses.replace(BLUE, answer=text))
        rng = SimpleNamespace(random=lambda chance=chance: chance)
        assert SimpleSimulator().response(item, (), rng) == response
        assert SimpleSimulator().response(item, (0,), rng) == text
    assert SimpleSimulator(judged=True).response(item, (0,), rng) == "a\n\n[simulated: kept 0]"


def test_judge_with_unreadable_replies_is_refused():
    read = f"{__name__}:yes_or_no"
    with pytest.raises(UserError, match="reads no verdict in 'perhaps'"):
        Judge("judge.txt", read, ("no", "perhaps")).check(f"{__name__}:by_verdict")
    with pytest.raises(UserError, match="half: a scorer of judged responses takes verdict"):
        Judge("judge.txt", read, ("no", "yes")).check(f"{__name__}:half")


# --- instances ---------------------------------------------------------------------------------


def test_prompt_has_context_between_its_parts():
    item = SimpleSamples().item(sample())
    assert (item.head, item.context, item.tail) == ("Read. ", "A text.", "Which?")
    assert instance_of(sample()) == BLUE


def test_source_of_a_prompt_is_its_instance_with_the_context_that_it_names():
    instances = {"all": [{"id": "1"}, {"id": "2"}]}
    contexts = {"all": [{"context_id": "c", "text": "A text."}]}
    prompts = [{"sample_id": "all/1", "long_context_id": "c"}, {"sample_id": "all/2"}]
    sources = SimpleSamples().sources(prompts, {"instances": instances, "contexts": contexts})
    assert list(sources) == [
        {"instance": {"id": "1"}, "context": "A text."},
        {"instance": {"id": "2"}, "context": ""},
    ]


def repeated():
    """Two instances on one context, the first of a group, and one without a context."""
    changes = [{"group": "g"}, {"id": "2", "system": "Be brief."}]
    changes.append({"id": "3", "context": "", "before": ""})
    return [dataclasses.replace(BLUE, **change) for change in changes]


def test_context_is_written_once_and_named_in_prompts():
    (context,) = contexts({}, f"{__name__}:repeated", {})
    assert context == {"context_id": context_name("A text."), "text": "A text."}
    name = context["context_id"]
    records = [dataclasses.asdict(item) for item in repeated()]
    for record in records:
        record["context"] = name if record["context"] else ""
    rows = list(prompts("4k", {"instances": {"4k": records}}, "mine"))
    assert [row["sample_id"] for row in rows] == ["4k/1", "4k/2", "4k/3"]
    assert [row["context_id"] for row in rows] == ["g", name, "3"]
    assert [row.get("long_context_id") for row in rows] == [name, name, None]
    assert [sorted({"before", "system", "turns"} & set(row)) for row in rows] == [
        ["before"], ["before", "system"], []
    ]  # fmt: skip


def test_answers_of_several_letters_are_marked_in_the_context():
    found = passages(sample(dataclasses.replace(BLUE, answer=["is", "b", 12])))
    assert (found.text, found.wanted) == ("A text.", ["is"])
    assert passages(sample(dataclasses.replace(BLUE, context=""))) is None


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"id": "1"}, "instance '1': duplicate id"),
        ({"id": ""}, "an id must be one line without #"),
        ({"id": "2", "prompt": " ", "context": "", "before": ""}, "'2': empty prompt"),
        ({"id": "2", "by": {"kin": "x"}}, "no value of 'kind' in by; did you mean 'kin'"),
        ({"id": "2", "group": "g"}, "only some instances have a group"),
        ({"id": "2", "turns": [("a",)]}, "a turn must be two strings"),
        ({"id": "2", "turns": [("a", 1)]}, "a turn must be two strings"),
    ],
)
def test_bad_instance_is_reported(change, sentence):
    with pytest.raises(UserError, match=f"^mine: .*{sentence}"):
        list(checked([BLUE, dataclasses.replace(BLUE, **change)], "mine", ["kind"]))


def test_benchmark_without_instances_is_reported():
    with pytest.raises(UserError, match="mine: no instances"):
        list(checked([], "mine", []))


@pytest.mark.parametrize(
    ("instance", "answer"),
    [
        (Instance("1", "?", answer=["a", "b"]), "a"),
        (Instance("1", "?", answer=3), "3"),
        (Instance("1", "?", answer={"words": 2}, reference="two words"), "two words"),
    ],
)
def test_reference_answer_is_the_reference_or_first_answer(instance, answer):
    assert instance.reference_answer == answer


def two_instances():
    settings = {"fields": {"topic": "rain"}, "turns": [("Hi.", "Hello.")]}
    return [Instance(str(number), "Write.", **settings) for number in (1, 2)]


def test_judge_template_takes_fields_of_instances():
    settings = {"function": f"{__name__}:two_instances", "settings": {}, "by": []}
    assert len(list(instances({}, slots=["topic"], **settings))) == 2
    with pytest.raises(UserError, match=r"'1': no value of 'topics' in fields.*'topic'"):
        list(instances({}, slots=["topics"], **settings))


def test_documentation_shows_the_example_files():
    page = (EXAMPLES.parents[1] / "new-benchmark.md").read_text()
    package = "wordbench/wordbench"
    for name in ("constraints.py", f"{package}/benchmark.py", f"{package}/scoring.py"):
        assert f"```python\n{(EXAMPLES / name).read_text()}```" in page, name


# --- metrics -----------------------------------------------------------------------------------


def wilson_interval(units):
    """Wilson's 95 % interval about 1/2; 3.841459 is the quantile of χ² with one degree."""
    half_width = math.sqrt(3.841459 / (units + 3.841459)) / 2
    return pytest.approx([0.5 - half_width, 0.5 + half_width])


def test_means_interval_and_coverage_of_four_responses():
    """Totals .3, .5 and .7: t of two degrees reaches further than Wilson's of three verdicts."""
    scores = [
        scored("a", 0.3, "a", {"topic": "sea"}),
        scored("b", 0.5, "b", {"topic": "sea"}),
        scored("c", 0.7, "c", {"topic": "sky"}),
        scored("d", None, "d", {"topic": "sky"}, status="error"),
    ]
    frames = metrics(scores, {}, None, by=["topic"])
    (summary,) = frames["summary"].to_dict("records")
    assert (summary["value"], summary["n"], summary["expected"]) == (pytest.approx(0.5), 3, 4)
    assert [summary["low"], summary["high"]] == wilson_interval(3)
    means = frames["scores"].set_index(["kind", "category"])["value"]
    assert means["topic", "sea"] == pytest.approx(0.4)
    assert means["topic", "sky"] == pytest.approx(0.7)
    (coverage,) = frames["coverage"].to_dict("records")
    assert (coverage["scored"], coverage["expected"], coverage["status_error"]) == (3, 4, 1)


def test_responses_of_a_group_are_one_sampling_unit():
    """Two groups with means .2 and .8 say no more than two verdicts do, one right and one wrong."""
    scores = [scored(str(n), (0.2, 0.8)[n % 2], str(n % 2)) for n in range(6)]
    (summary,) = metrics(scores, {}, None)["summary"].to_dict("records")
    assert summary["sampled"] == "2 groups of records"
    assert [summary["low"], summary["high"]] == wilson_interval(2)


def test_ids_that_share_a_context_at_each_length_are_one_sampling_unit():
    scores = []
    for length in ("4k", "8k", "16k"):
        for number in range(24):
            context = f"{length}-{number // 2}"
            scores.append(scored(f"{length}/{number}", number % 3 / 2, context, part=length))
    units = metrics(scores, {}, None)["sampling_units"]
    # Two ids share each context, at each length: 12 units, of 24 ids and 36 contexts.
    assert units[["clusters", "records"]].values.tolist() == [[12, 72]]


def test_paraphrases_of_a_record_are_one_sampling_unit():
    scores = []
    for number in range(6):
        for name in ("t1", "t2"):
            id = f"all/{number}/{name}"
            scores.append(scored(id, number % 2, str(number), {"template": name}))
    (summary,) = metrics(scores, {}, None, by=["template"])["summary"].to_dict("records")
    assert summary["sampled"] == "6 records"
    assert [summary["low"], summary["high"]] == wilson_interval(6)


@pytest.mark.parametrize(
    ("shared", "factor", "freedom"), [(True, 0.15, 11), (False, math.hypot(1, 0.85), 22)]
)
def test_lengths_are_paired_where_they_share_records(shared, factor, freedom):
    totals = [number % 4 / 3 for number in range(12)]
    scores = []
    for length in ("4k", "8k"):
        for number, total in enumerate(totals):
            id = f"{length}/{number}" if shared else f"{length}/{length}-{number}"
            scores.append(scored(id, total, id, part=length))
    frames = metrics(scores, {}, None, lengths=["4k", "8k"])
    _, low = frames["effective_context_length"]["low"]
    # .5 − .85 · .5 is the middle between the limits −.85 and 1, with log odds of 0.
    error = factor * np.std(totals, ddof=1) / math.sqrt(12) * (2 / 0.925)
    odds = math.exp(-stats.t.ppf(0.975, freedom) * error)
    assert low == pytest.approx(0.85 + (1 - 1.85 / (1 + odds)) / 0.5)


def test_judges_are_compared_on_responses_that_both_scored():
    scores = []
    for number, (first, second) in enumerate([(1.0, 1.0), (1.0, 0.0), (0.0, 0.0), (0.0, None)]):
        id = str(number)
        scores.append(scored(id, first, id, judge="j", other_raters={"k": {"total": second}}))
    rows = metrics(scores, {}, None, judges=["j", "k"])["agreement"]
    (overall,) = rows[rows["model"] == ""].to_dict("records")
    assert (overall["n"], overall["raw"]) == (3, pytest.approx(2 / 3))


def test_measure_has_a_mean_over_the_responses_that_have_it():
    points = [{"Met": 1, "Long": 0.5}, {"Met": 0}, {"Met": 1, "Long": 1}, {}]
    scores = []
    for number, measures in enumerate(points):
        scores.append(scored(str(number), measures.get("Met"), str(number), points=measures))
    frames = metrics(scores, {}, None, measures=["Met", "Long"])
    means = frames["scores"][["measure", "value", "n"]]
    assert means.values.tolist() == [["Met", pytest.approx(2 / 3), 3], ["Long", 0.75, 2]]
    counts = frames["summary"][["measure", "n", "expected"]]
    assert counts.values.tolist() == [["Met", 3, 4], ["Long", 2, 4]]


@pytest.mark.parametrize(
    ("unread", "count"), [([None, None, None], None), ([False, True, None], 1)]
)
def test_coverage_counts_unreadable_responses(unread, count):
    scores = [scored(id, 0.0, id) for id in "abc"]
    for score, value in zip(scores, unread, strict=True):
        if value is not None:
            score.record["unread"] = value
    frames = metrics(scores, {}, None)
    assert frames["coverage"].get("unread", pd.Series([None])).tolist() == [count]
    by_name = {table.name: table for table in tables(frames, Display(), **shown("Mine"))}
    headings = [column.heading for column in by_name["mine_coverage"].columns]
    assert ("Unreadable" in headings) == (count is not None)


def test_models_are_compared_on_samples_that_both_have():
    totals = {"a": (1.0, 0.5), "b": (0.5, 0.0), "c": (1.0, None)}
    scores = []
    for id, (first, second) in totals.items():
        scores.append(scored(id, first, id, model="m"))
        scores.append(scored(id, second, id, model="n"))
        scores.append(scored(id, 1.0, id, model="reference"))
    frames = metrics(scores, {}, None, references=["reference"])
    comparisons = frames["comparisons"][["model", "other", "difference", "n"]]
    assert comparisons.values.tolist() == [["m", "n", 0.5, 2]]


def test_categories_are_in_order_of_occurrence():
    scores = [scored(topic, 1.0, topic, {"topic": topic}) for topic in ("z", "a", "m")]
    frame = metrics(scores, {}, None, by=["topic"])["scores"]
    assert frame["category"].tolist() == ["", "z", "a", "m"]


def missing_column(frame):
    return frame["errors"]


def test_unknown_measure_and_failing_metric_are_reported():
    scores = [scored(str(n), 1.0, str(n), points={"Met": 1.0, "Form": 1.0}) for n in range(3)]
    with pytest.raises(UserError, match=r"no response has the measure 'Warm'; .* Form, Met"):
        metrics(scores, {}, None, measures=["Met", "Warm"])
    sentence = r":missing_column: fails \(KeyError: 'errors'\); .*extracted"
    with pytest.raises(UserError, match=sentence):
        metrics(scores, {}, None, further={"errors": f"{__name__}:missing_column"})


# --- tables and figures ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("records", "contexts", "is_noted"), [(6, 1, True), (2, 1, True), (1, 1, False), (6, 2, False)]
)
def test_table_notes_that_all_records_share_one_context(records, contexts, is_noted):
    scores = [scored(str(n), n % 2, str(n % contexts)) for n in range(records)]
    results, *_ = tables(metrics(scores, {}, None), Display(), **shown("T"))
    notes = " ".join(text for _, text in results.notes)
    assert ("All records share one context" in notes) == is_noted
    unit = "records" if records == contexts else "groups of records"
    assert f"Sampling units: {contexts} {unit}." in notes


@pytest.mark.parametrize(
    ("measures", "headings", "sections"),
    [
        (["Score"], ["Mean score"], ["Topic"]),
        (["Met", "Long"], ["Met", "Long"], ["Met, by topic", "Long, by topic"]),
    ],
)
def test_tables_are_headed_by_their_measures(measures, headings, sections):
    points = {"Met": 1.0, "Long": 0.5}
    scores = [scored(id, 1.0, id, {"topic": "sea"}, points=points) for id in "abc"]
    frames = metrics(scores, {}, None, by=["topic"], measures=measures)
    settings = shown("T", "topic") | {"measures": measures}
    results, by, _ = tables(frames, Display(), **settings)
    columns = [column.heading for column in results.columns if not column.group]
    assert [heading for heading in columns if heading in ("Mean score", *points)] == headings
    assert [section.heading for section in by.sections] == sections
    rows = pd.DataFrame({"model": ["m"], "value": [0.25], "low": [0.2], "high": [0.3]})
    own = SimpleResults(frames, Display(), **settings).values_table("own", "Mine.", {"A": rows})
    assert (own.caption, len(own.columns)) == ("Mine.", 2)  # without intervals
    caption = figures(frames, Display(), **settings)["scores"].caption
    assert measures[0].lower() in caption.lower() and "Long" not in caption


@pytest.mark.parametrize(("values", "note"), [(39, ""), (40, "The first 40 of 41 values")])
def test_figure_notes_values_that_do_not_fit(values, note):
    scores = [scored(str(n), 0.5, str(n), {"topic": f"topic {n}"}) for n in range(values)]
    frames = metrics(scores, {}, None, by=["topic"])
    caption = figures(frames, Display(), **shown("Mine", "topic"))["scores"].caption
    assert note in caption and ("values are shown" in caption) == bool(note)


def test_figure_has_a_mark_for_each_mean():
    scores = [scored(str(n), n % 2, str(n), {"thing": "lamp"}) for n in range(12)]
    frames = metrics(scores, {}, None, by=["thing"])
    figure = figures(frames, Display(), **shown("T", "thing"))["scores"].figure
    values = []
    for axes in figure.axes:
        for line in axes.lines:
            values += [*np.ravel(line.get_xdata()), *np.ravel(line.get_ydata())]
    assert values.count(0.5) >= 2  # the mean of all, and of the one thing


def test_figure_has_the_share_that_models_keep_at_each_length():
    scores = []
    for model, length in product("mn", ("4k", "8k")):
        for number in range(12):
            total = number % 4 / 3 / (1 if length == "4k" else 2)
            id = f"{length}/{number}"
            scores.append(scored(id, total, str(number), model=model, part=length))
    frames = metrics(scores, {}, None, lengths=["4k", "8k"])
    figure = figures(frames, Display(), **shown("T"))["effective_context_length"].figure
    axes = figure.axes[0]
    first, second, share = axes.lines
    assert figure.get_figwidth() == 3.3
    assert list(first.get_ydata()) == list(second.get_ydata()) == pytest.approx([1, 0.5])
    assert list(first.get_xdata()) == pytest.approx([-0.05, 0.95])  # within .2 of each place
    assert list(second.get_xdata()) == pytest.approx([0.05, 1.05])
    assert list(share.get_ydata()) == [0.85, 0.85]
    assert axes.get_ylim() == (0, 1.05)
    assert [text.get_text() for text in axes.get_xticklabels()] == ["4k", "8k"]


# --- a task's names ----------------------------------------------------------------------------


def test_ids_that_end_alike_are_of_different_clusters():
    clusters = pd.Series(["short a", "long a", "long b"])
    sample_ids = pd.Series(["4k/a/1", "8k/a/1", "8k/b/1"])  # ids a/1 and b/1
    joined = joined_clusters(clusters, sample_ids)
    assert joined.tolist() == ["short a", "short a", "long b"]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"parts": {"4 k": Part(1, {})}}, "part name '4 k' cannot name files; use letters"),
        ({"parts": {}}, "its task has no part"),
        ({"metrics": ("scores", "summary")}, "its metrics lack 'coverage'"),
        ({"tables": ("words",)}, "the table 'words' shares a folder"),
        ({"figures": ("a/b",)}, "figure name 'a/b'"),
    ],
)
def test_bad_names_of_a_task_are_reported(changes, sentence):
    task = Evaluation(load_config({"models": {"a": {"engine": "reference"}}})).tasks["lifbench"]
    for name, value in changes.items():
        changed = value if name == "parts" else Output(getattr(task, name).function, value)
        task = dataclasses.replace(task, **{name: changed})
    with pytest.raises(UserError, match=f"^benchmark lifbench: .*{sentence}"):
        checked_task("lifbench", task)


def test_missing_function_of_a_component_is_reported():
    assert digest("steadfast.stages.score", "steadfast.simple.scorers:exact")
    with pytest.raises(UserError, match=r"scorers has no 'exac'; did you mean 'exact'"):
        digest("steadfast.stages.score", "steadfast.simple.scorers:exac")
