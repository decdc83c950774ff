"""Seeded groups in the released shape; wording: ``resources/followbench/synthetic``."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from itertools import chain, count, cycle, islice, pairwise, zip_longest
from math import prod
from pathlib import Path

from steadfast.base.files import Record, Settings
from steadfast.base.resources import facts
from steadfast.benchmarks.followbench.data import FIELDS, checked_groups
from steadfast.benchmarks.followbench.facts import CATEGORIES, LEVELS

BLOCKS = {
    "en": facts("followbench/synthetic/en.yaml"),
    "zh": facts("followbench/synthetic/zh.yaml"),
}
FROM_START = (0, *LEVELS)
Level = tuple[str, str, str]
"""Category, instruction and target of one level."""


@dataclass(frozen=True)
class Draw:
    """What one group is drawn from: its category's name, the building blocks and chance."""

    category: str
    blocks: Settings
    rng: random.Random

    def levels(
        self, asked: Sequence[str], targets: Sequence[str] = (), kinds: Sequence[str] = ()
    ) -> list[Level]:
        """Returns levels 0 to 5."""
        named = [", ".join(kinds[:level]) or self.category for level in FROM_START]
        return list(zip_longest(named, asked, targets, fillvalue=""))

    def joined(self, parts: Sequence[str]) -> str:
        """Returns sentences as one text."""
        return str(self.blocks["joined_by"]).join(parts)

    def added(self, start: str, constraints: Sequence[str]) -> list[str]:
        """Returns the start with the first n constraints behind it, for each level n."""
        return [self.joined([start, *constraints[:level]]) for level in FROM_START]


Maker = Callable[[Draw], tuple[str, list[Level]]]
"""Draws a group: its source and its levels, from 0 (example: from 1)."""


def one_by_one(name: str, draw: Draw) -> tuple[str, list[Level]]:
    """A question, and sentences that each add a constraint; the name is the building blocks'."""
    block, choose = draw.blocks[name], draw.rng.choice
    thing = choose(block.get("things", [""]))
    start = choose(block["starts"]).format(topic=choose(block["topics"]), thing=thing)
    constraints = draw.rng.sample(block["constraints"], len(LEVELS))
    return block["source"], draw.levels(draw.added(start, constraints))


def listing(draw: Draw) -> tuple[str, list[Level]]:
    """Examples of a kind, and conditions for more; as released, nothing is asked at level 0."""
    block = draw.blocks["listing"]
    thing, (first, second) = draw.rng.choice(list(block["things"].items()))
    lead = block["start"].format(thing=thing, first=first, second=second)
    conditions = draw.rng.sample(block["constraints"], len(LEVELS))
    numbered = [f"{number}. {text}" for number, text in enumerate(conditions, start=1)]
    asked = ["\n".join([lead, *numbered[:level]]) for level in LEVELS]
    return block["source"], draw.levels(["", *asked])


def mixed(draw: Draw) -> tuple[str, list[Level]]:
    """Returns a story, and constraints of several kinds."""
    block = draw.blocks["mixed"]
    start = draw.rng.choice(block["starts"]).format(topic=draw.rng.choice(block["topics"]))
    kinds, constraints = zip(*draw.rng.sample(block["constraints"], len(LEVELS)), strict=True)
    return block["source"], draw.levels(draw.added(start, constraints), kinds=kinds)


def restaurants(draw: Draw) -> tuple[str, list[Level]]:
    """Returns a sentence about a restaurant, of which each level asks one attribute more."""
    block = draw.blocks["restaurants"]
    values = {key: draw.rng.choice(block[key]) for key in block["attributes"].values()}
    asked, targets = [""], [""]
    for level in LEVELS:
        chosen = list(block["attributes"].items())[: level + 1]
        question = block["question"].format(attributes=", ".join(name for name, _ in chosen))
        asked.append(f"{block['text'].format(**values)}\n\n{question}")
        targets.append(", ".join(f"{name}[{values[key]}]" for name, key in chosen))
    return "E2E", draw.levels(asked, targets)


def events(draw: Draw) -> tuple[str, list[Level]]:
    """Journeys, of which level n asks n, one a line."""
    block, choose = draw.blocks["events"], draw.rng.choice
    people = draw.rng.sample(block["who"], len(LEVELS) + 1)
    journeys = [
        {"who": who, "where": choose(block["where"]), "how": choose(block["how"])} for who in people
    ]
    text = draw.joined([block["text"].format(**journey) for journey in journeys])
    lines = "\n".join(block["line"].format(**journey) for journey in journeys)
    asked = [
        f"{text}\n\n{block['question'].format(n=level, template=block['template'])}"
        for level in LEVELS
    ]
    return "WIKIEVENTS", draw.levels(["", *asked], ["", *[lines] * len(LEVELS)])


