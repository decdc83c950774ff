"""What FollowBench is made of: its languages, categories, levels, scorers and verdicts."""

LANGUAGES = ("en", "zh")
CATEGORIES = ("content", "situation", "style", "format", "example", "mixed")
"""Constraint categories (section 3.1), in the order of Tables 1 and 7 to 12."""
LEVELS = (1, 2, 3, 4, 5)
"""Scored levels: level n has n constraints. Level 0, without any, is where they start from."""
RULE, JUDGE = "rule", "judge"
"""What scores an item."""
YES, NO = "YES", "NO"
"""A verdict on a constraint, as judges and people write it."""
PATH, LAST, RATING = "path", "last", "rating"
"""The ways to ask a judge about an answer (Table 3): with all versions of the instruction, with the
last one alone, and for one rating of the whole answer."""
HIGHEST = 10
"""The highest rating; the lowest is 0."""


def template_name(language: str, way: str) -> str:
    """Returns the name of a judge template.

    >>> template_name("en", "path"), template_name("en", "rating")
    ('en', 'rating_en')
    """
    return language if way == PATH else f"{way}_{language}"


def request_id(answer_id: str, way: str) -> str:
    """Returns the name of what is asked about an answer.

    >>> request_id("en/style/3/2", "path"), request_id("en/style/3/2", "last")
    ('en/style/3/2', 'en/style/3/2/last')
    """
    return answer_id if way == PATH else f"{answer_id}/{way}"
