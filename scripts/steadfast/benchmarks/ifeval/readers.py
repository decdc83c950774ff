"""Answers in place of a model, to the synthetic prompts; of others no right answers are known."""

from random import Random

from steadfast.base.files import Settings
from steadfast.benchmarks.ifeval.facts import SYNTHETIC, Prompt
from steadfast.benchmarks.ifeval.synthetic import written
from steadfast.contract.components import Sample, StandIn


class IfevalReader(StandIn):
    """Readers who follow each instruction by itself, less often the longer the text is."""

    def reference(self, sample: Sample[Prompt]) -> str:
        """Returns an answer that follows all instructions; empty where none is known."""
        instance = sample.source["instance"]
        if instance["set"] != SYNTHETIC:
            return ""
        return written(instance["instructions"], range(len(instance["instructions"])))

    def simulated(self, sample: Sample[Prompt], reader: Settings, seen: float, rng: Random) -> str:
        """Returns one that follows each with a probability that halves with each ``span``."""
        instance, context = sample.source["instance"], sample.source["context"]
        if instance["set"] != SYNTHETIC:
            return ""
        tokens = context["tokens"] if context else 0
        recall = (1 - reader["slip"]) * seen * 0.5 ** (tokens / reader["span"])
        asked = range(len(instance["instructions"]))
        return written(instance["instructions"], [at for at in asked if rng.random() < recall])
