"""Bodies and addresses are those that the providers' own clients send for the same settings."""

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

seen = []

class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        header = {name.lower(): value for name, value in self.headers.items()}
        seen.append((self.path, header, json.loads(body)))
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
head, ask, answer, more = sys.argv[1:]

import anthropic
client = anthropic.Anthropic(api_key="k-123456789", base_url=url, max_retries=0)
mark = {"type": "ephemeral", "ttl": "1h"}
blocks = [{"type": "text", "text": head}, {"type": "text", "text": ask}]
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
        {"role": "user", "content": head + ask},
        {"role": "assistant", "content": answer},
        {"role": "user", "content": [{"type": "text", "text": more}]},
    ],
)

from google import genai
from google.genai import types
client = genai.Client(api_key="k-123456789", http_options=types.HttpOptions(base_url=url))
make, Config, Content, Part = (
    client.models.generate_content, types.GenerateContentConfig, types.Content, types.Part
)
make(model="m", contents=head + ask, config=Config(max_output_tokens=50, temperature=0.0))
make(
    model="m", contents=head + ask,
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
        Content(role="user", parts=[Part(text=head + ask)]),
        Content(role="model", parts=[Part(text=answer)]),
        Content(role="user", parts=[Part(text=more)]),
    ],
    config=Config(
        max_output_tokens=50, temperature=0.0,
        thinking_config=types.ThinkingConfig(thinking_level="low", include_thoughts=True),
    ),
)
print(json.dumps(seen))
"""
SCHEMA = json.dumps({"type": "object"})
FIRST = items(1, 1)[0]
ANSWER = "It is 4."
MORE = "More?"
BLANK = {"head": "", "context": "", "tail": MORE}
TURN = {**BLANK, "turns": ((FIRST.head + FIRST.context + FIRST.tail, ANSWER),)}


def ours(engine, asked, operation=None, **answers):
    """What is sent for an item: path and body."""
    setup = Setup({"engine": engine, "model": "m", **answers}, operation or {})
    dialect = PROVIDERS[engine](setup)
    requests = fit(asked, None, "error", None, answers=dialect.answers)
    dialect.expect(grouped(requests))
    return dialect.path, dialect.body(requests[0])


def ours_all():
    two = [replace(FIRST, max_tokens=2098, schema=SCHEMA), replace(FIRST, sample_id="b")]
    turn = [replace(FIRST, **TURN)]
    thinking = {"thinking": "budget", "reasoning": {"tokens": 2048}, "effort": "low"}
    more = {"system": "Be brief.", "extra_body": {"stop_sequences": ["END"]}, **thinking}
    config = {"generationConfig": {"stopSequences": ["END"]}}
    return [
        ours("anthropic", [FIRST], temperature=None),
        ours("anthropic", two, {"cache": "1h"}, temperature=None, **more),
        ours("anthropic", turn, temperature=None, thinking="adaptive"),
        ours("gemini", [FIRST]),
        ours("gemini", [replace(FIRST, max_tokens=562, schema=SCHEMA)], {"service_tier": "flex"},
             system="Be brief.", temperature=0.5, top_p=0.9, top_k=7, seed=11, thinking="budget",
             reasoning={"tokens": 512}, extra_body=config),
        ours("gemini", turn, effort="low"),
    ]  # fmt: skip


def camel(value):
    """Field names as the APIs document them: a client may write them with underscores."""
    if isinstance(value, dict):
        return {re.sub("_(.)", lambda m: m[1].upper(), k): camel(v) for k, v in value.items()}
    return [camel(one) for one in value] if isinstance(value, list) else value


@pytest.fixture(scope="module")
def theirs():
    python = cached_python("clients", "provider-clients.txt")
    texts = [FIRST.head + FIRST.context, FIRST.tail, ANSWER, MORE]
    done = subprocess.run(
        [python, "-c", CLIENTS, *texts], capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize("number", range(6))
def test_a_request_is_that_of_the_provider_s_client(theirs, number):
    path, _, body = theirs[number]
    own = ours_all()[number]
    assert own[0] == path
    assert camel(own[1]) == camel(body)


def test_the_newest_version_of_the_messages_api_is_the_client_s(theirs):
    setup = Setup({"engine": "anthropic", "model": "m", "temperature": None}, {})
    own = PROVIDERS["anthropic"](setup).headers("k")
    assert own["anthropic-version"] == theirs[0][1]["anthropic-version"]
