"""Seeded records in the released shape; wording: ``resources/cfbench/synthetic.yaml``.

Of any eight records one has primary checkpoints only and one has secondary ones only; every fourth
has a reference answer. The secondary labels, the blank one among them, are dealt in turn, so that
24 records have all of them.
"""

import random
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path

from steadfast.base.files import Record, Settings
from steadfast.base.resources import facts
from steadfast.benchmarks.cfbench.data import PRIMARY_OF, normalised
from steadfast.benchmarks.cfbench.facts import PRIMARY, REAL_LIFE, SECONDARY, SPLITS

MORE = {"easy": (1, 3), "hard": (3, 6)}  # checkpoints beside the opening one, fewest and most
ONLY_PRIMARY, ONLY_SECONDARY, PERIOD = 5, 6, 8
PRIMARY_SHARE = 0.3


def data(inputs: Mapping[str, Path], records: int, seed: int) -> Iterator[Record]:
    """Returns so many generated records, in the shape that stages pass on."""
    return map(normalised, released_records(records, seed))


def released_records(number: int, seed: int) -> list[Record]:
    """Returns so many records in the released shape; a longer list extends a shorter one."""
    wording = facts("cfbench/synthetic.yaml")
    labels = _labels(list(wording["constraints"]), seed)
    return [_record(idx, wording, labels, random.Random(f"{seed}/{idx}")) for idx in range(number)]


def _labels(labels: list[str], seed: int) -> Iterator[str]:
    """Yields all labels over and over, each time in another order."""
    for turn in count():
        random.Random(f"{seed}/labels/{turn}").shuffle(labels)
        yield from labels


def _record(idx: int, wording: Settings, labels: Iterator[str], rng: random.Random) -> Record:
    place, is_nlp = divmod(idx, 2)
    subject = wording["nlp" if is_nlp else "real_life"]
    subject = subject[place % len(subject)]
    split = SPLITS[(idx // 2) % 2]
    slots = {"topic": subject["topic"], "genre": rng.choice(wording["genres"])}
    asked, criteria = [], []
    for label in [None, *(next(labels) for _ in range(rng.randint(*MORE[split])))]:
        word, other = rng.sample(wording["words"], 2)
        fill = slots | {"word": word, "other": other, "n": rng.randint(3, 9)}
        texts = wording["opening"] if label is None else wording["constraints"][label]
        asked.append(texts["ask"].format(**fill))
        secondary = "语义内容约束" if label is None else label
        priority = _priority(idx, label is None, rng)
        primary = PRIMARY_OF.get(secondary, "")
        criteria.append([texts["check"].format(**fill), priority, primary, secondary])
    opening, *wishes = asked
    listed = "\n".join(f"{number}. {wish}；" for number, wish in enumerate(wishes, start=1))
    has_gold = idx % 4 == 3
    return {
        "idx": idx,
        "prompt": f"{opening}要求如下：\n{listed}",
        "isanswer": "是" if has_gold else "否",
        "gold": wording["gold"].format(**slots) if has_gold else "",
        "doamin": subject["task" if is_nlp else "domain"],
        "scenario": subject["task" if is_nlp else "scenario"],
        "source": subject["source"] if is_nlp else REAL_LIFE,
        "split": split,
        "criteria": criteria,
    }


def _priority(idx: int, opens: bool, rng: random.Random) -> str:
    if idx % PERIOD in (ONLY_PRIMARY, ONLY_SECONDARY):
        return PRIMARY if idx % PERIOD == ONLY_PRIMARY else SECONDARY
    return PRIMARY if opens or rng.random() < PRIMARY_SHARE else SECONDARY
