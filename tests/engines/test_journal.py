"""The journal: whole lines only, one writer, torn tails cut off."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadfast.base.errors import UserError
from steadfast.contract.request import STATUSES, Response
from steadfast.engines.asking.journal import Journal

TEXT = st.text(st.characters(exclude_categories=()), max_size=30)
RESPONSES = st.builds(
    Response,
    status=st.sampled_from(STATUSES),
    text=TEXT,
    finish_reason=st.none() | TEXT,
    prompt_tokens=st.none() | st.integers(0, 10**7),
    error=st.none() | TEXT,
)


def write(path, responses):
    with Journal(path) as journal:
        for number, response in enumerate(responses):
            journal.append(f"h{number}", response)


def final(responses):
    return {
        f"h{number}": response
        for number, response in enumerate(responses)
        if response.status in ("ok", "length", "refused")
    }


def read(path, count=20):
    with Journal(path) as journal:
        known = {f"h{n}": journal.get(f"h{n}") for n in range(count)}
        return {name: response for name, response in known.items() if response}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "j.jsonl"


@pytest.fixture(scope="module")
def directory(tmp_path_factory):
    return tmp_path_factory.mktemp("journals")


@given(st.lists(RESPONSES, min_size=1, max_size=6), st.data())
def test_a_journal_cut_anywhere_keeps_its_whole_lines(directory, responses, data):
    path = directory / "b.jsonl"
    path.unlink(missing_ok=True)
    write(path, responses)
    content = path.read_bytes()
    cut = data.draw(st.integers(0, len(content)))
    path.write_bytes(content[:cut])
    whole = content[:cut].count(b"\n")
    assert read(path) == final(responses[:whole])
    assert path.read_bytes() == b"".join(content.splitlines(keepends=True)[:whole])
    with Journal(path) as journal:
        journal.append("h19", Response("ok", "after the crash"))
    assert read(path)["h19"].text == "after the crash"


@given(st.lists(RESPONSES, max_size=10), st.binary(max_size=60), st.booleans())
def test_any_torn_tail_is_cut_off(directory, responses, tail, ended):
    path = directory / "c.jsonl"
    path.unlink(missing_ok=True)
    write(path, responses)
    with open(path, "ab") as out:
        out.write(tail.replace(b"\n", b"") + (b"\n" if ended else b""))
    assert read(path) == final(responses)


def test_a_line_whose_checksum_has_lost_its_name_is_corrupt(path):
    write(path, [Response("ok", "one"), Response("ok", "two")])
    path.write_text(path.read_text().replace('"check"', '"chock"', 1))
    with pytest.raises(UserError, match=r"j\.jsonl:1: corrupt line .*damaged name of the checksum"):
        Journal(path)


CORRUPT = ["{", "[1]", '{"status": "ok", "text": ""}', '{"hash": "a", "status": "good"}', ""]
CORRUPT += ["[" * 10**5]


@pytest.mark.parametrize("line", CORRUPT, ids=lambda line: line[:20])
def test_a_corrupt_line_before_the_last_is_named(path, line):
    write(path, [Response("ok", "one"), Response("ok", "two")])
    first, second = path.read_text().splitlines()
    path.write_text(f"{first}\n{line}\n{second}\n")
    with pytest.raises(UserError, match=r"j\.jsonl:2: corrupt line"):
        Journal(path)
    path.write_text(f"{first}\n{second}\n")
    assert len(read(path)) == 2  # the failed opening let go of the file


def test_errors_stand_there_but_are_asked_again(path):
    write(path, [Response("error", error="HTTP 500"), Response("overflow", error="long")])
    assert read(path) == {}
    assert json.loads(path.read_text().splitlines()[0])["error"] == "HTTP 500"


def test_fields_that_responses_had_once_are_passed_over(path):
    old = {"hash": "h0", "status": "ok", "text": "one", "logprobs": [["one", -0.5, []]], "parts": 2}
    path.write_text(json.dumps(old) + "\n")
    assert read(path) == {"h0": Response("ok", "one", parts=2)}


def test_the_later_answer_counts(path):
    with Journal(path) as journal:
        journal.append("h0", Response("error", error="HTTP 500"))
        journal.append("h0", Response("ok", "at last"))
    assert read(path)["h0"].text == "at last"


def test_its_folders_are_made_where_they_are_missing(tmp_path):
    path = tmp_path / "journal/lifbench/own/2k.jsonl"
    write(path, [Response("ok", "text")])
    write(path, [])
    assert read(path, 1) == {"h0": Response("ok", "text")}
