"""A server that gives a run's reference answers, judges by them, and writes paraphrases."""

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
from steadfast.contract.simulated import signature, signed_requirements
from steadfast.jobs.evaluation import Evaluation
from test_rewriting_run import BETWEEN, OPENINGS

FAULTS = (error(429, Retry_After="0"), error(500), *[Fault()] * 8)
"""Faults of a prompt's first request, one of them by its checksum."""
REASONING = "<think>Let me see.</think>"


class ReferenceServer(BatchServer):
    """Answers from the files of a run, which are read when a prompt is not known yet.

    Attributes:
        faulty: whether the first request of some prompts fails.
        reasoning: names of the models whose responses begin with reasoning.
        sent: number of responses by model.
    """

    def __init__(self, delay: float = 0.0):
        super().__init__(delay)
        self.faulty = False
        self.reasoning: set[str] = set()
        self.sent: Counter[str] = Counter()
        self._texts: dict[str, str] = {}
        self._items: list[tuple[Item, str]] = []

    def next_fault(self, prompt):
        if not self.faulty or self.requested[prompt] > 1:
            return Fault()
        return FAULTS[crc32(prompt.encode()) % len(FAULTS)]

    def serve(self, folder: Path, settings: dict) -> None:
        """Takes the answers from the run of a config in a folder."""
        self._folder = folder
        self._settings = settings
        models = settings.get("models", {}) | settings.get("judges", {})
        self.reasoning |= {name for name, model in models.items() if "reasoning" in model}

    def reply(self, prompt, path, body):
        if path.endswith(DIALECT_PATHS):
            return in_dialect(path, self.reply(prompt, "/chat/completions", as_chat(path, body)))
        reply = super().reply(prompt, path, body)
        text = self._answer(prompt, body)
        if body["model"] in self.reasoning:
            text = REASONING + text
        (choice,) = reply["choices"]
        if "text" in choice:
            choice["text"] = text
        else:
            choice["message"]["content"] = text
        with self.lock:
            self.sent[body["model"]] += 1
        return reply

    def _answer(self, prompt: str, body: dict) -> str:
        if body["model"] == "writer":
            original = BETWEEN.search(prompt)
            return json.dumps([f"{opening} {original[2]}" for opening in OPENINGS])
        messages = body.get("messages", ())
        turns = [text_of(message) for message in messages if message["role"] == "user"]
        key = _key(turns or [prompt])
        with self.lock:
            answer = self._find(key)
            if answer is None:
                self._read()
                answer = self._find(key)
        assert answer is not None, f"no reference answer for {prompt[-300:]!r}"
        return answer

    def _find(self, key: str) -> str | None:
        """The answer to a chat, to a base model's prompt, or to a truncated prompt."""
        if key in self._texts:
            return self._texts[key]
        prompt = key.removesuffix("Output: ").rstrip("\n")
        if prompt != key:
            for text, answer in self._texts.items():
                if prompt.endswith(text.rstrip("\n")):
                    return answer
        for item, answer in self._items:
            if item.context and _is_truncated(item, prompt):
                return answer
        return None

    def _read(self) -> None:
        with chdir(self._folder):
            results = Path(results_of(self._settings))
            run = Evaluation(load_config(self._settings))
            for name in run.running:
                task = run.tasks[name]
                for part_name, part in task.parts.items():
                    prompts = results / f"{name}/prompts/{part_name}.jsonl"
                    if prompts.exists():
                        sources = [(*key, results / path) for key, path in part.sources.items()]
                        files = PartFiles(part_name, task.samples.plain, prompts, sources)
                        self._read_part(task, files)
                for path in (results / name / "judging").glob("*/*.jsonl"):
                    judge_prompts = read_judge_prompts(path)
                    simulator = task.judging.simulator.make()
                    oracle = JudgeOracle(simulator, map(_with_signature, judge_prompts))
                    for item in judge_items(judge_prompts):
                        text = item.head + item.context + item.tail
                        self._texts[text] = oracle.reference(item.key)

    def _read_part(self, task, files: PartFiles) -> None:
        samples = files.read()
        oracle = SampleOracle(task.simulator.make(), samples)
        builder = component(files.samples).make()
        turns: dict[str, list[str]] = {}
        for sample in samples:
            item = builder.item(sample)
            text = item.head + item.context + item.tail
            earlier = turns[item.follows] if item.follows else []
            turns[sample.id] = [*earlier, text]
            answer = oracle.reference(sample.id)
            self._texts[_key(turns[sample.id])] = answer
            self._items.append((item, answer))


def _is_truncated(item: Item, prompt: str) -> bool:
    """Whether a prompt is an item's with only the beginning of its context."""
    _, separator, context = prompt.partition(item.head) if item.head else ("", "-", prompt)
    tail = item.tail.rstrip("\n")
    if not separator or not context.endswith(tail):
        return False
    return item.context.startswith(context.removesuffix(tail))


def _with_signature(prompt: JudgePrompt) -> JudgePrompt:
    """The prompt with a signature in its answer: without one, the answer kept all constraints."""
    if signed_requirements(prompt.answer) is not None:
        return prompt
    return replace(prompt, answer=f"{prompt.answer}\n{signature(range(100))}")


def _key(turns: list[str]) -> str:
    return "\0".join(turns)
