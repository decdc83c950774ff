"""Contexts of the three scenarios, filled exactly to a token budget (paper, section 3.2)."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

from steadfast.errors import UserError
from steadfast.files import Record, write_jsonl
from steadfast.lifbench.contexts import lists, multidoc, onedoc
from steadfast.tokens import load_tokenizer

CORPORA_OF = {
    "list": ("alpaca",),
    "multidoc": ("govreport", "xsum", "qmsum", "paul_graham"),
    "onedoc": ("paul_graham",),
}
BUILDERS = {"list": lists.build, "multidoc": multidoc.build, "onedoc": onedoc.build}


def build_contexts(
    scenario: str,
    length: str,
    budget: int,
    seeds: list[int],
    corpora: dict[str, Path],
    tokenizer: str,
    out: Path,
) -> None:
    """Write one context for each seed.

    A context depends on its seed, scenario, length and budget, on the corpora and the tokenizer,
    and on nothing else. Its text has at most ``budget`` tokens, and one element, document or
    sentence more would exceed that.

    Args:
        scenario: ``list``, ``multidoc`` or ``onedoc``.
        length: the length's name, such as ``4k``.
        budget: in tokens.
        seeds: one context each, in this order.
        corpora: the path of each corpus in ``CORPORA_OF[scenario]``.
        tokenizer: the name of the encoding that counts.
        out: JSON lines, replaced atomically.

    Raises:
        UserError: a corpus is missing or too small, or the budget holds too little.
    """
    paths = {corpus: Path(corpora[corpus]) for corpus in CORPORA_OF[scenario]}
    write_jsonl(out, _contexts(scenario, length, budget, seeds, paths, tokenizer))


def _contexts(
    scenario: str,
    length: str,
    budget: int,
    seeds: list[int],
    corpora: dict[str, Path],
    tokenizer: str,
) -> Iterator[Record]:
    counter = load_tokenizer(tokenizer)
    for seed in seeds:
        rng = Random(f"{seed}/{scenario}/{length}")
        context = BUILDERS[scenario](rng, budget, corpora, counter)
        if not context["text"]:
            raise UserError(
                f"{scenario} {length}: not one unit fits into {budget} tokens; raise the budget"
            )
        yield {
            "context_id": f"{scenario}-{length}-s{seed}",
            "scenario": scenario,
            "length": length,
            "seed": seed,
            "budget": budget,
            **context,
        }
