"""Engine ``vllm``: the model in the job itself, offline, every context computed once."""

import math
import os
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import packages_distributions, version
from itertools import islice
from typing import TYPE_CHECKING

from steadfast.engines.base import LONG_PREFIX, Engine, Setup
from steadfast.engines.local_text import NOT_INSTALLED, LocalText
from steadfast.engines.openai_body import SUFFIX
from steadfast.engines.reasoning import marks
from steadfast.engines.request import Request, Response
from steadfast.errors import PassingError, UserError
from steadfast.files import Record, Settings, read_json, write_json

if TYPE_CHECKING:
    from vllm import LLM, RequestOutput
    from vllm.v1.engine.llm_engine import LLMEngine

TEXT = ("model", "revision", "tokenizer", "template", "system", "template_args")
LOADING = ("model", "revision", "tokenizer", "dtype", "quantization", "hf_overrides", "seed")
SAMPLING = ("temperature", "top_p", "top_k", "min_p")
SETTINGS = {
    "VLLM_ENABLE_V1_MULTIPROCESSING": "0",  # the engine's own errors reach the job
    "VLLM_NO_USAGE_STATS": "1",
    "VLLM_LOGGING_LEVEL": "WARNING",
}
MEMORY = ("out of memory", "outofmemory", "enginedeaderror", "died unexpectedly")


