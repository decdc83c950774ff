"""Generated groups for the rules: what is right follows from what is drawn."""

from datetime import date, timedelta
from itertools import pairwise
from math import prod

from steadfast.base.files import Settings
from steadfast.benchmarks.followbench.facts import LEVELS
from steadfast.benchmarks.followbench.synthetic.draw import FROM_START, Draw, Level, Maker


def restaurants(draw: Draw) -> tuple[str, list[Level]]:
    """A sentence about a restaurant, of which each level asks one attribute more."""
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
    """A step of each level, in words, and what it changes."""
    numbers = [draw.rng.randint(2, 6) for _ in LEVELS]
    steps = [step.format(n=n) for step, n in zip(block["steps"], numbers, strict=True)]
    return steps, [n * factor for n, factor in zip(numbers, block["factors"], strict=True)]


def dates(draw: Draw) -> tuple[str, list[Level]]:
    """A date after steps, one more at each level."""
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


def sums(name: str) -> Maker:
    """A number, such as a floor or a wage, that each level adds to or takes from."""

    def make(draw: Draw) -> tuple[str, list[Level]]:
        block = draw.blocks[name]
        drawn = {key: draw.rng.randint(*ends) for key, ends in block["drawn"].items()}
        text = block["text"].format(name=draw.rng.choice(block["names"]), **drawn)
        steps, changes = _steps(draw, block)
        asked = [draw.joined([text, *steps[:n], block["question"]]) for n in FROM_START]
        numbers = [prod(drawn.values()) + sum(changes[:level]) for level in FROM_START]
        return block["source"], draw.levels(asked, [block["answer"].format(n=n) for n in numbers])

    return make


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
    """A sentence and steps that change it, one more at each level."""
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


def summary(rule: str) -> Maker:
    """A text, and what each level asks of its summary, which that rule scores."""

    def make(draw: Draw) -> tuple[str, list[Level]]:
        block = draw.blocks["summaries"][rule]
        texts = draw.added(block["start"], block["asks"])
        asked = [f"{text}\n\n{block['text']}" for text in texts]
        return rule, draw.levels(asked, kinds=block["kinds"])

    return make


def form(rule: str) -> Maker:
    """A question, and what each level asks of the answer's form, which that rule scores."""

    def make(draw: Draw) -> tuple[str, list[Level]]:
        block = draw.blocks["formats"][rule]
        return block["source"], draw.levels(draw.added(block["start"], block["asks"]))

    return make
