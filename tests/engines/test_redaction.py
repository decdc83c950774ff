"""Secrets are taken out of all that a server says: of files, messages and logs, live and batch."""

import json
import os
import string
from base64 import b64encode, urlsafe_b64encode
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from batch_servers import BatchServer, Fate
from parts import Part, items, items_with
from servers import Fault, error, running
from steadfast.base.errors import UserError
from steadfast.engines.api.redaction import Redaction

KEYS = {
    "short": "kA9/x+Z7",
    "usual": "sk-proj-Q7wEr5TyUi9OpAsDfGhJkLzXcVbNm012",
    "escaped": 'sk/"Q7w\\Er5+Ty=Ui%9&OpAs<Df>Gh JkLz',
    "long": "sk-" + "Q7wEr5TyUi9OpAsDfGhJ" * 12 + "end",
}


def spellings(key):
    """The ways in which a server may spell a key, made by other means than the redaction."""
    escapes = "".join(f"\\u{ord(character):04X}" for character in key)
    percents = "".join(f"%{ord(character):02x}" for character in key)
    return [
        key,
        json.dumps(key)[1:-1],
        json.dumps(json.dumps(key))[3:-3],
        key.replace("/", "\\/"),
        escapes,
        percents,
        quote(key, safe=""),
        quote(quote(key, safe=""), safe=""),
        quote(key),
        b64encode(key.encode()).decode().rstrip("="),
        urlsafe_b64encode(key.encode()).decode().rstrip("="),
        quote_plus(key),
        b64encode(f"user:{key}".encode()).decode(),
        b64encode(f"Bearer {key}!".encode()).decode(),
    ]


def found(content, key):
    """The parts of a key's spellings, of eight characters and more, that a content holds."""
    *whole, one, other = spellings(key)
    inner = [*whole, one[7:-4], other[10:-6]]  # what is about the key alone
    windows = {one[n : n + 8] for one in inner for n in range(len(one) - 7)}
    plain = {window for window in windows if len(set(window)) > 2}
    return sorted(window for window in plain if window.encode() in content)


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_every_spelling_of_a_key_is_replaced(key):
    redaction = Redaction([key])
    for spelling in spellings(key):
        if len(spelling) >= 8:
            assert "(key)" in redaction.text(f"x {spelling} y")
            assert not found(redaction.content(f"x {spelling} y".encode()), key)
    assert redaction.text(f'{{"a": "Bearer {key}"}}') == '{"a": "Bearer (key)"}'


@pytest.mark.parametrize("word", ["", "x", "none", "EMPTY", "ollama1"])
def test_a_word_that_protects_nothing_is_left_in_answers(word):
    assert Redaction([word]).text(f"The {word} set") == f"The {word} set"


CHARACTERS = string.ascii_letters + string.digits + "-_./+=~"
SECRETS = st.text(CHARACTERS, min_size=5, max_size=60).map("sk-{}".format)


@given(SECRETS, st.text(max_size=30), st.text(max_size=30))
def test_no_text_keeps_the_key_in_any_json(key, before, after):
    for ascii_only in (True, False):
        body = json.dumps({"a": [before + key + after]}, ensure_ascii=ascii_only)
        safe = Redaction([key]).content(body.encode("utf-8", "surrogatepass"))
        assert key.encode() not in safe
        (text,) = json.loads(safe.decode("utf-8", "surrogatepass"))["a"]
        assert key not in text


@given(st.text(max_size=200))
def test_a_text_without_the_key_is_left_as_it_is(text):
    redaction = Redaction(["sk-proj-Q7wEr5TyUi9OpAsDfGhJ"])
    assert redaction.text(text) == text


def reply(key, **choice):
    whole = {"finish_reason": "stop", "message": {"content": "Hi"}, **choice}
    return {"choices": [whole], "model": "m", "system_fingerprint": "f"}


def bodies(key):
    """Replies and failures that hold the key in each place that a server can put one."""
    message = {"content": f"The key is {key}!"}
    yield from (
        reply(key, message=message),
        reply(key, message={"content": None, "refusal": f"No {key}"}),
        reply(key, message={"content": "Hi", "reasoning_content": key}),
        reply(key, message={"content": "Hi", "reasoning_details": [{"text": key}]}),
        reply(key, message={"content": [{"type": "text", "text": key}]}),
        reply(key, finish_reason=key),
        reply(key) | {"model": key, "system_fingerprint": f"fp_{key}"},
        reply(key) | {"error": {"message": f"used {key}", "code": key}},
        reply(key) | {"usage": {"prompt_tokens": key}},
        {key: key},
    )


