"""Python literals in texts: parsed as by Python, never evaluated, and with bounded work."""

import ast
import warnings
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadfast.base.literals import DEPTH, is_expression, parse_literal

LITERALS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(LITERALS)
def test_literals_are_parsed_as_by_python(value):
    is_literal, parsed = parse_literal(repr(value))
    if is_literal or "inf" not in repr(value):
        assert (is_literal, parsed) == (True, value)


PIECES = ["'a'", '"b"', "b'c'", "None", "...", "1", "-", "+", "1j", "set()", *"[](){}'\",:# \t\\\0"]


@given(st.lists(st.sampled_from(PIECES), max_size=20).map("".join))
def test_any_text_is_parsed_as_by_the_standard_library(text):
    try:
        expected = (True, ast.literal_eval(text))
    except (ValueError, SyntaxError, TypeError):
        expected = (False, None)
    assert repr(parse_literal(text)) == repr(expected)


def test_expressions_and_invalid_texts_are_not_evaluated():
    for text in (
        "__import__('os').getcwd()", "[[open]]", "[[1][0]]", "[x for x in 'ab']", "['a'] * 2",
        "1 + 1", "f'a'", "a", "[[]", "", "\0", "\ud83d", "1" * 5000, "{[]: 1}",
    ):  # fmt: skip
        assert parse_literal(text) == (False, None), text


def test_expressions_are_distinguished_from_invalid_texts():
    assert is_expression("[a, 1 + 1]")
    assert not is_expression("[a b]")
    assert not is_expression("[“a”]")


def test_depth_of_literals_is_limited():
    assert parse_literal("[" * DEPTH + "]" * DEPTH)[0]
    assert not parse_literal("[" * (DEPTH + 1) + "]" * (DEPTH + 1))[0]


def test_invalid_escape_sequence_causes_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert parse_literal(r"'\d'") == (True, r"\d")


HOSTILE = {
    "brackets": "[" * 199_000,
    "nested as deep as may be": "[({" * 10 + "a b" + "})]" * 10,
    "dictionaries": "{a:" * 31 + "1 2" + "}" * 31,
    "calls": "f(" * 31 + "a=1 b" + ")" * 31,
    "signs": "-" * 199_000 + "1",
    "sum": "1+" * 99_000 + "1j",
    "powers": "9**" * 60_000 + "9",
    "negations": "not " * 49_000 + "1",
    "functions": "lambda:" * 20_000 + "1",
    "attributes": "a" + ".a" * 99_000,
    "comparisons": "1<" * 99_000 + "1",
    "elements": "[" + "1," * 99_000 + "]",
    "strings": "[" + "'a' " * 49_000 + "]",
    "formatted strings": "f'{1}'" * 30_000,
    "quotation marks": "'" * 199_999,
    "digits": "1" * 199_000,
    "equal hashes": "{" + ",".join(str(n * (2**61 - 1)) for n in range(9000)) + "}",
    "line breaks": "[1" + "#\n" * 90_000 + "]",
    "far too long": "[" + "1," * 5_000_000 + "]",
}


@pytest.mark.quick(5)
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_only_short_and_shallow_texts_reach_pythons_parser(text, monkeypatch, cpu_limit):
    def parse(source, **options):
        assert len(source) <= 200_000
        assert max(accumulate((c in "[({") - (c in "])}") for c in source)) <= 32
        return original(source, **options)

    original = ast.parse
    monkeypatch.setattr(ast, "parse", parse)
    parse_literal(text)
    is_expression(text)
