"""Each corpus is read as its authors publish it, and as its mirrors do, wherever it lies below its
folder; small files in each format, whose fields are those of the published ones."""

import csv
import io
import json

import pyarrow
import pytest
from pyarrow import parquet

from steadfast.base.errors import UserError
from steadfast.corpora import local


def lines(*records):
    return "".join(json.dumps(record) + "\n" for record in records)


def sheet(*records):
    out = io.StringIO()
    writer = csv.DictWriter(out, list(records[0]))
    writer.writeheader()
    writer.writerows(records)
    return out.getvalue()


def columns(*records):
    out = io.BytesIO()
    parquet.write_table(pyarrow.Table.from_pylist(list(records)), out)
    return out.getvalue()


INSTRUCTION = {"instruction": "Name a sea.", "input": "", "output": "The Red Sea."}

ESSAY = {"id": "love", "title": "On Work", "date": "July 2023", "text": "Do it.\n\nAnd rest [1]."}


def section(title, paragraphs, *subsections):
    return {"section_title": title, "paragraphs": paragraphs, "subsections": list(subsections)}


GAO = {
    "report": [section("Letter", ["Dear Sir,", "Thanks."], section("Background", ["Long ago."]))],
    "highlight": [{"section_title": "What GAO Found", "paragraphs": ["Much."]}],
    "title": "Ports",
    "released_date": "2018-02-06T00:00:00",
    "id": "GAO_GAO-18-1",
}
CRS = {
    "reports": section("", [], section("Introduction", ["Once."]), section("Conclusion", ["So."])),
    "summary": ["Much."],
    "title": "Roads",
    "released_date": "2014-02-07T00:00:00",
    "id": "CRS_RL1",
}

ARTICLE = """[SN]URL[SN]
http://web.archive.org/news/123

[SN]TITLE[SN]
A title

[SN]FIRST-SENTENCE[SN]
The summary.

[SN]RESTBODY[SN]
Share this with
Email
The lake froze.
It thawed.
"""

MEETING = {
    "topic_list": [{"topic": "Tests", "relevant_text_span": [["0", "1"]]}],
    "general_query_list": [{"query": "Summarize the meeting", "answer": "They tested."}],
    "specific_query_list": [],
    "meeting_transcripts": [
        {"speaker": "Grad A", "content": "Hello ?"},
        {"speaker": "PhD B", "content": "Channel one ."},
    ],
}
TURNS = "Grad A: Hello ?\nPhD B: Channel one ."
OTHER = MEETING | {"meeting_transcripts": [{"speaker": "Grad A", "content": "Bye ."}]}

