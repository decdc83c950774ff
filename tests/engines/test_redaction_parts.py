"""Parts of a key, and keys in other spellings, are taken out of what a server says."""

import json
import random
import string
from base64 import b64encode

import pytest

from parts import items
from servers import Fault
from steadfast.engines.api.redaction import Redaction

LETTERS = string.ascii_letters + string.digits
KEY = "sk-proj-Q7wEr5TyUi9OpAsDfGhJkLzXcVbNm012"


def keys(count=40):
    """Keys as providers issue them."""
    draw = random.Random(7)
    shapes = [
        ("sk-", LETTERS, 48),
        ("sk-proj-", LETTERS + "-_", 120),
        ("sk-ant-api03-", LETTERS + "-_", 86),
        ("hf_", string.ascii_letters, 34),
        ("gsk_", LETTERS, 52),
        ("AIza", LETTERS + "-_", 35),
        ("", "0123456789abcdef", 32),
        ("", string.ascii_lowercase + string.digits, 40),
        ("sk-or-v1-", "0123456789abcdef", 64),
    ]
    for number in range(count):
        prefix, of, length = shapes[number % len(shapes)]
        yield prefix + "".join(draw.choices(of, k=length))


def echoes(key):
    """The ways in which a server may show a key, or most of it."""
    middle, half = key[len(key) // 3 : -4], len(key) // 2
    octets = key.encode()
    encoded = b64encode(octets).decode()
    yield from {
        "lower": key.lower(),
        "upper": key.upper(),
        "swapped": key.swapcase(),
        "masked at both ends": f"****{middle}****",
        "masked at the start": f"{'*' * 10}{key[10:]}",
        "masked at the end": f"{key[:-6]}…",
        "in two lines": f"{key[:half]}\n{key[half:]}",
        "in two words": f"{key[:half]} {key[half:]}",
        "in two strings": json.dumps({"first": key[:half], "second": key[half:]}),
        "in a list": json.dumps([key[n : n + 5] for n in range(0, len(key), 5)]),
        "spaced": " ".join(key),
        "dashed": "-".join(key[n : n + 4] for n in range(0, len(key), 4)),
        "hex": octets.hex(),
        "upper hex": octets.hex().upper(),
        "hex with colons": octets.hex(":"),
        "hex of a part": octets[12:].hex(),
        "escaped hex": "".join(f"\\x{byte:02x}" for byte in octets),
        "a part in base64": b64encode(octets[12:]).decode(),
        "base64 in two lines": f"{encoded[:20]}\n{encoded[20:]}",
        "lower, escaped": "".join(f"\\u{ord(char):04x}" for char in key.lower()),
        "upper, in a URL": "".join(f"%{ord(char):02X}" for char in key.upper()),
        "middle, in a URL": "".join(f"%{ord(char):02X}" for char in middle),
    }.items()


def shows(text, key):
    """The parts of a key, whatever their case, that a text shows as they are."""
    plain = "".join(char for char in text.lower() if char.isalnum())
    folded = "".join(char for char in key.lower() if char.isalnum())[12:]
    return [p for n in range(len(folded) - 12) if (p := folded[n : n + 13]) in plain]


@pytest.mark.parametrize("key", list(keys(9)), ids=range(9))
def test_no_way_to_show_a_key_shows_it(key):
    redaction = Redaction([key])
    for what, echo in echoes(key):
        for safe in (
            redaction.text(f"Wrong: {echo}!"),
            redaction.content(f"Wrong: {echo}!".encode()).decode(),
        ):
            assert "(key)" in safe, what
            assert not shows(safe, key), what
            assert key.encode().hex()[40:60] not in safe.lower(), what
            assert len(safe) < len(f"Wrong: {echo}!") + 60, what


def test_json_stays_json():
    for key in keys(9):
        redaction = Redaction([key])
        for what, echo in echoes(key):
            body = json.dumps({"error": {"message": f"No {echo}", "n": 1}, "k": [echo]})
            found = json.loads(redaction.content(body.encode()))
            assert found["error"]["n"] == 1 and not shows(found["k"][0], key), what


def test_texts_without_a_key_are_left_as_they_are():
    """Words, numbers and identifiers, and keys of others with the same beginning."""
    draw = random.Random(11)
    words = ["version", "Qwen2-72B", "server", "sk-proj-", "sk-ant-api03-", "password", "token"]
    words += [
        "1234567890",
        "2024-11-22",
        "development",
        "%20",
        "\\n",
        "\\u00e9",
        "AKIA",
        "deadbeef",
    ]
    others = ["".join(draw.choices(LETTERS, k=40)) for _ in range(500)]
    text = " ".join(draw.choices([*words, *others], k=3_000))
    for key in [*keys(), "local-development-key", "qwen2-72b-server", "my-password", "token-1234"]:
        assert Redaction([key]).text(text) == text, key


def test_a_key_of_words_is_found_whole_alone():
    redaction = Redaction(["local-development-key"])
    assert redaction.text("for local development") == "for local development"
    assert redaction.text("LOCAL-DEVELOPMENT-KEY") == "(key)"


def test_what_stands_around_a_part_stays():
    assert Redaction([KEY]).text(f"a {KEY[9:30].lower()} b") == "a (key) b"
    assert Redaction([KEY]).text(f'["{KEY[:20]}", "{KEY[20:]}"]') == '["(key)", "(key)"]'


def test_an_answer_that_shows_parts_of_the_key_is_kept_without_them(part, server, monkeypatch):
    monkeypatch.setenv("MY_KEY", KEY)
    shown = [echo for _, echo in echoes(KEY)]
    asked = items(1, len(shown))
    for item, echo in zip(asked, shown, strict=True):
        choice = {"finish_reason": "stop", "message": {"content": f"It is {echo}."}}
        body = json.dumps({"choices": [choice], "model": "m"}).encode()
        server.faults[item.tail.strip()].append(Fault(body=body))
    records = part.run(asked, api_key_env="MY_KEY")
    assert [record["status"] for record in records] == ["ok"] * len(shown)
    assert all("(key)" in record["text"] for record in records)
    for path in part.directory.rglob("*"):
        if path.is_file():
            assert not shows(path.read_text("utf-8"), KEY), path
