"""Rivals: the seconds of another harness for the requests of concurrency.py.

It runs in that harness's environment (``pip install "lm_eval[api]" inspect_ai openai``), without
this project: ``python bench/rivals/send_all.py lm_eval http://127.0.0.1:8000/v1 500``.
lm_eval keeps a fixed number of requests in flight, which its user has to choose: ``--at-once``.
inspect_ai adapts its number, up to that one. The start of the process does not count.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable


def questions(count: int) -> list[str]:
    """The questions of concurrency.py."""
    return [f"Is {number} even? answer yes or no." for number in range(count)]


def lm_eval(url: str, count: int, at_once: int) -> Callable[[], int]:
    """Requests by lm_eval's client of a chat endpoint; returns the number of answers."""
    from lm_eval.api.instance import Instance
    from lm_eval.models.api_models import JsonChatStr
    from lm_eval.models.openai_completions import LocalChatCompletion

    client = LocalChatCompletion(
        base_url=f"{url}/chat/completions",
        pretrained="judge",
        tokenizer_backend=None,
        tokenized_requests=False,
        num_concurrent=at_once,
        max_retries=10,
    )
    requests = []
    for index, question in enumerate(questions(count)):
        prompt = JsonChatStr(f'[{{"role": "user", "content": "{question}"}}]')
        requests.append(Instance("generate_until", {}, (prompt, {"max_gen_toks": 4}), index))
    return lambda: client.generate_until(requests, disable_tqdm=True).count("yes")


def inspect_ai(url: str, count: int, at_once: int) -> Callable[[], int]:
    """Requests by an evaluation of inspect_ai without a scorer; returns the number of answers."""
    from inspect_ai import Task
    from inspect_ai import eval as evaluate
    from inspect_ai.dataset import MemoryDataset, Sample

    task = Task(dataset=MemoryDataset([Sample(input=question) for question in questions(count)]))

    def run() -> int:
        with tempfile.TemporaryDirectory() as logs:
            (log,) = evaluate(
                task,
                model="openai-api/local/judge",
                model_base_url=url,
                max_tokens=4,
                temperature=0.0,
                adaptive_connections=at_once,
                max_samples=count,
                log_dir=logs,
                display="none",
            )
            return sum(bool(sample.output.completion) for sample in log.samples or [])

    return run


HARNESSES = {"lm_eval": lm_eval, "inspect_ai": inspect_ai}


def main() -> None:
    """Prints the number of answers, the wall-clock seconds and the CPU seconds of the process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("harness", choices=HARNESSES)
    parser.add_argument("url")
    parser.add_argument("count", type=int)
    parser.add_argument("--at-once", type=int, default=256)
    arguments = parser.parse_args()
    os.environ.update(OPENAI_API_KEY="none", LOCAL_API_KEY="none", INSPECT_LOG_LEVEL="error")
    run = HARNESSES[arguments.harness](arguments.url, arguments.count, arguments.at_once)
    wall = time.perf_counter()
    core = time.process_time()
    answers = run()
    print(answers, time.perf_counter() - wall, time.process_time() - core, flush=True)


if __name__ == "__main__":
    main()
