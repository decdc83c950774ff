"""API keys in a server's replies are redacted in files, messages and logs, live and in batches."""

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


def encodings(key):
    """Encodings of a key that a server may use, made by other means than the redaction."""
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


def leaks(content, key):
    """Parts of an encoded key, of eight characters, that a content has."""
    *encoded, with_user, with_bearer = encodings(key)
    windows = set()
    for encoding in [*encoded, with_user[7:-4], with_bearer[10:-6]]:  # without the other words
        windows |= {encoding[n : n + 8] for n in range(len(encoding) - 7)}
    # Windows of one or two characters are not characteristic of a key.
    return sorted(part for part in windows if len(set(part)) > 2 and part.encode() in content)


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
def test_each_encoding_of_a_key_is_redacted(key):
    redaction = Redaction([key])
    for encoding in encodings(key):
        if len(encoding) >= 8:
            assert "(key)" in redaction.text(f"x {encoding} y")
            assert not leaks(redaction.content(f"x {encoding} y".encode()), key)
    assert redaction.text(f'{{"a": "Bearer {key}"}}') == '{"a": "Bearer (key)"}'


@pytest.mark.parametrize(("before", "others"), [(0, 0), (1, 5), (2, 5)])
def test_base64_is_redacted_up_to_characters_with_bits_of_other_text(before, others):
    # A character has six bits: of 16 with a key of 72, eleven have no others.
    encoded = b64encode(b"x" * before + b"sk-123456" + b"y" * (-before % 3)).decode()
    assert len(Redaction(["sk-123456"]).text(encoded)) == len("(key)") + others


@pytest.mark.parametrize("placeholder", ["", "x", "none", "EMPTY", "ollama1"])
def test_placeholder_keys_are_not_redacted(placeholder):
    assert Redaction([placeholder]).text(f"The {placeholder} set") == f"The {placeholder} set"


CHARACTERS = string.ascii_letters + string.digits + "-_./+=~"
SECRETS = st.text(CHARACTERS, min_size=5, max_size=60).map("sk-{}".format)


@given(SECRETS, st.text(max_size=30), st.text(max_size=30))
def test_key_is_redacted_in_any_json(key, before, after):
    for ascii_only in (True, False):
        body = json.dumps({"a": [before + key + after]}, ensure_ascii=ascii_only)
        redacted = Redaction([key]).content(body.encode("utf-8", "surrogatepass"))
        assert key.encode() not in redacted
        (text,) = json.loads(redacted.decode("utf-8", "surrogatepass"))["a"]
        assert key not in text


@given(st.text(max_size=200))
def test_text_without_the_key_is_unchanged(text):
    redaction = Redaction(["sk-proj-Q7wEr5TyUi9OpAsDfGhJ"])
    assert redaction.text(text) == text


def reply(message=None, finish_reason="stop", **fields):
    choice = {"finish_reason": finish_reason, "message": message or {"content": "Hi"}}
    return {"choices": [choice], "model": "m", "system_fingerprint": "f", **fields}


def replies_with(key):
    """Replies and failures that have the key in each field in which a server can put one."""
    return [
        reply({"content": f"The key is {key}!"}),
        reply({"content": None, "refusal": f"No {key}"}),
        reply({"content": "Hi", "reasoning_content": key}),
        reply({"content": "Hi", "reasoning_details": [{"text": key}]}),
        reply({"content": [{"type": "text", "text": key}]}),
        reply(finish_reason=key),
        reply(model=key, system_fingerprint=f"fp_{key}"),
        reply(error={"message": f"used {key}", "code": key}),
        reply(usage={"prompt_tokens": key}),
        {key: key},
    ]


def escaped(value):
    """JSON in which each character of each string is escaped, but in "stop" and in names."""
    if isinstance(value, str) and value != "stop":
        return '"' + "".join(f"\\u{ord(character):04x}" for character in value) + '"'
    if isinstance(value, dict):
        fields = [f"{json.dumps(name)}:{escaped(field)}" for name, field in value.items()]
        return "{" + ",".join(fields) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(escaped, value)) + "]"
    return json.dumps(value)


