"""Instances checked against the annotation guidelines (supplement, 5.1, 5.2 and 5.5).

``python -m steadfast.benchmarks.complexbench.schema FILE`` prints all that is wrong with
a file of instances, and exits with 1 where there are errors.
"""

import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from steadfast.base.errors import UserError
from steadfast.base.files import read_json
from steadfast.benchmarks.complexbench.branches import branch_findings
from steadfast.benchmarks.complexbench.guidelines import file_findings, instance_findings
from steadfast.benchmarks.complexbench.instance import Finding, Instance
from steadfast.benchmarks.complexbench.shape import shape

COMMAND = "PYTHONPATH=scripts python -m steadfast.benchmarks.complexbench.schema"


def read_instances(path: Path | str) -> list[object]:
    """The instances of a JSON file: an array, or a single object."""
    value = read_json(path)
    if isinstance(value, dict):
        return [value]
    if not isinstance(value, list) or not value:
        raise UserError(f"{path}: no instances; write a JSON array of them, or a single object")
    return value


def check(raw: Sequence[object], published: bool = False) -> tuple[list[Instance], list[Finding]]:
    """The instances of the schema's shape, and all findings in the instances' order.

    What the benchmark's authors published is taken as it is: what no annotator may do, but can be
    scored all the same, is a warning there.
    """
    all_shaped = [shape(position, value) for position, value in enumerate(raw)]
    whole = {p: s.instance for p, s in enumerate(all_shaped) if s.instance and not s.unread}
    findings = [*file_findings(whole), *branch_findings(whole)]
    for position, shaped in enumerate(all_shaped):
        findings += shaped.findings
        if shaped.instance:
            findings += instance_findings(position, shaped.instance, shaped.unread)
    if published:
        findings = [f if f.structural else replace(f, severity="warning") for f in findings]
    findings.sort(key=lambda found: found.position)
    return list(whole.values()), findings


def stop_at_errors(path: Path | str, findings: Iterable[Finding]) -> None:
    """Ends with the first error and the number of the others."""
    errors = [found for found in findings if found.severity == "error"]
    if errors:
        more = f"; {len(errors) - 1} more errors: {COMMAND} {path}" if errors[1:] else ""
        raise UserError(f"{path}: {errors[0].place}: {errors[0].sentence}{more}")


def main(arguments: list[str]) -> int:
    """Prints all findings of each file, and a line that sums them up.

    Returns:
        1 where there is an error, 2 where a file cannot be read.
    """
    if not arguments:
        print(f"usage: {COMMAND} FILE…", file=sys.stderr)
        return 2
    failed = 0
    for path in arguments:
        try:
            raw = read_instances(path)
        except UserError as error:
            print(f"error: {error}", file=sys.stderr)
            failed = 2
            continue
        findings = check(raw)[1]
        for found in findings:
            print(f"{found.severity:<7}  {found.place}: {found.sentence}")
        errors = sum(found.severity == "error" for found in findings)
        warnings = len(findings) - errors
        print(f"{path}: {len(raw)} instances, {errors} errors, {warnings} warnings")
        failed = max(failed, int(errors > 0))
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
