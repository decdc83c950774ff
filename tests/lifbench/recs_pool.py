"""A small pool of candidates with clusters, for tests of RECS."""

from pathlib import Path

from steadfast.base.files import write_jsonl
from steadfast.benchmarks.lifbench.recs.checks import Original, checked, text_hash

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


def pool(direction: int = 1) -> list[dict]:
    """The candidates, text 0 hand-written and the others of rewriter m."""
    rewrites = [text for text, _, _ in TEXTS[1:]]
    return list(checked(Original(TASK, direction, ORIGINAL), {"m": rewrites}))


def places(candidates: list[dict]) -> list[dict]:
    """Their cluster records."""
    found = []
    for one, (_, cluster, distance) in zip(candidates, TEXTS, strict=True):
        nearer = [d for _, c, d in TEXTS if c == cluster and d < distance]
        found.append(
            {
                "text_id": one["text_id"],
                "direction": one["direction"],
                "cluster": cluster,
                "distance": distance,
                "rank": len(nearer) + 1,
            }
        )
    return found


def files(folder: Path) -> dict[str, Path]:
    """Both as files, and where the file for people would be."""
    paths = {name: folder / f"{name}.jsonl" for name in ("candidates", "clusters")}
    write_jsonl(paths["candidates"], pool())
    write_jsonl(paths["clusters"], places(pool()))
    return paths | {"review": folder / "ready.yaml"}


def key(number: int) -> str:
    """The hash of a text by its number."""
    return text_hash(TEXTS[number][0])
