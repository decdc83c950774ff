"""Rule judge_prompts: the prompts of a judge about one model's responses to one part."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from steadfast.base.files import write_jsonl
from steadfast.contract.components import Answer, JudgePrompt, JudgePrompts, Sample, component
from steadfast.contract.judge_template import JudgeTemplate, load_template, template_path
from steadfast.contract.part_files import PartFiles, read_answers
from steadfast.workflow.script import run_rule


def write_judge_prompts(
    part: PartFiles,
    judge_prompts: Sequence[Any],
    outputs: Path,
    templates: Mapping[str, str],
    out: Path,
    results: Path,
    repeats: int = 1,
) -> None:
    """Writes the judge's prompts, one record for each response that is judged."""
    builder = component(judge_prompts).make()
    samples = part.read(repeats)
    answers = read_answers(outputs, samples)
    judge_templates = load_templates(builder, templates, results)
    prompts = judge_prompts_of(builder, judge_templates, samples, answers)
    write_jsonl(out, map(asdict, prompts))


def load_templates(
    builder: JudgePrompts, templates: Mapping[str, str], results: Path
) -> dict[str, JudgeTemplate]:
    """Returns the judge templates by name, checked for the benchmark's slots."""
    loaded = {}
    for name, path in templates.items():
        file = template_path(path, results)
        loaded[name] = load_template(file, *builder.slots_of(name), builder.after_response)
    return loaded


def judge_prompts_of(
    builder: JudgePrompts,
    templates: Mapping[str, JudgeTemplate],
    samples: Iterable[Sample],
    answers: Mapping[str, Answer],
) -> Iterable[JudgePrompt]:
    """Yields the judge's prompts about the responses that were received."""
    for sample in samples:
        if answers[sample.id].answered:
            yield from builder.prompts(sample, answers[sample.id], templates)


if job := globals().get("snakemake"):
    run_rule(
        write_judge_prompts,
        job,
        read=("samples", "sources"),
        part=PartFiles.of(job),
        outputs=Path(job.input.outputs),
        results=Path(job.config["results"]),
        out=Path(job.output.judging),
    )
