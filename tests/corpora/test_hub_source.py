"""The hub as a source, against a server on this machine that speaks its protocol."""

import hashlib
import json
from concurrent.futures import ThreadPoolExecutor

import pytest

from hub_server import REPO, REVISION, Hub
from steadfast.base.errors import UserError
from steadfast.base.files import read_json
from steadfast.corpora import hub as hub_source
from steadfast.corpora.lock import LockFile

TOKEN = "hf_averysecrettoken"
FILES = {
    "data/train-0.jsonl": b'{"dialogue": "First text.", "id": 7}\n'
    b'{"dialogue": "Second.", "id": 8}\n',
    "data/train-1.jsonl": '{"dialogue": "Café — third.", "id": 9}\n'.encode(),
    "data/test-0.jsonl": b'{"dialogue": "Not asked for.", "id": 1}\n',
    "README.md": b"# texts\n",
}


@pytest.fixture
def hub(monkeypatch, tmp_path):
    for name in ("HF_HUB_CACHE", "HF_HUB_OFFLINE", "HF_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    with Hub(dict(FILES)) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
        yield server


@pytest.fixture
def source(tmp_path):
    return {
        "repo": REPO,
        "revision": REVISION,
        "files": ["data/train-*.jsonl"],
        "fields": {"text": "dialogue", "id": "id", "title": "id"},
        "lock": str(tmp_path / "lock.json"),
    }


def build(source):
    return list(hub_source.corpus({}, "xsum", **source))


def refusal(source):
    with pytest.raises(UserError) as caught:
        build(source)
    return str(caught.value)


def sha256(name):
    return hashlib.sha256(FILES[name]).hexdigest()


def test_a_glob_takes_the_matching_files_of_the_revision_in_sorted_order(hub, source):
    records = build(source)
    assert [record["text"] for record in records] == ["First text.", "Second.", "Café — third."]
    assert records[0] == {"id": "7", "title": "7", "date": None, "text": "First text."}


def test_a_limit_ends_the_corpus(hub, source):
    assert len(build(source | {"limit": 2})) == 2


def test_csv_files_are_read(hub, source):
    hub.files["essays.csv"] = b'id,dialogue\n1,"One, with\na line break."\n'
    records = build(source | {"files": ["essays.csv"]})
    assert records[0]["text"] == "One, with\na line break."


def test_parquet_files_are_read(hub, source, tmp_path):
    pytest.importorskip("pyarrow")
    import pandas

    table = pandas.DataFrame({"dialogue": ["One.", None, "Two."], "id": ["a", "b", None]})
    table.to_parquet(tmp_path / "train.parquet")
    hub.files["train.parquet"] = (tmp_path / "train.parquet").read_bytes()
    records = build(source | {"files": ["train.parquet"]})
    assert [(record["id"], record["text"]) for record in records] == [
        ("a", "One."),
        ("xsum-000002", "Two."),
    ]


def test_a_corrupt_parquet_file_is_named(hub, source):
    pytest.importorskip("pyarrow")
    hub.files["train.parquet"] = b"PAR1, or so it says"
    message = refusal(source | {"files": ["train.parquet"]})
    assert "train.parquet: not a Parquet file" in message


def test_the_first_fetch_locks_the_digests(hub, source):
    build(source)
    names = ("data/train-0.jsonl", "data/train-1.jsonl")
    assert read_json(source["lock"])[REPO] == {REVISION: {name: sha256(name) for name in names}}


def test_a_later_fetch_of_other_bytes_is_refused_naming_both_digests(
    hub, source, tmp_path, monkeypatch
):
    build(source)
    hub.files["data/train-1.jsonl"] = b'{"dialogue": "Forged.", "id": 9}\n'
    monkeypatch.setenv("HF_HOME", str(tmp_path / "elsewhere"))
    message = refusal(source)
    assert sha256("data/train-1.jsonl") in message
    assert hashlib.sha256(hub.files["data/train-1.jsonl"]).hexdigest() in message
    assert "lock.json" in message


def test_a_digest_in_the_config_is_checked(hub, source):
    name = "data/train-0.jsonl"
    build(source | {"sha256": {name: sha256(name).upper()}})
    message = refusal(source | {"sha256": {name: "0" * 64}})
    assert "0" * 64 in message
    assert sha256(name) in message


def test_the_lock_keeps_what_concurrent_jobs_add(tmp_path):
    def job(number):
        LockFile(tmp_path / "lock.json").record(
            f"a/{number % 5}", REVISION, {f"f{number}": "0" * 64}
        )

    with ThreadPoolExecutor(8) as jobs:
        list(jobs.map(job, range(40)))
    locked = read_json(tmp_path / "lock.json")
    assert sum(len(files) for revisions in locked.values() for files in revisions.values()) == 40


@pytest.mark.parametrize("revision", ["main", "v1.0", REVISION[:12], REVISION.upper()])
def test_a_revision_that_is_no_commit_is_refused(hub, source, revision):
    assert "40 hexadecimal digits" in refusal(source | {"revision": revision})
    assert hub.requests == []


def test_a_missing_file_is_one_sentence_with_the_local_alternative(hub, source):
    message = refusal(source | {"files": ["nothing.jsonl"]})
    assert "nothing.jsonl" in message
    assert "data/test-0.jsonl" in message
    assert "corpora.source to local" in message


def test_a_glob_without_match_names_the_files_there_are(hub, source):
    message = refusal(source | {"files": ["document/*.parquet"]})
    assert "data/test-0.jsonl" in message
    assert "corpora.source to local" in message


@pytest.mark.parametrize("status", [401, 403])
@pytest.mark.parametrize("files", [["data/train-*.jsonl"], ["data/train-0.jsonl"]])
def test_no_access_points_to_the_token_and_does_not_show_it(
    hub, source, monkeypatch, status, files
):
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    hub.status = status
    message = refusal(source | {"files": files})
    assert str(status) in message
    assert "HF_TOKEN" in message
    assert TOKEN not in message


def test_the_token_is_sent_as_bearer(hub, source, monkeypatch):
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    build(source)
    sent = {headers.get("authorization") for _, _, headers in hub.requests}
    assert sent == {f"Bearer {TOKEN}"}


def test_a_refused_connection_names_the_local_alternative(source, monkeypatch, hub):
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    monkeypatch.setenv("HF_ENDPOINT", "http://someone:password@127.0.0.1:9")
    message = refusal(source | {"files": ["data/train-0.jsonl"]})
    assert "could not be reached" in message
    assert "corpora.source to local" in message
    assert "password" not in message


def test_a_cache_that_cannot_be_written_is_not_blamed_on_the_hub(
    hub, source, tmp_path, monkeypatch
):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "file"))
    message = refusal(source)
    assert "cache" in message
    assert "could not be reached" not in message


