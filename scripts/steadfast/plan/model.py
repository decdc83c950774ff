"""A model, judge or rewriter of the plan: what its parts would take."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.files import Record, Settings
from steadfast.base.tokens import load_tokenizer
from steadfast.contract.engine_names import WITHOUT_MODEL
from steadfast.contract.request import Item
from steadfast.engines.base import Engine, Setup
from steadfast.engines.build import build_engine
from steadfast.engines.cost.expected import (
    ASSUMED,
    Speed,
    past_runs,
    requested_minutes,
    size_of,
    speed,
)
from steadfast.engines.cost.forecast import CachedTokenizer, misfits, plan_part
from steadfast.engines.cost.roofline import gpus_needed
from steadfast.engines.fit import adapted, fit
from steadfast.plan.page import ESTIMATE


@dataclass(frozen=True)
class PlannedModel:
    """A model or judge of the plan: its settings, its engine where there is one, its counts.

    Args:
        name: in the plan.
        answers: the settings that determine responses.
        plan: what else is reckoned with (``settings.plan_settings``).
        hardware: the config's.
        folders: with the journals of the model, beside which its runs are recorded.
    """

    name: str
    answers: Settings
    plan: Settings
    hardware: Settings = field(default_factory=dict)
    folders: Iterable[Path] = ()

    @property
    def gpus(self) -> int:
        """GPUs of a job; of a server whose throughput is stated, the server's."""
        return int((self.plan["throughput"] or {}).get("gpus") or self.plan["gpus"])

    @property
    def draws(self) -> int:
        """Answers that it draws for each prompt."""
        return self.answers.get("draws") or 1

    @cached_property
    def speed(self) -> Speed | None:
        """How fast it is expected to be; None where nothing is known of it."""
        if self.answers["engine"] in WITHOUT_MODEL:
            return None
        runs = past_runs(self.folders, self.hardware, self.plan["gpus"] // self.plan["copies"])
        found = speed(self.answers, self.plan, self.hardware, runs)
        return found if found and found.source != ASSUMED else None

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
        """What a part would take, and its prompts that do not fit whole.

        Args:
            items: what is asked.
            known: hashes that the journal answers.
            tokenizers: by name, shared by the models of a part.
        """
        answers, engine = self.answers, self.engine
        own = engine.tokenizer if engine else None
        name, estimated = ("own", False) if own else _tokenizer(answers)
        tokenizer = CachedTokenizer(own) if own else _shared(tokenizers, name)
        template = answers.get("template_tokens")
        if template is None:
            template = engine.template_tokens(tokenizer.count) if engine else 0
        on_overflow = answers.get("on_overflow") or "error"
        requests = fit(
            adapted(items, answers),
            answers.get("window"),
            "truncate" if on_overflow == "truncate" else "skip",
            tokenizer,
            model=self.name,
            answers=engine.answers if engine else {},
            template_tokens=template,
        )
        found = self.speed
        row = plan_part(
            requests,
            known,
            tokenizer,
            template,
            found.seconds if found else None,
            self.gpus,
            self.plan["price"],
        )
        row |= {"engine": answers["engine"], "tokenizer": name, "estimated": estimated}
        row |= {"speed": found.source if found else None}
        return row, list(misfits(requests, on_overflow))

    def add_requested(
        self, rows: Sequence[Record], jobs: int = 1, elsewhere: int = 0
    ) -> Iterator[str]:
        """What the jobs of some parts ask for, and their shares of the loads, into their rows.

        Args:
            rows: of the plan; those with nothing to ask take nothing.
            jobs: that each row sums up, such as one for each model that a judge reads.
            elsewhere: jobs of other benchmarks that share its loads.

        Yields:
            What does not fit the machine, as sentences.
        """
        asked = [row for row in rows if row["to_ask"]]
        every = len(asked) * jobs + elsewhere
        sharing = min(every, self.plan["parts_per_load"] or every)
        found, given, loads = self.speed, self.plan["hours"], [0.0]
        for row in asked if found or (given and self.gpus) else ():
            load = found.load if found else 0.0
            work = 3600 * row["hours"] / jobs if found else None
            minutes = requested_minutes(work, load, sharing, self.hardware, given)
            row["load_gpu_hours"] = jobs * load / sharing * self.gpus / 3600
            row["requested_gpu_hours"] = jobs * minutes * self.gpus / 60
            loads += [loads[-1] + number * minutes / 60 for number in range(1, jobs + 1)]
        most = self.hardware["max_hours"]
        longest = max((b - a for a, b in zip(loads, loads[sharing:], strict=False)), default=0.0)
        if most and longest > most:
            yield (
                f"{self.name}: the jobs of one load would ask for {longest:.1f} hours, more than "
                f"hardware.max_hours; they ask for {most:g}, and a further attempt goes on where "
                "that ends. Fewer parts_per_load, or more GPUs, make a job shorter"
            )
        size = size_of(self.answers, self.plan) if asked else None
        if size and self.gpus:
            tokens = max(row["ask_prompt_tokens"] // row["to_ask"] for row in asked)
            needed = gpus_needed(size, self.hardware, tokens)
            own = self.gpus // self.plan["copies"]
            if needed and needed > own:
                yield (
                    f"{self.name}: {own} × {self.hardware['gpu']} do not hold the model "
                    f"with a prompt of {tokens:,} tokens; set tensor_parallel_size: {needed}"
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
    return name, answers["engine"] not in WITHOUT_MODEL | {"openai"}
