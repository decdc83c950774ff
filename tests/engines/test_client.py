"""A request goes over the network as the ``openai`` client sends it, and to whom it would."""

import asyncio
import json
import threading
from contextlib import contextmanager
from http.server import ThreadingHTTPServer

import openai
import pytest

from servers import JsonHandler
from steadfast.engines.api.client import Access, Client
from steadfast.engines.base import Setup, build_engine

BODY = {"model": "m", "messages": [{"role": "user", "content": "Grüße, 北京 😀"}], "max_tokens": 4}
REPLY = {"choices": [{"finish_reason": "stop", "message": {"content": "Hi"}}]}
OWN = {"authorization", "content-type", "accept", "user-agent", "openai-organization"}


@contextmanager
def recording(redirect=None):
    """A server and what it is sent: path, header and body of each request."""
    seen = []

    class Handler(JsonHandler):
        def do_POST(self):
            header = {name.lower(): value for name, value in self.headers.items()}
            seen.append((self.path, header, self.body()))
            if redirect and len(seen) == 1:
                self.send(b"", 307, [("Location", redirect(self.server.server_port))])
            else:
                self.send(json.dumps(REPLY).encode())

    http = ThreadingHTTPServer(("", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield http.server_port, seen
    finally:
        http.shutdown()
        http.server_close()
        thread.join()


def post(url):
    """The reply to the body, sent by the client with the settings of a model at that address."""

    async def run():
        async with Client(Access(url, "THE_KEY").client_settings(5.0)) as client:
            return await client.post("/chat/completions", BODY)

    return asyncio.run(run())


@pytest.fixture(autouse=True)
def _environment(monkeypatch):
    monkeypatch.setenv("THE_KEY", "sk-1234567890")
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)


def test_a_request_is_that_of_the_openai_client(monkeypatch):
    monkeypatch.setenv("OPENAI_ORG_ID", "org-7")
    with recording() as (port, seen):
        url = f"http://127.0.0.1:{port}/v1"
        reply = post(url)

        async def theirs():
            async with openai.AsyncOpenAI(base_url=url, api_key="sk-1234567890") as client:
                await client.chat.completions.create(**BODY)

        asyncio.run(theirs())
    assert (reply.status, json.loads(reply.content)) == (200, REPLY)
    (path, header, body), (their_path, their_header, their_body) = seen
    assert path == their_path == "/v1/chat/completions"
    assert json.loads(body) == json.loads(their_body) == BODY
    assert {name: header[name] for name in OWN} == {name: their_header[name] for name in OWN}


@pytest.mark.parametrize(("timeout", "connect"), [(5.0, 5.0), (20.0, 20.0), (600.0, 20.0)])
def test_a_connection_takes_twenty_seconds_at_most_and_no_longer_than_a_reply(timeout, connect):
    found = Access("http://127.0.0.1/v1", "THE_KEY").client_settings(timeout)["timeout"]
    assert (found.connect, found.read) == (connect, timeout)


def test_a_connection_is_given_up_after_that_time():
    settings = Access("http://127.0.0.1/v1", "THE_KEY").client_settings(600.0)

    async def given_up_after():
        async with Client(settings) as client:
            return client._session.timeout.sock_connect

    assert asyncio.run(given_up_after()) == 20.0


def test_a_proxy_is_used_where_the_environment_names_one(monkeypatch):
    with recording() as (port, seen):
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{port}")
        post("http://api.invalid/v1")
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        post(f"http://127.0.0.1:{port}/v1")
    paths = [path for path, _, _ in seen]
    assert paths == ["http://api.invalid/v1/chat/completions", "/v1/chat/completions"]


def test_another_host_that_a_server_names_does_not_get_the_key():
    with recording(lambda port: f"http://localhost:{port}/v1/other") as (port, seen):
        post(f"http://127.0.0.1:{port}/v1")
    assert [path for path, _, _ in seen] == ["/v1/chat/completions", "/v1/other"]
    assert ["authorization" in header for _, header, _ in seen] == [True, False]


@pytest.mark.parametrize(("system", "tokens"), [(None, 4 + 3), ("Be brief.", 4 + 9 + 4 + 3)])
def test_a_template_adds_the_marks_of_its_messages_and_of_the_reply(system, tokens):
    settings = {"engine": "openai", "model": "m", "system": system}
    engine = build_engine(Setup(settings, {"api_key_env": None}))
    assert engine.template_tokens(len) == tokens
