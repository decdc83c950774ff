"""Python literals in untrusted text: bounded in time and memory, never evaluated."""

import ast
import warnings
from itertools import accumulate
from typing import Any

LIMIT = 200_000  # characters
DEPTH = 32  # brackets within brackets


def parse_literal(text: str) -> tuple[bool, Any]:
    """Whether a text is a Python literal, and its value; nothing is ever evaluated.

    Texts longer than ``LIMIT`` or nested deeper than ``DEPTH`` count as no literal.

    >>> parse_literal("['a' 'b', None, ...]"), parse_literal("['a'] * 2")
    ((True, ['ab', None, Ellipsis]), (False, None))
    """
    try:
        return True, ast.literal_eval(_tree(text))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return False, None


def is_expression(text: str) -> bool:
    """Whether a text is a Python expression, within the same bounds; it is not evaluated.

    >>> is_expression("[a, b]"), is_expression("[a b]")
    (True, False)
    """
    try:
        return bool(_tree(text))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return False


def _tree(text: str) -> ast.Expression:
    # Brackets in strings count too: no honest response comes near the limit.
    depths = accumulate((char in "[({") - (char in "])}") for char in text)
    if len(text) > LIMIT or max(depths, default=0) > DEPTH:
        raise ValueError("too long or too deeply nested to be parsed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of invalid escapes
        return ast.parse(text.lstrip(" \t"), mode="eval")
