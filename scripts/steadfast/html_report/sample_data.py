"""Tables and samples as plain values, which the page's script shows."""

import csv
import hashlib
import io
import json
from dataclasses import asdict, dataclass
from typing import Any

from steadfast.base.files import Record, Settings, canonical_json
from steadfast.html_report.view_sample import SampleView
from steadfast.jobs.finished import FinishedAnswer, JudgedRequest
from steadfast.show.passages import marked
from steadfast.show.render import Printed
from steadfast.show.table import Cell, Table

START = 400  # characters of a context that are shown where the instruction is about no position
DIGITS = 6  # decimals of points
ENCODER = json.JSONEncoder(ensure_ascii=False)


@dataclass(frozen=True)
class Cut:
    """Texts with at most so many characters, the rest being left out of their middle."""

    most: int | None = None  # of an instruction, an answer, a reply; None: all
    aside: int | None = None  # of reasoning, of the data, of a judge's prompt

    @property
    def about(self) -> Record | None:
        """The cut for the page; None where nothing is cut."""
        return None if self == Cut() else asdict(self)

    def __call__(self, text: str) -> str | list[str | int]:
        """Returns a text; of a long one start, end, and the count of characters between."""
        if self.most is None or len(text) <= self.most:
            return text
        end = self.most // 3  # the start says more of a text than its end
        start = self.most - end
        return [text[:start], len(text) - self.most, text[len(text) - end :]]

    def less(self, text: str) -> str | list[str | int]:
        """Returns a text of secondary interest, cut to ``aside``."""
        return Cut(self.aside)(text)


def sample_data(seen: SampleView, cut: Cut) -> Record:
    """The prompt, and the reference answer."""
    data: Record = {"instruction": cut(seen.sample.prompt["instruction"])}
    if seen.before:
        data["before"] = list(map(cut, seen.before))
    if seen.passages is None:
        data["fields"] = [[name, cut.less(as_text(value))] for name, value in seen.fields.items()]
    else:
        places, hidden = marked(seen.passages)
        if places:
            data |= {"places": list(map(list, places)), "more": hidden}
        else:
            text = seen.passages.text
            data |= {"start": text[:START], "length": len(text)}
    data["expected"] = cut(seen.expected)
    return data


def sample_row(seen: SampleView) -> list[str]:
    """A sample's name, task, and a digest of prompt and reference answer, to compare two runs."""
    checksum = hashlib.sha256()
    texts = [seen.sample.prompt["instruction"], *seen.before, seen.expected]
    texts.append(canonical_json(seen.fields) if seen.passages is None else seen.passages.text)
    for text in texts:
        # The zero separates texts: "ab", "c" is another sample than "a", "bc".
        checksum.update(text.encode("utf-8", "surrogatepass") + b"\0")
    return [seen.sample.id, seen.sample.prompt["task"], checksum.hexdigest()[:10]]


def answer_data(seen: FinishedAnswer, cut: Cut) -> Record:
    """The response, its score, and the judges' replies; what is absent has no key."""
    output: Settings = seen.output or {}
    fields = {
        "status": output.get("status"),
        "prompt_truncated": output.get("prompt_truncated_tokens"),
        "error": cut(output.get("error") or ""),
        "text": cut(output.get("response") or ""),
        "reasoning": cut.less(output.get("reasoning") or ""),
        "score": seen.score and {**_score(seen.score, cut), "judge": seen.score["judge"]},
        "judged": [_judged(request, cut) for request in seen.judged],
    }
    return {name: value for name, value in fields.items() if value}


def _score(score: Settings, cut: Cut) -> Record:
    points = score["points"] or {}
    fields: Record = {"status": score["status"], "total": score["total"], "points": points}
    if score.get("extracted") is not None:
        fields["extracted"] = cut(as_text(score["extracted"]))
    if ratings := score.get("other_raters"):
        fields["others"] = {rater: _score(rating, cut) for rater, rating in ratings.items()}
    return fields


def _judged(request: JudgedRequest, cut: Cut) -> Record:
    replies: Record = {}
    for judge, reply in request.replies.items():
        replies[judge] = {"status": reply["status"], "text": cut(reply["response"] or "")}
        if reply["reasoning"]:
            replies[judge]["reasoning"] = cut.less(reply["reasoning"])
    return {"asked": cut.less(request.tail.strip()), "replies": replies}


def answer_row(seen: FinishedAnswer) -> list[Any]:
    """The fields that responses are filtered by: status, total, points, 1 if raters differ."""
    score = seen.score
    if score is None:
        return [seen.output["status"] if seen.output else "not requested", None, None, 0]
    totals = {rating["total"] for rating in (score, *score["other_raters"].values())}
    points = {name: _round(value) for name, value in (score["points"] or {}).items()}
    return [score["status"], _round(score["total"]), points or None, int(len(totals) > 1)]


def _round(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)


def as_text(value: object) -> str:
    """Returns a text as it is, and any other value as JSON."""
    return value if isinstance(value, str) else ENCODER.encode(value)


def table_data(table: Table | Printed) -> Record:
    """A table as plain values; a cell is a text, or an object where there is more to it."""
    if isinstance(table, Printed):
        return _printed_data(table)
    sections = []
    for section in table.sections:
        rows = [list(map(_cell, cells)) for cells in section.rows]
        sections.append({"heading": section.heading, "printed": section.printed, "rows": rows})
    return {
        "name": table.name,
        "caption": table.full_caption,
        "columns": [[column.group, column.heading, column.align] for column in table.columns],
        "sections": sections,
        "notes": list(map(list, table.notes)),
    }


def _cell(cell: Cell) -> Record | str | None:
    look = {"style": cell.style, "suffix": cell.suffix, "marks": list(cell.marks)}
    return {"text": cell.text, **look} if any(look.values()) else cell.text


def _printed_data(table: Printed) -> Record:
    """A rendered page as plain values: its CSV, and the first line of its Markdown."""
    head, *rows = csv.reader(io.StringIO(table.csv))
    return {
        "name": table.name,
        "caption": table.md.split("\n", 1)[0].lstrip("# "),
        "columns": [["", heading, "l"] for heading in head],
        "sections": [{"heading": "", "printed": False, "rows": rows}],
        "notes": [],
    }