def faults_with(key):
    for body in replies_with(key):
        yield Fault(body=json.dumps(body).encode())
        yield Fault(body=escaped(body).encode())
    for encoding in encodings(key):
        yield error(400, encoding, message=f"bad {encoding} here")
    for length in range(160, 206, 15):  # messages are cut to 200 characters
        yield error(422, message="x" * length + key)
        yield Fault(body=json.dumps(reply(error="x" * (length - 145) + key)).encode())
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
    yield Fault(body=json.dumps(reply({"content": key})).encode("utf-16"))


@pytest.fixture
def use_key(monkeypatch, tmp_path, capfd):
    """Sets the key of the jobs in ``tmp_path``. At the end no file and no output may have it."""
    keys = []

    def use(key):
        monkeypatch.setenv("MY_KEY", key)
        keys.append(key)
        return key

    yield use
    (key,) = keys
    for path in tmp_path.rglob("*"):
        assert not leaks(os.fsencode(path.relative_to(tmp_path)), key)
        assert path.is_dir() or not leaks(path.read_bytes(), key), path
    out, err = capfd.readouterr()
    assert not leaks((out + err).encode(), key)


@pytest.mark.parametrize("key", [KEYS["usual"], KEYS["escaped"]], ids=["usual", "escaped"])
def test_key_in_replies_is_redacted(part, server, use_key, key):
    use_key(key)
    items = items_with(server, list(faults_with(key)))
    part.run(items, attempts=1, max_concurrency=8, api_key_env="MY_KEY", allowed_failures=1.0)
    assert server.keys == {f"Bearer {key}"}
    assert "(key)" in part.journal.read_text("utf-8")


@pytest.mark.parametrize("status", [401, 404, 429])
def test_key_in_a_fatal_error_is_redacted(part, server, use_key, status):
    key = use_key(KEYS["escaped"])
    server.faults[""].append(error(status, "insufficient_quota", message=f"Bearer {key}"))
    with pytest.raises(UserError) as failure:
        part.run(items(1, 1), api_key_env="MY_KEY")
    assert not leaks(str(failure.value).encode(), key)


class KeyInBatches(BatchServer):
    """Puts ``key`` into each answer, and ``suffix`` behind each file's id."""

    key = ""
    suffix = ""

    def reply(self, prompt, path, body):
        message = {"content": f"You said: {self.key}", "reasoning_content": self.key}
        reply = super().reply(prompt, path, body)
        reply["choices"][0]["message"] = message
        return reply | {"model": self.key}

    def store(self, content):
        file_id = super().store(content)
        self.files[file_id + self.suffix] = self.files.pop(file_id)
        return file_id + self.suffix


def test_key_in_batches_is_redacted(tmp_path, use_key):
    key = use_key(KEYS["usual"])
    busy = f"busy with {key}"
    with running(kind=KeyInBatches) as server:
        server.key = key
        server.fates += [
            Fate("failed", "x" * (195 - len(key) // 2) + key),
            Fate("expired", fail=("Ask 2.0!",), message="x" * 190 + key),
        ]
        server.faults["POST /v1/files"].append(error(500, message=busy))
        server.faults["GET /v1/batches/batch_0"].append(error(503, message=busy))
        part = Part(tmp_path, server.url)
        part.run(batch=True, api_key_env="MY_KEY", allowed_failures=0.2)
        assert server.keys == {f"Bearer {key}"}
        server.faults["POST /v1/files"].append(error(400, message=busy))
        with pytest.raises(UserError, match=r"rejects the batch .*\(key\)") as failure:
            part.run(items(3, 3), batch=True, api_key_env="MY_KEY")
    assert not leaks(str(failure.value).encode(), key)
    assert "You said: (key)" in part.journal.read_text("utf-8")


def test_key_in_the_id_of_a_file_stops_the_job(tmp_path, use_key):
    key = use_key(KEYS["usual"])
    with running(kind=KeyInBatches) as server:
        server.suffix = key
        with pytest.raises(UserError, match="uses the API key in the id of a file or batch"):
            Part(tmp_path, server.url).run(batch=True, api_key_env="MY_KEY")
