"""Commands that read what somebody else wrote end with one sentence, whatever stands in it."""

from pathlib import Path

import pytest

from steadfast.base.errors import UserError
from steadfast.command.error_message import errors_as_messages

ESCAPE = "\x1b]0;owned\x07"


def ended(error: BaseException) -> str:
    with pytest.raises(SystemExit) as end, errors_as_messages(Path("theirs")):
        raise error
    return end.value.code


def test_a_user_s_error_is_its_sentence_and_nothing_is_said_of_what_goes_well():
    assert ended(UserError(f"no {ESCAPE}")) == "error: no <U+001B>]0;owned<U+0007>"
    with errors_as_messages(Path("theirs")):
        pass


@pytest.mark.parametrize("error", [KeyError(ESCAPE), TypeError("a\nb\r"), RecursionError("deep")])
def test_any_other_error_names_what_was_read_and_its_place(error):
    sentence = ended(error)
    assert sentence.startswith(
        "error: theirs: a file there is damaged or not written by this workflow ("
    )
    assert f"{type(error).__name__}: " in sentence and "test_error_message.py:" in sentence
    assert sentence.isprintable()