# corpus, files, and of each record id, title, date and text
PUBLISHED = {
    "Stanford's": (
        "alpaca",
        {"alpaca_data.json": json.dumps([INSTRUCTION], indent=4)},
        [("alpaca-000000", None, None, "Name a sea.")],
    ),
    "the cleaned one before Stanford's": (
        "alpaca",
        {
            "alpaca_data.json": "[]",
            "clean/alpaca_data_cleaned.json": json.dumps([INSTRUCTION]),
        },
        [("alpaca-000000", None, None, "Name a sea.")],
    ),
    "Stanford's on the hub": (
        "alpaca",
        {"data/train-00000-of-00001-a09b74.parquet": columns(INSTRUCTION)},
        [("alpaca-000000", None, None, "Name a sea.")],
    ),
    "essays on the hub": (
        "paul_graham",
        {"pual_graham_essays.csv": sheet(ESSAY)},
        [tuple(ESSAY.values())],
    ),
    "essays as texts": (
        "paul_graham",
        {"PaulGrahamEssays/love.txt": "Do it.\n"},
        [("love", "love", None, "Do it.")],
    ),
    "the archive of GovReport's authors": (
        "govreport",
        {
            "gov-report/gao/GAO-18-1.json": json.dumps(GAO),
            "gov-report/crs/RL1.json": json.dumps(CRS, indent=2),
            "gov-report/split_ids/gao_train.ids": "GAO-18-1\n",
        },
        [
            ("CRS_RL1", "Roads", "2014-02-07T00:00:00", "Introduction\nOnce.\nConclusion\nSo."),
            (
                "GAO_GAO-18-1",
                "Ports",
                "2018-02-06T00:00:00",
                "Letter\nDear Sir,\nThanks.\nBackground\nLong ago.",
            ),
        ],
    ),
    "GovReport's authors on the hub": (
        "govreport",
        {"data/crs_train.jsonl": lines(CRS), "data/crs_test.jsonl": lines(GAO)},
        [("CRS_RL1", None, None, "Introduction\nOnce.\nConclusion\nSo.")],
    ),
    "GovReport with documents on the hub": (
        "govreport",
        {"train-0.parquet": columns({"id": "GAO_1", "document": "Long.", "summary": "S"})},
        [("GAO_1", None, None, "Long.")],
    ),
    "GovReport's mirror": (
        "govreport",
        {
            "document/train-0.parquet": columns({"report": "Long.", "summary": "S"}),
            "document/test-0.parquet": columns({"report": "Other.", "summary": "S"}),
        },
        [("govreport-000000", None, None, "Long.")],
    ),
    "the archive of XSum's authors": (
        "xsum",
        {"bbc-summary-data/123.summary": ARTICLE},
        [("123", "123", None, "The lake froze.\nIt thawed.")],
    ),
    "what the scripts of XSum's authors make": (
        "xsum",
        {
            "xsum-extracts-from-downloads/123.data": "[XSUM]URL[XSUM]\nhttp://x\n\n"
            "[XSUM]INTRODUCTION[XSUM]\nThe summary.\n\n[XSUM]RESTBODY[XSUM]\nThe lake froze.\n"
        },
        [("123", "123", None, "The lake froze.")],
    ),
    "XSum on the hub": (
        "xsum",
        {
            "data/train-0.parquet": columns({"document": "Ice.", "summary": "S", "id": "123"}),
            "data/test-0.parquet": columns({"document": "Sun.", "summary": "S", "id": "124"}),
        },
        [("123", "123", None, "Ice.")],
    ),
    "XSum's mirror": (
        "xsum",
        {"train.csv": sheet({"dialogue": "Ice.", "summary": "S", "id": "123"})},
        [("123", "123", None, "Ice.")],
    ),
    "a clone of QMSum": (
        "qmsum",
        {
            "data/ALL/train/Bro016.json": json.dumps(MEETING, indent=4),
            "data/ALL/jsonl/train.jsonl": lines(MEETING),
            "data/Academic/all/Bro016.json": json.dumps(MEETING),
            "data/ALL/val/Bro011.json": json.dumps(OTHER),
        },
        [("Bro016", "Bro016", None, TURNS), ("Bro011", "Bro011", None, "Grad A: Bye .")],
    ),
    "lines of QMSum": (
        "qmsum",
        {"jsonl/train.jsonl": lines(MEETING, OTHER)},
        [("qmsum-000000", None, None, TURNS), ("qmsum-000001", None, None, "Grad A: Bye .")],
    ),
    "QMSum's mirror": (
        "qmsum",
        {
            f"{folder}/train-0.parquet": columns({"id": "tr-sq-1", "pid": "1", "input": text})
            for folder, text in (("data", "Why?\nA: So."), ("no-prefix", "A: So."))
        },
        [("tr-sq-1", "tr-sq-1", None, "Why?\nA: So.")],
    ),
}


def put(folder, files):
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        body = content.encode() if isinstance(content, str) else content
        (folder / name).write_bytes(body)


@pytest.mark.parametrize("published", PUBLISHED)
def test_a_corpus_is_read_as_it_is_published(tmp_path, published):
    corpus, files, expected = PUBLISHED[published]
    put(tmp_path / corpus, files)
    records = list(local.corpus({}, corpus, str(tmp_path)))
    assert [tuple(record.values()) for record in records] == expected


def test_a_field_of_one_s_own_config_may_hold_parts_too(tmp_path):
    put(tmp_path, {"mine.jsonl": lines(MEETING)})
    fields = {"text": "meeting_transcripts"}
    (record,) = local.corpus({}, "qmsum", str(tmp_path), "mine.jsonl", fields)
    assert record["text"] == TURNS


@pytest.mark.parametrize("value", [7, {"words": ["One."]}, [["One."], 7]])
def test_parts_of_another_kind_are_no_text(tmp_path, value):
    put(tmp_path, {"mine.jsonl": lines({"body": value})})
    with pytest.raises(UserError, match=r"mine\.jsonl:1: field 'body' is .*, not a string"):
        list(local.corpus({}, "xsum", str(tmp_path), "mine.jsonl", {"text": "body"}))


def test_a_corpus_that_is_nowhere_names_where_it_was_looked_for(tmp_path):
    with pytest.raises(UserError, match=r"no file in .* matches .*qmsum/\*\*/ALL/jsonl/"):
        list(local.corpus({}, "qmsum", str(tmp_path)))
