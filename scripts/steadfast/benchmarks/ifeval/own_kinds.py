"""Verifiers of the synthetic prompts' instructions, which need no further package.

Nine of IFEval's 25 kinds, with its names, arguments and verdicts.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

WORD = re.compile(r"\w+")


def _words(text: str, relation: str, num_words: int) -> bool:
    words = len(WORD.findall(text))
    return words < num_words if relation == "less than" else words >= num_words


def _bullets(text: str, num_bullets: int) -> bool:
    lines = [line.lstrip() for line in text.split("\n")]
    stars = [line for line in lines if line[:1] == "*" and line[1:2] not in ("", "*")]
    return len(stars) + sum(line.startswith("-") for line in lines) == num_bullets


def _placeholders(text: str, num_placeholders: int) -> bool:
    placeholders = 0
    for line in text.split("\n"):
        end = 0
        # Each [ with the next ] behind it; find gives −1, so that end is 0, where there is none.
        while (start := line.find("[", end)) >= 0 and (end := line.find("]", start) + 1):
            placeholders += 1
    return placeholders >= num_placeholders


def _title(text: str) -> bool:
    for line in text.split("\n"):
        start = line.find("<<")
        end = line.rfind(">>")
        if 0 <= start < end and line[start:end].lstrip("<").rstrip(">").strip():
            return True
    return False


def _keywords(text: str, keywords: list[str]) -> bool:
    return all(word.lower() in text.lower() for word in keywords)


def _forbidden(text: str, forbidden_words: list[str]) -> bool:
    patterns = [rf"\b{re.escape(word)}\b" for word in forbidden_words]
    return not any(re.search(pattern, text, re.IGNORECASE) for pattern in patterns)


def _end(text: str, end_phrase: str) -> bool:
    return text.strip().strip('"').lower().endswith(end_phrase.strip().lower())


def _quoted(text: str) -> bool:
    text = text.strip()
    return len(text) > 1 and text.startswith('"') and text.endswith('"')


# By kind, whether a text follows an instruction with the given arguments.
KINDS: Mapping[str, Callable[..., bool]] = {
    "punctuation:no_comma": lambda text: "," not in text,
    "length_constraints:number_words": _words,
    "detectable_format:number_bullet_lists": _bullets,
    "detectable_format:title": _title,
    "detectable_content:number_placeholders": _placeholders,
    "keywords:existence": _keywords,
    "keywords:forbidden_words": _forbidden,
    "startend:end_checker": _end,
    "startend:quotation": _quoted,
}


def own_verifier(kind: str, kwargs: Mapping[str, Any], prompt: str) -> Callable[[str], bool]:
    """Returns the verifier of an instruction of ``KINDS``."""
    return lambda text: KINDS[kind](text, **kwargs)
