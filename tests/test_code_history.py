"""Which modules changed since a file was made, by its input digest."""

import pytest

from steadfast.jobs import code_history
from steadfast.jobs.code_history import PATH, explain


@pytest.fixture
def parts(monkeypatch):
    """The parts of each code that a process has computed."""
    known = {"one": {"m": "1", "n": "1"}, "two": {"m": "2", "n": "1", "o": "1"}}
    known["many"] = known["one"] | dict.fromkeys("abmn", "3")
    monkeypatch.setattr(code_history, "parts_of", lambda code: known.get(code.split()[-1], {}))


def changed(results, input_digest, code) -> list[str]:
    return explain(results, [("scores", input_digest, code)], [])


def test_modules_that_changed_came_or_went_are_named(tmp_path, parts):
    explain(tmp_path, [], [("lin", "make @ one"), ("other", "make @ two")])
    line = "scores: made again since m, o changed"
    assert changed(tmp_path, "lin", "make @ two") == [line]
    assert changed(tmp_path, "other", "make @ one") == [line]
    assert changed(tmp_path, "lin", "make @ one") == []
    assert changed(tmp_path, "lin", "make @ many") == [
        "scores: made again since a, b, m and 1 more changed"
    ]


def test_of_what_is_not_known_nothing_is_said(tmp_path, parts):
    assert changed(tmp_path, "lin", "make @ two") == []
    explain(tmp_path, [], [("lin", "make @ one")])
    assert changed(tmp_path, None, "make @ two") == changed(tmp_path, "lin", "make @ none") == []


@pytest.mark.parametrize(
    "content", ["", "[" * 9**5, '{"parts": {}}', '{"input_digests": {"lin": []}, "parts": {}}']
)
def test_a_damaged_history_says_nothing(tmp_path, parts, content):
    path = tmp_path / PATH
    path.parent.mkdir()
    path.write_text(content)
    assert changed(tmp_path, "lin", "make @ two") == []
