"""Items, an oracle, and a part to run in a directory."""

import json
from pathlib import Path

from steadfast.engines.request import Item
from steadfast.engines.run import run_part


def items(contexts=2, questions=5):
    """Items in the order of tasks, contexts interleaved, as benchmarks have them."""
    return [
        Item(f"q{q}/c{c}", f"c{c}", "Read.\n", f"text of context {c} " * 20, f"\nAsk {q}.{c}!", 50)
        for q in range(questions)
        for c in range(contexts)
    ]


class Gold:
    """An oracle whose answers tell what it was asked."""

    def reference(self, sample_id):
        return f"gold of {sample_id}"

    def simulated(self, sample_id, reader, seen, rng):
        return f"{sample_id} {reader['span']} {seen:.2f} {rng.random():.6f}"


class Part:
    """One part in a directory: runs it, and reads what was written."""

    def __init__(self, directory: Path, url: str | None = None):
        self.directory = directory
        self.journal = directory / "journal.jsonl"
        self.out = directory / "out.jsonl"
        self.identity_out = directory / "out.identity.json"
        self.log = directory / "log"
        self.answers = {"engine": "openai", "model": "echo-1"}
        self.operation = {
            "base_url": url,
            "api_key_env": None,
            "concurrency": 4,
            "attempts": 4,
            "timeout": 5.0,
            "backoff": 0.02,
        }

    def run(self, asked=None, **operation):
        run_part(
            model="echo",
            answers=self.answers,
            operation={**self.operation, **operation},
            items=items() if asked is None else asked,
            oracle=Gold(),
            journal=self.journal,
            out=self.out,
            identity_out=self.identity_out,
            log=self.log,
        )
        return self.records()

    def records(self):
        return [json.loads(line) for line in self.out.read_text("utf-8").splitlines()]

    def identity(self):
        return json.loads(self.identity_out.read_text("utf-8"))
