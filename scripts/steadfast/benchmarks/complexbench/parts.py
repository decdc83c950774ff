"""The parts: a language, such as zh, or its decomposed instructions, such as zh-decomposed."""

WHOLE, DECOMPOSED = "whole", "decomposed"
"""How instructions are asked: as they are, or turn by turn."""


def part_name(language: str, split: str) -> str:
    """The part of a language that is asked so.

    Example:
        >>> part_name("zh", WHOLE), part_name("zh", DECOMPOSED)
        ('zh', 'zh-decomposed')
    """
    return language if split == WHOLE else f"{language}-{split}"


def language_and_split(part: str) -> tuple[str, str]:
    """The language of a part, and how its instructions are asked.

    Example:
        >>> language_and_split("zh-decomposed")
        ('zh', 'decomposed')
    """
    language, _, split = part.partition("-")
    return language, split or WHOLE
