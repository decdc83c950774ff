"""What a model's answers have cost, by the journals that hold them."""

import json
from collections.abc import Iterable
from pathlib import Path

from steadfast.errors import UserError
from steadfast.files import Settings


def cost(price: Settings, prompt: int, cached: int, output: int) -> float:
    """The cost of so many tokens, in the price's currency.

    Args:
        price: ``input``, ``output`` and ``cached`` (None: as input) per million tokens.
        prompt: prompt tokens, the cached ones included.
        cached: prompt tokens that came from the provider's cache.
        output: tokens answered.
    """
    cached_price = price["input"] if price.get("cached") is None else price["cached"]
    whole = (prompt - cached) * price["input"] + cached * cached_price + output * price["output"]
    return whole / 1_000_000


class CapReached(UserError):
    """No further request may be sent; those under way are paid for and worth waiting for."""


class Bill:
    """Adds up all journals of a model as they grow, those of other jobs too.

    Args:
        price: as ``cost`` takes it, with ``currency``.
        most: what the model may cost in all.
        folders: where the journals of the model lie.
    """

    def __init__(self, price: Settings, most: float, folders: Iterable[Path]):
        self._price, self._most, self._folders = price, most, tuple(folders)
        self._read: dict[Path, int] = {}
        self._spent = 0.0

    def spent(self) -> float:
        """The cost of every reply that stands in the journals now."""
        for path in sorted(path for folder in self._folders for path in folder.glob("*.jsonl")):
            offset = self._read.get(path, 0)
            if path.stat().st_size > offset:
                with open(path, "rb") as journal:
                    journal.seek(offset)
                    content = journal.read()
                whole = content[: content.rfind(b"\n") + 1]
                self._read[path] = offset + len(whole)
                self._spent += sum(map(self._of_line, whole.splitlines()))
        return self._spent

    def check(self) -> None:
        """Whether another request may be sent.

        Raises:
            CapReached: the cap is reached.
        """
        if (spent := self.spent()) >= self._most:
            currency = self._price["currency"]
            raise CapReached(
                f"max_spend of {self._most:g} {currency} is reached ({spent:.4g} {currency} by the "
                "journals); what is answered is kept: raise max_spend and run again to go on"
            )

    def _of_line(self, line: bytes) -> float:
        try:
            record = json.loads(line)
            names = ("prompt_tokens", "cached_tokens", "completion_tokens")
            return cost(self._price, *(record.get(name) or 0 for name in names))
        except (ValueError, AttributeError, TypeError):
            return 0.0  # a line torn by a crash, which its own job mends
