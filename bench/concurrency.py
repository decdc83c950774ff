"""Concurrency: the time of a job with different servers, beside a bare client at its best level.

Each server of ``tests/engines/paced_servers.py`` is a process of its own on this machine: steady,
slow, full, falling, rising, refusing, unequal, halting. The bare client keeps a fixed number of
requests in flight over aiohttp, each of which waits by itself after a refusal, and stores nothing;
its best number is the fastest of all in simulated time, and it runs before and after ours. Ours is
a job: prompts, requests from 8 at once, journal, outputs.

Run: ``make bench``, or ``PYTHONPATH=scripts:tests/engines python bench/concurrency.py``.
``--simulated`` takes no time: all levels, without network. With ``--client openai`` the bare client
is the ``openai`` client, which measures its CPU time. ``--rivals PYTHON`` measures lm_eval and
inspect_ai too, as installed for that Python (``bench/rivals/send_all.py``).
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
from paced_servers import SERVERS, Paced, best_bare, send_all, send_bare
from send_items import send_items
from steadfast.base.tokens import load_tokenizer
from steadfast.contract.request import Item
from steadfast.engines.api.body import request_body
from steadfast.engines.fit import fit

ANSWERS = {"engine": "openai", "model": "judge", "template": "chat", "temperature": 0.0}
OPERATION = {"api_key_env": None, "max_concurrency": 256}


def items(count: int) -> list[Item]:
    """Questions without a common prompt."""
    questions = [f"Is {number} even? answer yes or no." for number in range(count)]
    return [Item(f"s{number}", "", text, "", "", 4) for number, text in enumerate(questions)]


@dataclass
class Seconds:
    """Wall-clock time, and CPU time of this process, of a block in ``timed``."""

    wall: float = 0.0
    cpu: float = 0.0


@contextmanager
def timed() -> Iterator[Seconds]:
    """Measures the block."""
    seconds = Seconds()
    wall = time.perf_counter()
    cpu = time.process_time()
    yield seconds
    seconds.wall = time.perf_counter() - wall
    seconds.cpu = time.process_time() - cpu


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


def bare(url: str, count: int, concurrency: int, client: str = "aiohttp") -> Seconds:
    """The time of a bare client with so many requests in flight."""
    tokenizer = load_tokenizer("o200k_base")
    requests = fit(items(count), None, "error", tokenizer, answers=ANSWERS)
    bodies = iter([request_body(ANSWERS, request, "max_tokens") for request in requests])

    async def run() -> Seconds:
        async with CLIENTS[client](url) as post:
            waiting: list[dict[str, Any]] = []

            async def reply() -> tuple[int, float | None]:
                body = waiting.pop() if waiting else next(bodies)
                status, after = await post(body)
                if status != 200:
                    waiting.append(body)
                return status, after

            with timed() as seconds:
                await send_bare(reply, count, concurrency)
            return seconds

    return asyncio.run(run())


Post = Callable[[dict[str, Any]], Awaitable[tuple[int, float | None]]]
"""Sends a body; returns the status of the reply, and the seconds until a retry."""


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
"""Limit of a rival's seconds with a server."""


def rival(python: str, harness: str, url: str, count: int) -> str:
    """The time of a harness in its own environment: "seconds (missing responses)"."""
    command = [
        python,
        str(Path(__file__).with_name("rivals") / "send_all.py"),
        harness,
        url,
        str(count),
    ]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        return f"over {PATIENCE}"
    if done.returncode:
        return "failed"
    answers, wall, _ = done.stdout.split("\n")[-2].split()
    missing = count - int(answers)
    return f"{float(wall):.1f}" + (f" ({missing} lacking)" if missing else "")


def ours(url: str, requests: Sequence[Item], folder: Path) -> Seconds:
    """The time of a job: prompts, requests, journal, outputs."""
    journal = folder / "ours.jsonl"
    journal.unlink(missing_ok=True)
    with timed() as seconds:
        send_items(
            model="judge",
            answers=ANSWERS,
            operation={**OPERATION, "base_url": url},
            items=requests,
            journal=journal,
            out=folder / "out.jsonl",
            provenance_out=folder / "provenance.json",
            log=folder / "log",
        )
    return seconds


def main() -> None:
    """Prints a table: seconds of the bare client and of ours, their ratio, and CPU time."""
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
        settings, max_requests, *_ = SERVERS[name]
        count = min(max_requests, arguments.requests)
        expected, level = best_bare(settings, count)
        if arguments.simulated:
            server = Paced(**settings)
            _, seconds = send_all(server, count)
            cells = f"{expected:.1f} | {level} | {seconds:.1f} | {seconds / expected:.2f}"
            print(f"| {name} | {count:,} | {cells} | {server.refusals} |", flush=True)
            continue
        runs = []
        load_tokenizer("o200k_base")  # the start of a process does not count
        importlib.import_module("openai")
        for turn in range(3):
            with served(name) as url, tempfile.TemporaryDirectory() as folder:
                if turn == 1:
                    runs.append(ours(url, items(count), Path(folder)))
                else:
                    runs.append(bare(url, count, level, arguments.client))
        before, job, after = runs
        ratio = 2 * job.wall / (before.wall + after.wall)
        core = f"{1000 * before.cpu / count:.2f}, ours {1000 * job.cpu / count:.2f}"
        cells = f"{before.wall:.1f}, {after.wall:.1f} | {level} | {job.wall:.1f} | {ratio:.2f}"
        for harness in RIVALS if arguments.rivals else ():
            with served(name) as url:
                core += f" | {rival(arguments.rivals, harness, url, count)}"
        print(f"| {name} | {count:,} | {cells} | {core} |", flush=True)


if __name__ == "__main__":
    main()
