"""What a bundle says of itself to people."""

from collections.abc import Iterator

from steadfast.base.files import read_text
from steadfast.base.markdown import markdown_table
from steadfast.base.resources import resource
from steadfast.contract.exports import Exports, Source
from steadfast.contract.registry import packages
from steadfast.run.evaluation import Evaluation
from steadfast.share.contents import ANSWERS, CONFIG, CRATE, FURTHER, MADE, MANIFEST


def readme(run: Evaluation) -> str:
    """Returns the page."""
    page = read_text(resource("bundle/readme.md"))
    needed = ", ".join(f"{name} {version}" for name, version in packages(run.config).items())
    asked = [run.tasks[name].asked for name in run.running if run.tasks[name].asked]
    return page.format(
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
