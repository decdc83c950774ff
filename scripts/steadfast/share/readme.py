"""What a bundle says of itself to people."""

from collections.abc import Iterator

from steadfast.base.markdown import markdown_table
from steadfast.contract.exports import Exports, Source
from steadfast.contract.registry import packages
from steadfast.run.evaluation import Evaluation
from steadfast.share.contents import ANSWERS, CONFIG, CRATE, FURTHER, MADE, MANIFEST

PAGE = """# A run of steadfast

| what | where |
|---|---|
| the config, with its defaults | `{config}` |
| data, prompts, answers and verdicts, each with what produced it | `{answers}/` |
| scores, metrics and tables that the run made of them | `{made}/` |
| the results in the schema of Every Eval Ever | `{further}/` |
| the checksum of each file | `{manifest}` |
| the same for programs: a Workflow Run RO-Crate | `{crate}` |

## The tables again

In a clone of steadfast, of the version that `{manifest}` names as `commit`{packages}:

```sh
make unbundle BUNDLE=bundle.zip INTO=there
make tables CONFIG=there/{config} DIRECTORY=there
diff -rq -x ".*" there/{answers}/tables there/{made}/tables
```

No model is asked: the answers are here. `diff` says nothing where the tables are the same bytes.

## What was run

Benchmarks: {benchmarks}. Models: {models}.

{asked}
## Whose texts these are

{sources}
"""


def readme(run: Evaluation) -> str:
    """The page."""
    needed = ", ".join(f"{name} {version}" for name, version in packages(run.config).items())
    asked = [run.tasks[name].asked for name in run.running if run.tasks[name].asked]
    return PAGE.format(
        config=CONFIG,
        answers=ANSWERS,
        made=MADE,
        further=FURTHER,
        manifest=MANIFEST,
        crate=CRATE,
        packages=f", with {needed} installed beside it" if needed else "",
        benchmarks=", ".join(run.benchmarks[name].title for name in run.running),
        models=", ".join(f"`{name}`" for name in run.config.running),
        asked="".join(f"{sentence}\n\n" for sentence in asked),
        sources="\n\n".join(_sources(run)),
    )


def _sources(run: Evaluation) -> Iterator[str]:
    """Each text's source, and whether it may be passed on."""
    listed: dict[str, Source] = {}
    unknown = []
    for name in run.running:
        exports = run.tasks[name].exports
        if exports is None:
            unknown.append(run.benchmarks[name].title)
            continue
        how: Exports = exports.make()
        listed |= {source.name: source for source in how.about().sources}
    withheld = [one.name for one in listed.values() if one.redistribution in ("no", "unknown")]
    withheld += [f"the texts of {title}" for title in unknown]
    if withheld:
        yield (
            f"**Not for publication as it is**: of {', '.join(withheld)} the text may not be "
            "passed on, or nobody knows."
        )
    rows = [
        [one.name, one.origin, one.licence, one.redistribution, one.note] for one in listed.values()
    ]
    headers = ["source", "from", "licence", "may be passed on", "note"]
    yield markdown_table(headers, rows)
    yield "What models and judges wrote is here too: their providers' terms say what may be done."
