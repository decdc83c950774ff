"""The sheet of what to label: as CSV, and as a page that needs no network."""

import csv
import io
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from steadfast.base.files import Record, read_text, write_text
from steadfast.base.resources import resource
from steadfast.label.draw import ToLabel
from steadfast.stats.raters import SHEET


def write_sheet(answers: Sequence[ToLabel], title: str, folder: Path, name: str) -> list[Path]:
    """Writes ``{name}.csv`` and ``{name}.html``, and returns them.

    Neither has a verdict or a score. The page does not show whose answer it is.
    """
    sheet, page = (folder / f"{name}.{kind}" for kind in ("csv", "html"))
    write_text(sheet, "\ufeff" + _csv(answers))  # so that spreadsheets take it for UTF-8
    data = {"title": title, "name": name, "answers": list(map(_shown, answers))}
    text = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c")
    html = read_text(resource("label/page.html"))
    write_text(page, html.replace("{{data}}", text))
    return [sheet, page]


def _csv(answers: Iterable[ToLabel]) -> str:
    text = io.StringIO()
    rows = csv.DictWriter(text, SHEET, lineterminator="\n")
    rows.writeheader()
    for one in answers:
        for question in one.questions:
            rows.writerow(
                {
                    "instruction": _safe(one.instruction),
                    "answer": _safe(one.answer),
                    "asked": _safe(question.text),
                    "verdict": "",
                    "rater": "",
                    "question": question.key,
                    "sample_id": one.sample_id,
                    "model": one.model,
                }
            )
    return text.getvalue()


def _safe(text: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t")) else text


def _shown(one: ToLabel) -> Record:
    return one._asdict() | {"questions": [question._asdict() for question in one.questions]}
