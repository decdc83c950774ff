"""Simulated models: examples that satisfy rules, answers that say what they keep, and slips."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from complexbench_run import MODES, Run, synthetic
from released_files import cases
from steadfast.benchmarks.complexbench.facts import normalised, taxonomy
from steadfast.benchmarks.complexbench.rule_forms import RuleFormError, read_rule
from steadfast.benchmarks.complexbench.scoring import verdict
from steadfast.benchmarks.complexbench.simulator import rule_examples
from steadfast.contract.simulated import signed

IMPOSSIBLE = {"length:[0,0]", "length_word:[0,0]", "model_keyword_num:[1,1,风,风,风]"}
"""Recorded rules that are well-formed and that no text satisfies."""


def misread(clauses) -> bool:
    """Whether the released code takes a plain rule for another: it finds names in any text."""
    first = clauses[0].name
    others = {"model", "each", "None", *taxonomy()["rules"]} - {first}
    words = [word for clause in clauses for word in clause.words]
    named = any(name in word for name in others for word in words)
    return named or (first == "match" and any(normalised(word) != word for word in words))


def well_formed() -> list[str]:
    found = []
    for rule in sorted({case["rule"] for case in cases("complexbench", "rules")}):
        try:
            clauses = read_rule(rule)
        except RuleFormError:
            continue
        if clauses[0].name.startswith("model_") or not misread(clauses):
            found.append(rule)
    return found


@pytest.mark.parametrize("mode", MODES)
def test_examples_satisfy_every_recorded_rule_and_break_it_where_asked(mode):
    rules = well_formed()
    assert len(rules) > 400
    failed = {rule for rule in rules if verdict(rule, rule_examples(rule), mode) is not True}
    assert failed == IMPOSSIBLE
    assert [r for r in rules if verdict(r, rule_examples(r, kept=False), mode) is not False] == []


RULES = st.sampled_from(
    [
        "keyword:[{}]",
        "model_forbidden_word_each:[{}]",
        "model_startswith:{}",
        "not endswith:{}",
        "model_keyword_num:[1,2,{},乙]",
        "model_keyword_num_each:[0,1,{}]",
        'Json:["{}"]',
    ]
)


@given(RULES, st.text(st.characters(blacklist_categories=["Cs"]), max_size=20))
def test_any_rule_has_examples(rule, text):
    for keep in (True, False):
        assert all(isinstance(part, str) for part in rule_examples(rule.replace("{}", text), keep))


PARTS = ("zh", "zh-decomposed", "en", "en-decomposed")


@pytest.fixture(scope="module")
def run():
    return Run(synthetic(40))


@pytest.mark.parametrize("part", PARTS)
def test_reference_answers_keep_all_that_is_asked(run, part):
    answers = run.read(part=part)
    for sample in run.samples[part]:
        answer = answers[sample.id].text
        assert signed(answer) == set(sample.prompt["points"])
        assert ("done as asked" in answer) == (part.startswith("en") and "Point" in answer)


def share_kept(run: Run, part: str, slip: float) -> float:
    questions = sum(len(sample.prompt["points"]) for sample in run.samples[part])
    return sum(len(signed(one.text)) for one in run.read(slip, part).values()) / questions


def test_readers_keep_less_the_more_they_slip_and_more_turn_by_turn(run):
    careful, hasty = (share_kept(run, "zh", slip) for slip in (0.1, 0.5))
    assert 1 > careful > hasty + 0.2
    assert share_kept(run, "zh-decomposed", 0.5) > hasty
