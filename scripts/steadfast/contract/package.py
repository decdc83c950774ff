"""The components of a benchmark of this project, named by the modules of its package."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from steadfast.base.files import Settings
from steadfast.contract.components import Component
from steadfast.contract.judge_template import packaged_files, released_path
from steadfast.contract.task import DataFile, Judging, Needs, Output
from steadfast.schema.judged import JudgedSection

NOTHING: Settings = {}


class Package:
    """The package of a benchmark, whose modules have fixed names, such as ``data``."""

    def __init__(self, name: str):
        self.name = name

    def component(
        self, function: str, settings: Settings = NOTHING, resources: Sequence[str] = ()
    ) -> Component[Any]:
        """A class or function, by its module and name.

        >>> Package("ifeval").component("prompts:prompts").name
        'steadfast.benchmarks.ifeval.prompts:prompts'
        """
        module = f"steadfast.benchmarks.{self.name}.{function}"
        return Component(module, settings, tuple(resources))

    def output(
        self, function: str, names: Iterable[str], settings: Settings = NOTHING, **reads: Any
    ) -> Output:
        """Metrics or figures of these names; ``reads`` are ``Output``'s ``data`` and ``fields``."""
        return Output(self.component(function, settings), tuple(names), **reads)

    def tables(self, names: Iterable[str], settings: Settings) -> Output:
        """The tables, whose names begin with the benchmark's."""
        return self.output("tables:tables", (f"{self.name}_{name}" for name in names), settings)

    def data_path(self, name: str) -> str:
        """The path of a file of its data."""
        return f"{self.name}/data/{name}.jsonl"

    def data(
        self,
        name: str,
        source: str,
        settings: Settings = NOTHING,
        files: Sequence[str] = (),
        needs: Needs | None = None,
    ) -> DataFile:
        """A file of its data, by its source in the config.

        Args:
            name: of the file.
            source: ``synthetic``, whose records the function ``sample`` gives, or the name of
                another function of ``data``.
            settings: of that function.
            files: the user's files that it reads.
            needs: of source ``released``.
        """
        function = "sample" if source == "synthetic" else source
        return DataFile(
            self.data_path(name),
            f"{self.name}_data",
            self.component(f"data:{function}", settings),
            files=tuple(files),
            needs=needs if needs and source == "released" else Needs(),
        )

    def released_prompts(
        self,
        section: JudgedSection,
        names: Collection[str],
        programs: Mapping[str, Settings],
        function: str = "steadfast.judging.released_prompt:fetched_template",
    ) -> dict[str, DataFile]:
        """The files of the released judge templates that a config uses, by template.

        Args:
            section: of the config; the user's own templates replace released ones.
            names: templates in use.
            programs: by template, the ``url`` of the program with its prompt, and further arguments
                of the function.
            function: returns the text of a template.
        """
        files: dict[str, DataFile] = {}
        for name, program in programs.items() if section.template_source == "released" else ():
            if name in names and name not in section.templates:
                files[name] = DataFile(
                    released_path(self.name, name),
                    f"{self.name}_judge_prompt",
                    Component(function, {"benchmark": self.name, **program}),
                    needs=Needs((program["url"],)),
                )
        return files

    def judging(
        self,
        prompts: str,
        settings: Settings,
        simulator: str,
        questions: str,
        templates: Mapping[str, str],
        attempts: int,
        label_id: str = "{sample_id}",
    ) -> Judging:
        """How a judge is queried.

        Args:
            prompts: class of the module ``judge``, with its ``settings``.
            simulator: class of the module ``simulator``.
            questions: module and name of the function.
            templates, attempts, label_id: of ``Judging``.
        """
        return Judging(
            prompts=self.component(f"judge:{prompts}", settings, packaged_files(templates)),
            readable=self.component("replies:readable"),
            schema=self.component("replies:schema"),
            questions=self.component(questions),
            simulator=self.component(f"simulator:{simulator}"),
            templates=templates,
            attempts=attempts,
            label_id=label_id,
        )
