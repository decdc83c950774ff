"""How long a model takes by size and hardware: expected values by hand."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steadfast.engines.cost.roofline import (
    Machine,
    ModelSize,
    Work,
    gpus_needed,
    load_seconds,
    room,
    work_seconds,
)

LLAMA_8B = {
    "num_hidden_layers": 32,
    "hidden_size": 4096,
    "intermediate_size": 14336,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "vocab_size": 128256,
}
SIZE = ModelSize.stated({"parameters": 8.03, "layers": 32, "hidden": 4096, "kv": 1024})
H100 = Machine.of({"gpu": "h100"}, 1)


def checkpoint(folder, config, weights=0):
    (folder / "config.json").write_text(json.dumps(config))
    if weights:
        (folder / "model-00001.safetensors").write_bytes(bytes(weights))
    return ModelSize.of_checkpoint(folder)


def test_a_models_own_files_say_its_size(tmp_path):
    size = checkpoint(tmp_path, LLAMA_8B)
    assert size.parameters == pytest.approx(8.03e9, rel=0.001)  # as its card has it
    assert (size.layers, size.hidden, size.kv) == (32, 4096, 1024)
    assert size.token_bytes == 131_072  # 128 KiB of KV cache a token


def test_the_weights_of_a_mixture_of_experts_are_those_of_its_files(tmp_path):
    small = {**LLAMA_8B, "num_hidden_layers": 1, "hidden_size": 64, "vocab_size": 100}
    size = checkpoint(tmp_path, small, weights=50_000_000)
    assert size.weight_bytes == 50_000_000
    assert size.parameters == 25_000_000 > size.active


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"num_hidden_layers": "many"}'])
def test_files_that_do_not_say_it_are_no_size(tmp_path, content):
    (tmp_path / "config.json").write_text(content)
    assert ModelSize.of_checkpoint(tmp_path) is None
    assert ModelSize.of_checkpoint(tmp_path / "nowhere") is None


@pytest.mark.parametrize(("parameters", "layers", "hidden"), [(7.62, 28, 3584), (72.7, 80, 8192)])
def test_the_shape_follows_roughly_from_the_parameters(parameters, layers, hidden):
    size = ModelSize.stated({"parameters": parameters})
    assert size.layers == pytest.approx(layers, rel=0.25)
    assert size.hidden == pytest.approx(hidden, rel=0.25)


def test_prefill_is_computation_and_decoding_is_reading():
    # 2 × 8.03e9 × 10,000 operations, and 4 × 32 × 4096 × 10,000 × 1,000 / 2 of attention, at 0.4 of
    # 989e12 a second
    prefill = (1.606e14 + 2.62144e12) / 3.956e14
    work = Work(requests=10, prompt=10_000, distinct=10_000, output=0, contexts=10)
    assert work_seconds(work, SIZE, H100, 128) == pytest.approx(prefill)
    # ten at once, ten tokens each: 10 steps, which read 16.06 GB, and 100 × 1,000 tokens of cache
    steps = 10 * (16.06e9 / 2.01e12 + 0.005)
    cache = 100 * 1_000 * 131_072 / 2.01e12
    computed = 2 * 8.03e9 * 100 / 3.956e14
    work = Work(requests=10, prompt=10_000, distinct=0, output=100, contexts=10)
    assert work_seconds(work, SIZE, H100, 128) == pytest.approx(steps + cache + computed)


def test_loading_takes_as_long_as_reading_the_weights():
    assert load_seconds(SIZE, H100) == pytest.approx(60 + 16.06)
    slow = Machine.of({"gpu": "h100", "load_gb_per_second": 0.2}, 1)
    assert load_seconds(SIZE, slow) == pytest.approx(60 + 80.3)


def test_the_memory_holds_weights_and_cache():
    assert room(SIZE, H100) == pytest.approx((68e9 - 16.06e9) / 131_072)
    large = ModelSize.stated({"parameters": 72.7, "layers": 80, "hidden": 8192, "kv": 1024})
    assert room(large, H100) < 0
    assert gpus_needed(large, {"gpu": "h100"}, 4_096) == 4
    assert gpus_needed(large, {"gpu": "h200"}, 4_096) == 2
    assert gpus_needed(large, {}, 4_096) is None


def test_no_machine_without_a_gpu():
    assert Machine.of({"gpu": "h100"}, 0) is None
    assert Machine.of({"gpu": None}, 1) is None


@given(st.integers(1, 500), st.integers(1, 200_000), st.integers(1, 4_096), st.integers(1, 500))
def test_more_of_anything_takes_longer_and_more_gpus_less(requests, prompt, answer, contexts):
    contexts = min(requests, contexts)
    work = Work(requests, requests * prompt, contexts * prompt, requests * answer, contexts)
    seconds = work_seconds(work, SIZE, H100, 128)
    longer = Work(requests, 2 * requests * prompt, 2 * contexts * prompt, work.output, contexts)
    more = Work(requests, work.prompt, work.distinct, 2 * work.output, contexts)
    assert 0 < seconds < work_seconds(longer, SIZE, H100, 128)
    assert seconds < work_seconds(more, SIZE, H100, 128)
    assert work_seconds(work, SIZE, Machine.of({"gpu": "h100"}, 2), 128) < seconds
    assert work_seconds(Work(0, 0, 0, 0, 0), SIZE, H100, 128) == 0
