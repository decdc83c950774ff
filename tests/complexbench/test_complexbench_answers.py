"""Stand-ins for models: pieces that satisfy their rules, answers that say what they keep."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from complexbench_cases import cases
from steadfast.complexbench.answers import ComplexbenchOracle, signed_answer
from steadfast.complexbench.data import write_data
from steadfast.complexbench.pieces import pieces
from steadfast.complexbench.prompts import write_prompts
from steadfast.complexbench.rule_forms import RuleFormError, hazards, read_rule
from steadfast.complexbench.rules.decide import verdict
from steadfast.complexbench.synthetic import instances
from steadfast.files import read_jsonl
from steadfast.judging.stand_in import signed

MODES = ("strict", "released")
IMPOSSIBLE = {"length:[0,0]", "length_word:[0,0]", "model_keyword_num:[1,1,风,风,风]"}
"""Recorded rules that are well-formed and that no text satisfies."""


def well_formed() -> list[str]:
    found = []
    for rule in sorted({case["rule"] for case in cases("rules.jsonl")}):
        try:
            clauses = read_rule(rule)
        except RuleFormError:
            continue
        if not hazards(clauses) or clauses[0].name.startswith("model_"):
            found.append(rule)
    return found


@pytest.mark.parametrize("mode", MODES)
def test_pieces_satisfy_every_recorded_rule_and_break_it_where_asked(mode):
    rules = well_formed()
    assert len(rules) > 400
    failed = {rule for rule in rules if verdict(rule, pieces(rule), mode) is not True}
    assert failed == IMPOSSIBLE
    assert [r for r in rules if verdict(r, pieces(r, kept=False), mode) is not False] == []


@pytest.mark.parametrize("mode", MODES)
def test_pieces_satisfy_every_generated_rule(mode):
    asked = [q for one in instances(60, 5) for q in one["scoring_questions"] if q["rule"]]
    for question in asked:
        rule = question["rule"]
        assert verdict(rule, pieces(rule), mode) is True, rule
        assert verdict(rule, pieces(rule, kept=False), mode) is False, rule


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
def test_any_rule_has_pieces(rule, text):
    for keep in (True, False):
        assert all(isinstance(piece, str) for piece in pieces(rule.replace("{}", text), keep))


@given(st.text())
def test_any_text_as_a_rule_has_pieces(rule):
    assert isinstance(pieces(rule), list)


@pytest.fixture(scope="module")
def oracles(tmp_path_factory):
    folder = tmp_path_factory.mktemp("answers")
    settings = {"source": "synthetic", "instances": 40, "seed": 1, "extra": None}
    made = {}
    for language in ("zh", "en"):
        write_data(settings, language, folder / f"{language}.jsonl")
        for part in (language, f"{language}-decomposed"):
            prompts = folder / f"prompts-{part}.jsonl"
            write_prompts(part, folder / f"{language}.jsonl", prompts)
            oracle = ComplexbenchOracle(prompts, {language: folder / f"{language}.jsonl"})
            made[part] = list(read_jsonl(prompts)), oracle
    return made


@pytest.mark.parametrize("part", ["zh", "zh-decomposed", "en", "en-decomposed"])
def test_reference_answers_keep_all_that_is_asked(oracles, part):
    prompts, oracle = oracles[part]
    for prompt in prompts:
        answer = oracle.reference(prompt["sample_id"])
        assert signed(answer) == set(prompt["points"])
        assert ("done as asked" in answer) == (part.startswith("en") and "Point" in answer)


def test_the_pieces_of_kept_rules_stand_in_the_answer(oracles):
    made = instances(60, 2)
    for one in made:
        points = range(len(one["scoring_questions"]))
        answer = signed_answer(one, points, points, "zh")
        for question in one["scoring_questions"]:
            if question["rule"]:
                assert all(piece in answer.split("\n") for piece in pieces(question["rule"]))


def share_kept(oracles, part, slip) -> float:
    prompts, oracle = oracles[part]
    answers = {
        p["sample_id"]: oracle.simulated(p["sample_id"], {"slip": slip}, 1.0, random.Random(str(n)))
        for n, p in enumerate(prompts)
    }
    asked = sum(len(prompt["points"]) for prompt in prompts)
    return sum(len(signed(answer)) for answer in answers.values()) / asked


def test_readers_keep_less_the_more_they_slip_and_more_turn_by_turn(oracles):
    careful, hasty = (share_kept(oracles, "zh", slip) for slip in (0.1, 0.5))
    assert 1 > careful > hasty + 0.2
    assert share_kept(oracles, "zh", 0.0) == 1
    assert share_kept(oracles, "zh-decomposed", 0.5) > hasty


def test_the_same_request_gets_the_same_answer(oracles):
    _, oracle = oracles["zh"]
    first, second = (oracle.simulated("3", {"slip": 0.5}, 1.0, random.Random(9)) for _ in range(2))
    assert first == second
