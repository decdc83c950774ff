"""The hub as a source, against a server on this machine that speaks its protocol."""

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from huggingface_hub import constants
from hypothesis import given
from hypothesis import strategies as st

from corpus_formats import csv_file, json_lines, parquet_file, zip_file
from hub_server import REPO, REVISION, Hub
from steadfast.base.errors import UserError
from steadfast.base.files import read_json
from steadfast.base.resources import facts
from steadfast.corpora import hub as hub_source
from steadfast.corpora.lock import LockFile
from steadfast.corpora.tables import tables

TOKEN = "hf_averysecrettoken"
CARD = {"README.md": b"# texts\n", ".gitattributes": b"*.zip filter=lfs\n"}
LOCAL_ALTERNATIVE = "corpora.source to local"


@pytest.fixture
def hub(monkeypatch, tmp_path):
    monkeypatch.delenv("HF_TOKEN", raising=False)
    with Hub(dict(CARD)) as server:
        # The library reads these variables of the environment once, at its import.
        monkeypatch.setattr(constants, "ENDPOINT", server.url)
        address = f"{server.url}/{{repo_id}}/resolve/{{revision}}/{{filename}}"
        monkeypatch.setattr(constants, "HUGGINGFACE_CO_URL_TEMPLATE", address)
        monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "home/hub"))
        monkeypatch.setattr(constants, "HF_HUB_OFFLINE", False)
        yield server


@pytest.fixture
def lock(tmp_path):
    return tmp_path / "lock.json"


@pytest.fixture
def build(hub, lock):
    """Returns the texts of a corpus from files on the hub."""

    def build(files, **settings):
        hub.files = CARD | files
        source = {"repo": REPO, "revision": REVISION, "fields": {"text": "report"}}
        records = hub_source.corpus({}, "govreport", lock=str(lock), **source | settings)
        return [record["text"] for record in records]

    return build


def reports(*texts) -> bytes:
    return json_lines(*({"report": text, "summary": "S"} for text in texts))


ONE_REPORT = {"train.jsonl": reports("A")}
ONE_REPORT_DIGEST = hashlib.sha256(reports("A")).hexdigest()


# --- which files have the corpus ------------------------------------------------------------------

LAYOUTS = {
    "parquet shards": {
        "document/test-00000-of-00001.parquet": parquet_file({"report": "T"}),
        "document/train-00000-of-00002.parquet": parquet_file(
            {"report": "A", "summary": "S"}, {"report": "B", "summary": "S"}
        ),
        "document/train-00001-of-00002.parquet": parquet_file({"report": "C", "summary": "S"}),
    },
    "one archive of all splits": {
        "all.zip": zip_file({"test.csv": b"report\nT\n", "train.csv": b"report\nA\nB\nC\n"})
    },
    "JSON lines": {"train.jsonl": reports("A", "B", "C"), "validation.jsonl": reports("V")},
    "JSON lines named .json": {"reports.json": reports("A", "B", "C")},
    "JSON list beside metadata": {
        "dataset_infos.json": b'{\n  "features": {"report": "string"}\n}\n',
        "reports.json": b'[{"report": "A"}, {"report": "B"}, {"report": "C"}]',
    },
    "table of other fields before it": {
        "authors.csv": b"name,born\nAda,1815\n",
        "texts.csv": b"report\nA\nB\nC\n",
    },
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_records_are_read_from_any_layout(build, layout):
    assert build(LAYOUTS[layout]) == ["A", "B", "C"]


def test_message_lists_the_files_of_the_corpus(build, capsys):
    build(LAYOUTS["parquet shards"], limit=2)
    assert capsys.readouterr().out == (
        "corpus govreport: 2 records from document/train-00000-of-00002.parquet, "
        f"document/train-00001-of-00002.parquet of {REPO} at {REVISION}, found by the fields "
        "report; other data files there: document/test-00000-of-00001.parquet\n"
    )


@pytest.mark.parametrize(("names", "end"), [(0, "none"), (12, "k, l"), (13, "k, l, and 1 more")])
def test_message_shows_twelve_names_and_counts_others(names, end):
    shown = hub_source._shown("abcdefghijklm"[:names])
    assert shown.removeprefix("a, b, c, d, e, f, g, h, i, j, ") == end


def test_data_set_without_the_fields_is_reported_with_its_files(build):
    files = r"train\.csv \(document, summary\), words\.csv \(a, b\); the files.*README\.md"
    message = f"the fields report; looked at: {files}.*{LOCAL_ALTERNATIVE}"
    with pytest.raises(UserError, match=message):
        build({"train.csv": b"document,summary\nA,B\n", "words.csv": b"a,b\n1,2\n"})
    with pytest.raises(UserError, match="looked at: none; "):
        build({})


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("train.zip", b"PK\x03\x04 cut off"),
        ("train.zip", zip_file({"train.txt": reports("A")})[:-40]),
        ("train.parquet", b"PAR1, or so it says"),
    ],
)
def test_damaged_training_file_is_not_skipped(build, name, content):
    with pytest.raises(UserError, match=f"{name}: not a.*fetch it again"):
        build({name: content, "z/test.jsonl": reports("T")})


