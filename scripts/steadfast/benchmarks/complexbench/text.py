"""Text in the punctuation that questions and rules are written in."""

_TO_CHINESE = str.maketrans("!#$%&()*,.:;?\\^“”", '！＃＄％＆（）＊，。：；？＼＾""')


def normalised(text: str) -> str:
    """The text with Chinese punctuation for ASCII's, and straight quotation marks."""
    return text.translate(_TO_CHINESE)
