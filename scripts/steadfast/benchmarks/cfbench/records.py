"""What CFBench's records have beside the contract's fields."""

from steadfast.contract import records


class ScoreRecord(records.ScoreRecord):
    """``direct`` is the judge's direct score, where one is asked for."""

    csr: float | None
    isr: float | None
    psr: float | None
    direct: float | None
