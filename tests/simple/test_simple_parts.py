"""The parts of a simple benchmark: scores, judged scores, instances, names."""

import dataclasses
from types import SimpleNamespace

import pytest

from outside import EXAMPLES
from steadfast.base.errors import UserError
from steadfast.config.load import load_config
from steadfast.contract.components import Answer, Reply, Sample, Score
from steadfast.contract.judge_template import load_template
from steadfast.contract.registry import checked_task
from steadfast.contract.task import Output, Part
from steadfast.jobs.digests import digest
from steadfast.jobs.evaluation import Evaluation
from steadfast.simple.answers import SimpleSimulator
from steadfast.simple.benchmark import Judge
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
from steadfast.simple.passages import passages
from steadfast.simple.scoring import SimpleScoring

BLUE = Instance("1", "Which?", answer="blue", context="A text.", before="Read. ", by={"kind": "x"})
ANSWER = Answer("ok", "x")


def sample(instance: Instance = BLUE) -> Sample:
    record = dataclasses.asdict(instance) | {"context": "c"}
    prompt = {"sample_id": f"all/{instance.id}", "task": "t", "max_tokens": 9}
    prompt |= {"context_id": "c", "long_context_id": "c", "by": instance.by}
    prompt |= {"instruction": instance.prompt, "before": instance.before}
    return Sample("all", prompt, {"instance": record, "context": instance.context})


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


# --- a task's names ----------------------------------------------------------------------------


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
