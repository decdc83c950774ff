"""What CFBench is made of: its language, splits, priorities and rates."""

from typing import Literal

FILE = "cfbench_data.json"  # of the released data, and of a directory's
LANGUAGE = "zh"  # the only one that is published
PRIMARY, SECONDARY = "主需", "次需"
PRIORITIES = (PRIMARY, SECONDARY)
SPLITS = ("easy", "hard")
FULL = "full"  # both splits together
SETS = (*SPLITS, FULL)
REAL_LIFE = "tob"  # the source whose records have a domain; the others name an NLP task
RATES: tuple[Literal["csr", "isr", "psr"], ...] = (
    "csr",
    "isr",
    "psr",
)  # of one record, as scores have them
MEASURES = ("CSR", "ISR", "PSR")  # their means
PRIMARY_KIND, SECONDARY_KIND = "primary", "secondary"  # of constraint types
Mode = Literal["strict", "released"]
