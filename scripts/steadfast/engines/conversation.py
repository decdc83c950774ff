"""What is asked when: a turn after the answers before it, an unreadable answer again."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from steadfast.engines.request import ANSWERED, Item, Request, Response
from steadfast.errors import UserError


class Exchange(NamedTuple):
    """What was asked, what came back, and at which asking."""

    request: Request
    response: Response
    attempt: int = 1


def converse(
    items: Sequence[Item],
    ask: Callable[[list[Item]], list[tuple[Request, Response]]],
    readable: Callable[[str, str], bool] | None = None,
    attempts: int = 1,
) -> list[Exchange]:
    """Asks all items, each after the one that it follows.

    Args:
        items: in any order in which an item stands after the one that it follows.
        ask: asks some of them and gives request and response of each, in order.
        readable: whether the answer to a sample can be read, by sample id and text; by default
            every answer can.
        attempts: times that an answer is asked for until it can be read, at most.

    Returns:
        The last exchange of each item, in their order. An item whose turn before has no answer is
        not asked: it gets that turn's status.

    Raises:
        UserError: an item follows one that does not stand before it.
    """
    said: dict[str, Exchange] = {}
    for turn in turns_of(items):
        pending = [_continued(item, said) for item in turn]
        for attempt in range(1, attempts + 1):
            exchanges = [Exchange(*pair, attempt) for pair in ask(pending)]
            unread = []
            for item, exchange in zip(pending, exchanges, strict=True):
                said[item.sample_id] = _with_status_before(item, exchange, said)
                if not _read(exchange.response, item.sample_id, readable):
                    unread.append(replace(item, attempt=attempt + 1))
            pending = unread
            if not pending:
                break
    return [said[item.sample_id] for item in items]


def _read(response: Response, sample_id: str, readable: Callable[[str, str], bool] | None) -> bool:
    """Whether nothing is to be gained from asking again; a failed request is the engine's care."""
    return readable is None or response.status not in ANSWERED or readable(sample_id, response.text)


def turns_of(items: Iterable[Item]) -> list[list[Item]]:
    """The items by turn: those that open a conversation, those that follow them, and so on.

    Raises:
        UserError: an item follows one that does not stand before it.
    """
    depths: dict[str, int] = {}
    turns: list[list[Item]] = []
    for item in items:
        if item.follows is not None and item.follows not in depths:
            raise UserError(
                f"prompts: {item.sample_id} follows {item.follows!r}, which does not stand before "
                "it; build the prompts again"
            )
        depth = 0 if item.follows is None else depths[item.follows] + 1
        depths[item.sample_id] = depth
        if depth == len(turns):
            turns.append([])
        turns[depth].append(item)
    return turns


def _continued(item: Item, said: Mapping[str, Exchange]) -> Item:
    """The item with what was said before it, or barred where the turn before has no answer."""
    if item.follows is None:
        return item
    request, response, _ = said[item.follows]
    if response.status not in ANSWERED:
        return replace(item, barred=f"the turn before it, {item.follows}, has no answer")
    return replace(item, turns=(*request.turns, (request.prompt, response.text)))


def _with_status_before(item: Item, exchange: Exchange, said: Mapping[str, Exchange]) -> Exchange:
    if item.barred is None:
        return exchange
    status = said[item.follows].response.status
    return exchange._replace(response=replace(exchange.response, status=status))
