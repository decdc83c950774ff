"""What changed since a file was made, by its input digest."""

import pytest

from steadfast.jobs import code_history
from steadfast.jobs.code_history import PATH, explain_changes


@pytest.fixture(autouse=True)
def parts(monkeypatch):
    """The digest of each module, by name of the code."""
    parts = {"one": {"m": "1", "n": "1"}, "two": {"m": "2", "n": "1", "o": "1"}}
    parts["many"] = parts["one"] | dict.fromkeys("abmn", "3")
    monkeypatch.setattr(code_history, "parts_of", lambda code: parts.get(code.split()[-1], {}))


def explanation(results, input_digest, code) -> list[str]:
    return explain_changes(results, [("scores", input_digest, f"make @ {code}")], [])


def record(results, **code) -> None:
    explain_changes(results, [], [(digest, f"make @ {name}") for digest, name in code.items()])


def test_changed_added_and_removed_modules_are_named(tmp_path):
    record(tmp_path, lin="one", other="two")
    line = "scores: made again since m, o changed"
    assert explanation(tmp_path, "lin", "two") == [line]
    assert explanation(tmp_path, "other", "one") == [line]
    line = "scores: made again since a, b, m and 1 more changed"
    assert explanation(tmp_path, "lin", "many") == [line]


def test_same_code_leaves_settings_or_input_files_as_the_reason(tmp_path):
    record(tmp_path, lin="one")
    line = "scores: made again since settings or input files changed"
    assert explanation(tmp_path, "lin", "one") == [line]


def test_unknown_digest_or_code_is_not_explained(tmp_path):
    assert explanation(tmp_path, "lin", "two") == []
    record(tmp_path, lin="one")
    assert explanation(tmp_path, None, "two") == []
    assert explanation(tmp_path, "lin", "none") == []


@pytest.mark.parametrize(
    "content", ["", "[" * 9**5, '{"parts": {}}', '{"input_digests": {"lin": []}, "parts": {}}']
)
def test_damaged_history_is_ignored(tmp_path, content):
    path = tmp_path / PATH
    path.parent.mkdir()
    path.write_text(content)
    assert explanation(tmp_path, "lin", "two") == []
