"""The hub as a source, against a server on this machine that speaks its protocol."""

import hashlib
import io
import json
import zipfile
from concurrent.futures import ThreadPoolExecutor

import pyarrow
import pytest
from huggingface_hub import constants
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from hub_server import REPO, REVISION, Hub
from steadfast.base.errors import UserError
from steadfast.base.files import read_json
from steadfast.base.resources import facts
from steadfast.corpora import hub as hub_source
from steadfast.corpora.lock import LockFile
from steadfast.corpora.tables import tables

TOKEN = "hf_averysecrettoken"
CARD = {"README.md": b"# texts\n", ".gitattributes": b"*.zip filter=lfs\n"}


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
def build(hub, tmp_path):
    """Returns the texts of a corpus that is made of files on the hub."""

    def build(offered, /, **changes):
        hub.files = CARD | offered
        source = {
            "repo": REPO,
            "revision": REVISION,
            "fields": {"text": "report"},
            "lock": str(tmp_path / "lock.json"),
        }
        records = list(hub_source.corpus({}, "govreport", **source | changes))
        return [record["text"] for record in records]

    return build


@pytest.fixture
def refusal(build):
    def refusal(offered, /, **changes):
        with pytest.raises(UserError) as caught:
            build(offered, **changes)
        return str(caught.value)

    return refusal


def lines(*texts):
    return "".join(json.dumps({"report": text, "summary": "S"}) + "\n" for text in texts).encode()


def columns(**values):
    out = io.BytesIO()
    parquet.write_table(pyarrow.table(values), out)
    return out.getvalue()


