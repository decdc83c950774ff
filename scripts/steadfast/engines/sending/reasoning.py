"""Separates a model's reasoning from its response, by the marks that models write.

Text that may be reasoning is never part of the response. Marks within code are plain text
(``engines.sending.dialects``). Each function takes time and memory in proportion to the text.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from steadfast.base.files import Settings
from steadfast.contract.request import ANSWERED, Response
from steadfast.engines.sending.dialects import DIALECTS, FACTS, Dialect, Tags, may_hold_marks


class Split(NamedTuple):
    """A text, separated; ``is_open``: its reasoning was truncated by the limit, or never ends."""

    answer: str
    reasoning: list[str]
    is_open: bool = False


def separate_reasoning(
    response: Response, settings: Settings | None, prefilled: bool | None
) -> Response:
    """A response with all reasoning moved from its text to its field ``reasoning``.

    Its status becomes unfinished, and its text empty, where the reasoning has no end, or where the
    text is empty and there was reasoning or the limit was hit.

    Args:
        response: as the engine returned it; a failed one is returned unchanged.
        settings: the model's ``reasoning`` in the config; reasoning is searched for without it too.
        prefilled: whether the prompt ends with a start tag; None: unknown. ``settings`` wins.

    >>> response = Response("ok", "<think>2+2</think>4")
    >>> separated = separate_reasoning(response, {"parser": "qwen3"}, False)
    >>> separated.reasoning, separated.text
    ('2+2', '4')
    """
    if response.status not in ANSWERED:
        return response
    if settings and settings.get("prefilled") is not None:
        prefilled = settings["prefilled"]
    truncated = response.status == "length"
    split = _split(response.text, settings, prefilled, response.reasoning or "", truncated)
    # A truncated response without marks may be all reasoning, where the prompt's end is unknown.
    unclear = truncated and settings is not None and prefilled is None and not split.reasoning
    # Fewer tokens of hidden reasoning than of the reply: the reasoning ended unseen.
    ended = 0 < (response.reasoning_tokens or 0) < (response.completion_tokens or 0)
    if unclear and not response.reasoning and not ended:
        split = Split("", [response.text], True)
    answer = _unwrapped(_bare(split.answer) if split.reasoning else split.answer, settings)
    reasoning = _joined(split.reasoning)
    if response.reasoning and reasoning != response.reasoning.strip():  # some servers give it twice
        reasoning = _joined([response.reasoning, reasoning])
    had_reasoning = bool(response.reasoning or response.reasoning_tokens or split.reasoning)
    if split.is_open or (not answer.strip() and (had_reasoning or truncated)):
        return replace(response, status="unfinished", text="", reasoning=reasoning or None)
    if (answer, reasoning or None) == (response.text, response.reasoning):
        return response
    return replace(response, text=answer, reasoning=reasoning or None)


def has_tag_pair(text: str) -> bool:
    """Whether a response contains tags that may mark reasoning after other text."""
    if not may_hold_marks(text):
        return False
    for dialect in DIALECTS.values():
        if dialect.words:  # such as "analysis", which any response may contain
            continue
        tags = Tags.of(text, dialect)
        for index, mark in enumerate(tags.marks):
            if mark.kind == "start" and tags.closing(index, dialect):
                return True
    return False


def start_tags(settings: Settings) -> tuple[str, ...]:
    """The start tags of reasoning with which a prompt may end, without white space after them."""
    starts: list[str] = []
    for dialect in _candidates(settings)[0]:
        starts += [mark.replace("…", "").rstrip() for mark in dialect.starts]
    return tuple(dict.fromkeys(starts))


def marks(settings: Settings) -> tuple[str, ...]:
    """The marks, in the pieces that may be special tokens of a tokenizer."""
    pieces: list[str] = []
    for dialect in _candidates(settings)[0]:
        pieces += dialect.tokens or dialect.marks
    return tuple(dict.fromkeys([*pieces, *_wrapper(settings)]))


def _candidates(settings: Settings | None) -> tuple[list[Dialect], bool]:
    """The dialects of marks that a model may write, and whether the config names them."""
    if settings and settings.get("tags"):
        start, end = settings["tags"]
        return [Dialect((start,), (end,))], True
    names = FACTS["parsers"][settings["parser"]] if settings and settings.get("parser") else ()
    return [DIALECTS[name] for name in names or DIALECTS], bool(names)


def _wrapper(settings: Settings | None) -> Sequence[str]:
    return FACTS["wrappers"].get(settings.get("parser"), ()) if settings else ()


def _split(
    text: str,
    settings: Settings | None,
    prefilled: bool | None,
    server_reasoning: str,
    truncated: bool,
) -> Split:
    dialects, named = _candidates(settings)
    if server_reasoning:  # the text may contain words such as "analysis", as any response may
        dialects = [dialect for dialect in dialects if not dialect.words]
        prefilled = False
        # The server may have left the end mark in the text.
        start = max((_after_end(text, dialect, 0) for dialect in dialects), default=0)
        text = text[start:].lstrip() if start else text
    own_tags = settings and settings.get("tags")
    if not (prefilled or own_tags or may_hold_marks(text)):
        dialects = [dialect for dialect in dialects if dialect.words]
    unseen = not server_reasoning and (settings is None or prefilled is None)
    begun = _begun(text, dialects, named, prefilled, server_reasoning, unseen)
    reasoning: list[str] = []
    if begun:
        text, dialects = begun
        end = _end(text, dialects)
        # In a truncated text, a nested end may close inner reasoning only, and code may go on.
        if end is None or (truncated and (end.nested or end.in_code)):
            return Split("", _pieces(text, dialects[0]), True)
        dialects = [dialects[end.rank]]
        reasoning = _pieces(text[: end.start], dialects[0])
        text = text[_after_end(text, dialects[0], end.stop) :]
    elif settings is None:
        return Split(text, [])
    is_open = False
    for dialect in dialects:  # later reasoning, between marks
        if named or begun or not dialect.words:
            outside = _without_pairs(text, dialect, truncated)
            if named or begun or outside.reasoning:
                text = outside.answer
                is_open = is_open or outside.is_open
                reasoning += outside.reasoning
    return Split(text, reasoning, is_open)


def _after_end(text: str, dialect: Dialect, stop: int) -> int:
    """Where a text continues after an end of reasoning and its repetitions."""
    repetition = dialect.repeated_end.match(text, stop)
    return repetition.end() if repetition else stop


def _begun(
    text: str,
    dialects: list[Dialect],
    named: bool,
    prefilled: bool | None,
    server_reasoning: str,
    unseen: bool,
) -> tuple[str, list[Dialect]] | None:
    """A text from where its first reasoning begins, and its possible dialects; None without one.

    Where the config names no dialect, ordinary words open no reasoning. Where the prompt's end is
    unknown (``unseen``), an end without a start shows that the text begins inside reasoning.
    """
    for dialect in dialects:
        opening = dialect.opening.match(text)
        if opening and (named or not dialect.words or _unmistakable(text, opening.end(), dialect)):
            return text[opening.end() :], [dialect]
    likely = [dialect for dialect in dialects if named or not dialect.words]
    if prefilled:
        return text, likely
    lone_ends = []
    for rank, dialect in enumerate(likely):
        continues = bool(server_reasoning) and Tags.of(server_reasoning, dialect).surplus > 0
        may_be_inside = unseen or continues or dialect.channels
        end = Tags.of(text, dialect).lone_end(dialect) if may_be_inside else None
        if end:
            lone_ends.append((end.start, rank))
    return (text, [likely[min(lone_ends)[1]]]) if lone_ends else None


def _unmistakable(text: str, stop: int, dialect: Dialect) -> bool:
    """Whether words that open a text are marks: an end follows, or no space separates the next."""
    stuck = text[stop - 1].isalnum() and text[stop : stop + 1].isalpha()
    return (stuck and not text[stop].islower()) or _end(text[stop:], [dialect]) is not None


class ReasoningEnd(NamedTuple):
    """An end of reasoning; ends are sorted from the most plausible on."""

    in_code: int  # as of a mark
    start: int
    rank: int  # of its dialect
    stop: int
    nested: bool  # whether the reasoning contains a start without an end


def _end(text: str, dialects: list[Dialect]) -> ReasoningEnd | None:
    """The end of the reasoning that a text begins inside: outside code, else within code."""
    ends: list[ReasoningEnd] = []
    for rank, dialect in enumerate(dialects):
        tags = Tags.of(text, dialect)
        if closing := tags.closing(-1, dialect):
            index, nested = closing
            mark = tags.marks[index]
            ends.append(ReasoningEnd(0, mark.start, rank, mark.stop, nested))
        for mark in tags.ends_in_code:
            ends.append(ReasoningEnd(mark.in_code, mark.start, rank, mark.stop, False))
    return min(ends, default=None)


def _without_pairs(text: str, dialect: Dialect, truncated: bool) -> Split:
    """A text that begins outside reasoning, without any later reasoning and frames."""
    answer: list[str] = []
    reasoning: list[str] = []
    tags = Tags.of(text, dialect)
    position = 0
    is_open = False
    for index, mark in enumerate(tags.marks):
        if mark.start < position:
            continue
        closing = tags.closing(index, dialect) if mark.kind == "start" else None
        if closing:
            end = tags.marks[closing[0]]
            nested = closing[1]
            answer.append(text[position : mark.start])
            reasoning += _pieces(text[mark.stop : end.start], dialect)
            position = _after_end(text, dialect, end.stop)
            is_open = is_open or (nested and truncated)
        elif mark.kind == "start" and (truncated or dialect.channels):
            answer.append(text[position : mark.start])
            reasoning += _pieces(text[mark.stop :], dialect)
            return Split("".join(answer), reasoning, is_open or truncated)
        elif mark.kind == "frame" or dialect.channels:
            answer.append(text[position : mark.start])
            position = mark.stop
    answer.append(text[position:])
    return Split("".join(answer), reasoning, is_open)


def _pieces(reasoning: str, dialect: Dialect) -> list[str]:
    """The pieces of reasoning, which may be in several channels."""
    if not dialect.channels:
        return [reasoning]
    return dialect.mark.split(reasoning)[:: dialect.mark.groups + 1]


def _joined(reasoning: Iterable[str]) -> str:
    return "\n".join(filter(None, map(str.strip, reasoning)))


def _bare(answer: str) -> str:
    """A response without white space and invisible characters around it."""
    return answer.strip().strip(FACTS["leaked"]["invisible"]).strip()


def _unwrapped(answer: str, settings: Settings | None) -> str:
    """A response without its parser's wrapper, whose end may be truncated."""
    wrapper = _wrapper(settings)
    inner = answer.strip()
    if not wrapper or not inner.startswith(wrapper[0]):
        return answer
    return inner.removeprefix(wrapper[0]).removesuffix(wrapper[1]).strip()
