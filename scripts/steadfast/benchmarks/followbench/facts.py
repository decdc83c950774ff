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