def faults(key):
    def escaped(value):
        """JSON in which every character of every string is escaped."""
        if isinstance(value, str):
            return '"' + "".join(f"\\u{ord(character):04x}" for character in value) + '"'
        if isinstance(value, dict):
            return "{" + ",".join(f"{json.dumps(k)}:{escaped(v)}" for k, v in value.items()) + "}"
        if isinstance(value, list):
            return "[" + ",".join(map(escaped, value)) + "]"
        return json.dumps(value)

    for value in bodies(key):
        yield Fault(body=json.dumps(value).encode())
    for value in bodies(key):
        yield Fault(
            body=escaped(value).replace('"\\u0073\\u0074\\u006f\\u0070"', '"stop"').encode()
        )
    for spelling in spellings(key):
        yield error(400, spelling, message=f"bad {spelling} here")
    for before in range(160, 206, 15):  # messages are cut to 200 characters
        yield error(422, message="x" * before + key)
        yield Fault(body=json.dumps(reply(key) | {"error": "x" * (before - 145) + key}).encode())
    header = key.replace("\\", "")
    for status in (200, 302, 400, 500):
        yield Fault(status, reason=f"OK {header}")
        yield Fault(status, headers={"X-Request-Id": key, "Set-Cookie": f"k={key}"})
        yield Fault(status, headers={"Retry-After": key, "WWW-Authenticate": f"Bearer {key}"})
    yield Fault(307, b"", headers={"Location": f"/{quote(key, safe='')}/completions"})
    yield Fault(307, b"", headers={"Location": f"foo://{quote(key, safe='')}"})
    yield Fault(301, f"<html>{key}</html>".encode())
    yield Fault(500, b"\xff" + key.encode())
    yield Fault(400, key.encode())
    yield Fault(400, json.dumps({"error": {"message": key}}).encode("utf-16"))
    yield Fault(body=json.dumps(reply(key, message={"content": key})).encode("utf-16"))


def written(directory):
    """The names and contents of all files below a directory."""
    for path in sorted(directory.rglob("*")):
        yield str(path.relative_to(directory)), path.read_bytes() if path.is_file() else b""


def assert_kept_nowhere(directory, key, capfd):
    for name, content in written(directory):
        assert not found(content, key), name
        assert not found(os.fsencode(name), key)
    out, err = capfd.readouterr()
    assert not found((out + err).encode(), key)


@pytest.mark.parametrize("key", [KEYS["usual"], KEYS["escaped"]], ids=["usual", "escaped"])
def test_a_key_that_the_server_repeats_is_kept_nowhere(part, server, monkeypatch, capfd, key):
    monkeypatch.setenv("MY_KEY", key)
    asked = items_with(server, list(faults(key)))
    part.run(asked, attempts=1, max_concurrency=8, api_key_env="MY_KEY", allowed_failures=1.0)
    assert server.keys == {f"Bearer {key}"}
    assert "(key)" in part.journal.read_text("utf-8")
    assert_kept_nowhere(part.directory, key, capfd)


@pytest.mark.parametrize("status", [401, 404, 429])
def test_the_sentence_that_stops_a_job_has_no_key(part, server, monkeypatch, capfd, status):
    key = KEYS["escaped"]
    monkeypatch.setenv("MY_KEY", key)
    server.faults[""].append(error(status, "insufficient_quota", message=f"Bearer {key}"))
    with pytest.raises(UserError) as raised:
        part.run(items(1, 1), api_key_env="MY_KEY")
    assert not found(str(raised.value).encode(), key)
    assert_kept_nowhere(part.directory, key, capfd)


class Repeating(BatchServer):
    """Puts ``key`` into every answer."""

    key = ""
    ids = ""

    def reply(self, prompt, path, body):
        whole = super().reply(prompt, path, body)
        message = {"content": f"You said: {self.key}", "reasoning_content": self.key}
        whole["choices"][0]["message"] = message
        return whole | {"model": self.key}

    def store(self, content):
        name = super().store(content)
        if self.ids:
            self.files[name + self.ids] = self.files.pop(name)
        return name + self.ids


def test_a_key_that_a_batch_repeats_is_kept_nowhere(tmp_path, monkeypatch, capfd):
    key = KEYS["usual"]
    monkeypatch.setenv("MY_KEY", key)
    with running(kind=Repeating) as server:
        server.key = key
        server.fates.extend(
            [
                Fate("failed", "x" * (195 - len(key) // 2) + key),
                Fate("expired", fail=("Ask 2.0!",), message="x" * 190 + key),
            ]
        )
        busy = f"busy with {key}"
        server.faults["POST /v1/files"].append(error(500, message=busy))
        server.faults["GET /v1/batches/batch_0"].append(error(503, message=busy))
        part = Part(tmp_path, server.url)
        part.run(batch=True, api_key_env="MY_KEY", allowed_failures=0.2)
        assert server.keys == {f"Bearer {key}"}
        server.faults["POST /v1/files"].append(error(400, message=busy))
        with pytest.raises(UserError, match=r"rejects the batch .*\(key\)") as raised:
            part.run(items(3, 3), batch=True, api_key_env="MY_KEY")
    assert not found(str(raised.value).encode(), key)
    assert "You said: (key)" in part.journal.read_text("utf-8")
    assert_kept_nowhere(tmp_path, key, capfd)


def test_a_file_that_is_named_by_the_key_stops_the_job(tmp_path, monkeypatch, capfd):
    key = KEYS["usual"]
    monkeypatch.setenv("MY_KEY", key)
    with running(kind=Repeating) as server:
        server.ids = key
        part = Part(tmp_path, server.url)
        with pytest.raises(UserError, match="uses the API key in the id of a file or batch"):
            part.run(batch=True, api_key_env="MY_KEY")
    assert_kept_nowhere(tmp_path, key, capfd)
