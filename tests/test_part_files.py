"""Answers, from the records of outputs."""

import pytest

from steadfast.contract.part_files import answer_of


@pytest.mark.parametrize(("tokens", "truncated"), [(None, False), (0, False), (1, True)])
def test_prompt_is_truncated_where_tokens_were_left_out(tokens, truncated):
    output = {"status": "ok", "response": "a", "prompt_truncated_tokens": tokens}
    assert answer_of(output).prompt_truncated is truncated
