"""Which modules changed since a file was made, by its input digest."""

import pytest

from steadfast.jobs import code_history
from steadfast.jobs.code_history import PATH, CodeHistory


@pytest.fixture
def parts(monkeypatch):
    """The parts of each code that a process has computed."""
    known = {"one": {"m": "1", "n": "1"}, "two": {"m": "2", "n": "1", "o": "1"}}
    monkeypatch.setattr(code_history, "parts_of", lambda code: known.get(code.split()[-1], {}))


def test_modules_that_changed_came_or_went_are_named(tmp_path, parts):
    CodeHistory(tmp_path).keep([("lin", "make @ one"), ("other", "make @ two")])
    history = CodeHistory(tmp_path)
    assert history.changed("lin", "make @ two") == ["m", "o"]
    assert history.changed("other", "make @ one") == ["m", "o"]
    assert history.changed("lin", "make @ one") == []


def test_of_what_is_not_known_nothing_is_said(tmp_path, parts):
    history = CodeHistory(tmp_path)
    assert history.changed("lin", "make @ two") == []
    history.keep([("lin", "make @ one")])
    assert history.changed(None, "make @ two") == history.changed("lin", "make @ none") == []


@pytest.mark.parametrize(
    "content", ["", "[" * 9**5, '{"parts": {}}', '{"input_digests": {"lin": []}, "parts": {}}']
)
def test_a_damaged_history_says_nothing(tmp_path, parts, content):
    path = tmp_path / PATH
    path.parent.mkdir()
    path.write_text(content)
    assert CodeHistory(tmp_path).changed("lin", "make @ two") == []
