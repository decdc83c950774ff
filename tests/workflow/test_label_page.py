"""The page for labels in a real browser: by keyboard alone, saved after each key."""

import json

import pytest

from browser import Watched, browser, chromium
from steadfast.contract.components import Question
from steadfast.label.sheet import ResponseToLabel, write_sheet

pytest.importorskip("playwright", reason="playwright is not installed: make .venv/dev")
pytestmark = [pytest.mark.heavy, pytest.mark.workflow]
HOSTILE = "<img src=x onerror=\"document.title='taken'\"> </script><script>alert(1)</script>"


def test_labels_by_keyboard_survive_a_reload_and_are_saved(tmp_path):
    questions = [Question("1", "Is it calm?"), Question("2", HOSTILE)]
    answers = [ResponseToLabel(model, "a/1", "Write.", HOSTILE, questions) for model in ("m", "n")]
    _, file = write_sheet(answers, "Title", tmp_path, "bench")
    with browser(chromium(tmp_path.parent)) as running:
        context = running.new_context(accept_downloads=True)
        watched = Watched(context.new_page())
        page = watched.page
        page.goto(file.as_uri())
        assert page.title() == "Title: response 1 of 2"
        assert HOSTILE in page.inner_text("#answer")
        page.keyboard.press("Tab")
        page.keyboard.type("any")  # a name: its letters are no verdicts
        page.keyboard.press("Tab")
        for key in ("y", "n", "n", "u", "y"):
            page.keyboard.press(key)
        assert page.title() == "Title: response 2 of 2"
        assert page.inner_text("#count") == "3 of 4 verdicts"
        page.reload()
        assert page.inner_text("#count") == "3 of 4 verdicts"
        with page.expect_download() as download:
            page.keyboard.press("s")
        lines = download.value.path().read_text().splitlines()
        assert download.value.suggested_filename == "bench.labels.jsonl"
        context.close()
    assert [json.loads(line) for line in lines] == [
        {"model": "m", "sample_id": "a/1", "rater": "any", "verdicts": {"1": "yes", "2": "no"}},
        {"model": "n", "sample_id": "a/1", "rater": "any", "verdicts": {"1": "yes"}},
    ]
    assert watched.complaints == []