def places(draw: Draw) -> tuple[str, list[Level]]:
    """Towns, fewer of which satisfy the conditions at each level; one satisfies them all."""
    block = draw.blocks["places"]
    names = draw.rng.sample(block["names"], len(block["names"]))
    conditions = draw.rng.sample(block["properties"], len(LEVELS))
    # The town at place k lacks condition k, so that each level leaves out at least one.
    has = {
        name: [text for number, text in enumerate(conditions) if number != place]
        for place, name in enumerate(names)
    }
    order = draw.rng.sample(names, len(names))
    shown = [block["text"].format(name=n, facts=block["joined_by"].join(has[n])) for n in order]
    asked, targets = [""], [""]
    for level in LEVELS:
        wanted = conditions[:level]
        question = block["question"].format(conditions=block["and"].join(wanted))
        asked.append(f"{draw.joined(shown)}\n\n{question}")
        targets.append(str([name for name in order if set(wanted) <= set(has[name])]))
    return "CONLL2003", draw.levels(asked, targets)


def order(draw: Draw) -> tuple[str, list[Level]]:
    """Books in a row, one more at each level, and the letter of the last."""
    block = draw.blocks["order"]
    items = draw.rng.sample(block["items"], len(LEVELS) + 2)
    asked, targets = [], []
    for level in FROM_START:
        row = items[: level + 2]
        clues = [block["first"].format(item=row[0])]
        clues += [block["next"].format(item=i, before=before) for before, i in pairwise(row)]
        draw.rng.shuffle(clues)
        options = draw.rng.sample(row, len(row))
        shown = [block["option"].format(letter=chr(65 + i), item=o) for i, o in enumerate(options)]
        text = block["text"].format(count=len(row), clues=draw.joined(clues))
        asked.append(f"{text}\n{block['question'].format(options=chr(10).join(shown))}")
        targets.append(f"({chr(65 + options.index(row[-1]))})")
    return "BBH_logical", draw.levels(asked, targets)


def _steps(draw: Draw, block: Settings) -> tuple[list[str], list[int]]:
    """Returns a step of each level, in words, and what it changes."""
    numbers = [draw.rng.randint(2, 6) for _ in LEVELS]
    steps = [step.format(n=n) for step, n in zip(block["steps"], numbers, strict=True)]
    return steps, [n * factor for n, factor in zip(numbers, block["factors"], strict=True)]


def dates(draw: Draw) -> tuple[str, list[Level]]:
    """Returns a date after steps, one more at each level."""
    block = draw.blocks["dates"]
    today = date(1990, 1, 1) + timedelta(days=draw.rng.randrange(15_000))
    steps, days = _steps(draw, block)
    asked, targets = [], []
    for level in FROM_START:
        when = f",{draw.blocks['joined_by']}".join(steps[:level]) or block["none"]
        question = block["question"].format(steps=when)
        asked.append(draw.joined([block["text"].format(today=today.isoformat()), question]))
        targets.append(f"{today + timedelta(days=sum(days[:level])):%m/%d/%Y}")
    return "BBH_time", draw.levels(asked, targets)


def sums(name: str, draw: Draw) -> tuple[str, list[Level]]:
    """Returns a number, such as a floor or a wage, that each level adds to or takes from."""
    block = draw.blocks[name]
    drawn = {key: draw.rng.randint(*ends) for key, ends in block["drawn"].items()}
    text = block["text"].format(name=draw.rng.choice(block["names"]), **drawn)
    steps, changes = _steps(draw, block)
    asked = [draw.joined([text, *steps[:n], block["question"]]) for n in FROM_START]
    numbers = [prod(drawn.values()) + sum(changes[:level]) for level in FROM_START]
    return block["source"], draw.levels(asked, [block["answer"].format(n=n) for n in numbers])


