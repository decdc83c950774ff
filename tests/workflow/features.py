"""What users may ask for together: features of the config as fragments, and configs drawn of them.

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
REWRITES = 6


@dataclass(frozen=True)
class Feature:
    """One thing that a config may ask for.

    Attributes:
        settings: of the config; they are merged into those of the other features.
        benchmarks: one of which has to run; any where there is none.
        apart: features with which it makes no valid config, or no prompt that gold is known for.
        files: texts of files that the config names, by path.
    """

    settings: Settings
    benchmarks: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()
    files: dict[str, str] = field(default_factory=dict)


def lifbench(*apart: str, **settings: Any) -> Feature:
    return Feature({LIFBENCH: settings}, (LIFBENCH,), apart)


def gold(*apart: str, **settings: Any) -> Feature:
    return Feature({"models": {"gold": settings}}, apart=apart)


def own_dialect(*apart: str, **settings: Any) -> Feature:
    of_openai = (
        "base model", "examples", "other limit field", "marked contexts",
        "flex",
    )  # fmt: skip
    return gold(*of_openai, *apart, **settings)


def model(name: str, **settings: Any) -> Feature:
    return Feature({"models": {name: settings}})


def judging(*benchmarks: str, **settings: Any) -> Feature:
    return Feature(settings, benchmarks or JUDGED)


EXAMPLES = '{"instruction": "Name a colour.", "output": "Blue"}\n'
LABELS = '{"model": "gold", "sample_id": "en/content/1/1", "verdicts": ["YES"]}\n'
RELEASED = CASES / "released"


def own_corpora() -> dict[str, str]:
    """A small corpus of each kind, where a local directory is expected to have it."""
    lots = random.Random(11)
    words = [
        "".join(lots.choices("bdfgklmnprst", k=2)) + lots.choice("aeiou") + lots.choice(["n", "sk"])
        for _ in range(900)
    ]

    def text(sentences: int) -> str:
        return " ".join(
            " ".join(lots.choices(words, k=9)).capitalize() + "." for _ in range(sentences)
        )

    many = [{"id": f"d{number}", "text": text(25), "title": text(1)} for number in range(60)]
    essays = [one | {"date": "2020", "text": text(150)} for one in many[:20]]
    named = {
        "govreport/a.jsonl": [{"id": d["id"], "report": d["text"]} for d in many],
        "xsum/a.jsonl": [{"id": d["id"], "dialogue": text(25)} for d in many],
        "qmsum/meetings.jsonl": [{"meeting_id": d["id"], "transcript": text(25)} for d in many],
        "paul_graham/essays.jsonl": essays,
    }
    files = {
        f"corpora/{path}": "".join(json.dumps(one) + "\n" for one in records)
        for path, records in named.items()
    }
    instructions = [{"instruction": text(1)} for _ in range(900)]
    return files | {"corpora/alpaca/alpaca_data.json": json.dumps(instructions)}


PUBLISHED = {"lengths": {"4k": 3072}, "released": {"directory": "released"}}
UNPUBLISHED = (
    "several lengths",
    "contexts per length",
    "formats",
    "domains",
    "recs",
    "recs in both samplings",
)
SETS = {
    "sets/words.jsonl": "".join(
        f'{{"prompt": "Name {n}.", "answer": "word {n}", "kind": "k{n % 2}"}}\n' for n in range(4)
    ),
    "sets/letters.jsonl": "".join(
        f'{{"context": "{n}", "prompt": "Is it?", "choices": ["no", "yes"], "answer": "B"}}\n'
        for n in range(3)
    ),
    "sets/about.jsonl": (
        '{"scenario": "list", "prompt": "Copy {{elements.-1}}", "answer": "{{elements.-1}}"}\n'
        '{"scenario": "onedoc", "prompt": "Type?", "answer": "{{key_sentences.1.type}}"}\n'
    ),
}
PRICE = {"input": 1.0, "output": 2.0, "cached": 0.5, "flex": 0.5, "batch": 0.5}
FEATURES: dict[str, Feature] = {
    # --- LIFBench
    "several lengths": lifbench(lengths={"2k": 2048, "3k": 3072}),
    "own corpora": Feature(
        {"corpora": {"source": "local", "directory": "corpora"}},
        (LIFBENCH,),
        files=own_corpora(),
    ),
    "contexts per length": lifbench(contexts_per_length=2),
    # No test tells models apart by four contexts, so that all is asked.
    "adaptive": Feature(
        {
            LIFBENCH: {"contexts_per_length": 3, "tasks": ["LSI", "OQ"]},
            "adaptive": {"contexts": 3},
            "models": {"sim-b": {"engine": "simulated", "span": 2000}},
        },
        (LIFBENCH,),
        (
            *("contexts per length", "several lengths", "published contexts", "released scores"),
            *("model left out", "trial"),
        ),
    ),
    "formats": lifbench(formats=["numbered", "json"]),
    "domains": lifbench(domains={"list": ["mixed", "uuids"]}),
    "corrected rubric": lifbench(rubric="corrected"),
    "plain mean": lifbench(weighting="mean"),
    "recs": lifbench(expressions="recs", recs={"count": REWRITES, "clusters": 2}),
    "recs in both samplings": lifbench(
        expressions="recs",
        recs={"count": REWRITES, "clusters": 2, "sampling": "both"},
    ),
    "published contexts": lifbench(
        *UNPUBLISHED,
        "other tokenizer",
        contexts="released",
        expressions="released",
        tasks=["OQ", "MF"],  # the lists are not among the files
        **PUBLISHED,
    ),
    "released scores": Feature(
        {LIFBENCH: PUBLISHED, "models": {"Qwen2.5-7B": {"engine": "scored"}}},
        (LIFBENCH,),
        ("several lengths", "model left out", "corrected rubric"),
    ),
    # --- the judged benchmarks
    "two languages": Feature({FOLLOWBENCH: {"languages": ["en", "zh"]}}, (FOLLOWBENCH,)),
    "ways to ask the judge": Feature(
        {FOLLOWBENCH: {"judge_prompts": ["path", "last", "rating"]}}, (FOLLOWBENCH,)
    ),
    "own judge template": Feature(
        {FOLLOWBENCH: {"templates": {"en": "prompts/en.txt"}, "template_source": "printed"}},
        (FOLLOWBENCH,),
        files={"prompts/en.txt": f"Be fair.\n{resource('followbench/judge/en.txt').read_text()}"},
    ),
    "people's labels": Feature(
        {FOLLOWBENCH: {"labels": "labels.jsonl"}}, (FOLLOWBENCH,), files={"labels.jsonl": LABELS}
    ),
    "direct scoring": Feature({CFBENCH: {"direct": True}}, (CFBENCH,)),
    "decomposition": Feature(
        {COMPLEXBENCH: {"decomposition": True}}, (COMPLEXBENCH,), ("base model", "examples")
    ),
    "plain judging": Feature({COMPLEXBENCH: {"judging": "plain"}}, (COMPLEXBENCH,)),
    "English first": Feature({COMPLEXBENCH: {"languages": ["en", "zh"]}}, (COMPLEXBENCH,)),
    "released reading": judging(judging={"mode": "released"}),
    "one attempt": judging(judging={"attempts": 1}),
    "judge held to JSON": Feature(
        {"judges": {"judge": {"structured": True}}}, JUDGED, ("released reading",)
    ),
    "verdicts drawn twice": judging(judges={"judge": {"repeats": 2}}),
    "second judge": judging(judges={"sim-second": {"engine": "simulated"}}),
    "most of three judges": Feature(
        {
            "judges": {f"sim-{n}": {"engine": "simulated", "seed": n} for n in (1, 2)}
            | {"reference": {"engine": "reference"}},
            "judging": {"count": "majority"},
        },
        JUDGED,
        ("released reading",),
    ),
    "judges held to rules": judging(FOLLOWBENCH, COMPLEXBENCH, judging={"rule_items": True}),
    "judge with a price": judging(judges={"judge": {"price": PRICE, "max_spend": 1000.0}}),
    "judge that thinks": judging(
        judges={"judge": {"reasoning": {"tags": ["<think>", "</think>"], "tokens": 100}}}
    ),
    # --- IFEval
    "framing sentences": Feature({IFEVAL: {"framing_sentences": 2}}, (IFEVAL,)),
    "positions": Feature({IFEVAL: {"positions": ["both", "after"]}}, (IFEVAL,)),
    "neutral filler": Feature(
        {IFEVAL: {"positions": ["after", "filler"]}}, (IFEVAL,), ("positions",)
    ),
    "mended instructions": Feature({IFEVAL: {"instructions": "corrected"}}, (IFEVAL,)),
    "several texts": Feature({IFEVAL: {"contexts_per_length": 2, "max_tokens": 300}}, (IFEVAL,)),
    # --- beside the benchmarks that run
    "questions about contexts": Feature(
        {
            "datasets": {
                "about": {"path": "sets/about.jsonl", "scorer": "exact", "contexts": "lifbench"}
            }
        },
        apart=("published contexts",),  # whose lists are not among the files
        files=SETS,
    ),
    "data sets": Feature(
        {
            "datasets": {
                "by-words": {"path": "sets/words.jsonl", "scorer": "f1", "by": ["kind"]},
                "by-letter": {"path": "sets/letters.jsonl", "scorer": "choice"},
                "by-template": {
                    "path": "sets/words.jsonl",
                    "scorer": "f1",
                    "template": ["{{prompt}}", "Please: {{prompt}}"],
                },
            }
        },
        files=SETS,
    ),
    # --- the model
    "repeats": gold(repeats=2, temperature=0.7, seed=3),
    "system message": gold("base model", "examples", system="You are helpful."),
    "base model": gold(template="base"),
    "examples": Feature(
        {"models": {"gold": {"template": "base", "examples": "examples.jsonl"}}},
        files={"examples.jsonl": EXAMPLES},
    ),
    "reasoning": gold(reasoning={"tags": ["<think>", "</think>"], "tokens": 100}),
    "server's sampling": gold("repeats", temperature=None),
    "narrower sampling": gold(top_p=0.9, extra_body={"presence_penalty": 0.1}),
    "narrow window, skip": gold(window=2600, on_overflow="skip"),
    "narrow window, truncate": gold(
        *("narrow window, skip", "limits of tokens"),
        window=2500,
        on_overflow="truncate",
        max_tokens=400,  # judged prompts fit
    ),
    "limits of tokens": gold(max_tokens=3000),
    "price": gold(price=PRICE, max_spend=1000.0),
    "marked contexts": gold("base model", "examples", cache="12h"),
    "flex": gold("batches", service_tier="flex"),
    "few at once": gold(max_concurrency=2),
    "batches": gold("faults of the server", batch=True),
    "Anthropic's dialect": own_dialect("batches", "repeats", engine="anthropic", cache="1h"),
    "Gemini's dialect": own_dialect("batches", "Anthropic's dialect", engine="gemini"),
    "model's tokenizer": gold(tokenizer="cl100k_base"),
    "throughput": gold(throughput={"prefill": 5000.0, "decode": 500.0}, hours=1.5, mem_gb=2),
    "other limit field": gold(max_tokens_field="max_completion_tokens"),
    "group and label": gold(label="Gold & co", group="Servers"),
    "faults of the server": Feature({}),
    "replayed answers": Feature(
        {"models": {"old": {"engine": "replay", "file": "old.jsonl", "allowed_failures": 1.0}}},
        apart=("model left out",),
        files={"old.jsonl": '{"sample_id": "LSI/list-2k-s1/e0/v0", "text": "An answer."}\n'},
    ),
    "baseline": model("baseline", engine="baseline"),
    "simulated model": model("sim-a", engine="simulated", span=2000),
    "model left out": Feature(
        {
            "models": {"unasked": {"engine": "openai", "model": "gpt-4o", "price": "auto"}},
            "only": ["gold", "reference"],
        },
        apart=("baseline", "simulated model"),
    ),
    # --- the run
    "trial": Feature({"limit": 1}),
    "other seed": Feature({"seed": 7}),
    "other tokenizer": Feature({"tokenizer": "cl100k_base"}),
    "power_analysis": Feature({"power_analysis": [0.05]}),
    "digits": Feature({"display": {"digits": 1}}),
    "order of groups": Feature({"display": {"group_order": ["Servers"]}}),
    "printed results": Feature({"display": {"published": True}}),
    "name": Feature({"name": "A run <b>of</b> features"}),
    "most hours": Feature({"hardware": {"max_hours": 6.0}}),
    "results elsewhere": Feature({"pathvars": {"results": "elsewhere/of run"}}),
    "nondeterminism": Feature({"nondeterminism": {"requests": 2, "repeats": 2}}),
}


def compatible(one: str, other: str) -> bool:
    """Whether two features make a valid config together."""
    return other not in FEATURES[one].apart and one not in FEATURES[other].apart


@dataclass(frozen=True)
class Drawn:
    """Features, and the benchmarks that run."""

    features: tuple[str, ...]
    benchmarks: tuple[str, ...]

    def config(self, url: str) -> Settings:
        """The config, of a server at that address."""
        api = over_http(url)
        whole: Settings = {
            "benchmarks": list(self.benchmarks),
            "models": {"reference": {"engine": "reference"}, "gold": {**api, "model": "gold"}},
            **{name: copy.deepcopy(BENCHMARKS[name]) for name in self.benchmarks},
        }
        if set(self.benchmarks) & set(JUDGED):
            judges = {"judge": {**api, "model": "judge"}, "reference": {"engine": "reference"}}
            whole["judges"] = judges
        for name in self.features:
            merge(whole, FEATURES[name].settings)
        whole["benchmarks"] += whole.get("datasets", ())
        if whole.get(LIFBENCH, {}).get("expressions") == "recs":
            writer: Settings = {**api, "model": "writer", "temperature": 1.0}
            whole.setdefault("rewriters", {})["writer"] = writer
        if LIFBENCH in whole:
            whole[LIFBENCH].setdefault("lengths", {"2k": 2048})
        return whole

    @property
    def results(self) -> str:
        """The folder of results of a run of it."""
        settings: Settings = {}
        for name in self.features:
            merge(settings, FEATURES[name].settings)
        return results_of(settings)

    @property
    def needs_released(self) -> bool:
        """Whether it takes the benchmark's released files."""
        return bool({"published contexts", "released scores"} & set(self.features))

    @property
    def files(self) -> dict[str, str]:
        """The files that the config names."""
        return {k: text for name in self.features for k, text in FEATURES[name].files.items()}


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


