"""Generated groups for the rules: what is right follows from what is drawn."""

from datetime import date, timedelta
from itertools import pairwise

from steadfast.followbench.facts import LEVELS
from steadfast.followbench.synthetic.draw import Draw, Level, Maker, added, of_kinds


def restaurants(draw: Draw) -> tuple[str, list[Level]]:
    """A sentence about a restaurant, of which each level asks one attribute more."""
    block = draw.blocks["restaurants"]
    values = {key: draw.rng.choice(block[key]) for key in block["attributes"].values()}
    attributes = list(block["attributes"].items())
    asked, targets = {}, {}
    for level in LEVELS:
        chosen = attributes[: level + 1]
        names = ", ".join(name for name, _ in chosen)
        asked[level] = block["text"].format(**values) + "\n\n"
        asked[level] += block["question"].format(attributes=names)
        targets[level] = ", ".join(f"{name}[{values[key]}]" for name, key in chosen)
    return "E2E", draw.levels("", asked, targets)


def events(draw: Draw) -> tuple[str, list[Level]]:
    """Journeys, of which level n asks n, one a line."""
    block = draw.blocks["events"]
    people, choose = draw.rng.sample(block["who"], len(LEVELS) + 1), draw.rng.choice
    journeys = [(who, choose(block["where"]), choose(block["how"])) for who in people]
    text = draw.blocks["joined_by"].join(
        block["text"].format(who=who, where=where, how=how) for who, where, how in journeys
    )
    lines = []
    for arguments in journeys:
        line = block["template"]
        for number, argument in enumerate(arguments, start=1):
            line = line.replace(f"<arg{number}>", argument)
        lines.append(line)
    asked = {
        level: f"{text}\n\n{block['question'].format(n=level, template=block['template'])}"
        for level in LEVELS
    }
    return "WIKIEVENTS", draw.levels("", asked, dict.fromkeys(LEVELS, "\n".join(lines)))


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
    text = draw.blocks["joined_by"].join(
        block["text"].format(name=name, facts=block["joined_by"].join(has[name])) for name in order
    )
    asked, targets = {}, {}
    for level in LEVELS:
        wanted = conditions[:level]
        question = block["question"].format(conditions=block["and"].join(wanted))
        asked[level] = f"{text}\n\n{question}"
        targets[level] = str([name for name in order if set(wanted) <= set(has[name])])
    return "CONLL2003", draw.levels("", asked, targets)


def order(draw: Draw) -> tuple[str, list[Level]]:
    """Books in a row, one more at each level, and the letter of the last."""
    block = draw.blocks["order"]
    items = draw.rng.sample(block["items"], len(LEVELS) + 2)
    asked, targets = {}, {}
    for level in (0, *LEVELS):
        row = items[: level + 2]
        clues = [block["first"].format(item=row[0])]
        clues += [block["next"].format(item=i, before=before) for before, i in pairwise(row)]
        draw.rng.shuffle(clues)
        options = draw.rng.sample(row, len(row))
        shown = [block["option"].format(letter=chr(65 + i), item=o) for i, o in enumerate(options)]
        text = block["text"].format(count=len(row), clues=draw.blocks["joined_by"].join(clues))
        asked[level] = f"{text}\n{block['question'].format(options=chr(10).join(shown))}"
        targets[level] = f"({chr(65 + options.index(row[-1]))})"
    return "BBH_logical", draw.levels(asked[0], asked, targets)


def dates(draw: Draw) -> tuple[str, list[Level]]:
    """A date after steps, one more at each level."""
    block, glue = draw.blocks["dates"], draw.blocks["joined_by"]
    today = date(1990, 1, 1) + timedelta(days=draw.rng.randrange(15_000))
    numbers = [draw.rng.randint(2, 6) for _ in LEVELS]
    steps = [text.format(n=n) for text, n in zip(block["steps"], numbers, strict=True)]
    days = [n * factor for n, factor in zip(numbers, block["factors"], strict=True)]
    asked, targets = {}, {}
    for level in (0, *LEVELS):
        when = ("," + glue).join(steps[:level]) or block["none"]
        text = block["text"].format(today=today.isoformat())
        asked[level] = glue.join([text, block["question"].format(steps=when)])
        targets[level] = f"{today + timedelta(days=sum(days[:level])):%m/%d/%Y}"
    return "BBH_time", draw.levels(asked[0], asked, targets)


