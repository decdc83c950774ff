"""Lists of strings as Python writes them, read without evaluating anything."""

from steadfast.base.literals import parse_literal


def string_list(text: str) -> list[str] | None:
    """The strings of a list literal; None if the text is anything else.

    >>> string_list("['a', 'b' 'c']"), string_list("['a', 1]")
    (['a', 'bc'], None)
    """
    _, value = parse_literal(text)
    plain = isinstance(value, list) and all(isinstance(item, str) for item in value)
    return value if plain else None
