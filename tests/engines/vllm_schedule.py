"""Steps and tokens of our engine, and of vLLM's ``generate`` with the same prompts in its order.

vllm_schedule.py MODEL PROMPTS: a line of PROMPTS is an item without its sample_id.
"""

import json
import sys
from collections.abc import Iterable

from steadfast.base.files import read_jsonl
from steadfast.contract.request import Item, families, grouped, ordered
from steadfast.engines.base import Loaded, Setup
from steadfast.engines.fit import fitted_requests
from steadfast.engines.vllm.engine import VllmEngine

WINDOW = 8192


def main(model: str, path: str) -> None:
    loaded = Loaded()
    operation = {"engine_operation_args": {"enforce_eager": True, "block_size": 32}}
    answers = {"model": model, "window": WINDOW, "engine_args": {"dtype": "float32"}}
    engine = VllmEngine(Setup(answers, operation, lambda line: None, loaded=loaded))
    requests = fitted_requests("tiny", engine, {"window": WINDOW}, items(read_jsonl(path)))
    engine.load()
    core = engine.engine
    steps = []
    step = core.step

    def counted_step():
        steps.append(1)
        return step()

    core.step = counted_step
    groups = families(grouped(requests))
    texts = {}
    computed_tokens = 0
    for request, response in engine.answer(groups):
        texts[request.hash] = response.text
        computed_tokens += response.prompt_tokens - response.cached_tokens
    result = {"requests": len(requests), "ours": (len(steps), computed_tokens)}

    from vllm import SamplingParams

    engine.engine.reset_prefix_cache()
    steps.clear()
    stops = engine.tokenizer.stop_token_ids
    hashes = []
    encoded_prompts = []
    sampling = []
    for request, ids in engine.tokenizer.encode_prompts(ordered(groups)):
        hashes.append(request.hash)
        encoded_prompts.append({"prompt_token_ids": ids})
        limit = request.max_tokens
        sampling.append(SamplingParams(temperature=0.0, max_tokens=limit, stop_token_ids=stops))
    outputs = loaded.model.generate(encoded_prompts, sampling, use_tqdm=False)
    prompt_tokens = sum(len(output.prompt_token_ids) for output in outputs)
    cached_tokens = sum(output.num_cached_tokens or 0 for output in outputs)
    result["generate"] = (len(steps), prompt_tokens - cached_tokens)
    result["logical"] = prompt_tokens
    result["same"] = 0
    for request_hash, output in zip(hashes, outputs, strict=True):
        result["same"] += texts[request_hash] == output.outputs[0].text
    print(json.dumps(result))


def items(records: Iterable[dict]) -> list[Item]:
    return [Item(str(number), **record) for number, record in enumerate(records)]


if __name__ == "__main__":
    main(*sys.argv[1:])
