"""Features of the config as fragments, and configs sampled from them.

The names ``gold``, ``judge`` and ``writer`` are those of a model, a judge and a rewriter over HTTP.
"""

import copy
import json
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import combinations, count
from typing import Any

from project import over_http
from small_contexts import CASES
from steadfast.base.resources import resource

Settings = dict[str, Any]
BENCHMARKS: Settings = {
    "lifbench": {"tasks": ["LSI", "OQ", "MF"]},
    "followbench": {"languages": ["en"]},
    "cfbench": {},
    "complexbench": {"languages": ["zh"]},
    "ifeval": {"lengths": {"1k": 1024}, "context": "list", "framing_sentences": 1},
}
"""Sections of synthetic data, as little as shows everything."""
LIFBENCH, FOLLOWBENCH, CFBENCH, COMPLEXBENCH, IFEVAL = BENCHMARKS
JUDGED = (FOLLOWBENCH, CFBENCH, COMPLEXBENCH)


@dataclass(frozen=True)
class Feature:
    """One feature of a config.

    Attributes:
        settings: merged into those of the other features.
        benchmarks: one of which has to run; any benchmark if empty.
        conflicts: features with which the config is invalid, or reference answers are not known.
        files: texts of files that the config names, by path.
    """

    settings: Settings
    benchmarks: tuple[str, ...] = ()
    conflicts: tuple[str, ...] = ()
    files: dict[str, str] = field(default_factory=dict)


def section(benchmark: str, *conflicts: str, files=None, **settings: Any) -> Feature:
    return Feature({benchmark: settings}, (benchmark,), conflicts, files or {})


def gold(*conflicts: str, files=None, **settings: Any) -> Feature:
    return Feature({"models": {"gold": settings}}, (), conflicts, files or {})


def other_api(*conflicts: str, **settings: Any) -> Feature:
    openai_only = ("base model", "examples", "other token limit field", "prompt caching", "flex")
    return gold(*openai_only, *conflicts, **settings)


def model(name: str, **settings: Any) -> Feature:
    return Feature({"models": {name: settings}})


def judging(*benchmarks: str, **settings: Any) -> Feature:
    return Feature(settings, benchmarks or JUDGED)


def datasets(*conflicts: str, **settings: Any) -> Feature:
    return Feature({"datasets": settings}, (), conflicts, DATA_SETS)


