"""Engine ``vllm``: runs the model inside the job, offline; every context is computed once."""

import os
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from itertools import islice
from typing import TYPE_CHECKING

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings, read_json, write_json
from steadfast.contract.request import Request, Response, ordered, size
from steadfast.engines.api.body import SAMPLING, SUFFIX, count, mapping
from steadfast.engines.base import Engine, EngineExhausted, EngineFailed, Setup
from steadfast.engines.devices import lock_gpus
from steadfast.engines.sending.local_text import NOT_INSTALLED, LocalText
from steadfast.engines.sending.reasoning import marks

if TYPE_CHECKING:
    from vllm import LLM, RequestOutput, SamplingParams
    from vllm.v1.engine.llm_engine import LLMEngine

TEXT_KEYS = ("model", "revision", "tokenizer", "template", "system", "template_args")
LOADING_KEYS = ("model", "revision", "tokenizer", "hf_overrides", "seed")
# Engine arguments that request hashes contain next to ``engine_args``, as they always did.
FORMER_KEYS = ("dtype", "quantization")
ENVIRONMENT = {
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",  # so that the engine's errors reach the job
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_LOGGING_LEVEL": "WARNING",
}
# Requests handed to the engine for each that it may compute at once.
AHEAD = 2
# vLLM's argument for the number of concurrent requests.
CONCURRENCY = "max_num_seqs"
# Concurrent requests assumed where vLLM died before it reported its own default.
UNKNOWN_BATCH = 256
MEMORY = ("out of memory", "outofmemory", "enginedeaderror", "died unexpectedly")


