"""Mode strict: a judge's reply is read as a whole or not at all.

Every checkpoint has to be there exactly once, in order, each followed by a TAB and 0 or 1. What
changes no meaning is let pass: blanks, line ends of any kind, blank lines, an enumeration, bold
type, a final full stop. Anything else, such as a sentence before or after, makes it unreadable.
"""

import re
from collections.abc import Sequence

ENUMERATION = re.compile(
    r"^(?:[-*•]|[(（]?\d{1,2}[.．、)）:：])(?!\d)"
)  # no "1.5", "10:30" or "-5"
STOPS = ".。．"
VERDICT = re.compile(rf"(\d)[{STOPS}]?")


def read_verdicts(texts: Sequence[str], reply: str) -> list[int] | str:
    """1 or 0 of each checkpoint, or in one clause why the reply cannot be read."""
    if not reply.strip():
        return "the reply is empty"
    wanted = [_plain(text) for text in texts]
    verdicts: list[int] = []
    lines: list[str] = []  # of a checkpoint that is not yet complete
    for line in reply.splitlines():
        before, tab, after = line.rstrip().rpartition("\t")
        verdict = _verdict(after) if tab else None
        lines.append(line if verdict is None else before)
        if verdict is None:
            continue
        place = len(verdicts)
        if place == len(texts):
            return f"there are more than {len(texts)} verdicts"
        if not _names(_plain("\n".join(lines)), wanted[place], wanted):
            return f"verdict {place + 1} is not of checkpoint {place + 1}"
        verdicts.append(verdict)
        lines = []
    if len(verdicts) < len(texts):
        return f"there are {len(verdicts)} verdicts for {len(texts)} checkpoints"
    return "there is text after the last verdict" if "".join(lines).strip() else verdicts


def _verdict(text: str) -> int | None:
    found = VERDICT.fullmatch(_unmarked(text))
    return int(found[1]) if found and int(found[1]) in (0, 1) else None


def _names(words: str, text: str, wanted: Sequence[str]) -> bool:
    """Whether a judge's words are this checkpoint's, and of no other that is wanted.

    A judge may put an enumeration before it, or change its own where that leaves no doubt.
    """
    if words == text or (words.endswith(text) and ENUMERATION.fullmatch(words.removesuffix(text))):
        return True
    bare = ENUMERATION.sub("", words)
    return {other for other in wanted if ENUMERATION.sub("", other) == bare} == {text}


def _plain(text: str) -> str:
    return _unmarked(text).rstrip(STOPS)


def _unmarked(text: str) -> str:
    return "".join(text.split()).replace("**", "").replace("__", "")
