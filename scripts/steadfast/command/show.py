"""Prints one sample with responses and scores: steadfast show SAMPLE (docs/checks.md)."""

import sys
from argparse import Namespace

from steadfast.command.error_message import errors_as_messages
from steadfast.command.run_config import read_config
from steadfast.html_report.sample_text import sample_text
from steadfast.html_report.view_sample import EXAMPLES, examples, view_sample
from steadfast.jobs.evaluation import Evaluation

EXAMPLE = "steadfast show LSI/list-4k-s1/e1/v1 --model my-model"
NO_SAMPLE = f"""error: name a sample, such as
  {EXAMPLE}
Names are the sample_id in results/{{benchmark}}/outputs/{{model}}/{{part}}.jsonl.
The name {EXAMPLES} shows one sample of each task."""


def main(arguments: Namespace) -> None:
    """Prints a sample and its responses; exit code 1 if there is no such sample."""
    if not arguments.sample:
        sys.exit(NO_SAMPLE)
    _, config, results = read_config(arguments.config)
    with errors_as_messages(results):
        run = Evaluation(config)
        if arguments.sample == EXAMPLES:
            samples = examples(run, results)
        else:
            samples = view_sample(run, results, arguments.sample, arguments.model)
        print("\n".join(map(sample_text, samples)), end="")