def sums(draw: Draw, name: str, text: str, begin: int) -> list[Level]:
    """A number that each level adds to or takes from."""
    block, glue = draw.blocks[name], draw.blocks["joined_by"]
    numbers = [draw.rng.randint(2, 6) for _ in LEVELS]
    steps = [step.format(n=n) for step, n in zip(block["steps"], numbers, strict=True)]
    moves = [n * sign for n, sign in zip(numbers, block["signs"], strict=True)]
    asked, targets = {}, {}
    for level in (0, *LEVELS):
        asked[level] = glue.join([text, *steps[:level], block["question"]])
        targets[level] = block["answer"].format(n=begin + sum(moves[:level]))
    return draw.levels(asked[0], asked, targets)


def floors(draw: Draw) -> tuple[str, list[Level]]:
    """A floor after moves up and down."""
    block, floor = draw.blocks["floors"], draw.rng.randint(12, 30)
    text = block["text"].format(name=draw.rng.choice(block["names"]), floor=floor)
    return "self_made_space", sums(draw, "floors", text, floor)


def wages(draw: Draw) -> tuple[str, list[Level]]:
    """A sum of dollars after gains and costs."""
    block, hours, pay = draw.blocks["wages"], draw.rng.randint(3, 8), draw.rng.randint(9, 25)
    text = block["text"].format(name=draw.rng.choice(block["names"]), hours=hours, pay=pay)
    return "gsm_8k", sums(draw, "wages", text, hours * pay)


def examples(draw: Draw) -> tuple[str, list[Level]]:
    """Five shots in n forms of question and answer; the last question has the first form."""
    block = draw.blocks["examples"]
    *shots, (thing, _) = draw.rng.sample(list(block["pairs"].items()), len(LEVELS) + 1)
    questions = draw.rng.sample(block["questions"], len(LEVELS))
    answers = draw.rng.sample(block["answers"], len(LEVELS))
    levels = []
    for level in LEVELS:
        shown = []
        for place, (animal, sound) in enumerate(shots):
            question = questions[place % level].format(thing=animal)
            shown.append(f"{question}\n{answers[place % level].format(answer=sound)}")
        last = questions[0].format(thing=thing)
        target = "{instruction}\n" + answers[0]
        levels.append((draw.category, "\n\n".join([*shown, last]), target))
    return draw.rng.choice(block["sources"]), levels


def edits(draw: Draw) -> tuple[str, list[Level]]:
    """A sentence and steps that change it, one more at each level."""
    block = draw.blocks["edits"]
    sentence = draw.rng.choice(block["sentences"])
    steps = draw.rng.sample(block["steps"], len(LEVELS))
    asked, targets, text = {}, {0: sentence}, sentence
    for level, step in enumerate(steps, start=1):
        old, new = step.get("replace", ("", None))
        text = text.replace(old, new) if old else text
        text = step.get("before", "") + text + step.get("after", "")
        listed = "\n".join(f"{n}. {s['say']}" for n, s in enumerate(steps[:level], start=1))
        asked[level] = block["question"].format(sentence=sentence, steps=listed)
        targets[level] = text
    start, kinds = block["start"].format(sentence=sentence), [step["kind"] for step in steps]
    return "text_editing", of_kinds(draw, kinds, start, asked, targets)


def summary(rule: str) -> Maker:
    """A text, and what each level asks of its summary.

    Args:
        rule: that scores it.
    """

    def make(draw: Draw) -> tuple[str, list[Level]]:
        block, glue = draw.blocks["summaries"][rule], draw.blocks["joined_by"]
        asked = {
            level: f"{glue.join([block['start'], *block['asks'][:level]])}\n\n{block['text']}"
            for level in (0, *LEVELS)
        }
        return rule, of_kinds(draw, block["kinds"], asked[0], asked, {})

    return make


def form(rule: str) -> Maker:
    """A question, and what each level asks of the answer's form.

    Args:
        rule: that scores it.
    """

    def make(draw: Draw) -> tuple[str, list[Level]]:
        block = draw.blocks["formats"][rule]
        asked = added(draw, block["start"], block["asks"])
        return block["source"], draw.levels(block["start"], asked, {})

    return make
