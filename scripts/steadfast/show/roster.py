"""How results are shown: which models, their labels and headings, and which compete."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

from steadfast.base.files import Settings
from steadfast.base.resources import facts
from steadfast.contract.records import OWN
from steadfast.show.table import Cell, Section, Table

SUMMARY_TABLES = ("summary", "summary_correlations")  # the tables of all benchmarks together
UNRANKED = ("simulated", "baseline", "reference")
KINDS = ("model", *UNRANKED)
SCORED = "scored"  # engine of models whose scores were released
STRINGS = facts("show.yaml")
NOTES: Mapping[str, str] = STRINGS["notes"]


def trial_remark(limit: int | None) -> str:
    """Returns the remark on a trial; empty without a limit."""
    return STRINGS["trial"].format(limit=limit) if limit else ""


def adaptive_remark(decisions: Iterable[Settings], display: "Display") -> list[str]:
    """Returns the sentences on the rounds of adaptive runs, by their last decisions."""
    forms = STRINGS["adaptive"]
    sentences = []
    for decision in decisions:
        by_rounds: dict[int, list[str]] = {}
        for name, outcome in decision["models"].items():
            label = display.models.get(name, DisplayedModel(name)).label
            by_rounds.setdefault(outcome["rounds"], []).append(label)
        rounds = []
        for number, models in sorted(by_rounds.items(), reverse=True):
            rounds.append(forms["answered"].format(round=number, models=", ".join(models)))
        design = decision["design"]
        continuing = len(decision["goes_on"])
        state = forms["under_way" if continuing else "stopped"].format(
            round=decision["rounds"], most=design["contexts"], models=continuing
        )
        goal = f"the best {design['top']}" if design["top"] > 1 else "the best"
        slots = {"state": state, "goal": goal, "measure": decision["measure"]}
        sentences.append(forms["whole"].format(rounds="; ".join(rounds), **slots))
    return sentences


@dataclass(frozen=True)
class DisplayedModel:
    """How a model or judge is shown: its label, the heading that it stands under, its engine.

    ``series`` and ``base`` (not tuned to follow instructions) matter to figures by series.
    """

    label: str
    group: str = ""
    engine: str = ""
    series: str = ""
    base: bool = False


@dataclass(frozen=True)
class Display:
    """How tables and figures look; no number depends on it.

    Attributes:
        digits: decimals of printed scores.
        group_order: order of the models' groups; others follow by name.
        published: whether tables show what the papers print.
        models: in the config's order, by which they have their colours.
        judges: the one that counts first.
        limit: prompts of each task and part, of a trial; None where all are evaluated.
    """

    digits: int = 3
    group_order: Sequence[str] = ()
    published: bool = False
    models: Mapping[str, DisplayedModel] = field(default_factory=dict)
    judges: Mapping[str, DisplayedModel] = field(default_factory=dict)
    limit: int | None = None

    @property
    def trial(self) -> str:
        """Returns the remark on a trial, which all its tables and figures have; else empty."""
        return trial_remark(self.limit)

    def with_remarks(self, table: Table, data_notes: Sequence[str]) -> Table:
        """Returns a table with what all have: its data, a trial's remark, notes in three lines."""
        return replace(table.with_data_notes(data_notes), remark=self.trial).with_merged_notes()

    @classmethod
    def of(cls, settings: Settings) -> "Display":
        """Reads the plain values of ``config.settings.display``."""
        values = dict(settings)
        for key in {"models", "judges"} & settings.keys():
            values[key] = {name: DisplayedModel(**fields) for name, fields in settings[key].items()}
        return cls(**values)


@dataclass(frozen=True)
class Group:
    """Models of one kind (one of ``KINDS``) under one heading."""

    heading: str
    models: tuple[str, ...]
    kind: str

    @property
    def unranked(self) -> bool:
        """Returns whether they are no real models."""
        return self.kind in UNRANKED

    @property
    def full_heading(self) -> str:
        """Returns the heading, which says so where its members are no real models."""
        if not self.unranked:
            return self.heading
        form: str = STRINGS["unranked"][self.kind]
        return form.format(group=self.heading).strip()

    def section(self, rows: Iterable[tuple[Cell, ...]]) -> Section:
        """Returns rows of these models under their heading."""
        return Section(tuple(rows), self.full_heading, self.unranked)


def members(groups: Iterable[Group]) -> list[str]:
    """Returns the models of all groups, in their order."""
    return list(chain.from_iterable(group.models for group in groups))