class VllmEngine(Engine):
    """Asks group by group, the longest first: one request warms the cache, the rest follow.

    Groups of short prompts go side by side, as many as are under way at once.
    Answers are handed on one by one as they finish, so a kill loses no more than ``batch``.

    Args:
        setup: its answers have ``model``, ``window``; ``revision``, ``tokenizer``, ``template``
            (chat or base), ``system``, ``template_args``, ``dtype``, ``quantization``,
            ``hf_overrides``, ``seed``, ``temperature`` (None: as the model comes), ``top_p``,
            ``top_k``, ``min_p``, ``reasoning``, ``engine_args``, ``batch_invariant``; its operation
            ``tensor_parallel_size``, ``gpu_memory_utilization``, ``batch`` (requests at once),
            ``engine_operation_args``. A smaller batch is remembered beside the journal.

    Raises:
        UserError: there is no such model, or transformers is missing.
    """

    paid = True

    def __init__(self, setup: Setup):
        settings = {**setup.own, "tokenizer": setup.answers.get("tokenizer")}
        given = {k: v for k, v in settings.items() if v not in (None, {}, False)}
        self._window: int = setup.answers["window"]
        self._given, self._operation, self._log = given, setup.operation, setup.log
        trust = given.get("engine_args", {}).get("trust_remote_code", False)
        named = {name: given[name] for name in TEXT if name in given}
        self._text = LocalText(named.pop("model"), **named, trust_remote_code=trust)
        chat = given.get("template", "chat") == "chat"
        template = {"chat_template": self._text.template_hash} if chat else {"suffix": SUFFIX}
        self._stop_ids = self._text.stop_token_ids
        defaults = {"engine": "vllm", "template": "chat", "dtype": "auto", "seed": 0}
        self._sampling = self._sampling_of(setup.own)
        reasoning = setup.answers.get("reasoning")
        special = self._text.special_among(marks(reasoning)) if reasoning else []
        # The marks of thought that are special tokens would vanish from the text.
        shown = {"skip_special_tokens": False} if special else {}
        fixed = {**self._sampling, "stop_token_ids": self._stop_ids, **shown}
        self.answers = {**defaults, **given, **template, **fixed}
        self._hint = setup.journal.with_suffix(".hint.json") if setup.journal else None
        self._batch: int = setup.operation.get("batch", 128)
        if self._hint and self._hint.exists():
            self._batch = min(self._batch, read_json(self._hint)["batch"])
        names = ("vllm", "torch", "transformers")
        found = packages_distributions()
        self.packages = tuple(found.get(name, [name])[0] for name in names)
        self._llm: LLM | None = None
        self._capacity = math.inf
        self.load_seconds = 0.0
        self._used: Counter[str] = Counter()

    def _sampling_of(self, own: Settings) -> Record:
        """Temperature and the like: the config's, or those that the model itself comes with."""
        given = {name: own[name] for name in SAMPLING if own.get(name) is not None}
        if "temperature" in own and own["temperature"] is None:
            return {"temperature": 1.0, **self._text.sampling, **given}
        return {"temperature": 0.0, **given}

    def prefilled(self, start_tags: Sequence[str]) -> bool | None:
        """Whether the template opens a thought."""
        return self._text.render("a").rstrip().endswith(tuple(start_tags))

    @property
    def tokenizer(self) -> LocalText:
        """The model's own."""
        return self._text

    def template_tokens(self, count: Callable[[str], int]) -> int:
        """Exactly what the template adds, rendered and counted."""
        return self._text.template_tokens()

    def answer(self, groups: list[list[Request]]) -> Iterator[tuple[Request, Response]]:
        """Answers as they finish.

        Raises:
            UserError: vLLM is missing or does not load the model, its memory does not hold a
                context, or it died; after a death by memory the next attempt asks fewer at once.
        """
        if self._llm is None:
            self._load()
        self._check_capacity(max(self._size(request) for group in groups for request in group))
        # Cut contexts differ by their ends: the longest prefix warms all of them.
        groups = [sorted(group, key=lambda request: -len(request.prefix)) for group in groups]
        short = [group for group in groups if len(group[0].prefix) < LONG_PREFIX]
        yield from self._side_by_side([group for group in short if len(group) == 1])
        for wave in self._waves([group for group in short if len(group) > 1]):
            yield from self._side_by_side(wave)
        long = [group for group in groups if len(group[0].prefix) >= LONG_PREFIX]
        for group in sorted(long, key=lambda group: -max(map(self._size, group))):
            prompts = self._text.encode_prompts(group)  # whose prefix is tokenized once
            yield from self._ask(islice(prompts, 1))
            yield from self._ask(prompts)
        if self._hint:
            self._hint.unlink(missing_ok=True)

    def _waves(self, groups: list[list[Request]]) -> Iterator[list[list[Request]]]:
        """Groups as many as can be under way, and whose prompts half the KV cache holds."""
        wave: list[list[Request]] = []
        tokens = 0
        for group in groups:
            size = self._size(group[0])
            if wave and (len(wave) == self._batch or tokens + size > self._capacity / 2):
                yield wave
                wave, tokens = [], 0
            wave.append(group)
            tokens += size
        if wave:
            yield wave

    def _side_by_side(self, groups: list[list[Request]]) -> Iterator[tuple[Request, Response]]:
        """Groups side by side: the first request of each warms the cache, the others follow."""
        others = [request for _, *rest in groups for request in rest]
        for requests in ([first for first, *_ in groups], others):
            yield from self._ask(self._text.encode_prompts(requests))

    def reset_prefix_cache(self) -> bool:
        """Empties the prefix cache, once the model is loaded."""
        return self._llm is not None and bool(self._llm.llm_engine.reset_prefix_cache())

    @property
    def _engine(self) -> "LLMEngine":
        assert self._llm is not None, "answer loads it"
        return self._llm.llm_engine

    @staticmethod
    def _size(request: Request) -> int:
        return (request.prompt_tokens or 0) + request.max_tokens

    def _ask(
        self, prompts: Iterator[tuple[Request, list[int]]]
    ) -> Iterator[tuple[Request, Response]]:
        from vllm import SamplingParams

        engine = self._engine
        asked: dict[str, Request] = {}
        while True:
            for request, ids in islice(prompts, self._batch - len(asked)):
                if len(ids) + request.max_tokens > self._window:
                    # The engine would drop all requests for the sake of this one.
                    error = f"{len(ids)} tokens of prompt exceed the window of {self._window}"
                    yield request, Response("overflow", error=error)
                else:
                    asked[request.hash] = request
                    sampling = SamplingParams(
                        **self._sampling,
                        max_tokens=request.max_tokens,
                        seed=self.answers["seed"] + request.draw,
                        stop_token_ids=self._stop_ids,
                        skip_special_tokens=self.answers.get("skip_special_tokens", True),
                    )
                    with self._explained("failed"):
                        engine.add_request(request.hash, {"prompt_token_ids": ids}, sampling)
            if not asked:
                return
            with self._explained("failed"):
                outputs = engine.step()
            for output in outputs:
                if output.finished:
                    yield asked.pop(output.request_id), self._response(output)

    def _response(self, output: "RequestOutput") -> Response:
        answer, prompt = output.outputs[0], len(output.prompt_token_ids)
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
            f"the engine ended it ({answer.finish_reason})" if status == "error" else None,
            self._served,
            self._machine,
        )

    # --- loading ---------------------------------------------------------------------------

    def _load(self) -> None:
        for name, value in SETTINGS.items():
            os.environ.setdefault(name, value)
        if self._given.get("batch_invariant"):
            os.environ["VLLM_BATCH_INVARIANT"] = "1"
        try:
            from vllm import LLM, envs
            from vllm.platforms import current_platform
        except ImportError:
            raise UserError(NOT_INSTALLED) from None
        if self._given.get("batch_invariant") and not hasattr(envs, "VLLM_BATCH_INVARIANT"):
            raise UserError(
                f"model {self._given['model']}: this vLLM has no batch-invariant mode; update "
                "vLLM or leave batch_invariant out"
            )
        parallel = self._operation.get("tensor_parallel_size", 1)
        arguments = {
            **{name: self._given[name] for name in LOADING if name in self._given},
            "enable_prefix_caching": True,
            "max_model_len": self._window,
            "max_num_seqs": self._batch,
            "tensor_parallel_size": parallel,
            "gpu_memory_utilization": self._operation.get("gpu_memory_utilization", 0.9),
            **self._given.get("engine_args", {}),
            **self._operation.get("engine_operation_args", {}),
        }
        started = time.monotonic()
        with self._explained("could not be loaded"):
            self._llm = LLM(**arguments)
        self.load_seconds = time.monotonic() - started
        versions = [f"{name} {version(name)}" for name in self.packages[:2]]
        device = current_platform.get_device_name() or current_platform.device_type
        self._machine = ", ".join([*versions, f"{parallel} × {device}"])
        commit = self._text.identity()["commit"]
        self._served = f"{self._given['model']}@{commit}" if commit else self._given["model"]

    def _check_capacity(self, largest: int) -> None:
        cache = self._engine.vllm_config.cache_config
        capacity = getattr(cache, "kv_cache_size_tokens", None)
        capacity = capacity or (cache.num_gpu_blocks or 0) * cache.block_size
        self._capacity = capacity or math.inf
        self._log(
            f"loaded in {self.load_seconds:.0f} s; KV cache: {capacity:,} tokens; the largest "
            f"request takes {largest:,}; up to {self._batch} at once"
        )
        if 0 < capacity < largest:
            raise UserError(
                f"model {self._given['model']}: the KV cache holds {capacity:,} tokens, fewer "
                f"than the {largest:,} of the largest request; raise tensor_parallel_size or "
                "gpu_memory_utilization, or leave that length out"
            )

    @contextmanager
    def _explained(self, what: str) -> Iterator[None]:
        """One sentence for what the engine raises; the rest goes to the log."""
        try:
            yield
        except Exception as error:
            self._log("".join(traceback.format_exception(error)))
            raise self._sentence(error, what) from None

    def _sentence(self, error: Exception, what: str) -> UserError:
        """After a death by memory the next attempt asks half as many at once."""
        chain: BaseException | None = error
        seen: list[str] = []
        while chain is not None and len(seen) < 10:
            seen.append(f"{type(chain).__name__}: {chain}")
            chain = chain.__cause__ or chain.__context__
        reason, kept = seen[0].split("\n")[0][:300], "what is answered is kept"
        if self._batch > 1 and any(word in "\n".join(seen).lower() for word in MEMORY):
            half = self._batch // 2
            if self._hint:
                write_json(self._hint, {"batch": half})
            return PassingError(
                f"model {self._given['model']} {what}, for want of memory, with {self._batch} "
                f"requests at once ({reason}); {kept}: run again, it goes on with {half} at once"
            )
        return UserError(
            f"model {self._given['model']} {what} ({reason}); the log has the whole message; "
            f"{kept}: run again to go on"
        )

    # --- what is written down --------------------------------------------------------------

    def identity(self) -> Record:
        """The model's files: commit, data type, rope settings, tokenizer."""
        found = self._text.identity()
        found["positions"] |= self._given.get("hf_overrides", {})
        return {"files": found}

    def summary(self) -> list[str]:
        """Prompt tokens: logical, computed, cached."""
        used = self._used
        if not used["prompt"]:
            return []
        return [
            f"{used['requests']} requests: {used['prompt']:,} prompt tokens, of which "
            f"{used['prompt'] - used['cached']:,} computed and {used['cached']:,} cached "
            f"({used['cached'] / used['prompt']:.1%}); {used['output']:,} output tokens"
        ]