def examples(draw: Draw) -> tuple[str, list[Level]]:
    """Five shots in n forms of question and answer; the last question has the first form."""
    block = draw.blocks["examples"]
    *shots, (thing, _) = draw.rng.sample(list(block["pairs"].items()), len(LEVELS) + 1)
    questions = draw.rng.sample(block["questions"], len(LEVELS))
    answers = draw.rng.sample(block["answers"], len(LEVELS))
    levels = []
    for level in LEVELS:
        shown = [
            f"{questions[place % level].format(thing=animal)}\n"
            f"{answers[place % level].format(answer=sound)}"
            for place, (animal, sound) in enumerate(shots)
        ]
        last = questions[0].format(thing=thing)
        target = "{instruction}\n" + answers[0]
        levels.append((draw.category, "\n\n".join([*shown, last]), target))
    return draw.rng.choice(block["sources"]), levels


def edits(draw: Draw) -> tuple[str, list[Level]]:
    """Returns a sentence and steps that change it, one more at each level."""
    block = draw.blocks["edits"]
    sentence = draw.rng.choice(block["sentences"])
    steps = draw.rng.sample(block["steps"], len(LEVELS))
    asked, targets = [block["start"].format(sentence=sentence)], [sentence]
    for level, step in enumerate(steps, start=1):
        text = targets[-1].replace(*step["replace"]) if "replace" in step else targets[-1]
        targets.append(step.get("before", "") + text + step.get("after", ""))
        listed = "\n".join(f"{n}. {s['say']}" for n, s in enumerate(steps[:level], start=1))
        asked.append(block["question"].format(sentence=sentence, steps=listed))
    return "text_editing", draw.levels(asked, targets, [step["kind"] for step in steps])


def summary(rule: str, draw: Draw) -> tuple[str, list[Level]]:
    """Returns a text, and what each level asks of its summary, which that rule scores."""
    block = draw.blocks["summaries"][rule]
    texts = draw.added(block["start"], block["asks"])
    asked = [f"{text}\n\n{block['text']}" for text in texts]
    return rule, draw.levels(asked, kinds=block["kinds"])


def form(rule: str, draw: Draw) -> tuple[str, list[Level]]:
    """Returns a question, and what each level asks of the answer's form, which that rule scores."""
    block = draw.blocks["formats"][rule]
    return block["source"], draw.levels(draw.added(block["start"], block["asks"]))


VARIED: dict[str, list[Maker]] = {
    "content": [partial(one_by_one, "open_question"), listing, restaurants, places, events],
    "situation": [
        partial(one_by_one, "situation"),
        order,
        dates,
        partial(sums, "floors"),
        partial(sums, "wages"),
    ],
    "style": [partial(one_by_one, "style")],
    "format": [partial(one_by_one, "format")],
    "example": [examples],
    "mixed": [mixed, edits],
}
"""What makes the groups that differ each time, in turn."""


def data(inputs: Mapping[str, Path], language: str, groups: int, seed: int) -> list[Record]:
    """Generated groups of a language, so many of each category at least."""
    made = records(language, groups, seed)
    return checked_groups(
        {category: (made[category], "synthetic data") for category in CATEGORIES}, language
    )


def records(language: str, groups: int, seed: int) -> dict[str, list[Record]]:
    """Records of each category as released; each scorer occurs that some answer can pass."""
    blocks = BLOCKS[language]
    found: dict[str, list[Record]] = {category: [] for category in CATEGORIES}
    for category, varied in VARIED.items():
        varied = [maker for maker in varied if maker is not events or "events" in blocks]
        once = _once(category, blocks)
        makers = [*once.values(), *islice(cycle(varied), max(groups - len(once), len(varied)))]
        numbers = chain(once, (number for number in count(1) if number not in once))
        for example_id, maker in zip(numbers, makers, strict=False):
            rng = random.Random(f"followbench/{seed}/{language}/{category}/{example_id}")
            source, levels = maker(Draw(category, blocks, rng))
            first = LEVELS[-1] + 1 - len(levels)
            for level, (kind, *texts) in enumerate(levels, start=first):
                values = (example_id, kind, source, level, *texts)
                found[category].append(dict(zip(FIELDS, values, strict=True)))
    return found


def _once(category: str, blocks: Settings) -> dict[int, Maker]:
    """The groups that a category has once, by their number, which decides on a format's rule."""
    if category == "format":
        rules = facts("followbench/groups.yaml")["rules"]["en"]
        return {n: partial(form, rule) for n, rule in rules.items() if rule in blocks["formats"]}
    summaries = enumerate(blocks["summaries"], start=1) if category == "mixed" else ()
    return {number: partial(summary, rule) for number, rule in summaries}
