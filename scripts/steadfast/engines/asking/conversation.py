"""What is asked when: a turn after the answers before it, an unreadable answer again."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from steadfast.base.errors import UserError
from steadfast.contract.request import ANSWERED, Item, Request, Response


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
        readable: whether the answer to a sample can be read, by its key and text; by default
            every answer can.
        attempts: times that an answer is asked for until it can be read, at most.

    Returns:
        The last exchange of each item, in their order. An item whose turn before has no answer is
        not asked: it gets that turn's status.

    Raises:
        UserError: an item follows one that does not stand before it.
    """
    exchanges: dict[str, Exchange] = {}
    for turn in turns_of(items):
        pending = [_continued(item, exchanges) for item in turn]
        for attempt in range(1, attempts + 1):
            unread = []
            for item, (request, response) in zip(pending, ask(pending), strict=True):
                if item.barred and item.follows:
                    before = exchanges[item.follows].response
                    response = replace(response, status=before.status)
                exchanges[item.key] = Exchange(request, response, attempt)
                # A failed request is the engine's care: nothing is to be gained from another.
                cut = response.status == "unfinished"
                answered = response.status in ANSWERED
                if readable and (cut or (answered and not readable(item.key, response.text))):
                    unread.append(replace(item, attempt=attempt + 1))
            if not (pending := unread):
                break
    return [exchanges[item.key] for item in items]


def turns_of(items: Iterable[Item]) -> list[list[Item]]:
    """The items by turn: those that open a conversation, those that follow them, and so on.

    Raises:
        UserError: an item follows one that does not stand before it.
    """
    depths: dict[str, int] = {}
    turns: dict[int, list[Item]] = defaultdict(list)
    for item in items:
        if item.follows is not None and item.follows not in depths:
            raise UserError(
                f"prompts: {item.sample_id} follows {item.follows!r}, which does not stand before "
                "it; build the prompts again"
            )
        depth = 0 if item.follows is None else depths[item.follows] + 1
        depths[item.key] = depth
        turns[depth].append(item)
    return list(turns.values())


def _continued(item: Item, exchanges: Mapping[str, Exchange]) -> Item:
    """The item with the turns before it, or barred where the turn before has no answer."""
    if item.follows is None:
        return item
    request, response, _ = exchanges[item.follows]
    if response.status not in ANSWERED:
        return replace(item, barred=f"the turn before it, {item.follows}, has no answer")
    return replace(item, turns=(*request.turns, (request.prompt, response.text)))
