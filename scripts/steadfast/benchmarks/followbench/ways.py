"""The ways to ask a judge about an answer (Table 3), and the names that follow from them."""

PATH, LAST, RATING = "path", "last", "rating"
WAYS = (PATH, LAST, RATING)
"""With all versions of the instruction, with the last one alone, and for one rating of the whole
answer."""
HIGHEST = 10
"""The highest rating; the lowest is 0."""


def template_name(language: str, way: str) -> str:
    """The name of a judge template.

    Example:
        >>> template_name("en", "path"), template_name("en", "rating")
        ('en', 'rating_en')
    """
    return language if way == PATH else f"{way}_{language}"


def request_id(answer_id: str, way: str) -> str:
    """The name of what is asked about an answer.

    Example:
        >>> request_id("en/style/3/2", "path"), request_id("en/style/3/2", "last")
        ('en/style/3/2', 'en/style/3/2/last')
    """
    return answer_id if way == PATH else f"{answer_id}/{way}"
