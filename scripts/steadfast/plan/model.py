"""A model, judge or rewriter of the plan: what its parts would take."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings
from steadfast.base.tokens import load_tokenizer
from steadfast.contract.engine_names import BEHIND_APIS, WITHOUT_MODEL
from steadfast.contract.request import Item, Request
from steadfast.engines.base import Engine, Setup, build_engine
from steadfast.engines.cost import expected
from steadfast.engines.cost.forecast import CachedTokenizer, misfits, plan_part, taken
from steadfast.engines.cost.paths import chosen, once, path_record, paths_of
from steadfast.engines.cost.roofline import Work, gpus_needed
from steadfast.engines.fit import reckoned
from steadfast.plan.page import ESTIMATE


@dataclass(frozen=True)
class PlannedModel:
    """A model, judge or rewriter of the plan: its settings, its engine, its counts."""

    name: str
    answers: Settings
    plan: Settings
    hardware: Settings = field(default_factory=dict)
    folders: Iterable[Path] = ()

    @property
    def gpus(self) -> int:
        """GPUs of a job; of a server whose throughput is stated, the server's."""
        return int(self.plan["gpus"] or (self.plan["throughput"] or {}).get("gpus") or 0)

    @property
    def draws(self) -> int:
        """Answers that it draws for each prompt."""
        return self.answers.get("draws") or 1

    @cached_property
    def speed(self) -> expected.Speed | None:
        """How fast it is expected to be; None where nothing is known of it."""
        found = self._any_speed
        return found if found and found.source != expected.ASSUMED else None

    @cached_property
    def _any_speed(self) -> expected.Speed | None:
        """The same, and of a server of which nothing is known as of any."""
        if self.answers["engine"] in WITHOUT_MODEL:
            return None
        runs = expected.past_runs(
            self.folders, self.hardware, self.plan["gpus"] // self.plan["copies"]
        )
        return expected.speed(self.answers, self.plan, self.hardware, runs)

    @cached_property
    def engine(self) -> Engine | None:
        """The engine, made and never started; None where there is no model, or it is not here."""
        if self.answers["engine"] in WITHOUT_MODEL:
            return None
        try:
            return build_engine(Setup(self.answers))
        except UserError:  # such as a local model that lies on another machine
            return None

    def of_part(
        self,
        items: Sequence[Item],
        known: Collection[str],
        tokenizers: dict[str, CachedTokenizer],
    ) -> tuple[Record, list[tuple[str, str, int, int]]]:
        """Returns what is counted of a part, by ``engines.cost.forecast``, and its misfits."""
        answers, engine = self.answers, self.engine
        own = engine.tokenizer if engine else None
        name, estimated = ("own", False) if own else _tokenizer(answers)
        tokenizer = CachedTokenizer(own) if own else _shared(tokenizers, name)
        requests, template = reckoned(self.name, engine, answers, items, tokenizer)
        row = plan_part(requests, known, tokenizer, template)
        hours = self._any_speed.seconds(row["whole"]) / 3600 if self._any_speed else 0.0
        row["paths"] = self._paths(requests, known, tokenizer, template, hours)
        row |= {"engine": answers["engine"], "tokenizer": name, "estimated": estimated}
        return row, list(misfits(requests, answers.get("on_overflow") or "error"))

    def _paths(
        self,
        requests: Sequence[Request],
        known: Collection[str],
        tokenizer: CachedTokenizer,
        template_tokens: int,
        hours: float,
    ) -> list[Record]:
        price, how = self.plan["price"], self.plan["path"]
        if not price:
            return []
        sent, count = once(requests), tokenizer.count
        paths = paths_of(self.answers, price, how)
        if how["path"]:
            paths = chosen(paths, how["path"], sent, count, template_tokens, price)
        return [
            path_record(path, sent, known, count, template_tokens, price, hours) for path in paths
        ]

    def taken(self, ask: Work, whole: Work) -> Record:
        """What work takes of it in tokens, hours and cost, and by which speed."""
        found = self.speed
        seconds = found.seconds if found else None
        row = taken(ask, whole, seconds, self.gpus, self.plan["price"])
        return row | {"speed": found.source if found else None}

    def requested(self, works: Sequence[Work]) -> tuple[list[Record], str]:
        """Returns what the jobs of one load ask for, and what does not fit, as a sentence."""
        found, gpus, sharing = self.speed, self.plan["gpus"], len(works)
        uncut = [
            expected.job_minutes(work, found, sharing, self.hardware, self.plan["hours"])
            for work in works
        ]
        load = found.load / sharing * gpus / 3600 if found else None
        asked = expected.within_most(uncut, self.hardware)
        rows: list[Record] = [
            {"load_gpu_hours": load, "requested_gpu_hours": minutes * gpus / 60}
            for minutes in asked
        ]
        if asked == uncut:
            return rows, ""
        return rows, (
            f"{self.name}: the jobs of one load would ask for {sum(uncut) / 60:.1f} hours, more "
            f"than hardware.max_hours; they ask for {self.hardware['max_hours']:g}, and a further "
            "attempt goes on where that ends. Fewer parts_per_load, or more GPUs, make a job "
            "shorter"
        )

    def too_small(self, rows: Sequence[Record]) -> str:
        """That the GPUs do not hold the model with some prompts, as a sentence; or nothing."""
        asked = [row for row in rows if row["to_ask"]]
        size = expected.size_of(self.answers, self.plan) if asked else None
        if not size or not self.gpus:
            return ""
        tokens = max(row["ask_prompt_tokens"] // row["to_ask"] for row in asked)
        needed, own = gpus_needed(size, self.hardware, tokens), self.gpus // self.plan["copies"]
        if not needed or needed <= own:
            return ""
        return (
            f"{self.name}: {own} × {self.hardware['gpu']} do not hold the model with a prompt of "
            f"{tokens:,} tokens; set tensor_parallel_size: {needed}"
        )


def _shared(tokenizers: dict[str, CachedTokenizer], name: str) -> CachedTokenizer:
    if name not in tokenizers:
        tokenizers[name] = CachedTokenizer(load_tokenizer(name))
    return tokenizers[name]


def _tokenizer(answers: Settings) -> tuple[str, bool]:
    """The tiktoken encoding that counts, and whether it only stands in for the model's own."""
    name = answers.get("tokenizer") or ESTIMATE
    try:
        load_tokenizer(name)
    except UserError:
        return ESTIMATE, True
    return name, answers["engine"] not in WITHOUT_MODEL | BEHIND_APIS
