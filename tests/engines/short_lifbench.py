"""LIFBench, short: all eleven tasks on synthetic text, in the folders where jobs look for them."""

from pathlib import Path

from steadfast.corpora import CORPORA, build_corpus
from steadfast.files import read_json, read_jsonl, write_json, write_jsonl
from steadfast.lifbench.benchmark import RESULTS
from steadfast.lifbench.contexts import CORPORA_OF, build_contexts
from steadfast.lifbench.expressions import build_expressions
from steadfast.lifbench.prompts import build_prompts
from steadfast.lifbench.tasks import RESOURCES, SCENARIOS, TASKS


def build(
    folder: Path,
    lengths: dict[str, int],
    expressions: int | None = 1,
    most_output: int | None = None,
    corpus_tokens: int = 128 * 1024,
) -> dict[str, Path]:
    """Builds contexts, expressions and prompts below a folder; returns the prompts by length.

    Args:
        expressions: wordings of each task; None: all of them.
        most_output: tokens; a lower output limit than the tasks' own, to save time.
    """
    results = folder / RESULTS
    corpora = {name: folder / f"results/corpora/{name}.jsonl" for name in CORPORA}
    for name, path in corpora.items():
        build_corpus(name, {"kind": "synthetic", "tokens": corpus_tokens}, 1, path)
    wordings = {task: results / "expressions" / f"{task}.json" for task in TASKS}
    for task, path in wordings.items():
        own = RESOURCES / "expressions" / f"{task}.yaml"
        build_expressions(task, "own", own, None, path)
        found = read_json(path)
        write_json(path, found | {"expressions": found["expressions"][:expressions]})
    prompts = {}
    for length, budget in lengths.items():
        contexts = {name: results / "contexts" / name / f"{length}.jsonl" for name in SCENARIOS}
        for name, path in contexts.items():
            own = {corpus: corpora[corpus] for corpus in CORPORA_OF[name]}
            build_contexts(name, length, budget, [1], own, "o200k_base", path)
        prompts[length] = out = results / "prompts" / f"{length}.jsonl"
        build_prompts(length, 1, list(TASKS), contexts, wordings, out)
        if most_output:
            records = list(read_jsonl(out))
            write_jsonl(
                out, [r | {"max_tokens": min(r["max_tokens"], most_output)} for r in records]
            )
    return prompts
