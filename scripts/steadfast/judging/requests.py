"""The judge prompts of one model and part: a record an answer, with all that is asked of it."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from steadfast.engines.request import Item
from steadfast.files import Record, read_jsonl


def items(judging: Path) -> Iterator[Item]:
    """What is asked of a judge; the requests of one answer share all up to its end.

    Args:
        judging: records with ``answer_id``, ``template``, ``head``, ``answer`` and ``requests``,
            each with ``sample_id``, ``tail``, ``reminder``, ``max_tokens`` and ``expected``.
    """
    for record in read_jsonl(judging):
        for request in record["requests"]:
            yield Item(
                sample_id=request["sample_id"],
                context_id=f"{record['answer_id']}/{record['template']}",
                head=record["head"],
                context=record["answer"],
                tail=request["tail"],
                max_tokens=request["max_tokens"],
                reminder=request["reminder"],
            )


def by_sample(judging: Path) -> dict[str, tuple[Record, Record]]:
    """Each request by its sample id, with the record that it stands in: (record, request)."""
    return {
        request["sample_id"]: (record, request)
        for record in read_jsonl(judging)
        for request in record["requests"]
    }


def reader(
    judging: Path, readable: Callable[[Mapping[str, Any], str, str], bool]
) -> Callable[[str, str], bool]:
    """Whether a reply to a request can be read as a verdict, by sample id and text.

    Args:
        judging: the judge prompts.
        readable: the benchmark's: takes what is expected, the reply and the answer judged.
    """
    known = by_sample(judging)

    def reads(sample_id: str, reply: str) -> bool:
        record, request = known[sample_id]
        return readable(request["expected"], reply, record["answer"])

    return reads
