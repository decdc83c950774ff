"""steadfast as a wheel installs it: the package lies in the workflow's tree, beside the Snakefile
whose rules name its scripts, and this one stands for it among the environment's packages."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

_package = Path(__file__).parents[1] / "steadfast_workflow/scripts/steadfast"
_spec = spec_from_file_location(__name__, _package / "__init__.py")
sys.modules[__name__] = module_from_spec(_spec)
_spec.loader.exec_module(sys.modules[__name__])
