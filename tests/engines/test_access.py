"""How a server is reached: by a key and an address, neither of which is ever shown."""

import pytest

from servers import error
from steadfast.errors import UserError


def test_the_key_comes_from_the_environment_and_goes_nowhere_else(part, server, monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-very-secret")
    server.faults["Ask 2.0!"].append(error(400, message="bad key sk-very-secret?"))
    part.run(api_key_env="MY_KEY", allowed_failures=1.0)
    assert server.keys == {"Bearer sk-very-secret"}
    for path in part.directory.iterdir():
        assert "sk-very-secret" not in path.read_text("utf-8")
    assert "bad key (key)?" in part.out.read_text("utf-8")


@pytest.mark.parametrize("value", [None, "", "  "])
def test_a_missing_key_is_said_before_anything_is_sent(part, server, monkeypatch, value):
    monkeypatch.delenv("MY_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("MY_KEY", value)
    with pytest.raises(UserError, match="variable MY_KEY holds no API key"):
        part.run(api_key_env="MY_KEY")
    assert not server.asked


@pytest.mark.parametrize("value", ["schlüssel-12345", "two\nlines-12345"])
def test_a_key_that_no_header_can_carry_is_said(part, server, monkeypatch, value):
    monkeypatch.setenv("MY_KEY", value)
    with pytest.raises(UserError, match="MY_KEY holds characters that no API key has") as raised:
        part.run(api_key_env="MY_KEY")
    assert value not in str(raised.value)
    assert not server.asked


@pytest.mark.parametrize(
    "address",
    [
        "api.example.org/v1",
        "user:secret-word@example.org/v1",
        "http://user:secret-word@[::1",
        "http://user:secret-word@example.org:port/v1",
        "https://example.org/v1?api_key=secret-word",
        "http:///v1",
        "ftp://secret-word@example.org",
    ],
)
def test_an_address_that_is_none_is_said_without_what_it_holds(part, address):
    with pytest.raises(UserError, match="base_url is not the address of an API") as raised:
        part.run(base_url=address)
    assert "secret-word" not in str(raised.value)


def test_a_password_in_the_address_is_never_shown(part, server):
    server.faults["Ask 0.0!"].append(error(401, message="user:secret-word"))
    with pytest.raises(UserError, match=r"server 127\.0\.0\.1:\d+ does not accept") as raised:
        part.run(base_url=server.url.replace("127", "user:secret-word@127"))
    assert "secret-word" not in str(raised.value)
    server.faults["Ask 0.0!"].append(error(400, message="no user:secret-word here"))
    part.run(base_url=server.url.replace("127", "user:secret-word@127"), allowed_failures=1.0)
    assert "no user:(key) here" in part.out.read_text("utf-8")
