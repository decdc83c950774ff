"""Files of a corpus are found by the data set's own list and the fields of their records."""

import io
import json
import zipfile

import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import ipc, parquet

from hub_server import REPO, REVISION, Hub
from steadfast.base.errors import UserError
from steadfast.base.files import read_json
from steadfast.base.resources import facts
from steadfast.corpora import hub as hub_source
from steadfast.corpora.tables import tables

OTHER = "someone-else/texts"
CARD = {"README.md": b"# texts\n", ".gitattributes": b"*.zip filter=lfs\n"}


@pytest.fixture
def hub(monkeypatch, tmp_path):
    for name in ("HF_HUB_CACHE", "HF_HUB_OFFLINE", "HF_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    with Hub(dict(CARD)) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
        yield server


@pytest.fixture
def build(hub, tmp_path):
    def build(files, fields=("report",), **changes):
        hub.files = CARD | files
        text, *others = fields
        source = {
            "repo": REPO,
            "revision": REVISION,
            "fields": {"text": text} | dict(zip(("id", "title"), others, strict=False)),
            "lock": str(tmp_path / "lock.json"),
        }
        records = list(hub_source.corpus({}, "govreport", **source | changes))
        return [record["text"] for record in records]

    return build


def lines(*texts, field="report"):
    return "".join(json.dumps({field: text, "summary": "S"}) + "\n" for text in texts).encode()


def columns(*texts):
    out = io.BytesIO()
    parquet.write_table(pyarrow.table({"report": texts, "summary": ["S"] * len(texts)}), out)
    return out.getvalue()


def archive(**members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as files:
        for name, body in members.items():
            files.writestr(name.replace("_", "."), body)
    return out.getvalue()


def arrow(*texts):
    out = io.BytesIO()
    table = pyarrow.table({"report": texts})
    with ipc.new_stream(out, table.schema) as stream:
        stream.write_table(table)
    return out.getvalue()


LAYOUTS = {
    "parquet shards": {
        "document/test-00000-of-00001.parquet": columns("T"),
        "document/train-00000-of-00002.parquet": columns("A", "B"),
        "document/train-00001-of-00002.parquet": columns("C"),
    },
    "archives of JSON lines named .txt": {
        "govreport.py": b"import datasets\n",
        "test.zip": archive(test_txt=lines("T")),
        "train.zip": archive(train_txt=lines("A", "B", "C")),
        "valid.zip": archive(valid_txt=lines("V")),
    },
    "one archive of all splits": {
        "all.zip": archive(test_csv=b"report\nT\n", train_csv=b"report\nA\nB\nC\n")
    },
    "a CSV file with an odd name": {"pual_essays.csv": b"id,report\n1,A\n2,B\n3,C\n"},
    "JSON lines": {"train.jsonl": lines("A", "B", "C"), "validation.jsonl": lines("V")},
    "JSON lines named .json": {"reports.json": lines("A", "B", "C")},
    "a JSON list beside facts about it": {
        "dataset_infos.json": b'{\n  "features": {"report": "string"}\n}\n',
        "reports.json": json.dumps([{"report": text} for text in "ABC"]).encode(),
    },
    "a table of other fields before it": {
        "authors.csv": b"name,born\nAda,1815\n",
        "texts.csv": b"report\nA\nB\nC\n",
    },
    "Arrow": {"data-00000-of-00001.arrow": arrow("A", "B", "C")},
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_records_are_found_in_any_layout(build, layout):
    assert build(LAYOUTS[layout]) == ["A", "B", "C"]


def test_one_sentence_says_what_was_found_in_log_and_lock_file(build, capsys, tmp_path):
    build(LAYOUTS["parquet shards"], limit=2)
    sentence = (
        f"2 records from document/train-00000-of-00002.parquet, "
        f"document/train-00001-of-00002.parquet of {REPO} at {REVISION}, found by the fields "
        "report; other data files there: document/test-00000-of-00001.parquet"
    )
    assert capsys.readouterr().out == f"corpus govreport: {sentence}\n"
    assert read_json(tmp_path / "lock.json")["found"] == {"govreport": sentence}


def test_only_what_is_taken_is_locked(build, tmp_path):
    build(LAYOUTS["a table of other fields before it"])
    assert list(read_json(tmp_path / "lock.json")[REPO][REVISION]) == ["texts.csv"]


def test_a_preferred_table_comes_first(build):
    files = {"a/train.jsonl": lines("other"), "b/train.jsonl": lines("A")}
    assert build(files) == ["other"]
    assert build(files, preferred=["b/*.jsonl"]) == ["A"]


def test_a_preferred_table_that_is_not_there_is_looked_up_like_any(build):
    assert build({"train.jsonl": lines("A")}, preferred=["gone/*"]) == ["A"]


def test_the_next_owner_is_tried_where_the_first_has_no_such_data_set(build, tmp_path):
    files = {"train.jsonl": lines("A")}
    assert build(files, repo=OTHER, alternatives=[REPO]) == ["A"]
    found = read_json(tmp_path / "lock.json")["found"]["govreport"]
    assert f"of {REPO} at" in found
    assert found.endswith(f"not there: {OTHER}")


def test_all_owners_that_were_tried_are_named(build, hub):
    with pytest.raises(UserError) as caught:
        build({}, repo=OTHER, alternatives=["nobody/texts"])
    assert "none of its data sets is there" in str(caught.value)
    for named in (OTHER, "nobody/texts", "401", "corpora.source to local"):
        assert named in str(caught.value)


def test_what_was_taken_once_is_not_replaced_by_another_owner_s(build, hub):
    build({"train.jsonl": lines("A")}, alternatives=[OTHER])
    hub.repo = OTHER
    with pytest.raises(UserError, match=r"cannot fetch the list of files of someone/texts.*401"):
        build({"train.jsonl": lines("B")}, alternatives=[OTHER])


def test_what_was_taken_once_is_not_replaced_by_another_file(build):
    build({"train.jsonl": lines("A"), "test.jsonl": lines("T")})
    with pytest.raises(UserError, match=r"has no train\.jsonl any more, by which .*lock\.json"):
        build({"test.jsonl": lines("T")})


def test_a_revision_that_is_not_there_is_one_sentence(build):
    with pytest.raises(UserError, match=r"answered 404.*source to local"):
        build({"train.jsonl": lines("A")}, revision="f" * 40)


def test_a_data_set_without_such_records_lists_what_was_looked_at(build):
    files = {"train.csv": b"document,summary\nA,B\n", "notes.json": b'{"a": 1}'}
    with pytest.raises(UserError) as caught:
        build(files)
    assert "train.csv (document, summary)" in str(caught.value)
    assert "the fields report" in str(caught.value)
    assert "README.md" in str(caught.value)


def test_a_data_set_with_a_card_alone_lists_it(build):
    with pytest.raises(UserError, match=r"looked at: none; .*: \.gitattributes, README\.md"):
        build({})


@pytest.mark.parametrize("body", [b"PK\x03\x04 cut off", b"", archive(train_txt=lines("A"))[:-40]])
def test_a_damaged_archive_of_training_data_is_not_passed_over(build, body):
    with pytest.raises(UserError, match=r"train\.zip: not a readable archive"):
        build({"train.zip": body, "test.zip": archive(test_txt=lines("T"))})


def test_an_altered_file_is_refused_before_it_is_read(build, monkeypatch, tmp_path):
    build({"train.jsonl": lines("A")})
    monkeypatch.setenv("HF_HOME", str(tmp_path / "elsewhere"))
    with pytest.raises(UserError, match=r"train\.jsonl: sha256 is"):
        build({"train.jsonl": b"no JSON"})


def test_offline_finds_the_same_files_by_the_lock_file(build, monkeypatch):
    online = build(LAYOUTS["parquet shards"], repo=OTHER, alternatives=[REPO])
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert build({}, repo=OTHER, alternatives=[REPO]) == online


def sheet(*names):
    """A CSV file of records whose fields hold their own names and numbers."""
    return "".join(
        [f"{','.join(names)}\n", *(f"{','.join(f'{n} {i}' for n in names)}\n" for i in "12")]
    )


def shard(*names):
    out = io.BytesIO()
    parquet.write_table(pyarrow.table({name: [f"{name} 1", f"{name} 2"] for name in names}), out)
    return out.getvalue()


# As the hub's pages list them at the pinned commits.
PINNED = {
    "alpaca": {
        "alpaca_data_cleaned.json": json.dumps(
            [{"output": "o", "input": "", "instruction": f"instruction {i}"} for i in "12"],
            indent=4,
        ).encode()
    },
    "paul_graham": {"pual_graham_essays.csv": sheet("id", "title", "date", "text").encode()},
    "govreport": {
        "govreport-summarization.py": b"import datasets\n",
        "test.zip": archive(test_txt=lines("other")),
        "train.zip": archive(train_txt=lines("report 1", "report 2")),
        "valid.zip": archive(valid_txt=lines("other")),
    },
    "xsum": {
        f"{split}.csv": sheet("dialogue", "summary", "id").encode()
        for split in ("test", "train", "validation")
    },
    "qmsum": {
        "cleaning_code.py": b"import re\n",
        "data/test-00000-of-00001.parquet": shard("other"),
        "data/train-00000-of-00001.parquet": shard("id", "pid", "input", "output"),
        "no-prefix/train-00000-of-00001.parquet": shard("id", "pid", "input"),
    },
}


TAKEN = {
    "alpaca": "alpaca_data_cleaned.json",
    "paul_graham": "pual_graham_essays.csv",
    "govreport": "train.zip",
    "xsum": "train.csv",
    "qmsum": "data/train-00000-of-00001.parquet",
}


@pytest.mark.parametrize("corpus", PINNED)
def test_the_pinned_data_sets_are_found_in_the_layout_that_the_hub_s_pages_show(
    hub, tmp_path, corpus
):
    known = facts("corpora/hub.yaml")[corpus]
    hub.repo, hub.revision, hub.files = known["repo"], known["revision"], CARD | PINNED[corpus]
    records = list(hub_source.corpus({}, corpus, **known, lock=str(tmp_path / "lock.json")))
    fields = known["fields"]
    assert [record["text"] for record in records] == [f"{fields['text']} 1", f"{fields['text']} 2"]
    if "title" in fields:
        assert records[0]["title"] == f"{fields['title']} 1"
    locked = read_json(tmp_path / "lock.json")[known["repo"]][known["revision"]]
    assert list(locked) == [TAKEN[corpus]]


def test_shards_stand_by_their_numbers():
    assert tables(["part-10.csv", "part-2.csv"]) == [["part-2.csv", "part-10.csv"]]
    assert tables(["part-1.csv", "part-01.csv"]) == tables(["part-01.csv", "part-1.csv"])


NAME = st.from_regex(r"(a|data/)?(train|test|x)[-0-9]{0,3}\.(csv|json|md)", fullmatch=True)


@given(names=st.sets(NAME), seed=st.randoms())
def test_every_data_file_is_in_one_table_whatever_the_order_of_the_list(names, seed):
    found = tables(sorted(names))
    held = [name for table in found for name in table]
    assert sorted(held) == sorted(name for name in names if not name.endswith(".md"))
    shuffled = sorted(names)
    seed.shuffle(shuffled)
    assert tables(shuffled) == found
