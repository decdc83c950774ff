"""Snakemake as the command ``steadfast`` starts it: without its line on the profile, and with one
sentence for what is wrong before the Snakefile is read."""

import signal
import sys

if __name__ == "__main__" and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    # Until the Snakefile looks after Ctrl-C (``failures.FailedJobs``) there is nothing to say.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from snakemake import cli

from steadfast.workflow import insides
from steadfast.workflow.mistakes import sentence

if __name__ == "__main__":
    sys.argv[0] = "snakemake"  # which messages on options begin with
    insides.speak_briefly()
    insides.say_errors(sentence)
    cli.main()
