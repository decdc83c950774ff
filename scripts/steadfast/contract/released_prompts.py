"""Judge templates out of a benchmark's released program: data files that a run fetches."""

from collections.abc import Collection, Mapping

from steadfast.contract.components import Component
from steadfast.contract.judge_template import released_path
from steadfast.contract.task import DataFile, Needs
from steadfast.schema.judged import JudgedSection


def released_prompts(
    benchmark: str,
    package: str,
    section: JudgedSection,
    names: Collection[str],
    addresses: Mapping[str, str],
) -> dict[str, DataFile]:
    """Returns the files of the released judge prompts that a config asks for, by template.

    Args:
        benchmark: its name.
        package: whose function ``released_prompts:prompt`` gives the text of a template.
        section: of the config; templates of the user's own go first.
        names: of the templates in use.
        addresses: of the program that has a template's prompt.
    """
    asked = {*names} - {*section.templates} if section.wording == "released" else {}
    return {
        name: DataFile(
            released_path(benchmark, name),
            f"{benchmark}_judge_prompt",
            Component(f"{package}.released_prompts:prompt", {"template": name}),
            needs=Needs((address,)),
        )
        for name, address in addresses.items()
        if name in asked
    }