class Roster:
    """The models of a table and how they are shown.

    Args:
        models: names of the models that have results.
        display: how they are shown; without a model's engine, a name that starts with ``sim-``
            is that of a simulated model.
        prompts: whose prompts each model answered (``stats.scores.models_by_prompts``); by default
            all the same.
    """

    def __init__(
        self, models: Iterable[str], display: Display, prompts: Mapping[str, str] | None = None
    ):
        self.models = sorted(models)
        prompts_of_models = {model: (prompts or {}).get(model, OWN) for model in self.models}
        mixed = len(set(prompts_of_models.values())) > 1
        # Models that answered other prompts than the others.
        apart = [model for model, whose in prompts_of_models.items() if whose != OWN]
        self.apart = frozenset(apart if mixed else ())
        self._display = display
        scored = frozenset(filter(self.is_released, self.models))
        # Models with released scores among others that answered the same prompts.
        self.released = scored - self.apart if len(scored) < len(self.models) else frozenset()
        self._order = {name: place for place, name in enumerate(display.models)}

    def label(self, model: str) -> str:
        """Returns the model's name in tables, which says so where its scores were released."""
        form = STRINGS["apart"] if model in self.apart | self.released else "{model}"
        return form.format(model=self._shown(model).label)

    def figure_label(self, model: str) -> str:
        """Returns the model's name in figures, which says so where it is no real model."""
        form: str = STRINGS["labels"].get(self.kind(model), "{model}")
        return form.format(model=self.label(model))

    def _shown(self, model: str) -> DisplayedModel:
        default = "simulated" if model.startswith("sim-") else model
        return self._display.models.get(model, DisplayedModel(model, engine=default))

    def kind(self, model: str) -> str:
        """Returns one of ``KINDS``."""
        engine = self._shown(model).engine
        return engine if engine in UNRANKED else "model"

    def is_released(self, model: str) -> bool:
        """Returns whether the model's scores were released, so that nothing was requested here."""
        return self._shown(model).engine == SCORED

    def place(self, model: str) -> int:
        """Returns the model's place in the config, whichever others have results."""
        ordered = self._order
        return ordered[model] if model in ordered else len(ordered) + self.models.index(model)

    @property
    def has_series(self) -> bool:
        """Returns whether any of the models has a series, or is a base model."""
        return any(self._shown(m).series or self._shown(m).base for m in self.models)

    def series(self, model: str) -> tuple[str, bool]:
        """Returns a model's series, by default its name, and whether it is a base model."""
        shown = self._shown(model)
        return shown.series or model, shown.base

    @property
    def judge_note(self) -> str | None:
        """Returns whose verdicts count, and whether that is a real model; of models first."""
        unranked = {self.kind(model) in UNRANKED for model in self.models}
        first: dict[bool, str] = {}  # the first real judge's label, and the first simulated one's
        for judge in self._display.judges.values():
            first.setdefault(judge.engine in UNRANKED, judge.label)
        kinds = unranked & first.keys() or first.keys()
        if not kinds:
            return None
        note = "both_judges" if len(kinds) > 1 else "simulated_judge" if True in kinds else "judge"
        return NOTES[note].format(judge=first.get(False), simulator=first.get(True))

    def is_simulated(self, judge: str) -> bool:
        """Returns whether a judge, with any prompt, is simulated."""
        name, _, _ = judge.partition(" (")  # votes.rater_name
        return self._display.judges.get(name, DisplayedModel(name)).engine in UNRANKED

    @property
    def contenders(self) -> list[str]:
        """Returns the models that are ranked: the real ones; without any, the simulated models."""
        for kind in ("model", "simulated"):
            models = [model for model in self.models if self.kind(model) == kind]
            if models:
                return models
        return []

    def contenders_among(self, values: Collection[str]) -> list[str]:
        """Returns the contenders among some models, such as those that have a value."""
        return [model for model in self.contenders if model in values]

    @property
    def has_no_real_model(self) -> bool:
        """Returns whether the simulated models compete, for want of models."""
        return {self.kind(model) for model in self.contenders} == {"simulated"}

    def groups(self, value: Mapping[str, float]) -> list[Group]:
        """Returns the groups in the display's order, models by falling value, simulated last."""
        order = {name: i for i, name in enumerate(self._display.group_order)}
        members: dict[tuple[int, int, str], list[str]] = {}
        for model in self.models:
            heading = self._shown(model).group
            key = (KINDS.index(self.kind(model)), order.get(heading, len(order)), heading)
            members.setdefault(key, []).append(model)
        groups = []
        for (kind, _, heading), models in sorted(members.items()):
            ordered = sorted(models, key=lambda m: (m not in value, -value.get(m, 0), m))
            groups.append(Group(heading, tuple(ordered), KINDS[kind]))
        return groups
