"""Judge prompts are read from the released programs, which are not run."""

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
"""Of the structure of FollowBench's functions, with other words."""
CFBENCH = 'judge = lambda a, b, c, d: f"""\n1 or 0\n{a}|{b}|{c}|{{d}}{d}\n"""'


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
def test_program_of_another_form_is_refused(source, texts):
    message = (
        rf"^p\.py: ask could not be read as a prompt \({texts} strings found, not 3\); .*templates$"
    )
    with pytest.raises(UserError, match=message):
        texts_of(source, "ask", 3, "p.py")


@pytest.fixture
def template_from(monkeypatch):
    def make_template(benchmark, name, source):
        """The template of a run that downloads this program."""
        monkeypatch.setattr(released_prompt, "download", lambda *_: source.encode())
        data = evaluation(benchmark, template_source="released").tasks[benchmark].data
        path = f"{benchmark}/judge/{name}.txt"
        return next(file.content.make({}) for file in data if file.path == path)

    return make_template


def test_followbench_template_has_a_section_for_each_kind_and_level(template_from, tmp_path):
    kinds = ("content", "situation", "style", "format", "mixed")
    path = tmp_path / "en.txt"
    source = "".join(BY_LEVEL.format(name=kind) for kind in kinds)
    path.write_text(template_from("followbench", "en", source))
    template = load_template(str(path), *SLOTS["path"])
    assert len(template.sections) == len(kinds) * 5
    fields = {"start": "S", "step_1": "T", "step_2": "{{start}}"}
    assert template.render(fields, ["style 1"]) == (
        "One style rule more.\nAt first: S\nThen: T\nReply: ", "\nRight?"
    )  # fmt: skip
    assert template.render(fields, ["mixed 2", "mixed", "2"]) == (
        "There are 2 mixed rules.\nAt first: S\nThen: T\nAnd 2: {{start}}\nReply to 2: ",
        "\nAll 2 of 2?",
    )
    with pytest.raises(UserError, match="no section for 'other 2' or 'other'"):
        template.render(fields, ["other 2", "other"])
    with pytest.raises(UserError, match=r"the slot \{\{step_3\}\} has no value"):
        template.render(fields, ["mixed 3"])


def test_cfbench_and_complexbench_prompts_get_our_slots(template_from):
    source = CFBENCH.replace("judge", facts("cfbench/released.yaml")["judge"]["name"])
    expected = "\n1 or 0\n{{instruction}}|{{reference}}|{{answer}}|{d}{{checkpoints}}\n"
    assert template_from("cfbench", "zh", source) == expected
    source = 'EVALUATION_PROMPT = "{{1}} {input} {output} {question}"'
    expected = "{1} {{instruction}} {{answer}} {{question}}"
    assert template_from("complexbench", "judge_zh", source) == expected


def evaluation(benchmark, **section):
    config = {
        "benchmarks": [benchmark],
        "models": {"m": {"engine": "openai", "model": "m"}},
        "judges": {"j": {"engine": "openai", "model": "gpt-4"}},
        benchmark: section,
    }
    return Evaluation(load_config(config))


@pytest.mark.parametrize(
    ("benchmark", "names", "options"),
    [
        ("followbench", ["en", "zh"], {}),
        ("cfbench", ["zh"], {"direct": True}),
        ("complexbench", ["judge_zh", "extract_one_zh", "extract_each_zh"], {}),
    ],
)
def test_released_prompts_are_downloaded_only_if_configured(benchmark, names, options):
    assert evaluation(benchmark, **options).fetched_templates(benchmark) == []
    options = {**options, "template_source": "released"}
    run = evaluation(benchmark, **options)
    paths = [f"{benchmark}/judge/{name}.txt" for name in names]
    assert sorted(run.fetched_templates(benchmark)) == sorted(paths)
    assert set(paths) <= set(run.running_data)
    custom_run = evaluation(benchmark, templates={names[0]: "mine.txt"}, **options)
    assert paths[0] not in custom_run.running_data
    assert custom_run.own_templates(benchmark) == ["mine.txt"]


def test_other_judge_prompts_are_noted_beside_published_values():
    def note(**section):
        run = evaluation("followbench", template_source="released", **section)
        return run.tasks["followbench"].tables.function.settings["otherwise"]

    assert note() == ""
    assert "prompt" in note(judge_prompts=["last", "path"])
    assert "prompt" in note(templates={"en": "mine.txt"})
