"""A small run with a model whose answers try to do something, and the pieces of its page."""

import base64
import json
import re
import zlib
from pathlib import Path

from project import Project, over_http
from servers import Server, running
from steadfast.base.files import write_text

HOSTILE = {
    "script": "</script><script>document.title = 'owned'</script>",
    "image": "<img src=x onerror=\"document.title = 'owned'\">",
    "latex": r"$\frac{1}{2}$ \input{/etc/passwd} \(x\)",
    "ansi": "\x1b[31mred\x1b]0;owned\x07",
    "right-to-left": "\u202egnp.exe\u2066 \u05e9\u05dc\u05d5\u05dd",
    "null": "a\x00b\ud800c",
}
SAMPLES = {f"LSI/list-2k-s1/e0/v{place}": text for place, text in enumerate(HOSTILE.values())}
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
    """A judge that is content, and whose reply tries to do something."""

    def reply(self, prompt, path, body):
        made = super().reply(prompt, path, body)
        made["choices"][0]["message"]["content"] = VERDICT
        made["usage"] |= {"prompt_tokens": 100, "completion_tokens": 10}
        return made


def html_report_project(folder: Path) -> Project:
    """The project, run to its page."""
    project = Project.new(folder, {})
    answers = [{"sample_id": id, "text": text, "reasoning": LONG} for id, text in SAMPLES.items()]
    files = {"lifbench": answers, "followbench": [{"sample_id": JUDGED, "text": "An answer."}]}
    for name, records in files.items():
        lines = "".join(json.dumps(record) + "\n" for record in records)
        write_text(folder / f"answers/{name}.jsonl", lines)
    with running(kind=Judge) as server:
        judge = over_http(server.url, "judge-1", price=PRICE)
        project.configure(CONFIG | {"judges": CONFIG["judges"] | {"judge": judge}})
        project.snakemake("html_report", "results/tables")
    return project


def pieces(page: str) -> dict[str, object]:
    """What a page holds: the values of its pieces, and its pictures as texts."""
    found = {}
    for name, packed in PIECE.findall(page):
        text = zlib.decompress(base64.b64decode(packed)).decode()
        found[name] = text if name.startswith("figure/") else json.loads(text)["value"]
    return found