def records_of(*fields) -> list[dict]:
    """Two records whose fields have their own names and numbers."""
    return [{field: f"{field} {number}" for field in fields} for number in "12"]


ALPACA_RECORDS = [
    {"output": "o", "input": "", "instruction": "instruction 1"},
    {"output": "o", "input": "", "instruction": "instruction 2"},
]
XSUM_FILE = csv_file(*records_of("dialogue", "summary", "id"))
QMSUM_FIELDS = ("id", "pid", "input")
# As the hub's pages list them at the pinned commits, and the file that has the corpus.
PINNED = {
    "alpaca": (
        "alpaca_data_cleaned.json",
        {"alpaca_data_cleaned.json": json.dumps(ALPACA_RECORDS, indent=4).encode()},
    ),
    "paul_graham": (
        "pual_graham_essays.csv",
        {"pual_graham_essays.csv": csv_file(*records_of("id", "title", "date", "text"))},
    ),
    "govreport": (
        "train.zip",
        {
            "govreport-summarization.py": b"import datasets\n",
            "test.zip": zip_file({"test.txt": reports("other")}),
            "train.zip": zip_file({"train.txt": reports("report 1", "report 2")}),
            "valid.zip": zip_file({"valid.txt": reports("other")}),
        },
    ),
    "xsum": (
        "train.csv",
        {"test.csv": XSUM_FILE, "train.csv": XSUM_FILE, "validation.csv": XSUM_FILE},
    ),
    "qmsum": (
        "data/train-00000-of-00001.parquet",
        {
            "cleaning_code.py": b"import re\n",
            "data/test-00000-of-00001.parquet": parquet_file(*records_of("other")),
            "data/train-00000-of-00001.parquet": parquet_file(*records_of(*QMSUM_FIELDS, "output")),
            "no-prefix/train-00000-of-00001.parquet": parquet_file(*records_of(*QMSUM_FIELDS)),
        },
    ),
}


@pytest.mark.parametrize("corpus", PINNED)
def test_pinned_data_sets_are_read_in_their_layout(hub, lock, corpus):
    corpus_file, files = PINNED[corpus]
    hub.files = CARD | files
    source = facts("corpora/hub.yaml")[corpus]
    hub.repo = source["repo"]
    hub.revision = source["revision"]
    records = list(hub_source.corpus({}, corpus, **source, lock=str(lock)))
    fields = source["fields"]
    assert [record["text"] for record in records] == [f"{fields['text']} 1", f"{fields['text']} 2"]
    if "title" in fields:
        assert records[0]["title"] == f"{fields['title']} 1"
    assert list(read_json(lock)[hub.repo][hub.revision]) == [corpus_file]


def test_shards_are_ordered_by_their_numbers():
    assert tables(["part-10.csv", "part-2.csv"]) == [["part-2.csv", "part-10.csv"]]
    assert tables(["part-1.csv", "part-01.csv"]) == tables(["part-01.csv", "part-1.csv"])


FILE_NAME = st.from_regex(r"(a|data/)?(train|test|x)[-0-9]{0,3}\.(csv|json|md)", fullmatch=True)


@given(names=st.sets(FILE_NAME), rng=st.randoms())
def test_every_data_file_is_in_one_table_in_any_order(names, rng):
    ordered = sorted(names)
    by_table = tables(ordered)
    files = [name for table in by_table for name in table]
    assert sorted(files) == [name for name in ordered if not name.endswith(".md")]
    rng.shuffle(ordered)
    assert tables(ordered) == by_table


# --- pins and checksums ---------------------------------------------------------------------------


def test_unknown_revision_is_reported(build):
    with pytest.raises(UserError, match=f"returned HTTP status 404.*{LOCAL_ALTERNATIVE}"):
        build(ONE_REPORT, revision="f" * 40)


def test_first_fetch_locks_the_digests_of_the_files(build, lock):
    build(LAYOUTS["table of other fields before it"])
    digest = hashlib.sha256(b"report\nA\nB\nC\n").hexdigest()
    assert read_json(lock) == {REPO: {REVISION: {"texts.csv": digest}}}


