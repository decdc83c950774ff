"""Commands on files of others end with a message of one line, whatever the files contain."""

from pathlib import Path

import pytest

from steadfast.base.errors import UserError
from steadfast.command.error_message import errors_as_messages

ESCAPE = "\x1b]0;owned\x07"


def message_of(error: BaseException) -> str:
    with pytest.raises(SystemExit) as end, errors_as_messages(Path("theirs")):
        raise error
    return end.value.code


def test_user_error_is_shown_without_escape_sequences():
    assert message_of(UserError(f"no {ESCAPE}")) == "error: no <U+001B>]0;owned<U+0007>"


def test_command_without_an_error_goes_on():
    with errors_as_messages(Path("theirs")):
        pass


@pytest.mark.parametrize("error", [KeyError(ESCAPE), TypeError("a\nb\r"), RecursionError("deep")])
def test_other_errors_name_the_folder_and_the_line_of_code(error):
    message = message_of(error)
    assert message.startswith(
        "error: theirs: a file there is damaged or not written by this workflow ("
    )
    assert f"{type(error).__name__}: " in message and "test_error_message.py:" in message
    assert message.isprintable()
