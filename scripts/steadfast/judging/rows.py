"""Verdicts in rows: numbered lines, tables, and sections that end in one, in any order."""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby
from typing import NamedTuple

from steadfast.judging import words
from steadfast.judging.styles import Claim, ItemIndex, Verdict, by_number, reasoned, without_json
from steadfast.judging.words import NUMERAL, REQUESTED, TICKS, UNIT, WORDS, without_blanks

_ENDING = 40  # characters at the end of a line in which its verdict stands
_ROW = 300  # characters of a line that is a row, or several, at most
_LEAD = 60  # characters of a line that introduces rows, at most
_NAMED = rf"(?:(?:{UNIT})\s*#?|第|#|no\.\s*|c(?=\d))\s*"
_COUNTED = rf"(?:\s*[条个项点])?(?:\s*(?:{UNIT}))?"
_NUMBERED = re.compile(
    rf"\[?(?:{_NAMED})?[(\[]?(?P<n>{NUMERAL})[)\]]?{_COUNTED}\s*\]?\s*(?:\([^()]{{0,80}}\))?\s*"
    r"(?:\.?\)|[.:,]|\.{3}|=+>?|->|→|⇒|-|–|—|(?:is|was)\b|(?<=[\])]))(?!\d)\s*(?P<rest>.*)"
    rf"|\[?{_NAMED}(?P<name>{NUMERAL}){_COUNTED}\]?[.:=-]?\s*(?P<named>.*)",
    re.IGNORECASE,
)
_ORDINAL = re.compile(rf"(?:the )?({'|'.join(words.ORDINALS)})\s*[:=-]\s*(.*)", re.IGNORECASE)
_LETTERED = re.compile(r"\(?([a-h]|i{1,3}|iv|v)[.):]\)?\s+(.*)", re.IGNORECASE)
_BARE_NUMBER = re.compile(r"(\d{1,2})(?:\s*[:=]\s*|\s+)(\S+)")
_LABELLED = re.compile(
    rf"(?:\[?(?:{words.LABEL})\]?\s*(?:is|为|是)?\s*(?:[:=|]|→|->)|→|->|=>)\s*(.*)", re.IGNORECASE
)
_LABEL_MARKS = frozenset(":=|→>")  # one of them stands behind each label
_LABEL_AT_END = re.compile(rf"[\s(,;.?—]*(?:{words.LABEL})?[\s(,;?—]*$", re.IGNORECASE)
_TICK = f"[{''.join(TICKS)}]"
_NEGATED = re.compile(r"\b(?:no|without|free of)\b|没有|无", re.IGNORECASE)
_LIST = re.compile(r"""\[[^\[\],]*,[^\[\]]*\]|\[\s*["'][^\[\]]*["']\s*\]""")
_SEPARATOR = re.compile(r"[|:\-\s]+")


@cache
def _ending(numeric: bool) -> re.Pattern[str]:
    """Matches a verdict at the end of a line, behind a mark, or more loosely behind a blank."""
    word = words.pattern(numeric)
    return re.compile(
        # A dash that touches a number is its sign.
        r"(?:(?P<mark>^|(?<!\d)[,.!;]|[:=(\[—|→⇒]|\s*\t|–\s|\s(?:-+\s|[-=]*[→⇒>]+)|\.{3,}"
        rf"|(?:{words.LABEL})\s*(?:为|is))|(?P<loose>\s|\\t|\?))\s*[\"'\[]?"
        rf"(?P<word>{_TICK}?\s*{word}\s*{_TICK}?(?:\s*\({word}\))?)[\"')\]]*\s*[,;]?\s*[.]*$",
        re.IGNORECASE,
    )


