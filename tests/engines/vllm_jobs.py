"""A folder with LIFBench's prompts and a tiny model, and jobs that run in it with real vLLM."""

import subprocess
from pathlib import Path
from typing import Any

import short_lifbench
from steadfast.base.files import read_json, read_jsonl, write_json
from steadfast.jobs.job import Job
from vllm_venv import environment, vllm_python, warm_vllm

HERE = Path(__file__).parent
TINY = {
    "engine": "vllm",
    "window": 8192,
    "engine_args": {"dtype": "float32"},
    "engine_operation_args": {"enforce_eager": True},
}


def at_once(number: int) -> dict:
    """Settings of a model that computes so many requests at once."""
    return {"engine_operation_args": {**TINY["engine_operation_args"], "max_num_seqs": number}}


class Jobs:
    """A folder with prompts and a tiny model, and the jobs that run in it.

    Args:
        section: further settings of LIFBench.
    """

    def __init__(self, folder: Path, lengths: dict[str, int], **section: Any):
        self.folder = folder
        self.python = vllm_python()
        self.section = {"lengths": lengths, **section}
        self.warm = warm_vllm()
        self.built = short_lifbench.build(folder, lengths, expressions=1, most_output=16, **section)
        texts = []
        for path in sorted((self.built.folder / "contexts").rglob("*.jsonl")):
            texts += [context["text"] for context in read_jsonl(path)]
        (folder / "text.txt").write_text("\n".join(texts), encoding="utf-8")
        self.model = folder / "model"
        self.run_python(HERE / "tiny_model.py", self.model, folder / "text.txt")
        self.models: dict[str, dict] = {}

    def run_python(self, *arguments: object) -> str:
        """Runs a program, which must succeed, and returns its output."""
        command = [self.warm, *map(str, arguments)]
        process = subprocess.run(command, env=environment(), capture_output=True, text=True)
        assert process.returncode == 0, process.stderr
        return process.stdout

    def add(self, name: str, **settings) -> None:
        self.configure(name, {**TINY, "model": str(self.model), **settings})

    def configure(self, name: str, settings: dict) -> None:
        self.models[name] = settings
        config = {"lifbench": self.section, "models": self.models}
        write_json(self.folder / "config.json", config)

    def start(
        self, name: str, length: str, *options: str, warm: bool = False, **variables: str
    ) -> subprocess.Popen:
        python = self.warm if warm else self.python
        # A file takes the engine's many lines: a pipe that nobody reads would fill.
        with open(self.folder / f"{name}.stderr", "w") as messages:
            return subprocess.Popen(
                [python, HERE / "vllm_job.py", "config.json", name, length, *options],
                cwd=self.folder,
                env=environment(**variables),
                stdout=messages,
                stderr=subprocess.STDOUT,
            )

    def run(self, name: str, length: str, *options: str, code: int = 0, **variables: str) -> str:
        """Runs a job, which must end with that code, and returns its messages."""
        job = self.start(name, length, *options, warm=True, **variables)
        exit_code = job.wait()
        messages = (self.folder / f"{name}.stderr").read_text()
        assert exit_code == code, messages
        return messages

    def outputs(self, name: str, length: str) -> list[dict]:
        return list(read_jsonl(self.built.outputs(name, length)))

    def outputs_without_cache(self, name: str, length: str) -> list[dict]:
        """Outputs without their cached tokens: after a restart, a context is computed again."""
        return [output | {"cached_tokens": 0} for output in self.outputs(name, length)]

    def provenance(self, name: str, length: str) -> dict:
        return read_json(self.built.outputs(name, length).with_suffix(".provenance.json"))

    def journal(self, name: str, length: str) -> Path:
        return self.built.results / Job("inference", "lifbench", name, length).journal

    def log(self, name: str, length: str) -> str:
        job = Job("inference", "lifbench", name, length)
        return (self.folder / "results" / job.log).read_text()
