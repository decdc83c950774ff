"""What vLLM's engine reports and locks, without vLLM itself: tokens, errors, GPUs."""

import json
from collections import Counter
from functools import cache
from importlib.metadata import packages_distributions
from types import SimpleNamespace

import pytest

from steadfast.engines.base import EngineExhausted, EngineFailed
from steadfast.engines.vllm import engine as vllm_engine
from steadfast.engines.vllm.engine import VllmEngine


@pytest.fixture
def engine(tmp_path):
    """An engine of up to eight concurrent requests, with a model that is not loaded."""
    engine = object.__new__(VllmEngine)
    engine._settings = {"model": "tiny"}
    engine._batch = 8
    engine._hint = tmp_path / "4k.hint.json"
    engine._log = print
    engine._used = Counter()
    return engine


def test_log_has_the_prompt_tokens_by_how_they_were_read(engine):
    assert engine.summary() == []
    engine._used.update(requests=3, prompt=4000, cached=3000, output=60)
    assert engine.summary() == [
        "3 requests: 4,000 prompt tokens, of which 1,000 computed and 3,000 cached (75.0%); "
        "60 output tokens"
    ]


@pytest.mark.parametrize(("before", "after"), [(8, 4), (3, 1), (2, 1), (None, 128)])
def test_out_of_memory_halves_the_concurrent_requests(engine, before, after):
    engine._batch = before
    message = f"with {before or 256} concurrent requests .* continues with {after} concurrent"
    with (
        pytest.raises(EngineExhausted, match=message),
        engine._explained("failed"),
    ):
        raise RuntimeError("step") from MemoryError("CUDA out of memory")
    assert json.loads(engine._hint.read_text()) == {"batch": after}


@pytest.mark.parametrize(("batch", "reason"), [(8, "bad shape"), (1, "out of memory")])
def test_error_that_fewer_requests_would_not_avoid_leaves_no_hint(engine, batch, reason):
    engine._batch = batch
    message = rf"tiny failed \(ValueError: {reason}\); the log has the traceback"
    with pytest.raises(EngineFailed, match=message), engine._explained("failed"):
        raise ValueError(f"{reason}\nmore")
    assert not engine._hint.exists()


def test_first_300_characters_of_an_error_are_shown(engine):
    with pytest.raises(EngineFailed) as failure, engine._explained("failed"):
        raise ValueError("x" * 289)
    assert f"(ValueError: {'x' * 288});" in str(failure.value)


@pytest.mark.parametrize(("copies", "gpus"), [(1, 6), (2, 12)])
def test_engine_locks_the_gpus_of_each_stage_and_copy(engine, monkeypatch, copies, gpus):
    locked = []
    monkeypatch.setattr(vllm_engine, "lock_gpus", lambda count, log: locked.append(count))
    engine._parallel = 2
    engine._operation_args = {"pipeline_parallel_size": 3}
    engine._lock_gpus(copies)
    engine._lock_gpus()
    engine._operation_args = {}
    engine._lock_gpus()
    assert locked == [gpus, 6, 2]


def test_package_is_found_by_its_module(monkeypatch):
    # The search takes half a second.
    monkeypatch.setattr(vllm_engine, "packages_distributions", cache(packages_distributions))
    packages = [vllm_engine._package(module) for module in ("pytest", "yaml", "missing")]
    assert packages == ["pytest", "PyYAML", "missing"]


def output(reason: str | None, cached: int | None) -> SimpleNamespace:
    """An output of vLLM with five tokens of the prompt and two of the response."""
    completion = SimpleNamespace(text="4", finish_reason=reason, token_ids=[1, 2])
    return SimpleNamespace(outputs=[completion], prompt_token_ids=[0] * 5, num_cached_tokens=cached)


@pytest.mark.parametrize("cached", [3, None])
@pytest.mark.parametrize(
    ("reason", "status", "error"),
    [("stop", "ok", None), ("length", "length", None), ("abort", "error", "vLLM ended it (abort)")],
)
def test_output_becomes_a_response_with_its_tokens(engine, cached, reason, status, error):
    engine._served = "tiny"
    engine._machine = "vllm 1"
    response = engine._response(output(reason, cached))
    assert (response.status, response.error, response.text) == (status, error, "4")
    counts = (response.prompt_tokens, response.cached_tokens, response.completion_tokens)
    assert counts == (5, cached or 0, 2)
    assert engine._used == {"requests": 1, "prompt": 5, "cached": cached or 0, "output": 2}
