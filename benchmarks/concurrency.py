"""Concurrency: short verdicts of a local server, ours beside a bare client at its best.

A server in a process of its own gives each reply after a fixed time. The bare client sends the
same bodies through the ``openai`` client at several fixed numbers of requests at once, and keeps
nothing; ours begins at 8, finds its level, and writes journal and outputs. What the journal alone
takes for as many answers is measured beside it.

Run: ``make bench``, or ``PYTHONPATH=scripts:tests/engines python benchmarks/concurrency.py``.
"""

import argparse
import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from steadfast.engines.fit import fit
from steadfast.engines.journal import Journal
from steadfast.engines.openai_body import request_body
from steadfast.engines.request import Item, Response
from steadfast.engines.run import run_part
from steadfast.tokens import load_tokenizer

ANSWERS = {"engine": "openai", "model": "judge", "template": "chat", "temperature": 0.0}
SERVER = """
import asyncio, json, sys

REPLY = json.dumps({
    "id": "1", "object": "chat.completion", "created": 1, "model": "judge",
    "choices": [{"index": 0, "finish_reason": "stop",
                 "message": {"role": "assistant", "content": "yes"}}],
    "usage": {"prompt_tokens": 20, "completion_tokens": 1, "total_tokens": 21},
}).encode()
REPLY = (b"HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\nContent-Length: %d\\r\\n\\r\\n"
         % len(REPLY)) + REPLY

class Judge(asyncio.Protocol):
    data = b""

    def connection_made(self, transport):
        self.transport = transport

    def data_received(self, data):
        self.data += data
        while (end := self.data.find(b"\\r\\n\\r\\n")) >= 0:
            head = self.data[:end].lower()
            length = int(head.split(b"content-length:")[1].split(b"\\r\\n")[0])
            if len(self.data) < end + 4 + length:
                return
            self.data = self.data[end + 4 + length:]
            asyncio.get_running_loop().call_later(float(sys.argv[1]), self.reply)

    def reply(self):
        if not self.transport.is_closing():
            self.transport.write(REPLY)

async def main():
    server = await asyncio.get_running_loop().create_server(Judge, "127.0.0.1", 0, backlog=4096)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()

asyncio.run(main())
"""


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
    found, wall, core = Taken(), time.perf_counter(), time.process_time()
    yield found
    found.wall, found.core = time.perf_counter() - wall, time.process_time() - core


def bare(url: str, bodies: Sequence[dict[str, object]], at_once: int) -> Taken:
    """What the ``openai`` client alone takes with so many requests at once."""
    from openai import AsyncOpenAI

    async def ask() -> Taken:
        async with AsyncOpenAI(base_url=url, api_key="none", max_retries=0) as client:
            left = iter(bodies)

            async def work() -> None:
                for body in left:
                    await client.chat.completions.create(**body)

            with taken() as found:
                await asyncio.gather(*(work() for _ in range(at_once)))
            return found

    return asyncio.run(ask())


def ours(url: str, asked: Sequence[Item], folder: Path, most: int) -> Taken:
    """What a job takes: prompts, requests, journal, outputs."""
    journal = folder / "ours.jsonl"
    journal.unlink(missing_ok=True)
    with taken() as found:
        run_part(
            model="judge",
            answers=ANSWERS,
            operation={
                "base_url": url,
                "api_key_env": None,
                "concurrency": 8,
                "max_concurrency": most,
            },
            items=asked,
            oracle=None,
            journal=journal,
            out=folder / "out.jsonl",
            identity_out=folder / "identity.json",
            log=folder / "log",
        )
    return found


def kept(folder: Path, count: int) -> Taken:
    """What the journal takes for so many answers."""
    path = folder / "kept.jsonl"
    path.unlink(missing_ok=True)
    response = Response("ok", "yes", "stop", 20, 0, 1)
    with taken() as found, Journal(path) as journal:
        for number in range(count):
            journal.append(f"{number:064d}", response)
    return found


def main() -> None:
    """Prints seconds, requests per second, and the ratio to the bare client at its best."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=3000)
    parser.add_argument("--seconds", type=float, default=0.05, help="of a reply")
    parser.add_argument("--at-once", type=int, nargs="+", default=[8, 32, 128, 256])
    parser.add_argument("--most", type=int, default=256)
    arguments = parser.parse_args()
    asked = items(arguments.requests)
    bodies = [
        request_body(ANSWERS, request, "max_tokens")
        for request in fit(asked, None, "error", load_tokenizer("o200k_base"), answers=ANSWERS)
    ]
    command = [sys.executable, "-c", SERVER, str(arguments.seconds)]
    with (
        tempfile.TemporaryDirectory() as name,
        subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server,
    ):
        try:
            assert server.stdout
            url = f"http://127.0.0.1:{server.stdout.readline().strip()}/v1"
            bare(url, bodies[:200], 8)  # imports and connections
            fixed = {number: bare(url, bodies, number) for number in arguments.at_once}
            best = min(fixed, key=lambda number: fixed[number].wall)
            own = ours(url, asked, Path(name), arguments.most)
            again = bare(url, bodies, best)
            journal = kept(Path(name), arguments.requests)
        finally:
            server.terminate()
    print(f"{arguments.requests:,} requests, {1000 * arguments.seconds:g} ms a reply:")
    for number, one in fixed.items():
        show(f"bare client, {number} at once", one, arguments.requests)
    show(f"ours, from 8 up to {arguments.most}", own, arguments.requests)
    show("of that, the journal", journal, arguments.requests)
    show(f"bare client, {best} at once, again", again, arguments.requests)
    wall, core = fixed[best].wall + again.wall, fixed[best].core + again.core
    print(
        f"ours against the bare client at {best} at once, before and after: "
        f"{2 * own.wall / wall:.2f} times the time, {2 * own.core / core:.2f} times the core's"
    )


def show(what: str, found: Taken, requests: int) -> None:
    """A line of the results."""
    rate = requests / found.wall
    print(
        f"  {what + ':':<36}{found.wall:7.1f} s ({rate:7,.0f} a second), core {found.core:6.1f} s"
    )


if __name__ == "__main__":
    main()
