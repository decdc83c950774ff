"""Published prompts and recorded cases, and IFEval's samples and scores in memory."""

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
    """The published prompts of a set: beside the cases, or else the shared ones."""
    beside_cases = CASES / FILES[name]
    return beside_cases if beside_cases.is_file() else SHARED / FILES[name]


def case_files(name: str) -> list[Path]:
    """All files with cases of a set."""
    return sorted(CASES.glob(f"{name}_cases*.jsonl*"))


if "IFBENCH_CASES" in os.environ:  # whoever names a folder wants no tests skipped
    with_cases = [name for name in FILES if case_files(name)]
    if not with_cases:
        raise pytest.UsageError(f"IFBENCH_CASES: no *_cases*.jsonl of ifeval or ifbench in {CASES}")
    if lacking := [FILES[name] for name in with_cases if not data_file(name).is_file()]:
        raise pytest.UsageError(f"IFBENCH_CASES: {CASES} lacks {' and '.join(lacking)}")

needs_cases = pytest.mark.skipif(
    not any(map(case_files, FILES)) or not all(data_file(name).is_file() for name in FILES),
    reason="the cases, or the published prompts, are absent (IFBENCH_CASES)",
)

COMMA = {"kind": "punctuation:no_comma", "kwargs": {}}
TITLE = {"kind": "detectable_format:title", "kwargs": {}}
GOOD = "<<One>>\nyes"
BAD = "a, b"
LOOSE = "a, b\n<<One>>"
"""Follows both kinds, none; and loosely each of them, in different variants."""
PROMPTS = []
"""Six, of which every second has two instructions."""
for n in range(6):
    PROMPTS.append({"prompt_id": f"synthetic/{n}", "set": "synthetic", "prompt": "Say it."})
    PROMPTS[n]["instructions"] = [COMMA, TITLE] if n % 2 else [COMMA]


def number(sample: Sample) -> int:
    """The number of the prompt."""
    return int(sample.prompt["context_id"].rpartition("/")[2])


def samples_of(
    records=PROMPTS, lengths=("4k",), texts=2, positions=("after",), framing_sentences=2, seed=1
) -> dict[str, list[Sample]]:
    """The samples of each part; there are so many contexts per length, of two tokens each."""
    by_part = {}
    for part in ("0", *lengths):
        contexts = []
        for n in range(texts):
            context_id = f"multidoc-{part}-s{n}"
            contexts.append({"context_id": context_id, "text": f"text {n}", "tokens": 2})
        data = {"data": {"prompts": records}}
        if part != "0":
            data["contexts"] = {"multidoc": contexts}
        if part != "0" and "filler" in positions:
            filler = {"context_id": f"filler-{part}", "text": "filler", "tokens": 1}
            data["contexts"]["filler"] = [filler]
        rows = list(prompts(part, data, seed, positions, framing_sentences, 64))
        pairs = zip(rows, IfevalSamples().sources(rows, data), strict=True)
        by_part[part] = [Sample(part, prompt, source) for prompt, source in pairs]
    return by_part


def scored(model, samples_by_part, response, reading="released") -> list[Scored]:
    """The scores of a model's responses, a function of part and sample; None is an error."""
    scores = []
    for part, samples in samples_by_part.items():
        answers = {}
        for sample in samples:
            text = response(part, sample)
            answers[sample.id] = Answer("error" if text is None else "ok", text or "")
        records = score_records(IfevalScoring(reading), samples, answers, {})
        scores += [Scored(model, part, record) for record in records]
    return scores
