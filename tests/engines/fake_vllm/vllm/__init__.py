"""A simulator for vLLM, for tests of what is around it: it answers at once, and notes each load.

FAKE_VLLM_LOADS: file to which each load adds a line. FAKE_VLLM_SLOW: seconds of each step.
A prompt that holds the word of FAKE_VLLM_DIES ends the engine, at its first step, with the words of
FAKE_VLLM_DIES_OF.
"""

import os
import time
from types import SimpleNamespace

envs = SimpleNamespace()


class SamplingParams:
    def __init__(self, **given):
        self.given = given


class Engine:
    def __init__(self, at_once):
        scheduler = SimpleNamespace(max_num_seqs=at_once or 4)
        cache = SimpleNamespace(kv_cache_size_tokens=1_000_000)
        self.vllm_config = SimpleNamespace(scheduler_config=scheduler, cache_config=cache)
        self._at_once = scheduler.max_num_seqs
        self._waiting = []

    def add_request(self, name, prompt, sampling):
        self._waiting.append((name, prompt["prompt_token_ids"]))

    def step(self):
        time.sleep(float(os.environ.get("FAKE_VLLM_SLOW", "0")))
        done = self._waiting[: self._at_once]
        self._waiting = self._waiting[self._at_once :]
        word = os.environ.get("FAKE_VLLM_DIES")
        if word and any(word in "".join(map(chr, ids)) for _, ids in done):
            raise RuntimeError(os.environ.get("FAKE_VLLM_DIES_OF", "the engine died"))
        return [_answered(name, ids) for name, ids in done]


def _answered(name, ids):
    text = f"{len(ids)} tokens: {sum(ids) % 997}"
    answer = SimpleNamespace(text=text, token_ids=[0] * len(text), finish_reason="stop")
    return SimpleNamespace(
        request_id=name,
        finished=True,
        outputs=[answer],
        prompt_token_ids=ids,
        num_cached_tokens=0,
    )


class LLM:
    def __init__(self, model, max_num_seqs=None, **given):
        time.sleep(0.2)
        with open(os.environ["FAKE_VLLM_LOADS"], "a") as loads:
            print(model, os.getpid(), os.environ.get("CUDA_VISIBLE_DEVICES", "-"), file=loads)
        self.given = given
        self.llm_engine = Engine(max_num_seqs)
