"""Judge templates of a benchmark's released program: data files that a run fetches."""

from collections.abc import Collection, Mapping

from steadfast.base.files import Settings
from steadfast.contract.components import Component
from steadfast.contract.judge_template import released_path
from steadfast.contract.task import DataFile, Needs
from steadfast.schema.judged import JudgedSection


def released_prompts(
    benchmark: str,
    section: JudgedSection,
    names: Collection[str],
    programs: Mapping[str, Settings],
    function: str = "steadfast.judging.released_prompt:fetched",
) -> dict[str, DataFile]:
    """The files of the released judge templates that a config uses, by template.

    Args:
        benchmark: name of the benchmark.
        section: of the config; the user's own templates replace released ones.
        names: templates in use.
        programs: by template, the ``url`` of the program with its prompt, and further arguments
            of the function.
        function: returns the text of a template.
    """
    files: dict[str, DataFile] = {}
    if section.template_source != "released":
        return files
    for name, program in programs.items():
        if name in names and name not in section.templates:
            files[name] = DataFile(
                released_path(benchmark, name),
                f"{benchmark}_judge_prompt",
                Component(function, {"benchmark": benchmark, **program}),
                needs=Needs((program["url"],)),
            )
    return files
