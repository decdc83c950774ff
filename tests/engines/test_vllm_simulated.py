"""The engine vllm in this process, over simulated packages: windows, memory, shared prefixes."""

import hashlib
import os
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock, call

import pytest

from steadfast.base.errors import UserError
from steadfast.contract.request import Request
from steadfast.engines.base import Setup
from steadfast.engines.sending.local_text import SEAM, LocalText
from steadfast.engines.vllm import copies
from steadfast.engines.vllm.engine import VllmEngine

SIMULATED = Path(__file__).with_name("fake_vllm")


@pytest.fixture(autouse=True)
def packages(tmp_path, monkeypatch):
    """Puts the simulated packages in place of vLLM and transformers."""
    monkeypatch.syspath_prepend(SIMULATED)
    monkeypatch.setenv("FAKE_VLLM_LOADS", str(tmp_path / "loads"))
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    names = ("vllm", "vllm.platforms", "transformers", "transformers.utils")
    for name in (*names, "transformers.utils.logging"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield
    for name in names:
        sys.modules.pop(name, None)


def request(prefix: str, suffix: str = "s", max_tokens: int = 10) -> Request:
    return Request("s", "c", ("c", ""), prefix, suffix, max_tokens, 2, 0, 1.0, None, suffix)


def engine(journal: Path | None = None, at_once: int | None = None, **answers) -> VllmEngine:
    answers = {"engine": "vllm", "model": "tiny", "window": 1000, **answers}
    operation = {"engine_operation_args": {"max_num_seqs": at_once} if at_once else {}}
    return VllmEngine(Setup(answers, operation, journal=journal))


def test_model_is_loaded_with_a_prefix_cache_and_the_window():
    loaded = engine()
    loaded.load()
    assert 0 < loaded.load_seconds < 60
    assert loaded._loaded.model.given == {
        "enable_prefix_caching": True,
        "max_model_len": 1000,
        "tensor_parallel_size": 1,
    }


def test_settings_of_a_response_are_those_of_earlier_versions():
    """They are in the hashes of requests, whose responses took GPU-hours."""
    hashed = {"engine": "vllm", "model": "tiny", "seed": 0, "temperature": 0.0}
    hashed |= {"stop_token_ids": [0], "dtype": "auto", "template": "chat"}
    hashed["chat_template"] = hashlib.sha256(b"{{ messages }}").hexdigest()
    assert engine(top_p=None, system=None).answers == hashed
    del hashed["chat_template"]
    hashed |= {"template": "base", "suffix": "Output: ", "dtype": "half", "engine_args": {"a": 1}}
    assert engine(template="base", engine_args={"dtype": "half", "a": 1}).answers == hashed


def test_batches_are_invariant_where_vllm_has_the_mode(monkeypatch):
    monkeypatch.setenv("VLLM_BATCH_INVARIANT", "0")
    invariant = engine(batch_invariant=True)
    with pytest.raises(UserError, match="this version of vLLM has no batch-invariant mode"):
        invariant.load()
    assert os.environ["VLLM_BATCH_INVARIANT"] == "1"
    import vllm

    vllm.envs.VLLM_BATCH_INVARIANT = True
    invariant.load()
    assert invariant._loaded.model


def test_machine_and_model_are_named_in_each_response():
    loaded = engine()
    loaded._text._config["_commit_hash"] = "c1"
    ((_, response),) = loaded.answer([[request("p")]])
    assert response.served_model == "tiny@c1"
    assert response.fingerprint == "vllm 0, torch 0, 1 × fake"


@pytest.mark.parametrize(("window", "status"), [(29, "ok"), (28, "overflow")])
def test_prompt_and_response_fit_the_window(window, status):
    # The prompt has 19 tokens: "<user>ps<assistant>".
    ((_, response),) = engine(window=window).answer([[request("p")]])
    assert (response.status, response.prompt_tokens) == (status, 19 if status == "ok" else None)


@pytest.mark.parametrize(
    "cache",
    [
        {"kv_cache_size_tokens": 100, "num_gpu_blocks": 2, "block_size": 16},
        {"kv_cache_size_tokens": None, "num_gpu_blocks": 5, "block_size": 20},
        {"num_gpu_blocks": 5, "block_size": 20},
    ],
)
def test_request_has_to_fit_the_kv_cache(cache):
    loaded = engine()
    loaded.load()
    loaded.engine.vllm_config.cache_config = SimpleNamespace(**cache)
    loaded._check_memory(100)
    with pytest.raises(UserError, match="room for 100 tokens, but the largest request needs 101"):
        loaded._check_memory(101)


def test_kv_cache_of_unknown_size_takes_any_request():
    loaded = engine()
    loaded.load()
    cache = SimpleNamespace(num_gpu_blocks=None, block_size=20)
    loaded.engine.vllm_config.cache_config = cache
    loaded._check_memory(100)


@pytest.mark.parametrize(("batch", "queued"), [(None, 8), (9, 8), (4, 8), (3, 3)])
def test_twice_as_many_requests_are_queued_unless_fewer_may_run(monkeypatch, batch, queued):
    loaded = engine()
    loaded.load()  # which runs four at once
    loaded._batch = batch
    counts = []
    add_request = loaded.engine.add_request

    def count(*arguments):
        add_request(*arguments)
        counts.append(len(loaded.engine._waiting))

    monkeypatch.setattr(loaded.engine, "add_request", count)
    requests = [request("p", f"s{n}") for n in range(20)]
    assert [each for each, _ in loaded.answer([requests])] == requests
    assert max(counts) == queued


@pytest.mark.parametrize(("at_once", "batch"), [(None, 3), (8, 3), (2, 2)])
def test_hint_after_an_error_of_memory_lowers_the_concurrent_requests(tmp_path, at_once, batch):
    (tmp_path / "4k.hint.json").write_text('{"batch": 3}')
    assert engine(tmp_path / "4k.jsonl", at_once)._batch == batch


@pytest.mark.parametrize(
    ("answers", "temperature"),
    [({}, 0.0), ({"temperature": None}, 1.0), ({"temperature": 0.7}, 0.7)],
)
def test_sampling_of_a_request(answers, temperature):
    repeated = replace(request("p"), repeat=2)
    assert engine(seed=5, **answers)._request_sampling(repeated).given == {
        "temperature": temperature,
        "max_tokens": 10,
        "seed": 7,
        "stop_token_ids": [0],
        "skip_special_tokens": True,
    }


@pytest.mark.parametrize(("special", "setting"), [(["<think>"], False), ([], None)])
def test_marks_of_reasoning_that_are_special_tokens_stay_in_the_text(special, setting):
    loaded = engine()
    loaded._text.special_among = lambda texts: special
    answers = loaded._hashed_settings({"parser": "deepseek_r1"})
    assert answers.get("skip_special_tokens") is setting


@pytest.mark.parametrize(
    ("operation", "kind"),
    [
        ({}, VllmEngine),
        ({"data_parallel_size": 1}, VllmEngine),
        ({"data_parallel_size": 2}, copies.VllmCopies),
    ],
)
def test_one_copy_is_loaded_by_the_job_itself(operation, kind):
    setup = Setup({"engine": "vllm", "model": "tiny", "window": 1000}, operation)
    assert type(copies.build(setup)) is kind


def test_chat_template_has_a_fixed_date_and_opens_the_response():
    text = LocalText("tiny", template_args={"strict": True}, system="Be brief.")
    text._tokenizer.apply_chat_template = template = Mock(return_value="rendered")
    assert text.render("p") == "rendered"
    assert template.call_args.args[0][0] == {"role": "system", "content": "Be brief."}
    given = template.call_args.kwargs
    assert given.pop("strftime_now")("%d %b %Y") == "26 Jul 2024"  # Llama 3.1's default
    opens = {"add_generation_prompt": True, "tokenize": False}
    assert given == {**opens, "date_string": "26 Jul 2024", "strict": True}


def test_tokenizer_is_the_models_own_or_another_without_its_revision(monkeypatch):
    from transformers import AutoTokenizer

    load = Mock(return_value=AutoTokenizer())
    monkeypatch.setattr(AutoTokenizer, "from_pretrained", load)
    LocalText("tiny", revision="r1")
    LocalText("tiny", revision="r1", tokenizer="other", trust_remote_code=True)
    own = call("tiny", revision="r1", trust_remote_code=False)
    engine()
    assert load.call_args == call("tiny", revision=None, trust_remote_code=False)
    assert load.mock_calls[:2] == [own, call("other", revision=None, trust_remote_code=True)]
    load.side_effect = OSError("no such repository\nlog in")
    with pytest.raises(UserError, match=r"tiny cannot be loaded \(no such repository\); check"):
        LocalText("tiny")


def test_provenance_has_type_and_positions_of_the_text_model():
    text = LocalText("tiny")
    positions = {"rope_theta": 1.0, "rope_scaling": None}
    text._config = {"text_config": {"torch_dtype": "bfloat16", **positions}, "dtype": "x"}
    text._config["_commit_hash"] = "c1"
    expected = {"commit": "c1", "dtype": "bfloat16", "positions": {"rope_theta": 1.0}}
    assert expected.items() <= text.provenance().items()


def test_tokens_of_the_template_are_counted():
    assert LocalText("tiny").template_tokens() == len("<user><assistant>")


@pytest.mark.parametrize("template", ["chat", "base"])
@pytest.mark.parametrize(("words", "shared"), [(160, False), (161, True), (1000, True)])
def test_long_prefix_is_tokenized_once(template, words, shared):
    text = LocalText("tiny", template=template)
    lengths = []

    def encode(text, add_special_tokens):
        lengths.append(len(text))
        opening = [1] if add_special_tokens else []
        return opening + [ord(character) for character in text]

    text._tokenizer.encode = encode
    prefix = ("word " * words)[:-1] + "." * (words == 160)  # 800 characters, or 804
    requests = [request(prefix, f"?{n}") for n in range(4)]
    requests[3] = replace(requests[3], turns=(("a", "b"),))  # begins otherwise
    for number, (asked, ids) in enumerate(text.encode_prompts(requests)):
        prompt = text.render(asked.prompt, asked.turns)
        assert "".join(map(chr, ids)) == "\1" * (template == "base") + prompt
        if number == 3:
            break
        assert (max(lengths) < len(prompt)) is (shared and number > 0)
        # Later prompts are tokenized from a word's end on, 400 to 800 characters before the seam.
        assert number == 0 or not shared or max(lengths) <= 2 * SEAM + 30
        lengths.clear()


def test_cut_contexts_keep_special_tokens_and_blanks():
    text = LocalText("tiny")
    decode = Mock(return_value="a")
    text._tokenizer.decode = decode
    assert text.decode([97]) == "a"
    kept = {"skip_special_tokens": False, "clean_up_tokenization_spaces": False}
    assert decode.call_args.kwargs == kept
