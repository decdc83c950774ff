"""Generated groups for a judge: a start, and constraints that are added one at a time."""

from steadfast.benchmarks.followbench.facts import LEVELS
from steadfast.benchmarks.followbench.synthetic.draw import Draw, Level, Maker


def one_by_one(name: str) -> Maker:
    """A question, and sentences that each add a constraint; the name is the building blocks'."""

    def make(draw: Draw) -> tuple[str, list[Level]]:
        block, choose = draw.blocks[name], draw.rng.choice
        thing = choose(block.get("things", [""]))
        start = choose(block["starts"]).format(topic=choose(block["topics"]), thing=thing)
        constraints = draw.rng.sample(block["constraints"], len(LEVELS))
        return block["source"], draw.levels(draw.added(start, constraints))

    return make


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
    """A story, and constraints of several kinds."""
    block = draw.blocks["mixed"]
    start = draw.rng.choice(block["starts"]).format(topic=draw.rng.choice(block["topics"]))
    kinds, constraints = zip(*draw.rng.sample(block["constraints"], len(LEVELS)), strict=True)
    return block["source"], draw.levels(draw.added(start, constraints), kinds=kinds)