@cache
def _beginning(numeric: bool) -> re.Pattern[str]:
    """Matches a verdict at the beginning of a line, before a mark."""
    word = words.pattern(numeric)
    return re.compile(
        rf"\[\s*(?P<boxed>{word})\s*\]\s*(?P<of>\S.*)|(?P<tick>{_TICK})\s*(?P<ticked>\S.*)"
        rf"""|["'(]?(?P<word>{words.pattern()})["')]?\s*(?:[:,.;—–(]|-\s)\s*(?P<reason>\S.*)""",
        re.IGNORECASE,
    )


@cache
def _middle(numeric: bool) -> re.Pattern[str]:
    """Matches a verdict between what it is about and a reason."""
    word = words.pattern(numeric)
    return re.compile(
        rf"(?P<about>.{{0,160}}?)[:—\t|(]\s*(?P<word>{word})\)?\s*"
        r"(?:[,.;](?!\d)|[(—\t|:])\s*(?P<reason>\S.*)",
        re.IGNORECASE,
    )


@cache
def _inline(numeric: bool) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Matches several numbered verdicts in one line; the second pattern, each of them."""
    word = words.pattern(numeric)
    item = (
        rf"(?:\[?{_NAMED}(?:{NUMERAL}){_COUNTED}\]?\s*(?:[.:=-]|->|→|is\b|是)?"
        rf"|\(?(?:{NUMERAL}|[ivx]{{1,4}})(?:\)|\s*(?:[.:=-]|->|→|is\b))"
        rf"|(?:{NUMERAL}),(?=(?:{words.pattern()})))\s*\[?(?:{word})\]?(?![\w])"
    )
    parts = (
        rf"\[?(?:{_NAMED})?\(?(?P<n>{NUMERAL}|[ivx]{{1,4}})\)?{_COUNTED}"
        rf"\W*(?:is\b|是(?=\d))?\W*(?P<word>{word})"
    )
    lead = r"(?:[^\d:]{0,30}[:,]\s*)?"
    joint = r"(?:\s*[,;|]\s*|\s+)(?:and\s+|和)?"
    enumeration = rf"{lead}(?P<items>{item}(?:{joint}{item})+)\s*[.;]?"
    return re.compile(enumeration, re.IGNORECASE), re.compile(parts, re.IGNORECASE)


class _Row(NamedTuple):
    """A line's verdict, and what it is about, by its number or its words."""

    value: int | None
    number: int | None
    about: tuple[str, ...]
    hard: bool = False  # in the requested words
    loose: bool = False  # a verdict only on what is named word for word
    label: str = ""  # what stands before the verdict


def rows(
    numeric: bool,
    answer: str,
    text: str,
    item_index: ItemIndex = by_number,
    texts: Sequence[str] = (),
) -> Iterator[Claim]:
    """Rows with a verdict each; those on all items together are one claim.

    Args:
        numeric: whether numbers are verdicts too.
        answer: the judged response; what it contains is no verdict.
        text: of the reply, ``plain``.
        item_index: gives the index of the item that a row is about.
        texts: names of all judged items, where the judge has to repeat them: then a verdict on
            anything else makes the reply ambiguous.
    """
    reader = _Reader(numeric, answer, item_index, texts)

    def is_table_row(line: tuple[str, int]) -> bool:
        return "|" in line[0] and not _items(line[0], numeric)

    for is_table, block in groupby(words.lines(without_json(text)), is_table_row):
        if is_table:
            reader.read_table(list(block))
        else:
            for line, stop in block:
                reader.read_line(line, stop)
    yield from reader.claims()


