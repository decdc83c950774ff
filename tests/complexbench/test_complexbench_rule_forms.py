"""How a rule is written: every form read, every slip of an annotator named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from released_files import cases
from steadfast.benchmarks.complexbench.facts import taxonomy
from steadfast.benchmarks.complexbench.rule_forms import Clause, RuleFormError, read_rule


def test_rules_are_read():
    for rule, clauses in (
        ("keyword:[春风, 希望]", [Clause("keyword", ("春风", "希望"))]),
        ("model_length_each:[ 1 , 10 ]", [Clause("model_length_each", (), 1, 10)]),
        ("model_keyword_num:[1,2,a,b]", [Clause("model_keyword_num", ("a", "b"), 1, 2)]),
        ('Json:["a,b","c"]', [Clause("Json", ("a,b", "c"))]),
        ("Json:[]", [Clause("Json")]),
        ("constraint_punc:[]", [Clause("constraint_punc")]),
        ("startswith:第一行\n第二行：x", [Clause("startswith", ("第一行\n第二行：x",))]),
        (
            "startswith:开头\nendswith:结尾",
            [Clause("startswith", ("开头",)), Clause("endswith", ("结尾",))],
        ),
        (
            "model_keyword_num_each:[0,1,a]\nmodel_forbidden_word_each:[b,c]",
            [
                Clause("model_keyword_num_each", ("a",), 0, 1),
                Clause("model_forbidden_word_each", ("b", "c")),
            ],
        ),
    ):
        assert list(read_rule(rule)) == clauses, rule


def test_slips_are_named():
    for rule, part in (
        ("", "is not a rule"),
        ("春风", "write its name, a colon"),
        ("Keyword:[春风]", "did you mean 'keyword'?"),
        ("not startswith:x", "unknown rule"),
        ("keyword:春风", "takes a list in brackets"),
        ("keyword:[]", "has an empty item"),
        ("keyword:[a,,b]", "a comma itself cannot be listed"),
        ("model_length:[10]", "takes two numbers"),
        ("model_length:[-1,10]", "is not a range"),
        ("model_length:[10,1]", "empty range"),
        ("model_keyword_num:[1,2]", "counts no words"),
        ("model_keyword_num:[3,4,a,b]", "requires 3 of 2 words"),
        ("startswith:", "has no text"),
        ("Json:[“a”]", "straight quotation marks"),
        (f"Json:{'[' * 100_000}", "straight quotation marks"),
        ("endswith:结尾\nstartswith:开头", "may be combined in a question"),
        ("keyword:[春风]\nforbidden_word:[河流]", "may be combined in a question"),
    ):
        with pytest.raises(RuleFormError) as error:
            read_rule(rule)
        assert part in str(error.value) and len(str(error.value)) < 1000, rule


def test_every_rule_of_the_facts_and_every_recorded_one_has_a_form_or_is_refused():
    forms = {facts["form"] for facts in taxonomy()["rules"].values()}
    assert forms == {"words", "marks", "range", "counted", "text", "keys"}
    assert {name for pair in taxonomy()["pairs"] for name in pair} <= set(taxonomy()["rules"])
    read = refused = 0
    for rule in {case["rule"] for case in cases("complexbench", "rules")}:
        try:
            read += bool(read_rule(rule))
        except RuleFormError:
            refused += 1
    assert read > 400 and refused > 30


@given(st.text() | st.from_regex(r"(model_)?(length|keyword_num|match)(_each)?:\[?.{0,30}\]?"))
def test_any_text_is_read_or_refused(rule):
    try:
        clauses = read_rule(rule)
    except RuleFormError as error:
        assert str(error)
    else:
        assert all(clause.name in taxonomy()["rules"] for clause in clauses)