def configs() -> Iterator[Drawn]:
    """Seed by seed, features that go together and the benchmarks that they are about.

    Each config has pairs of features that were seldom together in those before.
    """
    seen: Counter[frozenset[str]] = Counter()
    for seed in count():
        one = _draw(random.Random(seed), seen)
        seen.update(map(frozenset, combinations(one.features, 2)))
        yield one


def _draw(lots: random.Random, seen: Counter[frozenset[str]]) -> Drawn:
    """Features of which as many pairs as may be were seldom together; else by lot."""
    names = list(FEATURES)
    lots.shuffle(names)
    able = [pair for pair in combinations(names, 2) if compatible(*pair)]
    chosen = list(min(able, key=lambda pair: seen[frozenset(pair)]))
    for _ in range(lots.choice(SIZES) - len(chosen)):
        further = [
            name
            for name in names
            if name not in chosen and all(compatible(name, other) for other in chosen)
        ]
        if not further:
            break
        often = {n: sum(min(seen[frozenset((n, o))], 1) for o in chosen) for n in further}
        chosen.append(min(further, key=often.__getitem__))
    benchmarks: set[str] = set()
    for name in chosen:
        if (of := FEATURES[name].benchmarks) and not benchmarks & set(of):
            benchmarks.add(lots.choice(of))
    if not benchmarks:
        benchmarks.add(lots.choice(list(BENCHMARKS)))
    return Drawn(tuple(sorted(chosen)), tuple(sorted(benchmarks, key=list(BENCHMARKS).index)))


def pairs_covered(drawn: Iterable[Drawn]) -> str:
    """Which pairs of features the configs have together: how many, and a line for each feature."""
    seen = Counter(pair for one in drawn for pair in combinations(one.features, 2))
    able = [pair for pair in combinations(sorted(FEATURES), 2) if compatible(*pair)]
    lines = [f"{len(seen)} of {len(able)} pairs of features that go together were drawn"]
    for name in FEATURES:
        beside = [" ".join(set(pair) - {name}) for pair in seen if name in pair]
        lines.append(f"{name} ({len(beside)}): {', '.join(sorted(beside)) or 'nothing'}")
    return "\n".join(lines)
