"""A small pool of candidates with clusters, for tests of RECS."""

from pathlib import Path

import yaml

from steadfast.base.files import Record, write_jsonl, write_text
from steadfast.benchmarks.lifbench.paper_tasks import TASKS
from steadfast.benchmarks.lifbench.recs.checks import Original, checked, text_hash
from steadfast.benchmarks.lifbench.recs.expressions import expressions

TASK = "LOI"
ORIGINAL = "What comes next after the {ordid} entry of the list?"
# Each with its cluster and its distance to the centre.
TEXTS = [
    (ORIGINAL, 0, 0.3),
    ("Name the entry that follows the {ordid} in the list.", 0, 0.1),
    ("Name the entry at the {ordid} place of the list.", 0, 0.2),  # fails: direction
    ("Tell me which entry stands right below the {ordid} one.", 1, 0.2),
    ("Which entry is the successor of the {ordid} entry?", 1, 0.1),
    ("Read one line further than the {ordid} entry and copy it.", 1, 0.3),
]
RANKS = [3, 1, 2, 2, 1, 3]


def pool() -> list[Record]:
    """The candidates, text 0 hand-written and the others of rewriter m."""
    rewrites = [text for text, _, _ in TEXTS[1:]]
    return list(checked(Original(TASK, 1, ORIGINAL), {"m": rewrites}))


def cluster_records() -> list[Record]:
    records = []
    for text_id, (_, cluster, distance) in enumerate(TEXTS):
        record = {"text_id": text_id, "direction": 1, "cluster": cluster}
        records.append(record | {"distance": distance, "rank": RANKS[text_id]})
    return records


def files(folder: Path) -> dict[str, Path]:
    """Both as files, and the path of the file for reviewers."""
    paths = {name: folder / f"{name}.jsonl" for name in ("candidates", "clusters")}
    write_jsonl(paths["candidates"], pool())
    write_jsonl(paths["clusters"], cluster_records())
    return paths | {"review": folder / "ready.yaml"}


def key(number: int) -> str:
    """The hash of a text by its number."""
    return text_hash(TEXTS[number][0])


def write_review(folder: Path, decisions: object, **fields) -> Path:
    path = folder / "LOI.yaml"
    write_text(path, yaml.safe_dump({"format": 1, "task": TASK, "decisions": decisions} | fields))
    return path


def sampled(
    folder: Path, sampling: str = "nearest", review: Path | None = None, samples: int = 1
) -> Record:
    """The expressions that are sampled from the pool."""
    decided = str(review) if review else None
    return expressions(
        files(folder), TASKS[TASK].expression_settings, decided, sampling, 1, samples
    )
