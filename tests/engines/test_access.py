"""How a server is reached: as the ``openai`` client does it, and the key goes nowhere else."""

import asyncio
import json

import openai
import pytest

from servers import Fault, echo
from steadfast.base.errors import UserError
from steadfast.config.load import load_config
from steadfast.engines.api.client import Access, Client
from steadfast.engines.base import Setup, build_engine

PROMPT = "Grüße, 北京 😀"
BODY = {"model": "m", "messages": [{"role": "user", "content": PROMPT}], "max_tokens": 4}
HEADERS = ("authorization", "content-type", "accept", "user-agent", "openai-organization")


@pytest.fixture(autouse=True)
def _environment(monkeypatch):
    monkeypatch.setenv("MY_KEY", "sk-1234567890")
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)


def post(url):
    """The reply to BODY from the server at that URL."""

    async def run():
        async with Client(Access(url, "MY_KEY").client_settings(5.0)) as client:
            return await client.post("/chat/completions", BODY)

    return asyncio.run(run())


def test_request_equals_that_of_the_openai_client(server, monkeypatch):
    monkeypatch.setenv("OPENAI_ORG_ID", "org-7")
    reply = post(server.url)

    async def post_by_openai():
        async with openai.AsyncOpenAI(base_url=server.url, api_key="sk-1234567890") as client:
            await client.chat.completions.create(**BODY)

    asyncio.run(post_by_openai())
    (path, header, body), (openai_path, openai_header, openai_body) = server.requests
    assert path == openai_path == "/v1/chat/completions"
    assert json.loads(body) == json.loads(openai_body) == BODY
    assert PROMPT in body.decode()  # not escaped
    for name in HEADERS:
        assert header[name] == openai_header[name], name
    assert reply.status == 200
    assert json.loads(reply.content)["choices"][0]["message"]["content"] == echo(PROMPT)


@pytest.mark.parametrize(("timeout", "connect"), [(5.0, 5.0), (20.0, 20.0), (600.0, 20.0)])
def test_connection_timeout_is_20_seconds_or_that_of_a_reply(timeout, connect):
    settings = Access("http://127.0.0.1/v1", "MY_KEY").client_settings(timeout)
    assert (settings["timeout"].connect, settings["timeout"].read) == (connect, timeout)

    async def socket_timeout():
        async with Client(settings) as client:
            return client._session.timeout.sock_connect

    assert asyncio.run(socket_timeout()) == connect


def test_proxy_of_the_environment_is_used(server, monkeypatch):
    monkeypatch.setenv("http_proxy", server.url.removesuffix("/v1"))
    post("http://api.invalid/v1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    post(server.url)
    paths = [path for path, _, _ in server.requests]
    assert paths == ["http://api.invalid/v1/chat/completions", "/v1/chat/completions"]


def test_redirect_to_another_host_does_not_get_the_key(server):
    target = server.url.replace("127.0.0.1", "localhost")
    server.faults[""].append(Fault(307, b"", headers={"Location": f"{target}/chat/completions"}))
    post(server.url)
    hosts = [header["Host"].partition(":")[0] for _, header, _ in server.requests]
    assert hosts == ["127.0.0.1", "localhost"]
    assert ["authorization" in header for _, header, _ in server.requests] == [True, False]


@pytest.mark.parametrize(("system", "tokens"), [(None, 4 + 3), ("Be brief.", 4 + 9 + 4 + 3)])
def test_template_tokens_count_each_message_and_the_reply(system, tokens):
    settings = {"engine": "openai", "model": "m", "system": system}
    engine = build_engine(Setup(settings, {"api_key_env": None}))
    assert engine.template_tokens(len) == tokens


@pytest.mark.parametrize(
    ("key", "message"),
    [
        (None, "variable MY_KEY contains no API key"),
        ("", "variable MY_KEY contains no API key"),
        ("  ", "variable MY_KEY contains no API key"),
        ("schlüssel-12345", "MY_KEY contains characters that are invalid"),
        ("two\nlines-12345", "MY_KEY contains characters that are invalid"),
    ],
)
def test_missing_or_invalid_key_stops_before_any_request(part, server, monkeypatch, key, message):
    monkeypatch.delenv("MY_KEY")
    if key is not None:
        monkeypatch.setenv("MY_KEY", key)
    with pytest.raises(UserError, match=message) as raised:
        part.run(api_key_env="MY_KEY")
    assert not (key and key.strip() and key in str(raised.value))
    assert not server.requested


INVALID = [
    "api.example.org/v1",
    "http://[::1",
    "http://example.org:port/v1",
    "https://example.org/v1?api_key=secret-word",
    "http:///v1",
    "ftp://example.org/secret-word",
]
WITH_USER = [
    "http://user:secret-word@127.0.0.1:9/v1",
    "http://secret-word@127.0.0.1:9/v1",
    "http://:secret-word@127.0.0.1:9/v1",
    "user:secret-word@example.org/v1",
    "http://user:secret-word@[::1",
    "http://user:secret-word@example.org:port/v1",
    "ftp://secret-word@example.org",
]
MESSAGES = {
    **dict.fromkeys(INVALID, "base_url is not a valid URL of an API"),
    **dict.fromkeys(WITH_USER, r"base_url contains a user name or password; .* api_key_env"),
}


@pytest.mark.parametrize(("url", "message"), MESSAGES.items())
def test_invalid_url_is_refused_and_not_shown(part, monkeypatch, url, message):
    """Clients send a user name or password in place of the key."""
    with pytest.raises(UserError, match=message) as raised:
        part.run(base_url=url, api_key_env="MY_KEY")
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    with pytest.raises(UserError, match=message.partition(";")[0]) as raised_by_environment:
        part.run(base_url=None, api_key_env="MY_KEY")
    assert "secret-word" not in f"{raised.value} {raised_by_environment.value}"


@pytest.mark.parametrize("url", WITH_USER)
def test_user_or_password_in_the_url_is_refused_with_the_config(url):
    model = {"engine": "openai", "model": "m", "window": 4096, "base_url": url}
    message = r"models.m.base_url: the URL contains a user name or pass"
    with pytest.raises(UserError, match=message) as raised:
        load_config({"models": {"m": model}})
    assert "secret-word" not in str(raised.value)


def test_at_sign_in_the_path_of_a_url_is_accepted():
    url = "http://127.0.0.1:9/@team/v1"
    Access(url, None).client_settings(timeout=1)
    load_config({"models": {"m": {"engine": "openai", "model": "m", "base_url": url}}})
