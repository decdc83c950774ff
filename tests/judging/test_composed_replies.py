"""1,500 replies as chat models write them: none is read wrongly, and which styles are read."""

from collections import Counter

import composed_replies
import pytest
from composed_replies import ANSWER, CHECKPOINTS, Composed, replies

from steadfast.benchmarks.cfbench.replies import strict_verdicts
from steadfast.benchmarks.complexbench.replies import strict_verdict
from steadfast.benchmarks.followbench.replies import strict

EACH = 500
NOT_ALWAYS = {"verdict, then reason"}
"""Styles of which some are left: a reason may hold the other verdict's word."""
NEVER = {"word, then reason"}
"""A sentence that begins with yes or no: it was not asked for, and may go on in any way."""
BENCHMARKS = ("followbench", "cfbench", "complexbench")


def read(benchmark: str, one: Composed, answer: str = ANSWER) -> list[int] | None:
    if benchmark == "followbench":
        return strict(one.reply, answer, len(one.verdicts), one.language)
    if benchmark == "cfbench":
        found = strict_verdicts(CHECKPOINTS[: len(one.verdicts)], one.reply, answer)
        return found if isinstance(found, list) else None
    verdict = strict_verdict(one.reply, answer, one.language)
    return None if verdict is None else [int(verdict)]


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_no_reply_is_read_wrongly_and_whole_styles_are_read(benchmark):
    drawn, found = Counter(), Counter()
    for one in replies(benchmark, EACH):
        verdicts = read(benchmark, one)
        assert verdicts in (one.verdicts, None), one.reply
        drawn[one.style] += 1
        found[one.style] += verdicts is not None
    assert drawn.total() == EACH and len(drawn) >= 7
    unread = {style for style in drawn if found[style] < drawn[style]}
    assert unread <= NOT_ALWAYS | NEVER
    assert all(found[style] > 0.7 * drawn[style] for style in drawn.keys() & NOT_ALWAYS)


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_an_end_that_takes_verdicts_back_leaves_them_unread(benchmark):
    for one in replies(benchmark, 200, doubtful=True):
        assert read(benchmark, one) is None, one.reply


@pytest.mark.parametrize("benchmark", BENCHMARKS)
def test_what_the_answer_holds_is_no_verdict(benchmark):
    """The judge repeats an answer that is itself such a reply, and gives no verdict."""
    for one in replies(benchmark, 200):
        quoted = one._replace(reply=f"The answer reads:\n{one.reply}\nI cannot judge it.")
        assert read(benchmark, quoted, answer=one.reply) is None, one.reply


def test_every_style_of_a_benchmark_is_composed():
    layouts = (composed_replies.FOLLOWBENCH, composed_replies.CFBENCH)
    for benchmark, of in zip(BENCHMARKS, layouts, strict=False):
        assert {one.style for one in replies(benchmark, len(of))} == set(of)