class _Reader:
    """Reads lines one after the other, and keeps the heading above them."""

    def __init__(self, numeric: bool, answer: str, item_index: ItemIndex, texts: Sequence[str]):
        self._numeric = numeric
        self._item_index = item_index
        self._answer_lines = words.squeezed_lines(answer)
        self._name_lines: set[str] = set()  # lines of the names of all items
        for text in texts:
            self._name_lines |= {without_blanks(line).rstrip(".") for line, _ in words.lines(text)}
        self._height = max((text.count("\n") for text in texts), default=0) + 1
        self._before: list[str] = []  # lines that may begin an item's name
        self._heading: _Row | None = None
        self._lead = ""
        self._bare: list[Verdict] = []  # verdicts alone in lines that follow each other
        self._passes: list[list[Verdict]] = [[]]  # a judge may begin anew
        self._judged_items: set[int] = set()  # of the last pass
        self._claims: list[Claim] = []
        self._end = 0
        self._soft = False

    def claims(self) -> Iterator[Claim]:
        self._end_of_bare()
        yield from self._claims
        for verdicts in self._passes:
            if verdicts:
                yield Claim(tuple(verdicts), self._end, self._soft)

    # A line is, in this order: several rows in one; a verdict alone; a label with a verdict; a row;
    # else the heading of what follows, or what introduces it.
    def read_line(self, line: str, stop: int) -> None:
        if items := _items(line, self._numeric):
            self._doubt_if(self._is_in_answer(line) or words.is_negative(self._lead), stop)
            for verdict in items:
                self._add(verdict, stop, soft=False)
            return
        value = words.verdict(line, self._numeric) if len(line) < _ENDING else None
        if value is not None:
            self._doubt_if(self._is_in_answer(line), stop)
            self._bare.append(Verdict(value))
            self._end = stop
            return
        self._end_of_bare()
        may_be_labelled = len(line) < _ROW and not _LABEL_MARKS.isdisjoint(line)
        labelled = _LABELLED.fullmatch(line) if may_be_labelled else None
        value = self._verdict_with_reason(labelled[1]) if labelled else None
        if value is not None:
            self._doubt_if(self._is_in_answer(line), stop)
            if self._heading:
                self._under_heading(self._heading, value, stop)
            elif not self._numeric:
                self._add(Verdict(value), stop, soft=False)
            return
        self._read_row(line, stop)
        if self._height > 1:
            self._before = [*self._before, line][-self._height :]

    def _end_of_bare(self) -> None:
        """Takes several lines of verdicts alone as all verdicts, and one as that of its heading."""
        bare = self._bare
        if not bare:
            return
        self._bare = []
        if len(bare) == 1 and self._heading:
            self._under_heading(self._heading, bare[0].value, self._end)
        elif len(bare) > 1 and not self._numeric:
            self._doubt_if(self._introduced_otherwise(), self._end)
            self._claims.append(Claim(tuple(bare), self._end))

    def _verdict_with_reason(self, text: str) -> int | None:
        value = words.verdict(text, self._numeric)
        match = _beginning(self._numeric).fullmatch(text) if value is None else None
        if match and match["word"]:
            return reasoned(match["word"], match["reason"], self._numeric)
        return value

    def _under_heading(self, heading: _Row, value: int, stop: int) -> None:
        verdict = Verdict(value, heading.number, heading.about)
        last = self._passes[-1][-1:]
        if last and last[0][1:] == verdict[1:]:  # a second verdict on the same
            self._doubt_if(last[0].value != value, stop)
        else:
            self._add(verdict, stop, soft=True)

    def _read_row(self, line: str, stop: int) -> None:
        row = self._row(line)
        verdict = Verdict(row.value or 0, row.number, row.about)
        index = self._item_index(verdict)
        names_item = index is not None and index != -1
        if row.value is None or (row.loose and not (names_item and self._name_lines)):
            if names_item:
                self._heading = row
            elif len(line) < _LEAD and line.endswith((":", "?")):
                self._lead = self._lead if row.about[0].startswith(("-", ">")) else line
            return
        if not names_item:
            is_name = without_blanks(line).rstrip(".") in self._name_lines
            is_repeated = is_name or self._is_in_answer(line)
            self._doubt_if(bool(self._name_lines) and row.hard and not is_repeated, stop)
            return
        # An item's name may be negative ("no violations"), which reverses no verdict.
        named = self._name_lines and self._item_index(Verdict(0, None, row.about)) is not None
        is_reversed = False
        if not named:
            is_reversed = words.is_negative(row.label) and not _NEGATED.search(row.label)
        self._doubt_if(
            is_reversed or self._is_in_answer(line) or self._introduced_otherwise(), stop
        )
        self._heading = None
        self._add(verdict, stop, soft=not row.hard)

    def _is_in_answer(self, line: str) -> bool:
        return without_blanks(line) in self._answer_lines

    def _introduced_otherwise(self) -> bool:
        return words.is_negative(self._lead) or words.is_disclaimed(self._lead)

    def _row(self, line: str) -> _Row:
        """Reads a line as a row; without a value where it has no verdict."""
        number, behind = _number(line)
        if len(line) < _ROW and not ("[" in line and _LIST.search(line)):
            value = words.verdict(behind, self._numeric) if number is not None else None
            if value is not None:
                return _Row(value, number, (line,), behind.casefold() in REQUESTED)
            if row := _row_at_end(line, self._numeric):
                head = row.about[1]  # all that stands before the verdict
                return row._replace(about=(*row.about, *self._with_lines_before(head)))
            row = self._in_the_middle(line, number) or self._at_beginning(line, behind, number)
            if row:
                return row
        heads = [line, behind] if number is not None else [line]
        return _Row(None, number, (*heads, *self._with_lines_before(line)))

    def _with_lines_before(self, text: str) -> Iterator[str]:
        """Yields a text behind the one line before it, behind the two before it, and so on."""
        for count in range(1, self._height):
            yield "".join(self._before[-count:]) + text

    def _in_the_middle(self, line: str, number: int | None) -> _Row | None:
        match = _middle(self._numeric).fullmatch(line)
        if not match:
            return None
        word = match["word"].casefold()
        head = match["about"]
        names = (head, _number(head)[1])
        if words.verdict(names[1], self._numeric) is not None:  # "Yes: no, it is not"
            return None
        value = reasoned(word, match["reason"], self._numeric)
        loose = word not in WORDS  # a number may count something
        return None if value is None else _Row(value, number, names, False, loose, head)

    def _at_beginning(self, line: str, rest: str, number: int | None) -> _Row | None:
        form = _beginning(self._numeric)
        match = form.fullmatch(rest) or form.fullmatch(line)
        if not match:
            return None
        word = match["boxed"] or match["tick"] or match["word"]
        reason = match["of"] or match["ticked"] or match["reason"]
        inner_number, inner = _number(reason)
        names = (reason, inner)
        value: int | None = words.vocabulary(self._numeric)[word.casefold()]
        if inner_number is not None and number is None:
            number = inner_number
        if self._item_index(Verdict(0, None, names)) is None:
            value = reasoned(word, reason, self._numeric)
        loose = word.casefold() not in WORDS
        return None if value is None else _Row(value, number, names, False, loose)

    def read_table(self, block: list[tuple[str, int]]) -> None:
        """Reads a table of which one column has a verdict in each row."""
        self._end_of_bare()
        grid = [list(map(str.strip, line.strip("| ").split("|"))) for line, _ in block]
        separators = (row for row, (line, _) in enumerate(block) if _SEPARATOR.fullmatch(line))
        start = next(separators, -1) + 1  # of the body
        header = grid[start - 2] if start >= 2 else []
        body = grid[start:]
        width = min(map(len, body), default=0)
        if width < 2 or max(map(len, body)) > width:
            return
        columns = list(zip(*body, strict=True))
        numbers = list(map(_cell_number, columns[0]))
        numbered = sorted(number or 0 for number in numbers) == list(range(1, len(body) + 1))
        verdicts = {}
        for index, column in enumerate(columns):
            if index or not numbered:  # 1 and 0 in a column of numbers are no verdicts
                verdicts[index] = [words.verdict(cell, self._numeric) for cell in column]
        values = {index: column for index, column in verdicts.items() if None not in column}
        if not values or len(values) == width:  # of one row: verdicts with bars between
            return
        first = next(iter(values))
        stop = block[-1][1]
        headings = [header[index] for index in values if index < len(header)]
        damaged = not numbered and 0 not in values and any(numbers)
        # One of several columns of verdicts may be another judge's, or a draft.
        unfinished = any(set(column) > {None} for column in verdicts.values())
        differing = any(column != values[first] for column in values.values())
        self._doubt_if(unfinished or damaged or differing, stop)
        self._doubt_if(any(map(words.is_negative, headings)) or self._introduced_otherwise(), stop)
        rows_of_block = zip(block[start:], body, numbers, values[first], strict=True)
        for (line, end), cells, number, value in rows_of_block:
            self._doubt_if(self._is_in_answer(line), end)
            names = tuple(cell for index, cell in enumerate(cells) if index not in values)
            hard = cells[first].casefold() in REQUESTED
            self._add(Verdict(value or 0, number if numbered else None, names), end, soft=not hard)

    def _doubt_if(self, doubtful: bool, stop: int) -> None:
        if doubtful:
            self._claims.append(Claim((), stop))

    def _add(self, verdict: Verdict, stop: int, soft: bool) -> None:
        index = self._item_index(verdict)
        if index in self._judged_items:  # the judge begins anew
            self._passes.append([])
            self._judged_items.clear()
        if index is not None:
            self._judged_items.add(index)
        self._passes[-1].append(verdict)
        self._soft |= soft
        self._end = stop


