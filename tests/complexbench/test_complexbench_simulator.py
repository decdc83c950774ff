"""Simulated models: texts that satisfy or break rules, declared points, and slips."""

from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from complexbench_run import MODES, Run, question, synthetic_records
from released_files import cases
from steadfast.benchmarks.complexbench.facts import normalised, taxonomy
from steadfast.benchmarks.complexbench.rule_forms import RuleFormError, read_rule
from steadfast.benchmarks.complexbench.scoring import verdict
from steadfast.benchmarks.complexbench.simulator import ComplexbenchSimulator, rule_examples
from steadfast.contract.components import Sample
from steadfast.contract.simulated import signed_requirements

IMPOSSIBLE = {"length:[0,0]", "length_word:[0,0]", "model_keyword_num:[1,1,风,风,风]"}
"""Recorded rules that are well-formed and that no text satisfies."""


def misread_by_released(clauses) -> bool:
    """Whether the released code takes a plain rule for another whose name is in its words."""
    kind = clauses[0].name
    other_names = {"model", "each", "None", *taxonomy()["rules"]} - {kind}
    for clause in clauses:
        for word in clause.words:
            if any(name in word for name in other_names):
                return True
            if kind == "match" and normalised(word) != word:
                return True
    return False


def well_formed_rules() -> list[str]:
    rules = []
    for rule in sorted({case["rule"] for case in cases("complexbench", "rules")}):
        try:
            clauses = read_rule(rule)
        except RuleFormError:
            continue
        if clauses[0].name.startswith("model_") or not misread_by_released(clauses):
            rules.append(rule)
    return rules


@pytest.mark.parametrize("mode", MODES)
def test_examples_satisfy_or_break_recorded_rules(mode):
    rules = well_formed_rules()
    assert len(rules) > 400
    for rule in rules:
        satisfied = verdict(rule, rule_examples(rule), mode)
        assert satisfied is (rule not in IMPOSSIBLE), rule
        assert verdict(rule, rule_examples(rule, kept=False), mode) is False, rule


def test_examples_by_hand():
    (filler,) = rule_examples("length:[54,54]")  # all of it
    first, second, third = filler[:8], filler[1:9], filler[2:10]
    for rule, examples in (
        ("model_startswith_each:甲", [f"甲{first}", f"甲{second}"]),
        ("model_startswith:甲\nmodel_endswith:乙", [f"甲{first}乙"]),
        ("model_starts_with_list_each:[一,二,三]", [f"一{first}", f"二{second}", f"三{third}"]),
        ("model_number_each:[1,4]", [first]),
        ("length:[0,3]", ["春"]),
        ("length_word:[0,2]", ["小路"]),
        ('Json:["名"]', [f'{{"名": "{first}"}}']),
        (f"forbidden_word:[{filler}]", ["零" * 8]),  # no character of the filler is left
    ):
        assert rule_examples(rule) == examples, rule


@pytest.mark.parametrize(("rule", "chance"), [(None, 0.58), ("length:[1,2]", 0.696)])
def test_chance_to_miss_a_question(rule, chance):
    # slip .5 times .5 + .33 for each of two layers, with a rule times 1.2
    sample = Sample("zh", {"layers": 2}, {"scoring_questions": [question(rule=rule)]})

    def meets(settings, drawn):
        rng = Mock(random=lambda: drawn)
        return ComplexbenchSimulator().meets(sample, 0, settings, 1.0, rng)

    assert meets({"slip": 0.5}, chance + 1e-9) and not meets({"slip": 0.5}, chance - 1e-9)
    assert meets({}, 0.0)


RULES = (
    "keyword:[{}]",
    "model_forbidden_word_each:[{}]",
    "model_startswith:{}",
    "not endswith:{}",
    "model_keyword_num:[1,2,{},乙]",
    "model_keyword_num_each:[0,1,{}]",
    'Json:["{}"]',
)


@given(st.sampled_from(RULES), st.text(st.characters(blacklist_categories=["Cs"]), max_size=20))
def test_any_rule_has_examples(rule, text):
    for satisfied in (True, False):
        segments = rule_examples(rule.replace("{}", text), kept=satisfied)
        assert all(isinstance(segment, str) for segment in segments)


@pytest.fixture(scope="module")
def run():
    return Run(synthetic_records(40))


@pytest.mark.parametrize("part", ["zh", "zh-decomposed", "en", "en-decomposed"])
def test_reference_responses_declare_all_points(run, part):
    answers = run.simulated_responses(part=part)
    for sample in run.samples[part]:
        text = answers[sample.id].text
        assert signed_requirements(text) == set(sample.prompt["points"])
        assert ("done as asked" in text) == (part.startswith("en") and "Point" in text)


def share_kept(run: Run, part: str, slip: float) -> float:
    """The share of questions that responses declare to be satisfied."""
    questions = sum(len(sample.prompt["points"]) for sample in run.samples[part])
    answers = run.simulated_responses(slip, part).values()
    return sum(len(signed_requirements(answer.text)) for answer in answers) / questions


def test_slips_lower_scores_less_turn_by_turn(run):
    careful = share_kept(run, "zh", 0.1)
    hasty = share_kept(run, "zh", 0.5)
    assert 1 > careful > hasty + 0.2
    assert share_kept(run, "zh-decomposed", 0.5) > hasty
