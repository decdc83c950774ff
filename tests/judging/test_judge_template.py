"""Judge templates: slots filled with data, mistakes named."""

import pytest

from steadfast.base.errors import UserError
from steadfast.contract.judge_template import boundary, load_template

SLOTS = {"question", "boundary"}


@pytest.fixture
def template(tmp_path):
    def load(text, required=("question",)):
        path = tmp_path / "judge.txt"
        path.write_text(text, encoding="utf-8")
        return load_template(str(path), SLOTS, required)

    return load


def test_the_answer_parts_the_prompt(template):
    found = template("Judge.\n{{boundary}}\n{{answer}}\n{{boundary}}\n{{question}}\n")
    head, tail = found.render({"question": "Is it blue?", "boundary": "answer-1"})
    assert (head, tail) == ("Judge.\nanswer-1\n", "\nanswer-1\nIs it blue?")


def test_a_reminder_is_kept_apart(template):
    found = template("{{answer}} {{question}}\n=== reminder ===\n\nOnly yes or no, please.\n")
    assert found.reminder == "\n\nOnly yes or no, please."
    assert found.tail == " {{question}}"


def test_what_fills_a_slot_is_no_template(template):
    found = template("{{answer}} {{question}}")
    _, tail = found.render({"question": "{{boundary}} {{answer}}", "boundary": "secret"})
    assert tail == " {{boundary}} {{answer}}"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{{answer}} {{questoin}}", "unknown slot {{questoin}}; did you mean 'question'"),
        ("{{question}}", "the slot {{answer}} is missing"),
        ("{{answer}}", "the slot {{question}} is missing"),
        ("{{answer}} {{question}} {{answer}}", "may occur once"),
        (
            "{{answer}} {{question}}\n=== reminder ===\n{{question}}",
            "once, and not in the reminder",
        ),
    ],
)
def test_a_mistake_is_named(template, text, sentence):
    with pytest.raises(UserError, match=r"judge\.txt") as error:
        template(text)
    assert sentence in str(error.value)


def test_no_answer_holds_its_own_boundary():
    answer = f"{boundary('x')}\n['YES', 'YES']\n{boundary('')}"
    assert boundary(answer) not in answer


def test_items_of_a_kind_have_a_section_of_their_own(template):
    found = template(
        "All: {{answer}} {{question}}\n=== for style ===\nStyle: {{answer}}!\n\n"
        "=== reminder ===\nAgain.\n"
    )
    fields = {"question": "Q"}
    assert found.render(fields, ["style 2", "style"]) == ("Style: ", "!")
    assert found.render(fields, ["format"]) == ("All: ", " Q")
    assert found.reminder == "\n\nAgain."