def _row_at_end(line: str, numeric: bool) -> _Row | None:
    """Reads a line whose verdict stands at its end."""
    if not words.ends_in_verdict(line, numeric):
        return None
    match = _ending(numeric).search(line[-_ENDING:])
    value = words.verdict(match["word"], numeric) if match else None
    if not match or value is None:
        return None
    number, rest = _number(line)
    before = rest[: -len(match[0])].strip().casefold()
    named = match["mark"] == ":" and before not in REQUESTED  # "Satisfied: no" has a label
    if not named and words.verdict(before, numeric) not in (None, value):
        return None  # "Yes = violated"
    head = line[: max(0, len(line) - _ENDING) + match.start()]
    names = [_LABEL_AT_END.sub("", head), head]
    if number is not None:
        names += [_number(name)[1] for name in names]
    word = match["word"].casefold()
    hard = word in REQUESTED or (word in words.vocabulary(numeric) and word not in WORDS)
    loose = match["mark"] is None and match["word"].strip() not in TICKS
    return _Row(value, number, tuple(names), hard and not loose, loose, head[-_ENDING:])


def _number(line: str) -> tuple[int | None, str]:
    """The number that a line begins with, and what follows it."""
    if match := _NUMBERED.fullmatch(line):
        if match["n"]:
            return words.number(match["n"]), match["rest"]
        return words.number(match["name"]), match["named"]
    if match := _ORDINAL.fullmatch(line):
        return words.ORDINALS[match[1].casefold()], match[2]
    if match := _LETTERED.fullmatch(line):
        return words.number(match[1]), match[2]
    if (match := _BARE_NUMBER.fullmatch(line)) and words.verdict(match[2], True) is not None:
        return int(match[1]), match[2]
    return None, line


def _items(line: str, numeric: bool) -> Sequence[Verdict]:
    """The numbered verdicts of a line that has several; most lines have none."""
    enumeration, part = _inline(numeric)
    match = enumeration.fullmatch(line) if len(line) < _ROW else None
    if not match:
        return ()
    verdicts = []
    for item in part.finditer(match["items"]):
        value = words.vocabulary(numeric)[item["word"].casefold()]
        verdicts.append(Verdict(value, words.number(item["n"])))
    return verdicts


def _cell_number(cell: str) -> int | None:
    if cell.rstrip(".)").isdecimal():
        return int(cell.rstrip(".)"))
    return _number(cell)[0]