def test_a_body_that_breaks_off_is_resumed_where_it_broke(hub, source):
    text = "word " * 2_600_000  # the client keeps what it has in steps of 10 MB
    hub.files["long.jsonl"] = json.dumps({"dialogue": text, "id": 1}).encode()
    hub.breaks = [10**6, 11_000_000]  # the listing, and the file
    records = build(source | {"files": ["long.jsonl"]})
    assert records[0]["text"] == text
    assert [headers.get("range") for headers in hub.bodies()] == [None, "bytes=10485760-"]


def test_a_fetch_that_failed_leaves_nothing_and_the_next_one_goes_on(
    hub, source, tmp_path, monkeypatch
):
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    whole = len(FILES["data/train-0.jsonl"])
    hub.breaks = [10**6, whole, *[0] * 6]  # the listing and the first file, then never a byte
    message = refusal(source)
    assert "run again" in message
    assert "corpora.source to local" in message
    assert not list((tmp_path / "home").rglob("*.incomplete"))
    before = len(hub.bodies())
    hub.breaks = []
    assert len(build(source)) == 3
    assert len(hub.bodies()) == before + 1  # the first file is in the cache


def test_offline_reads_the_cache(hub, source, monkeypatch):
    online = build(source)
    asked = len(hub.requests)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert build(source) == online
    assert len(hub.requests) == asked


@pytest.mark.parametrize("files", [["data/train-*.jsonl"], ["data/train-0.jsonl"]])
def test_offline_without_cache_is_refused(hub, source, monkeypatch, files):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    assert "corpora.source to local" in refusal(source | {"files": files})
    assert hub.requests == []