class VllmEngine(Engine):
    """Sends all requests in one queue, context by context, the longest first.

    vLLM computes a prefix once for all requests that share it, so that no request waits for the end
    of a context. After an out-of-memory error a smaller batch size is recorded next to the journal.
    """

    paid = True

    def __init__(self, setup: Setup):
        own = {**setup.own, "tokenizer": setup.answers.get("tokenizer")}
        settings = {name: value for name, value in own.items() if value not in (None, {}, False)}
        self._engine_args = dict(settings.pop("engine_args", {}))
        self._settings = settings
        self._window: int = setup.answers["window"]
        self._operation_args: Settings = setup.operation.get("engine_operation_args", {})
        self._parallel: int = setup.operation.get("tensor_parallel_size", 1)
        self._log = setup.log
        trust = self._engine_args.get("trust_remote_code", False)
        text_settings = {name: settings[name] for name in TEXT_KEYS if name in settings}
        model = text_settings.pop("model")
        self._text = LocalText(model, **text_settings, trust_remote_code=trust)
        self._stop_ids = self._text.stop_token_ids
        self._sampling = self._sampling_of(setup.own)
        self.answers = self._hashed_settings(setup.answers.get("reasoning"))
        self._hint = setup.journal.with_suffix(".hint.json") if setup.journal else None
        self._batch: int | None = self._operation_args.get(CONCURRENCY)
        hint = read_json(self._hint) if self._hint and self._hint.exists() else None
        if hinted := count(mapping(hint).get("batch")):
            self._batch = min(self._batch or hinted, hinted)
        self.packages = tuple(map(_package, ("vllm", "torch", "transformers")))
        self._loaded = setup.loaded
        self._max_in_flight = 1
        self._used: Counter[str] = Counter()

    def _hashed_settings(self, reasoning: Settings | None) -> Record:
        """The settings that determine a response, as request hashes contain them."""
        arguments = dict(self._engine_args)
        former = {name: arguments.pop(name) for name in FORMER_KEYS if name in arguments}
        answers = {"engine": "vllm", "template": "chat", "dtype": "auto", "seed": 0}
        answers |= {**self._settings, **former}
        if arguments:
            answers["engine_args"] = arguments
        if answers["template"] == "chat":
            answers["chat_template"] = self._text.template_hash
        else:
            answers["suffix"] = SUFFIX
        answers |= {**self._sampling, "stop_token_ids": self._stop_ids}
        # Marks of reasoning that are special tokens would otherwise vanish from the text.
        if reasoning and self._text.special_among(marks(reasoning)):
            answers["skip_special_tokens"] = False
        return answers

    def _sampling_of(self, own: Settings) -> Record:
        """Sampling settings: the config's, or those of the model's generation config."""
        sampling = {name: own[name] for name in SAMPLING if own.get(name) is not None}
        if "temperature" in own and own["temperature"] is None:
            return {"temperature": 1.0, **self._text.sampling, **sampling}
        return {"temperature": 0.0, **sampling}

    def prefilled(self, start_tags: Sequence[str]) -> bool | None:
        """Whether the chat template ends with a start tag of reasoning."""
        return self._text.render("a").rstrip().endswith(tuple(start_tags))

    @property
    def tokenizer(self) -> LocalText:
        """The model's own tokenizer."""
        return self._text

    def template_tokens(self, count: Callable[[str], int]) -> int:
        """The tokens that the template adds, rendered and counted."""
        return self._text.template_tokens()

    def answer(self, groups: list[list[Request]]) -> Iterator[tuple[Request, Response]]:
        self.load()
        requests = ordered(groups)
        self._check_memory(max(map(size, requests)))
        yield from self._send(self._text.encode_prompts(requests))
        self._forget_hint()

    def _forget_hint(self) -> None:
        if self._hint:
            self._hint.unlink(missing_ok=True)

    @property
    def engine(self) -> "LLMEngine":
        """vLLM's engine, once the model is loaded."""
        llm: LLM = self._loaded.model
        return llm.llm_engine

    def _send(
        self, prompts: Iterator[tuple[Request, list[int]]]
    ) -> Iterator[tuple[Request, Response]]:
        """Adds requests in order, more than run at once, so that no step of vLLM waits for one."""
        in_flight: dict[str, Request] = {}
        while True:
            following = islice(prompts, self._max_in_flight - len(in_flight))
            exhausted = True
            for request, ids in following:
                exhausted = False
                if len(ids) + request.max_tokens > self._window:
                    # vLLM would fail all requests because of this one.
                    error = f"{len(ids)} tokens of prompt exceed the window of {self._window}"
                    yield request, Response("overflow", error=error)
                    continue
                in_flight[request.hash] = request
                sampling = self._request_sampling(request)
                with self._explained("failed"):
                    self.engine.add_request(request.hash, {"prompt_token_ids": ids}, sampling)
            if not in_flight and exhausted:
                return
            with self._explained("failed"):
                outputs = self.engine.step()
            for output in outputs:
                if output.finished:
                    yield in_flight.pop(output.request_id), self._response(output)

    def _request_sampling(self, request: Request) -> "SamplingParams":
        from vllm import SamplingParams

        return SamplingParams(
            **self._sampling,
            max_tokens=request.max_tokens,
            seed=self.answers["seed"] + request.repeat,
            stop_token_ids=self._stop_ids,
            skip_special_tokens=self.answers.get("skip_special_tokens", True),
        )

    def _response(self, output: "RequestOutput") -> Response:
        answer = output.outputs[0]
        prompt = len(output.prompt_token_ids)
        cached = output.num_cached_tokens or 0
        self._used.update(requests=1, prompt=prompt, cached=cached, output=len(answer.token_ids))
        status = {"stop": "ok", "length": "length"}.get(answer.finish_reason, "error")
        return Response(
            status,
            answer.text,
            answer.finish_reason,
            prompt,
            cached,
            len(answer.token_ids),
            f"vLLM ended it ({answer.finish_reason})" if status == "error" else None,
            self._served,
            self._machine,
        )

    def load(self) -> None:
        if self._loaded.model is not None:
            return
        for name, value in ENVIRONMENT.items():
            os.environ.setdefault(name, value)
        if self._settings.get("batch_invariant"):
            os.environ["VLLM_BATCH_INVARIANT"] = "1"
        try:
            from vllm import LLM, envs
        except ImportError:
            raise UserError(NOT_INSTALLED) from None
        if self._settings.get("batch_invariant") and not hasattr(envs, "VLLM_BATCH_INVARIANT"):
            raise UserError(
                f"model {self._settings['model']}: this version of vLLM has no batch-invariant "
                "mode; update vLLM, or remove batch_invariant"
            )
        arguments = {
            **{name: self._settings[name] for name in LOADING_KEYS if name in self._settings},
            "enable_prefix_caching": True,
            "max_model_len": self._window,
            "tensor_parallel_size": self._parallel,
            **self._engine_args,
            **self._operation_args,
        }
        if self._batch:  # may be less than configured, after an out-of-memory error
            arguments[CONCURRENCY] = self._batch
        self._lock_gpus()
        started = time.monotonic()
        with self._explained("could not be loaded"):
            self._loaded.model = LLM(**arguments)
        self._loaded.seconds = self.load_seconds = time.monotonic() - started
        self._log(f"model loaded in {self.load_seconds:.0f} s")

    def _lock_gpus(self, copies: int = 1) -> None:
        """Locks the GPUs that the engine needs, where jobs share this machine's."""
        pipeline = self._operation_args.get("pipeline_parallel_size", 1)
        lock_gpus(copies * pipeline * self._parallel, self._log)

    def _check_memory(self, largest: int) -> None:
        """Checks the KV cache, and sets the number of concurrent requests."""
        from vllm.platforms import current_platform

        versions = [f"{name} {version(name)}" for name in self.packages[:2]]
        device = current_platform.get_device_name() or current_platform.device_type
        self._machine = ", ".join([*versions, f"{self._parallel} × {device}"])
        commit = self._text.provenance()["commit"]
        self._served = f"{self._settings['model']}@{commit}" if commit else self._settings["model"]
        config = self.engine.vllm_config
        cache = config.cache_config
        loaded_limit = config.scheduler_config.max_num_seqs
        at_once = min(self._batch or loaded_limit, loaded_limit)
        # More may be queued: vLLM itself runs no more at once than its max_num_seqs.
        self._max_in_flight = AHEAD * loaded_limit if at_once == loaded_limit else at_once
        capacity = getattr(cache, "kv_cache_size_tokens", None)
        capacity = capacity or (cache.num_gpu_blocks or 0) * cache.block_size
        self._log(
            f"KV cache: {capacity:,} tokens; largest request: {largest:,} tokens; up to "
            f"{at_once} concurrent requests"
        )
        if 0 < capacity < largest:
            raise UserError(
                f"model {self._settings['model']}: the KV cache has room for {capacity:,} tokens, "
                f"but the largest request needs {largest:,}; raise tensor_parallel_size or "
                "engine_operation_args.gpu_memory_utilization, or remove that length"
            )

    @contextmanager
    def _explained(self, what: str) -> Iterator[None]:
        """Turns vLLM's exceptions into one sentence; the traceback goes to the log."""
        try:
            yield
        except Exception as error:
            self._log("".join(traceback.format_exception(error)))
            raise self._sentence(error, what) from None

    def _sentence(self, error: Exception, what: str) -> EngineFailed:
        """The error to raise; after an out-of-memory error the batch size is halved."""
        cause: BaseException | None = error
        messages: list[str] = []
        while cause is not None and len(messages) < 10:
            messages.append(f"{type(cause).__name__}: {cause}")
            cause = cause.__cause__ or cause.__context__
        reason = messages[0].split("\n")[0][:300]
        resume = "responses so far are cached: run again"
        batch = self._batch or UNKNOWN_BATCH
        if batch > 1 and any(word in "\n".join(messages).lower() for word in MEMORY):
            half = batch // 2
            if self._hint:
                write_json(self._hint, {"batch": half})
            return EngineExhausted(
                f"model {self._settings['model']} {what}: out of memory with {batch} concurrent "
                f"requests ({reason}); {resume}, which continues with {half} concurrent requests"
            )
        return EngineFailed(
            f"model {self._settings['model']} {what} ({reason}); the log has the traceback; "
            f"{resume} to continue"
        )

    def provenance(self) -> Record:
        """The model's files: commit, data type, rope settings, tokenizer."""
        files = self._text.provenance()
        files["positions"] |= self._settings.get("hf_overrides", {})
        return {"files": files}

    def summary(self) -> list[str]:
        """The log's line on prompt tokens: logical, computed, cached."""
        used = self._used
        if not used["prompt"]:
            return []
        return [
            f"{used['requests']} requests: {used['prompt']:,} prompt tokens, of which "
            f"{used['prompt'] - used['cached']:,} computed and {used['cached']:,} cached "
            f"({used['cached'] / used['prompt']:.1%}); {used['output']:,} output tokens"
        ]


def _package(module: str) -> str:
    """The package of a module: of the same name, or else found by its files."""
    try:
        version(module)
    except PackageNotFoundError:  # vLLM for CPUs has another name; the search takes a second
        return packages_distributions().get(module, [module])[0]
    return module
