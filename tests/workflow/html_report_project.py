"""A small run with hostile responses and a hostile judge, and the contents of its HTML report."""

import base64
import json
import re
import zlib
from pathlib import Path

from project import Project, over_http
from servers import Server, running
from steadfast.base.files import write_jsonl

HOSTILE = {
    "script": "</script><script>document.title = 'owned'</script>",
    "image": "<img src=x onerror=\"document.title = 'owned'\">",
    "latex": r"$\frac{1}{2}$ \input{/etc/passwd} \(x\)",
    "ansi": "\x1b[31mred\x1b]0;owned\x07",
    "right-to-left": "\u202egnp.exe\u2066 \u05e9\u05dc\u05d5\u05dd",
    "null": "a\x00b\ud800c",
}
HOSTILE_SAMPLES = {kind: f"LSI/list-2k-s1/e0/v{n}" for n, kind in enumerate(HOSTILE)}
LONG = " ".join(str(n * n) for n in range(900))[:5_000]
JUDGED = "en/content/1/1"
VERDICT = HOSTILE["script"] + "\n['YES']"
CONFIG = {
    "benchmarks": ["lifbench", "followbench"],
    "lifbench": {"lengths": {"2k": 2048}, "tasks": ["LSI"]},
    "followbench": {"languages": ["en"]},
    "judges": {"reference": {"engine": "reference"}},
    "models": {
        "reference": {"engine": "reference"},
        "sim-a": {"engine": "simulated", "span": 3000, "slip": 0.4},
        "sim-b": {"engine": "simulated"},
        "hostile": {
            "engine": "replay",
            "file": "answers/{benchmark}.jsonl",
            "label": "<b>H</b>",
            "allowed_failures": 1.0,
        },
    },
}
PRICE = {"input": 1.0, "cached": 0.5, "output": 2.0}
PIECE = re.compile(r'<script type="text/plain" data-piece="([^"]*)">([^<]*)</script>')


class Judge(Server):
    """A judge whose verdict is always yes, in a hostile reply."""

    def reply(self, prompt, path, body):
        reply = super().reply(prompt, path, body)
        reply["choices"][0]["message"]["content"] = VERDICT
        reply["usage"] |= {"prompt_tokens": 100, "completion_tokens": 10}
        return reply


def html_report_project(folder: Path) -> Project:
    """The project after a run."""
    project = Project.new(folder, {})
    responses = []
    for kind, sample in HOSTILE_SAMPLES.items():
        responses.append({"sample_id": sample, "text": HOSTILE[kind], "reasoning": LONG})
    write_jsonl(folder / "answers/lifbench.jsonl", responses)
    response = {"sample_id": JUDGED, "text": "An answer."}
    write_jsonl(folder / "answers/followbench.jsonl", [response])
    with running(kind=Judge) as server:
        judge = over_http(server.url, "judge-1", price=PRICE)
        project.configure(CONFIG | {"judges": CONFIG["judges"] | {"judge": judge}})
        project.snakemake("html_report", "results/tables")
    return project


def pieces(page: str) -> dict[str, object]:
    """The values of a report's pieces by name; figures are texts."""
    values = {}
    for name, packed in PIECE.findall(page):
        text = zlib.decompress(base64.b64decode(packed)).decode()
        values[name] = text if name.startswith("figure/") else json.loads(text)["value"]
    return values
