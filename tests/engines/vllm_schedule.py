"""Our engine, and one plain ``generate`` of the same prompts in the same order: what each took.

vllm_schedule.py MODEL PROMPTS: a line of PROMPTS is an item, but for its sample_id.
"""

import json
import sys
from collections.abc import Iterable

from steadfast.base.files import read_jsonl
from steadfast.contract.request import Item, families, grouped, ordered
from steadfast.engines.base import Loaded, Setup
from steadfast.engines.fit import fitted
from steadfast.engines.vllm.engine import VllmEngine

WINDOW = 8192


def main(model: str, path: str) -> None:
    loaded = Loaded()
    operation = {"engine_operation_args": {"enforce_eager": True, "block_size": 32}}
    answers = {"model": model, "window": WINDOW, "engine_args": {"dtype": "float32"}}
    engine = VllmEngine(Setup(answers, operation, lambda line: None, loaded=loaded))
    requests = fitted("tiny", engine, {"window": WINDOW}, items(read_jsonl(path)))
    engine.load()
    core = engine.engine
    steps = []
    step = core.step
    core.step = lambda: (steps.append(1), step())[1]

    groups = families(grouped(requests))
    ours = {}
    for request, response in engine.answer(groups):
        ours[request.hash] = response.text, response.prompt_tokens - response.cached_tokens
    took = {"ours": (len(steps), sum(computed for _, computed in ours.values()))}

    from vllm import SamplingParams

    engine.engine.reset_prefix_cache()
    steps.clear()
    asked = list(engine.tokenizer.encode_prompts(ordered(groups)))
    stops = engine.tokenizer.stop_token_ids
    outputs = loaded.model.generate(
        [{"prompt_token_ids": ids} for _, ids in asked],
        [
            SamplingParams(temperature=0.0, max_tokens=one.max_tokens, stop_token_ids=stops)
            for one, _ in asked
        ],
        use_tqdm=False,
    )
    computed = sum(len(one.prompt_token_ids) - (one.num_cached_tokens or 0) for one in outputs)
    took["generate"] = len(steps), computed
    took["logical"] = sum(len(one.prompt_token_ids) for one in outputs)
    plain = {one.hash: out.outputs[0].text for (one, _), out in zip(asked, outputs, strict=True)}
    same = sum(plain[name] == text for name, (text, _) in ours.items())
    print(json.dumps({**took, "same": same, "asked": len(requests)}))


def items(records: Iterable[dict]) -> list[Item]:
    return [Item(str(number), **record) for number, record in enumerate(records)]


if __name__ == "__main__":
    main(*sys.argv[1:])
