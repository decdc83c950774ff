"""The domains of contexts, by scenario."""

from collections.abc import Mapping, Sequence

from steadfast.base.files import Settings
from steadfast.base.names import quoted, suggestion
from steadfast.base.resources import facts

# By scenario and name; the first of each scenario is the paper's.
DOMAINS: Mapping[str, Mapping[str, Settings]] = facts("corpora/domains.yaml")


def usual_domain(scenario: str) -> str:
    """The domain of the paper's contexts.

    >>> usual_domain("onedoc")
    'paul_graham'
    """
    return next(iter(DOMAINS[scenario]))


def facts_of(scenario: str, domain: str = "") -> Settings:
    """The facts on a domain (empty: the paper's)."""
    return DOMAINS[scenario][domain or usual_domain(scenario)]


def check_domains(scenario: str, names: Sequence[str]) -> None:
    """Raises ValueError for unknown domains of a scenario, or a single one."""
    domain = DOMAINS[scenario]
    for name in names:
        if name not in domain:
            raise ValueError(
                f"{scenario}: unknown domain {quoted(name)}; {suggestion(name, domain)}"
            )
    if len(set(names)) < 2:
        raise ValueError(
            f"{scenario}: one domain cannot be compared with another; name two of "
            f"{', '.join(domain)}, or remove {scenario}"
        )
