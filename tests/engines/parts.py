"""Items, an oracle, and a part to run in a directory, here or in another process.

parts.py DIRECTORY URL CONTEXTS QUESTIONS OPERATION: runs a part as a job.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

from send_items import send_items
from servers import echo
from steadfast.contract.request import Item
from steadfast.engines.api import batches, engine, pace
from steadfast.engines.api.batch_files import FACTS
from steadfast.engines.api.engines import BATCHES
from steadfast.engines.cost.bill import Bill
from warm_python import warm_python

TESTS = Path(__file__).resolve().parents[1]
SCRIPTS = TESTS.parent / "scripts"


def items(contexts=2, questions=5):
    """Items in the order of tasks, contexts interleaved, as benchmarks have them."""
    ordered = []
    for q in range(questions):
        for c in range(contexts):
            context = f"text of context {c} " * 20
            ordered.append(Item(f"q{q}/c{c}", f"c{c}", "Read.\n", context, f"\nAsk {q}.{c}!", 50))
    return ordered


def items_with(server, faults):
    """Items, each of whose requests meets one of the faults at that server."""
    faulty = items(1, len(faults))
    for item, fault in zip(faulty, faults, strict=True):
        server.faults[item.tail.strip()].append(fault)
    return faulty


def prompts(requested=None):
    """The full prompts of items."""
    return [item.head + item.context + item.tail for item in requested or items()]


def echoes(requested=None):
    """The responses of ``servers.Server`` to items."""
    return list(map(echo, prompts(requested)))


def column(records, name):
    """One field of records."""
    return [record[name] for record in records]


class Gold:
    """An oracle whose answers contain its arguments."""

    def reference(self, sample_id):
        return f"gold of {sample_id}"

    def simulated(self, sample_id, settings, seen, rng):
        return f"{sample_id} {settings['span']} {seen:.2f} {rng.random():.6f}"

    def baseline(self, sample_id):
        return f"baseline of {sample_id} " + "and on " * 60


def url_of(url, engine):
    """A server's base URL; the providers' own APIs have it without the version."""
    return url if engine == "openai" or url is None else url.removesuffix("/v1")


class Part:
    """One part of a model's outputs in a directory: runs it, and reads its files."""

    def __init__(self, directory: Path, url: str | None = None, engine="openai", **operation):
        self.directory = directory
        self.journal = directory / "journals/4k.jsonl"
        self.out = directory / "out.jsonl"
        self.provenance_out = directory / "out.provenance.json"
        self.log = directory / "log"
        self.answers = {"engine": engine, "model": "echo-1"}
        self.operation = {
            "base_url": url_of(url, engine),
            "api_key_env": None,
            "max_concurrency": 4,
            "timeout": 5.0,
            **operation,
        }

    def run(
        self,
        requested=None,
        *,
        oracle=None,
        readable=None,
        tries=1,
        loaded=None,
        attempts=4,
        batch_requests=None,
        **operation,
    ):
        """Runs it with shorter pauses than a user's job; returns the records of its outputs."""
        with ExitStack() as stack:
            for module, name, value in (
                (engine, "ATTEMPTS", attempts),
                (pace, "BACKOFF", 0.005),
                (batches, "FIRST_PAUSE", 0.01),
                (batches, "LONGEST_PAUSE", 0.05),
            ):
                stack.enter_context(patch.object(module, name, value))
            if batch_requests:
                for facts in (FACTS, *(kind.facts for kind in BATCHES.values())):
                    stack.enter_context(patch.dict(facts, requests=batch_requests))
            send_items(
                model="echo",
                answers=self.answers,
                operation={**self.operation, **operation},
                items=items() if requested is None else requested,
                oracle=oracle or Gold(),
                journal=self.journal,
                out=self.out,
                provenance_out=self.provenance_out,
                log=self.log,
                readable=readable,
                attempts=tries,
                loaded=loaded,
            )
        return self.records()

    def records(self):
        return [json.loads(line) for line in self.out.read_text("utf-8").splitlines()]

    def replies(self):
        """The lines of its journal."""
        return [json.loads(line) for line in self.journal.read_text("utf-8").splitlines()]

    def spent(self, price):
        """The cost of the responses in its journal."""
        return Bill(rated(price), 1.0, [self.journal.parent]).spent()

    def provenance(self):
        return json.loads(self.provenance_out.read_text("utf-8"))


def rated(price):
    """A price as bills have it, with its prices for longer prompts (``above``)."""
    rates = []
    for prices in ({"tokens": 0, **price}, *price.get("above", ())):
        stated = {name: price for name, price in prices.items() if price is not None}
        rates.append({"cached": prices["input"], "written": prices["input"], **stated})
    shares = {"live": 1, "flex": price.get("flex", 1), "batch": price.get("batch", 1)}
    return {"rates": rates, "shares": shares}


def same_bytes(first: Path, second: Path) -> bool:
    """Whether two directories of parts have equal results."""
    names = ("out.jsonl", "out.provenance.json")
    return all((first / name).read_bytes() == (second / name).read_bytes() for name in names)


class Job:
    """A part that runs in another process: a fork, or ``python`` where it handles a signal."""

    def __init__(self, directory, server, contexts=2, questions=5, python=None, **operation):
        arguments = [directory, server.url, contexts, questions, json.dumps(operation)]
        self._server = server
        self._process = subprocess.Popen(
            [python or warm_python(), __file__, *map(str, arguments)],
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(SCRIPTS), str(TESTS)])},
            stderr=subprocess.PIPE,
        )

    def wait_for(self, condition: Callable[[], object]) -> None:
        """Waits until the condition holds or the job has ended."""
        end = time.monotonic() + 60
        while not condition() and self._process.poll() is None and time.monotonic() < end:
            time.sleep(0.001)

    def kill(self, when: Callable[[], object], number=signal.SIGKILL, pause=0.0) -> int:
        """Sends a signal some time after the condition holds; returns the exit status."""
        self.wait_for(when)
        time.sleep(pause)
        self._process.send_signal(number)
        return self.finish()[0]

    def finish(self) -> tuple[int, str]:
        """Its exit status and its messages."""
        _, errors = self._process.communicate(timeout=60)
        return self._process.returncode, errors.decode()


if __name__ == "__main__":
    # A shell's background jobs ignore SIGINT, and so would their children.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    directory, url, contexts, questions, operation = sys.argv[1:]
    options = json.loads(operation)
    part = Part(Path(directory), url, options.pop("engine", "openai"))
    part.answers |= options.pop("answers", {})
    times = options.pop("times", 1)
    requested = []
    for item in items(int(contexts), int(questions)):
        requested.append(replace(item, context=item.context * times))
    part.run(requested, **options)