def archive(**members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as files:
        for name, body in members.items():
            files.writestr(name.replace("_", "."), body)
    return out.getvalue()


# --- which files hold the corpus --------------------------------------------------------------

LAYOUTS = {
    "parquet shards": {
        "document/test-00000-of-00001.parquet": columns(report=["T"]),
        "document/train-00000-of-00002.parquet": columns(report=["A", "B"], summary=["S", "S"]),
        "document/train-00001-of-00002.parquet": columns(report=["C"], summary=["S"]),
    },
    "archives of JSON lines named .txt": {
        "govreport.py": b"import datasets\n",
        "test.zip": archive(test_txt=lines("T")),
        "train.zip": archive(train_txt=lines("A", "B", "C")),
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
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_records_are_found_in_any_layout(build, layout):
    assert build(LAYOUTS[layout]) == ["A", "B", "C"]


def test_one_sentence_says_what_was_found(build, capsys):
    build(LAYOUTS["parquet shards"], limit=2)
    assert capsys.readouterr().out == (
        "corpus govreport: 2 records from document/train-00000-of-00002.parquet, "
        f"document/train-00001-of-00002.parquet of {REPO} at {REVISION}, found by the fields "
        "report; other data files there: document/test-00000-of-00001.parquet\n"
    )


def test_a_data_set_without_such_records_lists_what_was_looked_at(refusal):
    message = refusal({"train.csv": b"document,summary\nA,B\n", "words.csv": b"a,b\n1,2\n"})
    looked = "looked at: train.csv (document, summary), words.csv (a, b); the files"
    assert f"the fields report; {looked}" in message
    assert "README.md" in message and "corpora.source to local" in message
    assert "looked at: none; " in refusal({})


@pytest.mark.parametrize(
    ("name", "body"),
    [
        ("train.zip", b"PK\x03\x04 cut off"),
        ("train.zip", archive(train_txt=lines("A"))[:-40]),
        ("train.parquet", b"PAR1, or so it says"),
    ],
)
def test_a_damaged_file_of_training_data_is_not_passed_over(refusal, name, body):
    message = refusal({name: body, "z/test.jsonl": lines("T")})
    assert f"{name}: not a" in message and "fetch it again" in message


def sheet(*names):
    """A CSV file of records whose fields hold their own names and numbers."""
    rows = (",".join(f"{name} {number}" for name in names) for number in "12")
    return "\n".join([",".join(names), *rows, ""]).encode()


def shard(*names):
    return columns(**{name: [f"{name} 1", f"{name} 2"] for name in names})


# As the hub's pages list them at the pinned commits, and the file that holds the corpus.
PINNED = {
    "alpaca": (
        "alpaca_data_cleaned.json",
        {
            "alpaca_data_cleaned.json": json.dumps(
                [{"output": "o", "input": "", "instruction": f"instruction {n}"} for n in "12"],
                indent=4,
            ).encode()
        },
    ),
    "paul_graham": (
        "pual_graham_essays.csv",
        {"pual_graham_essays.csv": sheet("id", "title", "date", "text")},
    ),
    "govreport": (
        "train.zip",
        {
            "govreport-summarization.py": b"import datasets\n",
            "test.zip": archive(test_txt=lines("other")),
            "train.zip": archive(train_txt=lines("report 1", "report 2")),
            "valid.zip": archive(valid_txt=lines("other")),
        },
    ),
    "xsum": (
        "train.csv",
        {
            f"{split}.csv": sheet("dialogue", "summary", "id")
            for split in ("test", "train", "validation")
        },
    ),
    "qmsum": (
        "data/train-00000-of-00001.parquet",
        {
            "cleaning_code.py": b"import re\n",
            "data/test-00000-of-00001.parquet": shard("other"),
            "data/train-00000-of-00001.parquet": shard("id", "pid", "input", "output"),
            "no-prefix/train-00000-of-00001.parquet": shard("id", "pid", "input"),
        },
    ),
}


@pytest.mark.parametrize("corpus", PINNED)
def test_the_pinned_data_sets_are_found_in_the_layout_that_the_hub_s_pages_show(
    hub, tmp_path, corpus
):
    taken, files = PINNED[corpus]
    known = facts("corpora/hub.yaml")[corpus]
    hub.repo = known["repo"]
    hub.revision = known["revision"]
    hub.files = CARD | files
    records = list(hub_source.corpus({}, corpus, **known, lock=str(tmp_path / "lock.json")))
    fields = known["fields"]
    assert [record["text"] for record in records] == [f"{fields['text']} 1", f"{fields['text']} 2"]
    if "title" in fields:
        assert records[0]["title"] == f"{fields['title']} 1"
    locked = read_json(tmp_path / "lock.json")[known["repo"]][known["revision"]]
    assert list(locked) == [taken]


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


# --- pins and checksums -----------------------------------------------------------------------


def test_a_revision_that_is_not_there_is_one_sentence(refusal):
    message = refusal({"train.jsonl": lines("A")}, revision="f" * 40)
    assert "returned HTTP status 404" in message and "corpora.source to local" in message


def test_the_first_fetch_locks_the_digests_of_what_is_taken(build, tmp_path):
    build(LAYOUTS["a table of other fields before it"])
    digest = hashlib.sha256(b"report\nA\nB\nC\n").hexdigest()
    assert read_json(tmp_path / "lock.json") == {REPO: {REVISION: {"texts.csv": digest}}}


def test_an_altered_file_is_refused_before_it_is_read(build, refusal, monkeypatch, tmp_path):
    build({"train.jsonl": lines("A")})
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "elsewhere"))
    message = refusal({"train.jsonl": b"no JSON"})
    for content in (lines("A"), b"no JSON"):
        assert hashlib.sha256(content).hexdigest() in message
    assert "train.jsonl: its sha256 is" in message and "lock.json" in message


def test_what_was_taken_once_is_not_replaced_by_another_file(build, refusal):
    build({"train.jsonl": lines("A"), "test.jsonl": lines("T")})
    message = refusal({"test.jsonl": lines("T")})
    assert "no longer has train.jsonl, which" in message and "lock.json" in message


def test_a_digest_in_the_config_is_checked(build, refusal):
    digest = hashlib.sha256(lines("A")).hexdigest()
    build({"train.jsonl": lines("A")}, sha256={"train.jsonl": digest.upper()})
    message = refusal({"train.jsonl": lines("A")}, sha256={"train.jsonl": "0" * 64})
    assert "0" * 64 in message and digest in message


def test_the_lock_keeps_what_concurrent_jobs_add(tmp_path):
    def job(number):
        digests = {f"f{number}": "0" * 64}
        LockFile(tmp_path / "lock.json").record(f"a/{number % 5}", REVISION, digests)

    with ThreadPoolExecutor(8) as jobs:
        list(jobs.map(job, range(40)))
    locked = read_json(tmp_path / "lock.json")
    assert sum(len(files) for revisions in locked.values() for files in revisions.values()) == 40


# --- the connection ---------------------------------------------------------------------------


@pytest.mark.parametrize("status", [401, 403])
def test_no_access_points_to_the_token_and_does_not_show_it(hub, refusal, monkeypatch, status):
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    hub.status = status
    message = refusal({"train.jsonl": lines("A")})
    assert str(status) in message and "HF_TOKEN" in message and TOKEN not in message


def test_the_token_is_sent_as_bearer(hub, build, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    build({"train.jsonl": lines("A")})
    sent = {headers.get("authorization") for _, _, headers in hub.requests}
    assert sent == {f"Bearer {TOKEN}"}


def test_a_refused_connection_names_the_local_alternative(hub, refusal, monkeypatch):
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    monkeypatch.setattr(constants, "ENDPOINT", "http://someone:password@127.0.0.1:9")
    message = refusal({})
    assert "connection to 127.0.0.1 failed" in message and "corpora.source to local" in message
    assert "password" not in message


def test_a_cache_that_cannot_be_written_is_not_blamed_on_the_hub(refusal, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path / "file"))
    message = refusal({"train.jsonl": lines("A")})
    assert "cannot write to the cache" in message and "connection to" not in message


def test_a_body_that_breaks_off_is_resumed_where_it_broke(hub, build):
    text = "word " * 2_600_000  # the client keeps what it has in steps of 10 MB
    hub.breaks = [10**6, 11_000_000]  # the listing, and the file
    assert build({"long.jsonl": lines(text)}) == [text]
    assert [headers.get("range") for headers in hub.bodies()] == [None, "bytes=10485760-"]


def test_a_fetch_that_failed_leaves_nothing_and_the_next_one_goes_on(
    hub, build, refusal, tmp_path, monkeypatch
):
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    files = {"train-0.jsonl": lines("A"), "train-1.jsonl": lines("B")}
    hub.breaks = [10**6, 10**6, *[0] * 6]  # the listing and the first file, then never a byte
    message = refusal(files)
    assert "run again" in message and "corpora.source to local" in message
    assert not list((tmp_path / "home").rglob("*.incomplete"))
    before = len(hub.bodies())
    hub.breaks = []
    assert build(files) == ["A", "B"]
    assert len(hub.bodies()) == before + 1  # the first file is in the cache


def test_offline_reads_the_cache_by_the_lock_file(hub, build, monkeypatch):
    online = build(LAYOUTS["parquet shards"])
    asked = len(hub.requests)
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    assert build({}) == online
    assert len(hub.requests) == asked


@pytest.mark.parametrize("locked", [False, True])
def test_offline_without_cache_is_refused(hub, refusal, monkeypatch, tmp_path, locked):
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    if locked:
        LockFile(tmp_path / "lock.json").record(REPO, REVISION, {"train.jsonl": "0" * 64})
    message = refusal({})
    assert "HF_HUB_OFFLINE is set" in message and "corpora.source to local" in message
    assert hub.requests == []
