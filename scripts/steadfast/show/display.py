"""How results are shown: digits, and the models' labels, groups and engines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from steadfast.base.files import Settings
from steadfast.base.resources import facts


def trial_remark(limit: int | None) -> str:
    """Returns the sentence that something is of a trial; empty where there is no limit."""
    return facts("show.yaml")["trial"].format(limit=limit) if limit else ""


@dataclass(frozen=True)
class Shown:
    """How a model or judge is shown: its label, the heading that it stands under, its engine."""

    label: str
    group: str = ""
    engine: str = ""


@dataclass(frozen=True)
class Display:
    """How tables and figures look; no number depends on it.

    Attributes:
        digits: decimals of printed scores.
        group_order: order of the models' groups; others follow by name.
        published: whether tables show what the papers print.
        models: in the config's order, by which they have their colours.
        judges: the one that counts first.
        limit: prompts of each task and part, of a trial; None where all are asked.
    """

    digits: int = 3
    group_order: Sequence[str] = ()
    published: bool = False
    models: Mapping[str, Shown] = field(default_factory=dict)
    judges: Mapping[str, Shown] = field(default_factory=dict)
    limit: int | None = None

    @property
    def trial(self) -> str:
        """Returns the sentence that all tables and figures of a trial have; empty where not."""
        return trial_remark(self.limit)

    @classmethod
    def of(cls, settings: Settings) -> "Display":
        """Reads the plain values of ``config.settings.display``."""
        shown = {
            key: {name: Shown(**how) for name, how in settings[key].items()}
            for key in ("models", "judges")
            if key in settings
        }
        return cls(**{**settings, **shown})
