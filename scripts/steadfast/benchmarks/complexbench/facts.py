"""What ComplexBench is made of: modes, parts, and the forms of text that is copied or compared."""

STRICT = "strict"
"""The mode without the accidents of the released code; the other is released."""
WHOLE, DECOMPOSED = "whole", "decomposed"
"""How instructions are asked: as they are, or turn by turn."""
HEADING = "【模型回复中评分问题的评测对象】"
"""Below it a judge copies out of an answer what a rule is to decide."""
LABEL = "评分对象"
ALL, ABSENT, SEPARATOR = "all", "None", "||"
_TO_CHINESE = str.maketrans("!#$%&()*,.:;?\\^“”", '！＃＄％＆（）＊，。：；？＼＾""')


def part_name(language: str, split: str) -> str:
    """Returns the part of a language that is asked so, such as zh or zh-decomposed."""
    return language if split == WHOLE else f"{language}-{split}"


def language_and_split(part: str) -> tuple[str, str]:
    """Returns the language of a part, and how its instructions are asked.

    >>> language_and_split("zh-decomposed"), language_and_split("zh")
    (('zh', 'decomposed'), ('zh', 'whole'))
    """
    language, _, split = part.partition("-")
    return language, split or WHOLE


def normalised(text: str) -> str:
    """Returns the text with Chinese punctuation for ASCII's, and straight quotation marks."""
    return text.translate(_TO_CHINESE)
