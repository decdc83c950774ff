"""Judges' prompts out of programs: read as they would be made, and nothing of a program is run."""

import pytest

from steadfast.base.errors import UserError
from steadfast.base.resources import facts
from steadfast.benchmarks.followbench.judge import SLOTS
from steadfast.config.load import load_config
from steadfast.contract.judge_template import load_template
from steadfast.judging import released_prompt
from steadfast.judging.released_prompt import prompt_of
from steadfast.run.evaluation import Evaluation

BY_LEVEL = '''
import nothing.there

raise SystemExit("a program is not run")

def {name}_evaluation_prompt(steps, reply):
    """A prompt."""
    level = len(steps)-1
    if level == 1:
        text = "One {name} rule more.\\n" + steps[0] + "\\n" + steps[1] \\
            + "\\n"
        text += reply + "\\nRight?"
    else:
        text = "There are {{}} {name} rules.\\n".format(level)
        for i in range(0, level+1):
            text += "{{n}}) ".format(n=i) + steps[i] + "\\n"
        text += reply + "\\nAll {{}}?".format(level)
    return text
'''
EVALUATED = 'judge = lambda a, b, c, d: f"""\n1 or {0}\n{a}|{b}|{c}|{{d}}{d}"""'.replace("{0}", "0")


def test_a_function_s_text_is_put_together_for_each_number_of_steps():
    source = BY_LEVEL.format(name="style")
    one = prompt_of(source, "style_evaluation_prompt", [["S", "T"], "A"], "p.py")
    assert one == "One style rule more.\nS\nT\nA\nRight?"
    two = prompt_of(source, "style_evaluation_prompt", [["S", "T", "U"], "A"], "p.py")
    assert two == "There are 2 style rules.\n0) S\n1) T\n2) U\nA\nAll 2?"


def test_a_lambda_and_a_text_with_places_are_read_too():
    assert prompt_of(EVALUATED, "judge", ["P", "Q", "R", "S"], "p.py") == "\n1 or 0\nP|Q|R|{d}S"
    text = 'ASK = """Is {{this}} {answer}? {question}"""'
    given = {"answer": "A", "question": "Q", "unused": "-"}
    assert prompt_of(text, "ASK", given, "p.py") == "Is {this} A? Q"


@pytest.mark.parametrize(
    "source",
    [
        "other = 1",
        "ask = open('/etc/passwd').read()",
        "ask = lambda answer: __import__('os').getcwd()",
        "ask = lambda answer: '{0.__class__}'.format(answer)",
        "ask = lambda answer: f'{answer!r}'",
        "def ask(answer):\n    while True:\n        pass",
        "def ask(answer):\n    for i in range(10**9):\n        answer += answer\n    return answer",
        "def ask(answer, more):\n    return answer",
        "ask = lambda answer: " + "(" * 300 + "1" + ")" * 300,
        "ask = lambda answer: missing",
        "ask = = 1",
    ],
)
def test_what_no_prompt_needs_is_refused_in_one_sentence(source):
    with pytest.raises(
        UserError, match=r"^p\.py: ask could not be read as a prompt \(.*templates$"
    ):
        prompt_of(source, "ask", ["A"], "p.py")


@pytest.fixture
def serve(monkeypatch):
    def made(benchmark, template, source):
        """The template of a run that fetches such a program."""
        monkeypatch.setattr(released_prompt, "download", lambda *_: source.encode())
        data = run_of(benchmark, wording="released").tasks[benchmark].data
        path = f"{benchmark}/judge/{template}.txt"
        return next(file.content.make({}) for file in data if file.path == path)

    return made


def test_followbench_s_functions_become_a_template_with_a_section_for_each_kind(serve, tmp_path):
    kinds = ("content", "situation", "style", "format", "mixed")
    file = tmp_path / "en.txt"
    source = "".join(BY_LEVEL.format(name=kind) for kind in kinds)
    file.write_text(serve("followbench", "en", source))
    template = load_template(str(file), *SLOTS["path"])
    assert len(template.sections) == len(kinds) * 5
    fields = {"start": "S", "step_1": "T", "step_2": "{{start}}"}
    head, tail = template.render(fields, ["mixed 2", "mixed", "2"])
    assert (head, tail) == ("There are 2 mixed rules.\n0) S\n1) T\n2) {{start}}\n", "\nAll 2?")
    with pytest.raises(UserError, match="no text is for 'other 2' or 'other'"):
        template.render(fields, ["other 2", "other"])
    with pytest.raises(UserError, match=r"the slot \{\{step_3\}\} has no text"):
        template.render(fields, ["mixed 3"])


def test_cfbench_s_and_complexbench_s_prompts_have_our_slots(serve):
    source = EVALUATED.replace("judge", facts("cfbench/released.yaml")["judge"]["name"])
    expected = "\n1 or 0\n{{instruction}}|{{reference}}|{{answer}}|{d}{{checkpoints}}"
    assert serve("cfbench", "zh", source) == expected
    source = 'EVALUATION_PROMPT = "{input} {output} {question}"'
    expected = "{{instruction}} {{answer}} {{question}}"
    assert serve("complexbench", "judge_zh", source) == expected


def run_of(benchmark, **section):
    config = {
        "benchmarks": [benchmark],
        "models": {"m": {"engine": "openai", "model": "m"}},
        "judges": {"j": {"engine": "openai", "model": "gpt-4"}},
        benchmark: section,
    }
    return Evaluation(load_config(config))


@pytest.mark.parametrize(
    ("benchmark", "names", "others"),
    [
        ("followbench", ["en", "zh"], {}),
        ("cfbench", ["zh"], {"direct": True}),
        ("complexbench", ["judge_zh", "extract_one_zh", "extract_each_zh"], {}),
    ],
)
def test_the_released_wording_is_fetched_where_it_is_asked_for_alone(benchmark, names, others):
    assert run_of(benchmark, **others).fetched_templates(benchmark) == []
    run = run_of(benchmark, wording="released", **others)
    paths = [f"{benchmark}/judge/{name}.txt" for name in names]
    assert sorted(run.fetched_templates(benchmark)) == sorted(paths)
    assert set(paths) <= set(run.running_data)
    mine = run_of(benchmark, wording="released", templates={names[0]: "mine.txt"}, **others)
    assert paths[0] not in mine.running_data and mine.own_templates(benchmark) == ["mine.txt"]


def test_the_program_s_prompt_needs_no_note_beside_the_paper_s_numbers():
    def otherwise(**section):
        settings = run_of("followbench", wording="released", **section).tasks["followbench"]
        return settings.tables.function.settings["otherwise"]

    assert otherwise() == ""
    assert "prompt" in otherwise(judge_prompts=["last", "path"])
    assert "prompt" in otherwise(templates={"en": "mine.txt"})
