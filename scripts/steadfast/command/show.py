"""Prints one sample whole, from the results folder: make show SAMPLE=… (docs/trial.md)."""

import argparse
import sys
from pathlib import Path

from steadfast.command.says_why import says_why, take_any_text
from steadfast.config.load import load_config
from steadfast.config.source import read_source
from steadfast.page.sample_text import sample_text
from steadfast.page.view_sample import view_sample
from steadfast.run.evaluation import Evaluation

DEFAULT = "config/config.yaml"
NO_SAMPLE = """error: no sample is named; name one, such as
  make show SAMPLE=LSI/list-4k-s1/e1/v1
Names are the sample_id of each line of results/{benchmark}/outputs/{model}/{part}.jsonl."""


def main() -> None:
    """Reads the command line, prints, and ends with 1 where there is no such sample."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sample", help="sample_id, as prompts, outputs and scores have it")
    parser.add_argument("--config", default=DEFAULT, help="a config file")
    parser.add_argument("--model", help="one model's answers; by default those of all")
    given = parser.parse_args()
    if not given.sample:
        sys.exit(NO_SAMPLE)
    take_any_text()
    with says_why(given.config):
        config = load_config(read_source(given.config))
    results = Path(config.pathvars.get("results", "results"))
    with says_why(results):
        seen = view_sample(Evaluation(config), results, given.sample, given.model)
        print("\n".join(map(sample_text, seen)), end="")


if __name__ == "__main__":
    main()
