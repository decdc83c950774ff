"""Snakemake as the command ``steadfast`` starts it: users' mistakes end in one error message."""

import signal
import sys

if __name__ == "__main__" and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    # Until the Snakefile handles Ctrl-C (``failures.FailedJobs``), it ends without a traceback.
    signal.signal(signal.SIGINT, signal.SIG_DFL)

from snakemake import cli

from steadfast.workflow import insides
from steadfast.workflow.mistakes import error_sentence

if __name__ == "__main__":
    sys.argv[0] = "snakemake"  # the program's name in messages about options
    insides.shorten_messages()
    insides.replace_error_messages(error_sentence)
    cli.main()
