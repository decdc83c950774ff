"""A real server that knows the gold answer to each prompt of a run, judges by it, and rewords."""

import json
from collections import Counter
from contextlib import chdir
from dataclasses import replace
from pathlib import Path
from zlib import crc32

from batch_servers import BatchServer
from dialect_servers import DIALECT_PATHS, as_chat, in_dialect
from features import results_of
from servers import Fault, error, text_of
from steadfast.config.load import load_config
from steadfast.contract.components import JudgePrompt, component
from steadfast.contract.part_files import (
    JudgeOracle,
    PartFiles,
    SampleOracle,
    judge_items,
    read_judge_prompts,
)
from steadfast.contract.request import Item
from steadfast.contract.simulated import signature, signed
from steadfast.jobs.evaluation import Evaluation
from test_rewriting_run import BETWEEN, OPENINGS

FAULTS = (error(429, Retry_After="0"), error(500), *[Fault()] * 8)
"""What becomes of prompts that are asked for the first time."""
REASONING = "<think>Let me see.</think>"


class GoldServer(BatchServer):
    """Answers by the files of a run, which are read when a prompt is not known yet.

    Attributes:
        faulty: whether some prompts are refused at first.
        thinks: names of the models that think aloud.
        sent: bodies that were answered, by their model's name.
    """

    def __init__(self, delay: float = 0.0):
        super().__init__(delay)
        self.faulty = False
        self.thinks: set[str] = set()
        self.sent: Counter[str] = Counter()
        self._texts: dict[str, str] = {}
        self._items: list[tuple[Item, str]] = []

    def next_fault(self, prompt):
        again = not self.faulty or self.asked[prompt] > 1
        return Fault() if again else FAULTS[crc32(prompt.encode()) % len(FAULTS)]

    def serve(self, folder: Path, settings: dict) -> None:
        """Goes by the files of a run of that config in that folder."""
        self._folder = folder
        self._settings = settings
        for role in ("models", "judges"):
            for name, of in settings.get(role, {}).items():
                if "reasoning" in of:
                    self.thinks.add(name)

    def reply(self, prompt, path, body):
        if path.endswith(DIALECT_PATHS):
            return in_dialect(path, self.reply(prompt, "/chat/completions", as_chat(path, body)))
        made = super().reply(prompt, path, body)
        text = self._answer(prompt, body)
        if body["model"] in self.thinks:
            text = REASONING + text
        (choice,) = made["choices"]
        if "text" in choice:
            choice["text"] = text
        else:
            choice["message"]["content"] = text
        with self.lock:
            self.sent[body["model"]] += 1
        return made

    def _answer(self, prompt: str, body: dict) -> str:
        if body["model"] == "writer":
            original = BETWEEN.search(prompt)
            return json.dumps([f"{opening} {original[2]}" for opening in OPENINGS])
        turns = [text_of(one) for one in body.get("messages", ()) if one["role"] == "user"]
        key = _key(turns or [prompt])
        with self.lock:
            found = self._known(key)
            if found is None:
                self._read()
                found = self._known(key)
        assert found is not None, f"no gold answer is known to {prompt[-300:]!r}"
        return found

    def _known(self, key: str) -> str | None:
        """The answer to a chat's prompts, to a base model's text, or to a prompt that was cut."""
        if key in self._texts:
            return self._texts[key]
        whole = key.removesuffix("Output: ").rstrip("\n")
        if whole != key:
            for known, answer in self._texts.items():
                if whole.endswith(known.rstrip("\n")):
                    return answer
        for item, answer in self._items:
            if not item.context:
                continue
            _, found, tail = whole.partition(item.head) if item.head else ("", "whole", whole)
            end = item.tail.rstrip("\n")
            cut = found and tail.endswith(end)
            if cut and item.context.startswith(tail.removesuffix(end)):
                return answer
        return None

    def _read(self) -> None:
        with chdir(self._folder):
            results = Path(results_of(self._settings))
            run = Evaluation(load_config(self._settings))
            for name in run.running:
                task = run.tasks[name]
                for part, of in task.parts.items():
                    prompts = results / f"{name}/prompts/{part}.jsonl"
                    if prompts.exists():
                        sources = [(*key, results / path) for key, path in of.sources.items()]
                        self._read_part(task, PartFiles(part, task.samples.plain, prompts, sources))
                for path in (results / name / "judging").glob("*/*.jsonl"):
                    asked = read_judge_prompts(path)
                    oracle = JudgeOracle(task.judging.simulator.make(), map(_signed, asked))
                    for item in judge_items(asked):
                        text = item.head + item.context + item.tail
                        self._texts[text] = oracle.reference(item.key)

    def _read_part(self, task, files: PartFiles) -> None:
        samples = files.read()
        oracle = SampleOracle(task.simulator.make(), samples)
        joined = component(files.samples).make()
        turns: dict[str, list[str]] = {}
        for sample in samples:
            item = joined.item(sample)
            text = item.head + item.context + item.tail
            turns[sample.id] = [*(turns[item.follows] if item.follows else ()), text]
            answer = oracle.reference(sample.id)
            self._texts[_key(turns[sample.id])] = answer
            self._items.append((item, answer))


def _signed(prompt: JudgePrompt) -> JudgePrompt:
    """What is asked about an answer, which keeps all where it does not say, as a rule's may."""
    if signed(prompt.answer) is not None:
        return prompt
    return replace(prompt, answer=f"{prompt.answer}\n{signature(range(100))}")


def _key(turns: list[str]) -> str:
    return "\0".join(turns)
