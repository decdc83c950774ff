"""Concurrency: what a job takes of servers that differ, beside a bare client at its best level.

Each server of ``tests/engines/paced_servers.py`` is a process of its own on this machine: steady,
slow, full, falling, rising, refusing, unequal, halting. The bare client keeps a fixed number of
requests under way over aiohttp, each of which waits by itself where it is refused, and keeps
nothing; its best number is found by trying all of them in simulated time, and it runs before and
after ours. Ours is a job: prompts, requests from 8 at once, journal, outputs.

Run: ``make bench``, or ``PYTHONPATH=scripts:tests/engines python bench/concurrency.py``.
``--simulated`` takes no time: all levels, without network. ``--client openai`` lets the bare client
be the ``openai`` client, which says what that one takes of a core. ``--rivals PYTHON`` asks with
lm_eval and inspect_ai too, as installed for that Python (``bench/rivals/ask.py``).
"""

import argparse
import asyncio
import importlib
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import paced_http
from ask_items import ask_items
from paced_servers import SERVERS, Paced, ask, ask_bare, best_bare
from steadfast.base.tokens import load_tokenizer
from steadfast.contract.request import Item
from steadfast.engines.api.body import request_body
from steadfast.engines.fit import fit

ANSWERS = {"engine": "openai", "model": "judge", "template": "chat", "temperature": 0.0}
OPERATION = {"api_key_env": None, "max_concurrency": 256}


def items(count: int) -> list[Item]:
    """Questions that share no prompt."""
    return [
        Item(f"s{number}", "", f"Is {number} even? answer yes or no.", "", "", 4)
        for number in range(count)
    ]


@dataclass
class Taken:
    """Seconds by the clock, and of this process on a core, since ``taken`` began."""

    wall: float = 0.0
    core: float = 0.0


@contextmanager
def taken() -> Iterator[Taken]:
    """Measures what is done in it."""
    found = Taken()
    wall = time.perf_counter()
    core = time.process_time()
    yield found
    found.wall = time.perf_counter() - wall
    found.core = time.process_time() - core


@contextmanager
def served(name: str) -> Iterator[str]:
    """The address of a fresh server of ``SERVERS``."""
    command = [sys.executable, paced_http.__file__, name]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout
            yield f"http://127.0.0.1:{server.stdout.readline().strip()}/v1"
        finally:
            server.terminate()


def bare(url: str, count: int, at_once: int, client: str = "aiohttp") -> Taken:
    """What a bare client takes with so many requests at once."""
    tokenizer = load_tokenizer("o200k_base")
    requests = fit(items(count), None, "error", tokenizer, answers=ANSWERS)
    bodies = iter([request_body(ANSWERS, request, "max_tokens") for request in requests])

    async def run() -> Taken:
        async with CLIENTS[client](url) as post:
            waiting: list[dict[str, Any]] = []

            async def reply() -> tuple[int, float | None]:
                body = waiting.pop() if waiting else next(bodies)
                status, after = await post(body)
                if status != 200:
                    waiting.append(body)
                return status, after

            with taken() as found:
                await ask_bare(reply, count, at_once)
            return found

    return asyncio.run(run())


Post = Callable[[dict[str, Any]], Awaitable[tuple[int, float | None]]]
"""Sends a body; gives the status of the reply, and after how many seconds to come again."""


@asynccontextmanager
async def over_aiohttp(url: str) -> AsyncIterator[Post]:
    """Posts bodies with aiohttp."""
    import aiohttp

    async def post(body: dict[str, Any]) -> tuple[int, float | None]:
        try:
            async with session.post(f"{url}/chat/completions", json=body) as reply:
                await reply.read()
                after = reply.headers.get("retry-after")
                return reply.status, None if after is None else float(after)
        except aiohttp.ClientError:  # the connection was reset
            return 0, None

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        yield post


