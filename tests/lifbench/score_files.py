"""Score and prompts files of a small LIFBench run, and the released scores as a frame."""

import os
import random
from pathlib import Path

import pandas as pd
import pytest

from steadfast.files import write_jsonl
from steadfast.lifbench.tasks import RUBRIC, TASKS, total_weight

ROOT = Path(__file__).resolve().parents[2]
RELEASED_LENGTHS = {3: "4k", 6: "8k", 13: "16k", 28: "32k", 60: "64k", 120: "128k"}
EXPRESSIONS, VARIABLES = 2, 3


def samples(length: str) -> list[dict]:
    """The samples of one length: every task, its expressions crossed with its variables."""
    return [
        {
            "sample_id": f"{task}/{TASKS[task].scenario}-{length}-s1/e{e}/v{v}",
            "task": task,
            "context_id": f"{TASKS[task].scenario}-{length}-s1",
            "expression_id": e,
            "variable_id": v,
        }
        for task in TASKS
        for e in range(EXPRESSIONS)
        for v in range(VARIABLES)
    ]


def record(sample: dict, length: str, points: dict | None, status: str = "ok", **more) -> dict:
    """A line of a score file; without points it is unscored."""
    total = None
    if points is not None:
        weights = {name: point.weight for name, point in RUBRIC[sample["task"]].items()}
        total = sum(points[name] * weights[name] for name in weights)
        total /= total_weight(sample["task"])
    scored = {"points": points, "total": total, "extracted": None}
    return sample | {"length": length, "status": status, "truncated": False} | scored | more


def random_scores(model: str, length: str, level: float) -> list[dict]:
    """Scores about a level, the same at every call."""
    rng = random.Random(f"{model}/{length}")
    return [
        record(
            sample,
            length,
            {name: min(1.0, level * rng.uniform(0.6, 1.3)) for name in RUBRIC[sample["task"]]},
        )
        for sample in samples(length)
    ]


def write_run(directory: Path, levels: dict[str, float], lengths: list[str]) -> tuple[dict, dict]:
    """Writes a run's files: (score files by model and length, prompts files by length)."""
    scores, prompts = {}, {}
    for length in lengths:
        prompts[length] = directory / "prompts" / f"{length}.jsonl"
        write_jsonl(prompts[length], samples(length))
        for model, level in levels.items():
            scores[model, length] = directory / "scores" / model / f"{length}.jsonl"
            write_jsonl(scores[model, length], random_scores(model, length, level))
    return scores, prompts


def released_frame() -> pd.DataFrame:
    """The released per-sample scores as a score frame; skips the test where they are absent."""
    directory = Path(os.environ.get("LIFEVAL_CASES", ROOT / "../shared/lifbench"))
    directory /= "released/scores"
    if not directory.is_dir():
        pytest.skip("no released scores: set LIFEVAL_CASES to the directory that has them")
    frame = pd.concat([_released_task(directory, task) for task in TASKS], ignore_index=True)
    frame["model"] = pd.Categorical(frame["model"], ordered=True)
    frame["length"] = pd.Categorical(
        frame["length"].map(RELEASED_LENGTHS), categories=RELEASED_LENGTHS.values(), ordered=True
    )
    return frame.assign(status="ok", truncated=False)


def _released_task(directory: Path, task: str) -> pd.DataFrame:
    name = f"{TASKS[task].scenario}-{TASKS[task].released_name}.csv"
    points = {point: f"point.{point}" for point in RUBRIC[task]}
    rows = pd.read_csv(directory / name).rename(
        columns={"ins_id": "expression_id", "param_id": "variable_id", "total_score": "total"}
        | points
    )
    ids = f"{task}/e" + rows["expression_id"].astype(str) + "/v" + rows["variable_id"].astype(str)
    return rows.assign(task=task, sample_id=ids)