def json_lines(records: Iterable[Settings]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def own_corpora() -> dict[str, str]:
    """A small corpus of each kind, by the path at which a local directory has it."""
    rng = random.Random(11)
    words = []
    for _ in range(900):
        start = "".join(rng.choices("bdfgklmnprst", k=2))
        words.append(start + rng.choice("aeiou") + rng.choice(["n", "sk"]))

    def text(length: int) -> str:
        sentences = [" ".join(rng.choices(words, k=9)).capitalize() for _ in range(length)]
        return ". ".join(sentences) + "."

    documents = [{"id": f"d{n}", "text": text(25), "title": text(1)} for n in range(60)]
    essays = [document | {"date": "2020", "text": text(150)} for document in documents[:20]]
    reports = [{"id": document["id"], "report": document["text"]} for document in documents]
    dialogues = [{"id": document["id"], "dialogue": text(25)} for document in documents]
    meetings = [{"meeting_id": document["id"], "transcript": text(25)} for document in documents]
    instructions = [{"instruction": text(1)} for _ in range(900)]
    return {
        "corpora/govreport/a.jsonl": json_lines(reports),
        "corpora/xsum/a.jsonl": json_lines(dialogues),
        "corpora/qmsum/meetings.jsonl": json_lines(meetings),
        "corpora/paul_graham/essays.jsonl": json_lines(essays),
        "corpora/alpaca/alpaca_data.json": json.dumps(instructions),
    }


EXAMPLES = {"instruction": "Name a colour.", "output": "Blue"}
LABELS = {"model": "gold", "sample_id": "en/content/1/1", "verdicts": ["YES"]}
REPLAYED = {"sample_id": "LSI/list-2k-s1/e0/v0", "text": "An answer."}
JUDGE_TEMPLATE = f"Be fair.\n{resource('followbench/judge/en.txt').read_text()}"
RELEASED = CASES / "released"
PUBLISHED = {"lengths": {"4k": 3072}, "released": {"directory": "released"}}
REWRITES = {"count": 6, "clusters": 2}
REASONING = {"tags": ["<think>", "</think>"], "tokens": 100}
PRICE = {"input": 1.0, "output": 2.0, "cached": 0.5, "flex": 0.5, "batch": 0.5}
CHOICES = {"prompt": "Is it?", "choices": ["no", "yes"], "answer": "B"}
COPY = {"scenario": "list", "prompt": "Copy {{elements.-1}}", "answer": "{{elements.-1}}"}
TYPE = {"scenario": "onedoc", "prompt": "Type?", "answer": "{{key_sentences.1.type}}"}
DATA_SETS = {
    "sets/words.jsonl": json_lines(
        {"prompt": f"Name {n}.", "answer": f"word {n}", "kind": f"k{n % 2}"} for n in range(4)
    ),
    "sets/letters.jsonl": json_lines({"context": str(n), **CHOICES} for n in range(3)),
    "sets/about.jsonl": json_lines([COPY, TYPE]),
}
WORDS = {"path": "sets/words.jsonl", "scorer": "f1"}
MAJORITY_JUDGES = {
    "sim-1": {"engine": "simulated", "seed": 1},
    "sim-2": {"engine": "simulated", "seed": 2},
    "reference": {"engine": "reference"},
}
FEATURES: dict[str, Feature] = {
    # --- LIFBench
    "several lengths": section(LIFBENCH, lengths={"2k": 2048, "3k": 3072}),
    "own corpora": Feature(
        {"corpora": {"source": "local", "directory": "corpora"}}, (LIFBENCH,), files=own_corpora()
    ),
    "contexts per length": section(LIFBENCH, contexts_per_length=2),
    # No test distinguishes models by four contexts, so that everything is requested.
    "adaptive": Feature(
        {
            LIFBENCH: {"contexts_per_length": 3, "tasks": ["LSI", "OQ"]},
            "adaptive": {"contexts": 3},
            "models": {"sim-b": {"engine": "simulated", "span": 2000}},
        },
        (LIFBENCH,),
        (
            *("contexts per length", "several lengths", "published contexts", "released scores"),
            *("model subset", "trial"),
        ),
    ),
    "formats": section(LIFBENCH, formats=["numbered", "json"]),
    "domains": section(LIFBENCH, domains={"list": ["mixed", "uuids"]}),
    "corrected rubric": section(LIFBENCH, rubric="corrected"),
    "plain mean": section(LIFBENCH, weighting="mean"),
    "recs": section(LIFBENCH, expressions="recs", recs=REWRITES),
    "recs in both samplings": section(
        LIFBENCH, expressions="recs", recs=REWRITES | {"sampling": "both"}
    ),
    "published contexts": section(
        LIFBENCH,
        *("several lengths", "contexts per length", "formats", "domains", "other tokenizer"),
        *("recs", "recs in both samplings"),
        contexts="released",
        expressions="released",
        tasks=["OQ", "MF"],  # the lists are not among the files
        **PUBLISHED,
    ),
    "released scores": Feature(
        {LIFBENCH: PUBLISHED, "models": {"Qwen2.5-7B": {"engine": "scored"}}},
        (LIFBENCH,),
        ("several lengths", "model subset", "corrected rubric"),
    ),
    "judge of LIFBench": section(LIFBENCH, "released scores", judge=True),
    # --- the judged benchmarks
    "two languages": section(FOLLOWBENCH, languages=["en", "zh"]),
    "judge prompts": section(FOLLOWBENCH, judge_prompts=["path", "last", "rating"]),
    "own judge template": section(
        FOLLOWBENCH,
        templates={"en": "prompts/en.txt"},
        template_source="printed",
        files={"prompts/en.txt": JUDGE_TEMPLATE},
    ),
    "human labels": section(
        FOLLOWBENCH, labels="labels.jsonl", files={"labels.jsonl": json_lines([LABELS])}
    ),
    "direct scoring": section(CFBENCH, direct=True),
    "decomposition": section(COMPLEXBENCH, "base model", "examples", decomposition=True),
    "plain judging": section(COMPLEXBENCH, judging="plain"),
    "English first": section(COMPLEXBENCH, languages=["en", "zh"]),
    "released reading": judging(judging={"mode": "released"}),
    "one attempt": judging(judging={"attempts": 1}),
    "structured judge output": Feature(
        {"judges": {"judge": {"structured": True}}}, JUDGED, ("released reading",)
    ),
    "two verdicts per request": judging(judges={"judge": {"repeats": 2}}),
    "second judge": judging(judges={"sim-second": {"engine": "simulated"}}),
    "majority of three judges": Feature(
        {"judges": MAJORITY_JUDGES, "judging": {"count": "majority"}},
        JUDGED,
        ("released reading",),
    ),
    "rule items": judging(FOLLOWBENCH, COMPLEXBENCH, judging={"rule_items": True}),
    "judge with a price": judging(judges={"judge": {"price": PRICE, "max_spend": 1000.0}}),
    "judge with reasoning": judging(judges={"judge": {"reasoning": REASONING}}),
    # --- IFEval
    "framing sentences": section(IFEVAL, framing_sentences=2),
    "positions": section(IFEVAL, positions=["both", "after"]),
    "neutral filler": section(IFEVAL, "positions", positions=["after", "filler"]),
    "corrected instructions": section(IFEVAL, instructions="corrected"),
    "several contexts": section(IFEVAL, contexts_per_length=2, max_tokens=300),
    # --- beside the benchmarks that run
    "questions about contexts": datasets(
        "published contexts",  # the lists are not among the files
        about={"path": "sets/about.jsonl", "scorer": "exact", "contexts": "lifbench"},
    ),
    "data sets": datasets(
        **{
            "by-words": WORDS | {"by": ["kind"]},
            "by-letter": {"path": "sets/letters.jsonl", "scorer": "choice"},
            "by-template": WORDS | {"template": ["{{prompt}}", "Please: {{prompt}}"]},
        }
    ),
    # --- the model
    "repeats": gold(repeats=2, temperature=0.7, seed=3),
    "system message": gold("base model", "examples", system="You are helpful."),
    "base model": gold(template="base"),
    "examples": gold(
        template="base", examples="examples.jsonl", files={"examples.jsonl": json_lines([EXAMPLES])}
    ),
    "reasoning": gold(reasoning=REASONING),
    "server's sampling": gold("repeats", temperature=None),
    "narrower sampling": gold(top_p=0.9, extra_body={"presence_penalty": 0.1}),
    "narrow window, skip": gold(window=2600, on_overflow="skip"),
    "narrow window, truncate": gold(
        *("narrow window, skip", "token limit"),
        window=2500,
        on_overflow="truncate",
        max_tokens=400,  # judged prompts fit
    ),
    "token limit": gold(max_tokens=3000),
    "price": gold(price=PRICE, max_spend=1000.0),
    "prompt caching": gold("base model", "examples", cache="12h"),
    "flex": gold("batches", service_tier="flex"),
    "low concurrency": gold(max_concurrency=2),
    "batches": gold("server faults", batch=True),
    "Anthropic API": other_api("batches", "repeats", engine="anthropic", cache="1h"),
    "Gemini API": other_api("batches", "Anthropic API", engine="gemini"),
    "model's tokenizer": gold(tokenizer="cl100k_base"),
    "throughput": gold(throughput={"prefill": 5000.0, "decode": 500.0}, hours=1.5, mem_gb=2),
    "other token limit field": gold(max_tokens_field="max_completion_tokens"),
    "group and label": gold(label="Gold & co", group="Servers"),
    "server faults": Feature({}),
    "replayed responses": Feature(
        {"models": {"old": {"engine": "replay", "file": "old.jsonl", "allowed_failures": 1.0}}},
        conflicts=("model subset",),
        files={"old.jsonl": json_lines([REPLAYED])},
    ),
    "baseline": model("baseline", engine="baseline"),
    "simulated model": model("sim-a", engine="simulated", span=2000),
    "model subset": Feature(
        {
            "models": {"unused": {"engine": "openai", "model": "gpt-4o", "price": "auto"}},
            "only": ["gold", "reference"],
        },
        conflicts=("baseline", "simulated model"),
    ),
    # --- the run
    "trial": Feature({"limit": 1}),
    "other seed": Feature({"seed": 7}),
    "other tokenizer": Feature({"tokenizer": "cl100k_base"}),
    "power_analysis": Feature({"power_analysis": [0.05]}),
    "digits": Feature({"display": {"digits": 1}}),
    "order of groups": Feature({"display": {"group_order": ["Servers"]}}),
    "published results": Feature({"display": {"published": True}}),
    "name": Feature({"name": "A run <b>of</b> features"}),
    "limit of hours": Feature({"hardware": {"max_hours": 6.0}}),
    "results elsewhere": Feature({"pathvars": {"results": "elsewhere/of run"}}),
    "nondeterminism": Feature({"nondeterminism": {"requests": 2, "repeats": 2}}),
}


def compatible(first: str, second: str) -> bool:
    """Whether two features make a valid config together."""
    return second not in FEATURES[first].conflicts and first not in FEATURES[second].conflicts


@dataclass(frozen=True)
class SampledConfig:
    """Features, and the benchmarks that run."""

    features: tuple[str, ...]
    benchmarks: tuple[str, ...]

    def config(self, url: str) -> Settings:
        """The config, of a server at that address."""
        config: Settings = {
            "benchmarks": list(self.benchmarks),
            "models": {"reference": {"engine": "reference"}, "gold": over_http(url, "gold")},
            **{name: copy.deepcopy(BENCHMARKS[name]) for name in self.benchmarks},
        }
        if set(self.benchmarks) & set(JUDGED) or "judge of LIFBench" in self.features:
            judge = over_http(url, "judge")
            config["judges"] = {"judge": judge, "reference": {"engine": "reference"}}
        merge(config, self.settings)
        config["benchmarks"] += config.get("datasets", ())
        if config.get(LIFBENCH, {}).get("expressions") == "recs":
            config["rewriters"] = {"writer": over_http(url, "writer", temperature=1.0)}
        if LIFBENCH in config:
            config[LIFBENCH].setdefault("lengths", {"2k": 2048})
        return config

    @property
    def settings(self) -> Settings:
        """The settings of the features."""
        settings: Settings = {}
        for name in self.features:
            merge(settings, FEATURES[name].settings)
        return settings

    @property
    def results(self) -> str:
        """The folder of results of a run."""
        return results_of(self.settings)

    @property
    def needs_released(self) -> bool:
        """Whether the run needs the benchmark's released files."""
        return bool({"published contexts", "released scores"} & set(self.features))

    @property
    def files(self) -> dict[str, str]:
        """The files that the config names, by path."""
        files: dict[str, str] = {}
        for name in self.features:
            files |= FEATURES[name].files
        return files


def results_of(config: Settings) -> str:
    """The folder of results of a run of a config."""
    return config.get("pathvars", {}).get("results", "results")


def merge(into: Settings, settings: Settings) -> None:
    """Sets settings within others, mapping by mapping."""
    for key, value in settings.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            merge(into[key], value)
        else:
            into[key] = copy.deepcopy(value)


SIZES = (3, 4, 5, 6, 6, 6)
"""Numbers of features of a config, each as likely as the others."""


def configs() -> Iterator[SampledConfig]:
    """Seed by seed, compatible features, preferring pairs that earlier configs seldom had."""
    seen: Counter[frozenset[str]] = Counter()
    for seed in count():
        config = _sample(random.Random(seed), seen)
        seen.update(map(frozenset, combinations(config.features, 2)))
        yield config


def _sample(rng: random.Random, seen: Counter[frozenset[str]]) -> SampledConfig:
    names = list(FEATURES)
    rng.shuffle(names)
    pairs = [pair for pair in combinations(names, 2) if compatible(*pair)]
    chosen = list(min(pairs, key=lambda pair: seen[frozenset(pair)]))

    def fits(name: str) -> bool:
        return name not in chosen and all(compatible(name, other) for other in chosen)

    def pairs_seen(name: str) -> int:
        return sum(frozenset((name, other)) in seen for other in chosen)

    for _ in range(rng.choice(SIZES) - len(chosen)):
        candidates = list(filter(fits, names))
        if not candidates:
            break
        chosen.append(min(candidates, key=pairs_seen))
    benchmarks: set[str] = set()
    for name in chosen:
        required = FEATURES[name].benchmarks
        if required and not benchmarks & set(required):
            benchmarks.add(rng.choice(required))
    if not benchmarks:
        benchmarks.add(rng.choice(list(BENCHMARKS)))
    ordered = sorted(benchmarks, key=list(BENCHMARKS).index)
    return SampledConfig(tuple(sorted(chosen)), tuple(ordered))


def pairs_covered(sampled: Iterable[SampledConfig]) -> str:
    """Which pairs of features the configs have: how many, and a line for each feature."""
    partners: dict[str, set[str]] = {name: set() for name in FEATURES}
    for config in sampled:
        for first, second in combinations(config.features, 2):
            partners[first].add(second)
            partners[second].add(first)
    covered = sum(map(len, partners.values())) // 2
    possible = sum(compatible(*pair) for pair in combinations(FEATURES, 2))
    lines = [f"{covered} of {possible} pairs of compatible features were sampled"]
    for name, others in partners.items():
        lines.append(f"{name} ({len(others)}): {', '.join(sorted(others)) or 'nothing'}")
    return "\n".join(lines)
