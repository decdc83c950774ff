"""The forms in which annotators write rules, and the errors in others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadfast.benchmarks.complexbench.facts import taxonomy
from steadfast.benchmarks.complexbench.rule_forms import Clause, RuleFormError, read_rule


def test_rules_are_parsed():
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


def test_invalid_rule_is_explained():
    for rule, message in (
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
        ("keyword:[春风]\nmodel_forbidden_word_each:[河流]", "may be combined in a question"),
    ):
        with pytest.raises(RuleFormError) as error:
            read_rule(rule)
        assert message in str(error.value) and len(str(error.value)) < 1000, rule


def test_taxonomy_has_known_forms_and_pairs_of_rules():
    forms = {rule["form"] for rule in taxonomy()["rules"].values()}
    assert forms == {"words", "marks", "range", "counted", "text", "keys"}
    for pair in taxonomy()["pairs"]:
        assert set(pair) <= set(taxonomy()["rules"])


@given(st.text() | st.from_regex(r"(model_)?(length|keyword_num|match)(_each)?:\[?.{0,30}\]?"))
def test_any_text_is_parsed_or_refused(rule):
    try:
        clauses = read_rule(rule)
    except RuleFormError as error:
        assert str(error)
    else:
        assert all(clause.name in taxonomy()["rules"] for clause in clauses)
