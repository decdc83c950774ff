"""Prints one sample whole, from the results folder: steadfast show SAMPLE (docs/checks.md)."""

import sys
from argparse import Namespace
from pathlib import Path

from steadfast.base.commands import typed
from steadfast.command.says_why import says_why
from steadfast.config.load import load_config
from steadfast.config.source import default_config, read_source
from steadfast.html_report.sample_text import sample_text
from steadfast.html_report.view_sample import EXAMPLES, examples, view_sample
from steadfast.jobs.evaluation import Evaluation

EXAMPLE = typed("show", sample="LSI/list-4k-s1/e1/v1", model="my-model")
NO_SAMPLE = f"""error: no sample is named; name one, such as
  {EXAMPLE}
Names are the sample_id of each line of results/{{benchmark}}/outputs/{{model}}/{{part}}.jsonl.
The name {EXAMPLES} shows one of each task."""


def main(given: Namespace) -> None:
    """Prints what is known of a sample; ends with 1 where there is none of that name."""
    if not given.sample:
        sys.exit(NO_SAMPLE)
    file = given.config or default_config()
    with says_why(file):
        config = load_config(read_source(file))
    results = Path(config.pathvars.get("results", "results"))
    with says_why(results):
        run = Evaluation(config)
        if given.sample == EXAMPLES:
            seen = examples(run, results)
        else:
            seen = view_sample(run, results, given.sample, given.model)
        print("\n".join(map(sample_text, seen)), end="")
