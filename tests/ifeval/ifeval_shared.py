"""Where the published prompts and the cases lie, and a small run of IFEval as scores."""

import gzip
import json
import os
from pathlib import Path

import pytest

from steadfast.benchmarks.ifeval.prompts import IfevalSamples, prompts
from steadfast.benchmarks.ifeval.scoring import IfevalScoring
from steadfast.contract.components import Answer, Sample, Scored
from steadfast.stages.score import score_records

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "ifeval"
CASES = Path(os.environ.get("IFBENCH_CASES", SHARED)).resolve()
FILES = {"ifeval": "ifeval_input_data.jsonl", "ifbench": "ifbench_test.jsonl"}


def lines(path: Path) -> list[dict]:
    """The records of a file of JSON lines, compressed or not."""
    content = path.read_bytes()
    text = gzip.decompress(content) if path.suffix == ".gz" else content
    return [json.loads(line) for line in text.decode().splitlines()]


def data_file(name: str) -> Path:
    """The published prompts of a set: beside the cases where they are there, or the shared ones."""
    own = CASES / FILES[name]
    return own if own.is_file() else SHARED / FILES[name]


def case_files(name: str) -> list[Path]:
    """All files with cases of a set."""
    return sorted(CASES.glob(f"{name}_cases*.jsonl*"))


if "IFBENCH_CASES" in os.environ:  # what was asked for is no reason to skip
    with_cases = [name for name in FILES if case_files(name)]
    if not with_cases:
        raise pytest.UsageError(f"IFBENCH_CASES: no *_cases*.jsonl of ifeval or ifbench in {CASES}")
    if lacking := [FILES[name] for name in with_cases if not data_file(name).is_file()]:
        raise pytest.UsageError(f"IFBENCH_CASES: {CASES} lacks {' and '.join(lacking)}")

needs_cases = pytest.mark.skipif(
    not any(map(case_files, FILES)) or not all(data_file(name).is_file() for name in FILES),
    reason="the cases, or the published prompts, are absent (IFBENCH_CASES)",
)


def asked(records, lengths=("4k",), texts=2, positions=("after",), framing_sentences=2, seed=1):
    """The samples of each part of such a config; texts are two words each."""
    found = {}
    for part in ("0", *lengths):
        contexts = [
            {"context_id": f"multidoc-{part}-s{n}", "text": f"text {n}", "tokens": 2}
            for n in range(texts)
        ]
        data = {"data": {"prompts": records}}
        if part != "0":
            data["contexts"] = {"multidoc": contexts}
        if part != "0" and "filler" in positions:
            filler = {"context_id": f"filler-{part}", "text": "filler", "tokens": 1}
            data["contexts"]["filler"] = [filler]
        made = list(prompts(part, data, seed, positions, framing_sentences, 64))
        sources = IfevalSamples().sources(made, data)
        found[part] = [Sample(part, *of) for of in zip(made, sources, strict=True)]
    return found


def scored(model, samples, answer, reading="released"):
    """The scores of a model's answers, by a function of part and sample; None: it gave none."""
    scoring = IfevalScoring(reading)
    for part, of in samples.items():
        given = {
            one.id: Answer("error", "") if text is None else Answer("ok", text)
            for one in of
            for text in [answer(part, one)]
        }
        for record in score_records(scoring, of, given, {}):
            yield Scored(model, part, record)
