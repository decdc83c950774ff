"""Requests have the paths and bodies that the providers' own clients send for equal settings."""

import json
import re
import subprocess
from dataclasses import replace

import pytest

from cached_venv import cached_python
from parts import items
from steadfast.contract.request import grouped
from steadfast.engines.api.engines import PROVIDERS
from steadfast.engines.base import Setup
from steadfast.engines.fit import fit

pytestmark = pytest.mark.heavy
CLIENTS = """
import json, sys, threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

received = []

class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        header = {name.lower(): value for name, value in self.headers.items()}
        received.append((self.path, header, json.loads(body)))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")
    def log_message(self, *_):
        pass

server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
url = f"http://127.0.0.1:{server.server_port}"
context, question, answer, follow_up = sys.argv[1:]

import anthropic
client = anthropic.Anthropic(api_key="k-123456789", base_url=url, max_retries=0)
mark = {"type": "ephemeral", "ttl": "1h"}
blocks = [{"type": "text", "text": context}, {"type": "text", "text": question}]
marked = [{**blocks[0], "cache_control": mark}, blocks[1]]
make = client.messages.create
make(model="m", max_tokens=50, messages=[{"role": "user", "content": blocks}])
make(
    model="m", max_tokens=2098, system="Be brief.",
    messages=[{"role": "user", "content": marked}],
    thinking={"type": "enabled", "budget_tokens": 2048},
    output_config={
        "effort": "low", "format": {"type": "json_schema", "schema": {"type": "object"}}
    },
    stop_sequences=["END"],
)
make(
    model="m", max_tokens=50, thinking={"type": "adaptive"},
    messages=[
        {"role": "user", "content": context + question},
        {"role": "assistant", "content": answer},
        {"role": "user", "content": [{"type": "text", "text": follow_up}]},
    ],
)

from google import genai
from google.genai import types
client = genai.Client(api_key="k-123456789", http_options=types.HttpOptions(base_url=url))
make = client.models.generate_content
Config = types.GenerateContentConfig
Content = types.Content
Part = types.Part
make(model="m", contents=context + question, config=Config(max_output_tokens=50, temperature=0.0))
make(
    model="m", contents=context + question,
    config=Config(
        system_instruction="Be brief.", max_output_tokens=562, temperature=0.5, top_p=0.9, top_k=7,
        seed=11, stop_sequences=["END"], service_tier="flex",
        thinking_config=types.ThinkingConfig(thinking_budget=512, include_thoughts=True),
        response_mime_type="application/json", response_json_schema={"type": "object"},
    ),
)
make(
    model="m",
    contents=[
        Content(role="user", parts=[Part(text=context + question)]),
        Content(role="model", parts=[Part(text=answer)]),
        Content(role="user", parts=[Part(text=follow_up)]),
    ],
    config=Config(
        max_output_tokens=50, temperature=0.0,
        thinking_config=types.ThinkingConfig(thinking_level="low", include_thoughts=True),
    ),
)
print(json.dumps(received))
"""
SCHEMA = json.dumps({"type": "object"})
ITEM = items(1, 1)[0]
ANSWER = "It is 4."
FOLLOW_UP = "More?"
TURN = {
    "head": "",
    "context": "",
    "tail": FOLLOW_UP,
    "turns": ((ITEM.head + ITEM.context + ITEM.tail, ANSWER),),
}


def request_of(engine, requested, operation=None, **answers):
    """Path and body of the request for the first of the items."""
    setup = Setup({"engine": engine, "model": "m", **answers}, operation or {})
    dialect = PROVIDERS[engine](setup)
    requests = fit(requested, None, "error", None, answers=dialect.answers)
    dialect.note_requests(grouped(requests))
    return dialect.path, dialect.body(requests[0])


def all_requests():
    """The requests of CLIENTS, in its order."""
    shared = [replace(ITEM, max_tokens=2098, schema=SCHEMA), replace(ITEM, sample_id="b")]
    turn = [replace(ITEM, **TURN)]
    thinking = {"thinking": "budget", "reasoning": {"tokens": 2048}, "effort": "low"}
    settings = {"system": "Be brief.", "extra_body": {"stop_sequences": ["END"]}, **thinking}
    config = {"generationConfig": {"stopSequences": ["END"]}}
    return [
        request_of("anthropic", [ITEM], temperature=None),
        request_of("anthropic", shared, {"cache": "1h"}, temperature=None, **settings),
        request_of("anthropic", turn, temperature=None, thinking="adaptive"),
        request_of("gemini", [ITEM]),
        request_of("gemini", [replace(ITEM, max_tokens=562, schema=SCHEMA)],
                   {"service_tier": "flex"}, system="Be brief.", temperature=0.5, top_p=0.9,
                   top_k=7, seed=11, thinking="budget", reasoning={"tokens": 512},
                   extra_body=config),
        request_of("gemini", turn, effort="low"),
    ]  # fmt: skip


def camel_case(value):
    """Field names as the APIs document them: a client may write them with underscores."""
    if isinstance(value, list):
        return [camel_case(element) for element in value]
    if not isinstance(value, dict):
        return value
    renamed = {}
    for name, field in value.items():
        renamed[re.sub("_(.)", lambda match: match[1].upper(), name)] = camel_case(field)
    return renamed


@pytest.fixture(scope="module")
def client_requests():
    """Path, headers and body of each request that the clients send."""
    python = cached_python("clients", "provider-clients.txt")
    texts = [ITEM.head + ITEM.context, ITEM.tail, ANSWER, FOLLOW_UP]
    command = [python, "-c", CLIENTS, *texts]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.mark.parametrize("number", range(6))
def test_request_equals_that_of_the_provider_s_client(client_requests, number):
    client_path, _, client_body = client_requests[number]
    path, body = all_requests()[number]
    assert path == client_path
    assert camel_case(body) == camel_case(client_body)


def test_newest_api_version_is_that_of_the_anthropic_client(client_requests):
    setup = Setup({"engine": "anthropic", "model": "m", "temperature": None}, {})
    headers = PROVIDERS["anthropic"](setup).headers("k")
    assert headers["anthropic-version"] == client_requests[0][1]["anthropic-version"]
