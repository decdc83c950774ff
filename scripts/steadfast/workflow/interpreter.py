"""The interpreter of a job: vLLM has an environment of its own, apart from the locked base."""

import os
import subprocess
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.files import Settings
from steadfast.base.resources import HOME
from steadfast.contract.engine_names import OWN_ENVIRONMENT

# Environment variable of a job that continues in another interpreter, with its path.
ENTERED = "STEADFAST_INTERPRETER"


def enter(models: Iterable[Settings]) -> None:
    """Restarts the job's script in the interpreter that the models' engines need, if another.

    It restarts in this process; a forked process starts another one and waits for it.
    """
    python = next(filter(None, map(interpreter, models)), None)
    if python is None or os.environ.get(ENTERED) == str(python):
        return
    os.environ[ENTERED] = str(python)
    sys.stdout.flush()
    sys.stderr.flush()
    command = [str(python), *sys.argv]
    if sys.argv[0] not in sys.orig_argv:
        sys.exit(subprocess.run(command, check=False).returncode)
    os.execv(python, command)


def interpreter(model: Settings) -> Path | None:
    """The interpreter that a model's jobs need; None for the one that they start in."""
    served = model.get("serve") or "/" in (model.get("tokenizer") or "")
    engine = "vllm" if served else model["engine"]
    if engine not in OWN_ENVIRONMENT:
        return None
    module, folder = OWN_ENVIRONMENT[engine]
    if stated := model.get("python"):
        if not os.access(stated, os.X_OK):
            raise UserError(
                f"python: {stated} is not a Python interpreter; name one that has {module}"
            )
        return Path(stated)
    python = HOME / folder / "bin" / "python"
    return python if python.exists() and find_spec(module) is None else None
