"""What differs between two results folders, in frames."""

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from steadfast.stats.tidy import write_csv

TESTS = ("benchmark", "model", "cell", "difference", "low", "high", "p", "p_holm", "n")


@dataclass(frozen=True)
class Comparison:
    """What differs between two runs, A and B.

    Attributes:
        settings: keys of the two configs and of what produced the answers: where, key, a, b.
        asked: prompts of each benchmark and part: benchmark, part, same, changed, only_a, only_b.
        alone: what one of the two has alone: run, what, name.
        counts: benchmark, metric, cells: how many cells both have.
        cells: those that moved (``changed.COLUMNS``).
        tests: differences on the samples that both have, by the benchmark's own test (``TESTS``);
            p_holm is corrected over the models of a cell.
        compared: benchmark, model, task, samples: how many samples were compared.
        samples: those that flipped (``flips.COLUMNS``).
    """

    settings: pd.DataFrame
    asked: pd.DataFrame
    alone: pd.DataFrame
    counts: pd.DataFrame
    cells: pd.DataFrame
    tests: pd.DataFrame
    compared: pd.DataFrame
    samples: pd.DataFrame

    @property
    def differs(self) -> bool:
        """Whether anything but settings differs: prompts, cells, samples, or what there is."""
        changed = self.asked[["changed", "only_a", "only_b"]].to_numpy().any()
        return bool(changed) or any(map(len, (self.alone, self.cells, self.samples)))

    def write(self, folder: Path) -> None:
        """Writes each frame as a CSV file of its name."""
        for name, rows in vars(self).items():
            write_csv(folder / f"{name}.csv", rows)
