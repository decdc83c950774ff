"""The resources that a config's jobs request, as Snakemake gets them."""

import logging
from pathlib import Path
from types import SimpleNamespace

from steadfast.jobs.evaluation import Evaluation
from steadfast.jobs.input_digests import InputDigests
from steadfast.jobs.job_resources import Scheduling
from steadfast.jobs.loads import Loads
from steadfast.schema.config import Config
from steadfast.workflow.failures import FailedJobs
from steadfast.workflow.insides import Snakemake


class Wildcards(dict):
    """Snakemake's: a mapping whose values are attributes too."""

    __getattr__ = dict.__getitem__


def scheduling(config: Config, results: Path, **workflow: object) -> Scheduling:
    """The scheduling of a run; ``workflow`` are attributes of Snakemake's workflow."""
    run = Evaluation(config)
    loads = Loads(run, InputDigests(run), results)
    failures = FailedJobs(results / "logs", logging.getLogger(__name__))
    return Scheduling(loads, Snakemake(SimpleNamespace(**workflow)), failures)