def test_changed_file_is_refused_before_it_is_read(build, monkeypatch, tmp_path):
    build(ONE_REPORT)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "elsewhere"))
    digest = hashlib.sha256(b"no JSON").hexdigest()
    message = rf"train\.jsonl: its sha256 is {digest}.*{ONE_REPORT_DIGEST}.*lock\.json"
    with pytest.raises(UserError, match=message):
        build({"train.jsonl": b"no JSON"})


def test_locked_file_is_not_replaced_by_another(build):
    build({"train.jsonl": reports("A"), "test.jsonl": reports("T")})
    with pytest.raises(UserError, match=r"no longer has train\.jsonl, which.*lock\.json"):
        build({"test.jsonl": reports("T")})


def test_digest_in_the_config_is_checked(build):
    build(ONE_REPORT, sha256={"train.jsonl": ONE_REPORT_DIGEST.upper()})
    with pytest.raises(UserError, match=f"{ONE_REPORT_DIGEST}.*{'0' * 64}"):
        build(ONE_REPORT, sha256={"train.jsonl": "0" * 64})


def test_lock_keeps_entries_of_concurrent_jobs(lock):
    def record_file(number):
        LockFile(lock).record(f"a/{number % 5}", REVISION, {f"f{number}": "0" * 64})

    with ThreadPoolExecutor(8) as jobs:
        list(jobs.map(record_file, range(40)))
    locked = read_json(lock)
    assert sum(len(revisions[REVISION]) for revisions in locked.values()) == 40


def test_unchanged_lock_file_is_left_alone(lock):
    LockFile(lock).record(REPO, REVISION, {"f": "0" * 64})
    before = lock.stat()
    LockFile(lock).record(REPO, REVISION, {"f": "0" * 64})
    assert (lock.stat().st_ino, lock.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


# --- the connection -------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [401, 403])
def test_missing_access_is_reported_without_the_token(hub, build, monkeypatch, status):
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    hub.status = status
    with pytest.raises(UserError, match=f"{status}.*HF_TOKEN") as error:
        build(ONE_REPORT)
    assert TOKEN not in str(error.value)


def test_token_is_sent_as_bearer(hub, build, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    build(ONE_REPORT)
    authorizations = {headers.get("authorization") for _, _, headers in hub.requests}
    assert authorizations == {f"Bearer {TOKEN}"}


def test_refused_connection_is_reported_with_the_local_alternative(build, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    monkeypatch.setattr(constants, "ENDPOINT", "http://someone:password@127.0.0.1:9")
    message = f"connection to 127.0.0.1 failed.*{LOCAL_ALTERNATIVE}"
    with pytest.raises(UserError, match=message) as error:
        build({})
    assert "password" not in str(error.value)


def test_unwritable_cache_is_not_reported_as_a_lost_connection(build, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "file"))
    with pytest.raises(UserError, match="cannot write to the cache") as error:
        build(ONE_REPORT)
    assert "connection to" not in str(error.value)


def test_interrupted_download_is_resumed(hub, build):
    text = "word " * 2_600_000  # the client writes in steps of 10 MB
    hub.breaks = [10**6, 11_000_000]  # the listing, and the file
    assert build({"long.jsonl": reports(text)}) == [text]
    assert [headers.get("range") for headers in hub.bodies()] == [None, "bytes=10485760-"]


def test_failed_fetch_leaves_no_partial_file_and_can_be_repeated(hub, build, tmp_path, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    files = {"train-0.jsonl": reports("A"), "train-1.jsonl": reports("B")}
    hub.breaks = [10**6, 10**6, *[0] * 6]  # the listing and the first file, then never a byte
    with pytest.raises(UserError, match=f"run again.*{LOCAL_ALTERNATIVE}"):
        build(files)
    assert not list((tmp_path / "home").rglob("*.incomplete"))
    downloads = len(hub.bodies())
    hub.breaks = []
    assert build(files) == ["A", "B"]
    assert len(hub.bodies()) == downloads + 1  # the first file is in the cache


def test_offline_run_reads_the_cache_by_the_lock_file(hub, build, monkeypatch):
    texts = build(LAYOUTS["parquet shards"])
    requests = len(hub.requests)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert build({}) == texts
    assert len(hub.requests) == requests


@pytest.mark.parametrize("is_locked", [False, True])
def test_offline_run_without_cache_is_refused(hub, build, monkeypatch, lock, is_locked):
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    if is_locked:
        LockFile(lock).record(REPO, REVISION, {"train.jsonl": "0" * 64})
    with pytest.raises(UserError, match=f"HF_HUB_OFFLINE is set.*{LOCAL_ALTERNATIVE}"):
        build({})
    assert hub.requests == []
