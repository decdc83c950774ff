"""How a server is reached: by a key and an address, neither of which is ever shown."""

import pytest

from servers import error
from steadfast.base.errors import UserError
from steadfast.config.load import load_config
from steadfast.engines.api.client import Access


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
    with pytest.raises(UserError, match="variable MY_KEY contains no API key"):
        part.run(api_key_env="MY_KEY")
    assert not server.asked


@pytest.mark.parametrize("value", ["schlüssel-12345", "two\nlines-12345"])
def test_a_key_that_no_header_can_carry_is_said(part, server, monkeypatch, value):
    monkeypatch.setenv("MY_KEY", value)
    with pytest.raises(UserError, match="MY_KEY contains characters that are invalid") as raised:
        part.run(api_key_env="MY_KEY")
    assert value not in str(raised.value)
    assert not server.asked


@pytest.mark.parametrize(
    "address",
    [
        "api.example.org/v1",
        "http://[::1",
        "http://example.org:port/v1",
        "https://example.org/v1?api_key=secret-word",
        "http:///v1",
        "ftp://example.org/secret-word",
    ],
)
def test_an_address_that_is_none_is_said_without_what_it_holds(part, address):
    with pytest.raises(UserError, match="base_url is not a valid URL of an API") as raised:
        part.run(base_url=address)
    assert "secret-word" not in str(raised.value)


WITH_USER = [
    "http://user:secret-word@127.0.0.1:9/v1",
    "http://secret-word@127.0.0.1:9/v1",
    "http://:secret-word@127.0.0.1:9/v1",
    "user:secret-word@example.org/v1",
    "http://user:secret-word@[::1",
    "http://user:secret-word@example.org:port/v1",
    "ftp://secret-word@example.org",
]


@pytest.mark.parametrize("address", WITH_USER)
def test_a_user_or_password_in_the_address_is_refused_and_never_shown(part, monkeypatch, address):
    """A server would be sent it in place of the key."""
    monkeypatch.setenv("MY_KEY", "sk-very-secret")
    with pytest.raises(
        UserError, match=r"base_url contains a user name or password; .* api_key_env"
    ) as one:
        part.run(base_url=address, api_key_env="MY_KEY")
    monkeypatch.setenv("OPENAI_BASE_URL", address)
    with pytest.raises(UserError, match="base_url contains a user name or password") as two:
        part.run(base_url=None, api_key_env="MY_KEY")
    model = {"engine": "openai", "model": "m", "window": 4096, "base_url": address}
    with pytest.raises(
        UserError, match=r"models.m.base_url: the URL contains a user name or pass"
    ) as three:
        load_config({"models": {"m": model}})
    assert "secret-word" not in f"{one.value} {two.value} {three.value}"


def test_an_at_sign_behind_the_host_is_no_user():
    url = "http://127.0.0.1:9/@team/v1"
    Access(url, None).client_settings(timeout=1)
    load_config({"models": {"m": {"engine": "openai", "model": "m", "base_url": url}}})
