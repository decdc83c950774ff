"""GraphWalks (OpenAI 2025), generated: breadth-first search and parents in a list of edges."""

import re
from collections.abc import Iterator
from random import Random

from pydantic import Field

from steadfast.schema.strict import StrictModel
from steadfast.simple.benchmark import simple_benchmark
from steadfast.simple.instance import Instance, Mark

TASK = """A directed graph is below, then an operation. A BFS of depth d returns the nodes whose
shortest path from its start has d edges; parents of a node are the other nodes with an edge to it.
End with the line 'Final Answer: [node, node]', or 'Final Answer: []'.\n\n"""
TOKENS = 30  # of the two edges from a node, roughly
FORM = re.compile(r"Final Answer: ?\[(.*)\]")


class Graphwalks(StrictModel):
    """Operations on graphs in long contexts."""

    lengths: dict[str, int] = Field(default={"1k": 1024, "4k": 4096}, description="Tokens of one.")
    graphs: int = Field(default=12, ge=1, le=500, description="Graphs of each length.")


def instances(part: str, seed: int, lengths: dict[str, int], graphs: int) -> Iterator[Instance]:
    """Yields a search and a question for parents in each graph."""
    for number in range(graphs):
        random = Random(f"{seed}/{part}/{number}")
        nodes = [f"{random.getrandbits(40):010x}" for _ in range(lengths[part] // TOKENS)]
        children = {node: random.sample(nodes, 2) for node in nodes}
        edges = [f"{node} -> {child}\n" for node in nodes for child in children[node]]
        context = "".join(random.sample(edges, len(edges)))
        start = random.choice(nodes)
        depth = 1 + number % 3
        parents = {node for node in nodes if start in children[node]} - {start}
        for operation, request, answer in (
            ("bfs", f"Perform a BFS from {start} with depth {depth}.", bfs(children, start, depth)),
            ("parents", f"Find the parents of {start}.", parents),
        ):
            yield Instance(
                f"{number}-{operation}", f"\nOperation: {request}", sorted(answer),
                f"Final Answer: [{', '.join(sorted(answer))}]", context, TASK,
                group=str(number), by={"operation": operation}, max_tokens=4096,
            )  # fmt: skip


def bfs(children: dict[str, list[str]], start: str, depth: int) -> set[str]:
    """Returns the nodes at exactly that depth."""
    seen = frontier = {start}
    for _ in range(depth):
        frontier = set().union(*(children[node] for node in frontier)) - seen
        seen = seen | frontier
    return frontier


def score(text: str, instance: Instance) -> Mark:
    """Returns F1 and equality of the sets of nodes in the last line and in the answer.

    The published program leaves "Final Answer: [" on the first node, and gives 1 for no overlap.
    """
    answer = FORM.search(text.strip().split("\n")[-1])
    if answer is None:
        return Mark({"F1": 0.0, "Exact": 0.0}, unread=True)
    names = {name.strip() for name in answer[1].split(",")} - {""}
    overlap = 2 * len(names & set(instance.answer))
    f1 = overlap / (len(names) + len(instance.answer)) if names or instance.answer else 1.0
    return Mark({"F1": f1, "Exact": float(f1 == 1)}, sorted(names), unread=False)


GRAPHWALKS = simple_benchmark(
    "graphwalks", "GraphWalks", Graphwalks, instances, score,
    parts=lambda section: section.lengths, lengths=True, by=["operation"],
    measures={"F1": "F1 of GraphWalks' nodes", "Exact": "share of exact answers of GraphWalks"},
)  # fmt: skip