@asynccontextmanager
async def over_openai(url: str) -> AsyncIterator[Post]:
    """Posts bodies with the ``openai`` client."""
    from openai import APIStatusError, AsyncOpenAI

    async def post(body: dict[str, Any]) -> tuple[int, float | None]:
        try:
            await client.chat.completions.create(**body)
        except APIStatusError as failed:
            after = failed.response.headers.get("retry-after")
            return failed.status_code, None if after is None else float(after)
        return 200, None

    async with AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:
        yield post


CLIENTS = {"aiohttp": over_aiohttp, "openai": over_openai}
RIVALS = ("lm_eval", "inspect_ai")
PATIENCE = 900
"""Seconds that a rival may take of a server."""


def rival(python: str, harness: str, url: str, count: int) -> str:
    """What a harness takes in its own environment: "seconds (answers that it lacks)"."""
    command = [python, str(Path(__file__).with_name("rivals") / "ask.py"), harness, url, str(count)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return f"over {PATIENCE}"
    if done.returncode:
        return "failed"
    answers, wall, _ = done.stdout.split("\n")[-2].split()
    lacking = count - int(answers)
    return f"{float(wall):.1f}" + (f" ({lacking} lacking)" if lacking else "")


def ours(url: str, asked: Sequence[Item], folder: Path) -> Taken:
    """What a job takes: prompts, requests, journal, outputs."""
    journal = folder / "ours.jsonl"
    journal.unlink(missing_ok=True)
    with taken() as found:
        ask_items(
            model="judge",
            answers=ANSWERS,
            operation={**OPERATION, "base_url": url},
            items=asked,
            journal=journal,
            out=folder / "out.jsonl",
            provenance_out=folder / "provenance.json",
            log=folder / "log",
        )
    return found


def main() -> None:
    """Prints a table: seconds of the bare client and of ours, their ratio, and time on the core."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--servers", nargs="+", choices=SERVERS, default=list(SERVERS))
    parser.add_argument("--requests", type=int, default=10**6, help="of a server, at most")
    parser.add_argument("--client", choices=CLIENTS, default="aiohttp", help="of the bare one")
    parser.add_argument("--rivals", metavar="PYTHON", help="has lm_eval and inspect_ai")
    parser.add_argument("--simulated", action="store_true")
    arguments = parser.parse_args()
    if arguments.simulated:
        print("| server | requests | bare, s | at once | ours, s | ratio | refused |")
        print("|---|--:|--:|--:|--:|--:|--:|")
    else:
        columns = ["server", "requests", "bare before, after, s", "at once", "ours, s", "ratio"]
        columns += ["core, ms", *(RIVALS if arguments.rivals else ())]
        print("|", " | ".join(columns), "|\n|---" + "|--:" * (len(columns) - 1) + "|")
    for name in arguments.servers:
        how, most, *_ = SERVERS[name]
        count = min(most, arguments.requests)
        expected, level = best_bare(how, count)
        if arguments.simulated:
            server = Paced(**how)
            _, seconds = ask(server, count)
            shown = f"{expected:.1f} | {level} | {seconds:.1f} | {seconds / expected:.2f}"
            print(f"| {name} | {count:,} | {shown} | {server.refusals} |", flush=True)
            continue
        found = []
        load_tokenizer("o200k_base")  # the start of a process is no part of it
        importlib.import_module("openai")
        for turn in range(3):
            with served(name) as url, tempfile.TemporaryDirectory() as folder:
                if turn == 1:
                    found.append(ours(url, items(count), Path(folder)))
                else:
                    found.append(bare(url, count, level, arguments.client))
        before, own, after = found
        ratio = 2 * own.wall / (before.wall + after.wall)
        core = f"{1000 * before.core / count:.2f}, ours {1000 * own.core / count:.2f}"
        shown = f"{before.wall:.1f}, {after.wall:.1f} | {level} | {own.wall:.1f} | {ratio:.2f}"
        for harness in RIVALS if arguments.rivals else ():
            with served(name) as url:
                core += f" | {rival(arguments.rivals, harness, url, count)}"
        print(f"| {name} | {count:,} | {shown} | {core} |", flush=True)


if __name__ == "__main__":
    main()
