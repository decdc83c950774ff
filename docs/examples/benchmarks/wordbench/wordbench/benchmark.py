"""Wordbench: so many words on a topic."""

from pydantic import Field

from steadfast.contract.components import Component
from steadfast.contract.task import Benchmark, DataFile, Judging, Measure, Output, Part, Task
from steadfast.schema.config import Config
from steadfast.schema.strict import StrictModel

DATA = "wordbench/data/topics.jsonl"


class Wordbench(StrictModel):
    """Wordbench: so many words on a topic."""

    topics: int = Field(default=12, ge=2, le=100, description="Topics, with a prompt each.")


def task(config: Config, section: Wordbench) -> Task:
    """One part, en; the words of every second topic are judged."""
    content = Component("wordbench.data:topics", {"number": section.topics, "seed": config.seed})
    return Task(
        parts={"en": Part(tokens=256, sources={("data", "topics"): DATA})},
        data=[DataFile(DATA, "wordbench_data", content)],
        prompts=Component("wordbench.data:prompts"),
        samples=Component("steadfast.contract.components:KeyedSamples", {"key": "context_id"}),
        simulator=Component("wordbench.answers:Writer"),
        scoring=Component("wordbench.scoring:WordScoring"),
        metrics=Output(Component("wordbench.results:metrics"), ("words", "coverage", "summary")),
        tables=Output(Component("wordbench.tables:tables"), ("wordbench_words",)),
        figures=Output(Component("wordbench.figures:figures"), ("words",)),
        judging=Judging(
            prompts=Component("wordbench.judge:TopicPrompts"),
            readable=Component("wordbench.scoring:readable"),
            simulator=Component("wordbench.answers:Judge"),
            templates={"topic": "wordbench_judge.txt"},
            attempts=config.judging.attempts,
        ),
    )


WORDBENCH = Benchmark(
    name="wordbench",
    title="Wordbench",
    section=Wordbench,
    task=task,
    measures={"Kept": Measure("share of Wordbench's requests that are met")},
    task_names=("rule", "judge"),
)
