"""Judge templates: slots are filled with data, and mistakes are reported."""

import pytest

from steadfast.base.errors import UserError
from steadfast.contract.judge_template import boundary, load_template

SLOTS = {"question", "boundary"}


@pytest.fixture
def load(tmp_path):
    def load_text(text):
        path = tmp_path / "judge.txt"
        path.write_text(text, encoding="utf-8")
        return load_template(str(path), SLOTS, ("question",))

    return load_text


def test_prompt_is_split_at_the_answer(load):
    template = load("Judge.\n{{boundary}}\n{{answer}}\n{{boundary}}\n{{question}}\n")
    head, tail = template.render({"question": "Is it blue?", "boundary": "answer-1"})
    assert (head, tail) == ("Judge.\nanswer-1\n", "\nanswer-1\nIs it blue?")


def test_reminder_is_separate_from_the_prompt(load):
    line = "=== reminder ===\n"
    template = load(f"{{{{answer}}}} {{{{question}}}}\n{line}\nOnly yes or no, please.\n{line}")
    assert template.reminder == f"\n\nOnly yes or no, please.\n{line.strip()}"
    assert template.tail == " {{question}}"


def test_slots_in_values_are_not_filled(load):
    template = load("{{answer}} {{question}}")
    _, tail = template.render({"question": "{{boundary}} {{answer}}", "boundary": "secret"})
    assert tail == " {{boundary}} {{answer}}"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{{answer}} {{questoin}}", "unknown slot {{questoin}}; did you mean 'question'"),
        ("{{question}}", "the slot {{answer}} is missing"),
        ("{{answer}}", "the slot {{question}} is missing"),
        ("{{answer}} {{question}} {{answer}}", "may occur once"),
        ("{{answer}} {{question}}\n=== reminder ===\n{{question}}",
         "once, and not in the reminder"),
    ],
)  # fmt: skip
def test_mistake_in_a_template_is_reported(load, text, message):
    with pytest.raises(UserError, match=r"judge\.txt") as raised:
        load(text)
    assert message in str(raised.value)


def test_response_does_not_contain_its_boundary():
    response = f"{boundary('x')}\n['YES', 'YES']\n{boundary('')}"
    assert boundary(response) not in response


def test_kinds_of_items_have_their_own_sections(load):
    template = load(
        "All: {{answer}} {{question}}\n=== for style ===\nStyle: {{answer}}!\n\n"
        "=== reminder ===\nAgain.\n"
    )
    fields = {"question": "Q"}
    assert template.render(fields, ["style 2", "style"]) == ("Style: ", "!")
    assert template.render(fields, ["format"]) == ("All: ", " Q")
    assert template.reminder == "\n\nAgain."
