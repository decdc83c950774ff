"""Judges' prompts out of programs: their texts, and nothing of a program is run."""

import pytest

from steadfast.base.errors import UserError
from steadfast.base.resources import facts
from steadfast.benchmarks.followbench.judge import SLOTS
from steadfast.config.load import load_config
from steadfast.contract.judge_template import load_template
from steadfast.jobs.evaluation import Evaluation
from steadfast.judging import released_prompt
from steadfast.judging.released_prompt import texts_of

BY_LEVEL = """
import nothing.there

raise SystemExit("a program is not run")

def {name}_evaluation_prompt(steps, reply):
    level = len(steps)-1

    if level == 1:
        text = "One {name} rule more.\\n" \\
            + "At first: " + steps[0] + "\\n"
        text += "Then: " + steps[1] + "\\n"
        text += "Reply: " + reply + "\\n"
        text += "Right?"
    else:
        text = "There are {{}} {name} rules.\\n".format(level) \\
            + "At first: " + steps[0] + "\\n"
        text += "Then: " + steps[1] + "\\n"
        for i in range(2, level+1):
            text += "And {{}}: ".format(i) + steps[i] + "\\n"
        text += "Reply to {{}}: ".format(level) + reply + "\\n"
        text += "All {{level}} of {{level}}?".format(level=level)
    return text
"""
"""Put together as FollowBench's functions are, with other words."""
EVALUATED = 'judge = lambda a, b, c, d: f"""\n1 or 0\n{a}|{b}|{c}|{{d}}{d}\n"""'


@pytest.mark.parametrize(
    ("source", "texts"),
    [
        ("other = 'a'", 0),
        ("ask = open('/etc/passwd').read()", 1),
        ("ask = lambda answer: answer + 'a' + 'b'", 2),
        ("ask = " + "(" * 300 + "1" + ")" * 300, 0),
        ("ask = = 1", 0),
    ],
)
def test_another_program_than_the_known_one_is_refused_in_one_sentence(source, texts):
    message = (
        rf"^p\.py: ask could not be read as a prompt \({texts} strings found, not 3\); .*templates$"
    )
    with pytest.raises(UserError, match=message):
        texts_of(source, "ask", 3, "p.py")


@pytest.fixture
def serve(monkeypatch):
    def made(benchmark, template, source):
        """The template of a run that fetches such a program."""
        monkeypatch.setattr(released_prompt, "download", lambda *_: source.encode())
        data = run_of(benchmark, template_source="released").tasks[benchmark].data
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
    first = template.render(fields, ["style 1"])
    assert first == ("One style rule more.\nAt first: S\nThen: T\nReply: ", "\nRight?")
    head, tail = template.render(fields, ["mixed 2", "mixed", "2"])
    opening = "There are 2 mixed rules.\nAt first: S\nThen: T\nAnd 2: {{start}}\nReply to 2: "
    assert (head, tail) == (opening, "\nAll 2 of 2?")
    with pytest.raises(UserError, match="no section for 'other 2' or 'other'"):
        template.render(fields, ["other 2", "other"])
    with pytest.raises(UserError, match=r"the slot \{\{step_3\}\} has no value"):
        template.render(fields, ["mixed 3"])


def test_cfbench_s_and_complexbench_s_prompts_have_our_slots(serve):
    source = EVALUATED.replace("judge", facts("cfbench/released.yaml")["judge"]["name"])
    expected = "\n1 or 0\n{{instruction}}|{{reference}}|{{answer}}|{d}{{checkpoints}}\n"
    assert serve("cfbench", "zh", source) == expected
    source = 'EVALUATION_PROMPT = "{{1}} {input} {output} {question}"'
    expected = "{1} {{instruction}} {{answer}} {{question}}"
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
    run = run_of(benchmark, template_source="released", **others)
    paths = [f"{benchmark}/judge/{name}.txt" for name in names]
    assert sorted(run.fetched_templates(benchmark)) == sorted(paths)
    assert set(paths) <= set(run.running_data)
    mine = run_of(benchmark, template_source="released", templates={names[0]: "mine.txt"}, **others)
    assert paths[0] not in mine.running_data and mine.own_templates(benchmark) == ["mine.txt"]


def test_the_program_s_prompt_needs_no_note_beside_the_paper_s_numbers():
    def otherwise(**section):
        settings = run_of("followbench", template_source="released", **section).tasks["followbench"]
        return settings.tables.function.settings["otherwise"]

    assert otherwise() == ""
    assert "prompt" in otherwise(judge_prompts=["last", "path"])
    assert "prompt" in otherwise(templates={"en": "mine.txt"})
