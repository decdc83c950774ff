"""Each corpus is read in the formats of its authors and of its mirrors, anywhere below its folder.

Small files in each format, with the fields of the published ones.
"""

import json

import pytest

from corpus_formats import csv_file, json_lines, parquet_file
from steadfast.base.errors import UserError
from steadfast.corpora import local
from steadfast.corpora.documents import joined_parts

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
MEETING_TEXT = "Grad A: Hello ?\nPhD B: Channel one ."
SECOND_MEETING = MEETING | {"meeting_transcripts": [{"speaker": "Grad A", "content": "Bye ."}]}

QMSUM_RECORD = {"id": "tr-sq-1", "pid": "1", "input": "Why?\nA: So."}

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
        {"data/train-00000-of-00001-a09b74.parquet": parquet_file(INSTRUCTION)},
        [("alpaca-000000", None, None, "Name a sea.")],
    ),
    "essays on the hub": (
        "paul_graham",
        {"pual_graham_essays.csv": csv_file(ESSAY)},
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
        {"data/crs_train.jsonl": json_lines(CRS), "data/crs_test.jsonl": json_lines(GAO)},
        [("CRS_RL1", None, None, "Introduction\nOnce.\nConclusion\nSo.")],
    ),
    "GovReport with documents on the hub": (
        "govreport",
        {"train-0.parquet": parquet_file({"id": "GAO_1", "document": "Long.", "summary": "S"})},
        [("GAO_1", None, None, "Long.")],
    ),
    "GovReport's mirror": (
        "govreport",
        {
            "document/train-0.parquet": parquet_file({"report": "Long.", "summary": "S"}),
            "document/test-0.parquet": parquet_file({"report": "Other.", "summary": "S"}),
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
            "data/train-0.parquet": parquet_file({"document": "Ice.", "summary": "S", "id": "123"}),
            "data/test-0.parquet": parquet_file({"document": "Sun.", "summary": "S", "id": "124"}),
        },
        [("123", "123", None, "Ice.")],
    ),
    "XSum's mirror": (
        "xsum",
        {"train.csv": csv_file({"dialogue": "Ice.", "summary": "S", "id": "123"})},
        [("123", "123", None, "Ice.")],
    ),
    "a clone of QMSum": (
        "qmsum",
        {
            "data/ALL/train/Bro016.json": json.dumps(MEETING, indent=4),
            "data/ALL/jsonl/train.jsonl": json_lines(MEETING),
            "data/Academic/all/Bro016.json": json.dumps(MEETING),
            "data/ALL/val/Bro011.json": json.dumps(SECOND_MEETING),
        },
        [("Bro016", "Bro016", None, MEETING_TEXT), ("Bro011", "Bro011", None, "Grad A: Bye .")],
    ),
    "lines of QMSum": (
        "qmsum",
        {"jsonl/train.jsonl": json_lines(MEETING, SECOND_MEETING)},
        [("qmsum-000000", None, None, MEETING_TEXT), ("qmsum-000001", None, None, "Grad A: Bye .")],
    ),
    "QMSum's mirror": (
        "qmsum",
        {
            "data/train-0.parquet": parquet_file(QMSUM_RECORD),
            "no-prefix/train-0.parquet": parquet_file(QMSUM_RECORD | {"input": "A: So."}),
        },
        [("tr-sq-1", "tr-sq-1", None, "Why?\nA: So.")],
    ),
}


def write_files(folder, files):
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)


@pytest.mark.parametrize(("corpus", "files", "expected"), PUBLISHED.values(), ids=PUBLISHED)
def test_corpus_is_read_as_published(tmp_path, corpus, files, expected):
    write_files(tmp_path / corpus, files)
    records = list(local.corpus({}, corpus, str(tmp_path)))
    assert [tuple(record.values()) for record in records] == expected


def test_configured_field_may_have_several_parts(tmp_path):
    write_files(tmp_path, {"mine.jsonl": json_lines(MEETING)})
    fields = {"text": "meeting_transcripts"}
    (record,) = local.corpus({}, "qmsum", str(tmp_path), "mine.jsonl", fields)
    assert record["text"] == MEETING_TEXT


def test_object_has_the_form_whose_first_part_it_has():
    assert joined_parts({"section_title": "One."}) == "One."
    assert joined_parts({"content": "One."}) is None


@pytest.mark.parametrize("value", [7, {"words": ["One."]}, [["One."], 7]])
def test_field_that_is_no_text_is_refused(tmp_path, value):
    write_files(tmp_path, {"mine.jsonl": json_lines({"body": value})})
    with pytest.raises(UserError, match=r"mine\.jsonl:1: field 'body' is .*, not a string"):
        list(local.corpus({}, "xsum", str(tmp_path), "mine.jsonl", {"text": "body"}))


def test_missing_corpus_is_reported_with_the_patterns(tmp_path):
    with pytest.raises(UserError, match=r"no file in .* matches .*qmsum/\*\*/ALL/jsonl/"):
        list(local.corpus({}, "qmsum", str(tmp_path)))
