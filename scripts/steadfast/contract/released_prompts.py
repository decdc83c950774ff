"""Judge templates out of a benchmark's released program: data files that a run fetches."""

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
    """Returns the files of the released judge prompts that a config asks for, by template.

    Args:
        benchmark: its name.
        section: of the config; templates of the user's own go first.
        names: of the templates in use.
        programs: by template, the ``url`` of the program that has its prompt, and what else the
            function takes.
        function: gives the text of a template.
    """
    released_names = (
        {*names} - {*section.templates} if section.template_source == "released" else {}
    )
    return {
        name: DataFile(
            released_path(benchmark, name),
            f"{benchmark}_judge_prompt",
            Component(function, {"benchmark": benchmark, **program}),
            needs=Needs((program["url"],)),
        )
        for name, program in programs.items()
        if name in released_names
    }
