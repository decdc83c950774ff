"""Coverage of intervals, and how often equal models differ significantly.

Runs are sampled from populations with a known mean and evaluated by the project's own functions, a
run a model. Widths are relative to the exact interval: the project's, scaled about its value until
it covers the truth in exactly 95 of 100 of these runs.

Run: ``PYTHONPATH=scripts python bench/intervals.py [PART ...]``, where a part is kinds, means,
stability, differences, overall or raters. What kinds prints, in seconds, is in intervals.md.
"""

import sys
from collections.abc import Callable, Iterable, Sequence
from itertools import product

import numpy as np
import pandas as pd

from steadfast.benchmarks.lifbench.measures import ars, bootstrap, ifs
from steadfast.benchmarks.lifbench.scored_tasks import PAPER
from steadfast.contract.records import OVERALL
from steadfast.stats.agreement import agreement_rows
from steadfast.stats.intervals import Clusters, Estimates
from steadfast.stats.pairs import compare_models
from steadfast.stats.step_down import step_down

RUNS = 400
MANY = 4000
TASKS = {"LSI": "list", "MF": "multidoc", "OQ": "onedoc"}
LENGTHS = ["4k", "8k", "16k", "32k", "64k", "128k"]
TREND = 0.06  # of the mean from one length to the next
RATERS = ("first", "second")
Effects = Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]


def normal(rng: np.random.Generator, size: tuple[int, ...]) -> np.ndarray:
    """Contexts with normal differences."""
    return rng.normal(0, 0.06, size)


def skewed(rng: np.random.Generator, size: tuple[int, ...]) -> np.ndarray:
    """Contexts with an exponential distribution: a few are much harder."""
    return 0.06 - rng.exponential(0.06, size)


def failing(share: float) -> Effects:
    """Contexts of which a share fails completely, and the others make up for it."""

    def effects(rng: np.random.Generator, size: tuple[int, ...]) -> np.ndarray:
        return np.where(rng.random(size) < share, -0.7, 0.7 * share / (1 - share))

    return effects


def shares(mean: float, likeness: float = 0.2) -> Effects:
    """Samples right or wrong, with a probability that differs by context (beta distribution)."""
    scale = (1 - likeness) / likeness

    def effects(rng: np.random.Generator, size: tuple[int, ...]) -> np.ndarray:
        return rng.beta(mean * scale, (1 - mean) * scale, size)

    return effects


def runs(
    effects: Effects,
    contexts: int,
    lengths: Sequence[str],
    models: int,
    nested: bool = False,
    **options: float,
) -> pd.DataFrame:
    """Scores of many models on the same samples, five of each task in a context.

    Args:
        effects: of contexts on the totals, or probabilities of being right if ``mean`` is 0.
        contexts: of each scenario and length.
        lengths: their names.
        models: how many.
        nested: whether all lengths of a context are a family, with one effect on the totals.
        options: mean (0.7) and trend (0) of the totals, spread of expressions (0), seed (0).
    """
    rng = np.random.default_rng([contexts, len(lengths), int(options.get("seed", 0))])
    mean = options.get("mean", 0.7)
    trend = options.get("trend", 0.0)
    shape = (models, len(TASKS), len(lengths), contexts, 5)
    model, task, length, context, sample = np.indices(shape).reshape(len(shape), -1)
    level = effects(rng, (*shape[:2], 1 if nested else len(lengths), contexts, 1))
    if mean:
        middle = (len(lengths) - 1) / 2
        level = level + mean - trend * (np.arange(len(lengths)) - middle)[:, None, None]
        expressions = options.get("spread", 0.0) * np.array([-1, -0.5, 0, 0.5, 1])
        totals = level + expressions + rng.normal(0, 0.1, shape)
    else:
        totals = (rng.random(shape) < level).astype(float)
    tasks = np.array(list(TASKS))
    names = np.array(lengths)
    scenario = np.array(list(TASKS.values()))[task]
    frame = pd.DataFrame({"model": model, "task": tasks[task], "length": names[length]})
    kind = pd.Series(scenario) + ("" if nested else "-" + frame["length"])
    frame["cluster"] = kind + "/" + pd.Series(context.astype(str))
    frame = frame.assign(
        stratum=scenario, total=totals.ravel(), expression_id=sample, variable_id=0, repeat=0
    )
    frame["sample_id"] = kind + pd.Series(context.astype(str)) + "/" + pd.Series(sample.astype(str))
    frame["model"] = pd.Categorical(frame["model"], ordered=True)
    frame["length"] = pd.Categorical(frame["length"], lengths, ordered=True)
    return frame.astype({"task": "category", "cluster": "category", "stratum": "category"})


def covered(rows: pd.DataFrame, truth: float) -> tuple[float, float]:
    """Coverage of the intervals, without missing ones, and their mean width."""
    rows = rows[rows["low"].notna()]
    holds = (rows["low"] <= truth + 1e-9) & (rows["high"] >= truth - 1e-9)
    return float(holds.mean()), float((rows["high"] - rows["low"]).mean())


def exact_scale(rows: pd.DataFrame, truth: float) -> float:
    """The factor by which intervals must be scaled about their value to cover the truth in 95 %."""
    off = truth - rows["value"]
    reach = (rows["high"] - rows["value"]).where(off > 0, rows["value"] - rows["low"])
    return float(np.quantile(np.abs(off) / np.maximum(reach, 1e-12), 0.95))


Clustered = tuple[np.ndarray, np.ndarray, float]
"""Totals and numbers of samples of each run (row) and cluster (column), and the true mean."""


def of_means(means: np.ndarray, truth: float) -> Clustered:
    """Clusters of one size with these means."""
    return means, np.ones_like(means), truth


def unequal(rng: np.random.Generator, size: tuple[int, int]) -> Clustered:
    """Clusters of 1 to about 40 samples, a fifth of whose variance is between clusters."""
    counts = np.maximum(1, np.round(rng.lognormal(1.8, 0.8, size)))
    means = 0.7 + rng.normal(0, 0.027, size) + rng.normal(0, 0.107, size) / np.sqrt(counts)
    return means * counts, counts, 0.7


def right_or_wrong(mean: float) -> Callable[[np.random.Generator, tuple[int, int]], Clustered]:
    """Clusters of five samples right or wrong, with a probability that differs by cluster."""

    def sample(rng: np.random.Generator, size: tuple[int, int]) -> Clustered:
        totals = rng.binomial(5, shares(mean)(rng, size)).astype(float)
        return totals, np.full(size, 5.0), mean

    return sample


def failures(rng: np.random.Generator, size: tuple[int, int]) -> Clustered:
    """One context in ten fails completely."""
    means = np.where(rng.random(size) < 0.1, 0.10, 0.97) + rng.normal(0, 0.01, size)
    return of_means(np.minimum(means, 1.0), 0.883)


def lognormal(rng: np.random.Generator, size: tuple[int, int]) -> Clustered:
    """Contexts of which a very few are very much harder."""
    middle = np.exp(0.32)
    spread = np.sqrt(np.exp(1.28) - np.exp(0.64))
    return of_means(0.7 - 0.06 * (rng.lognormal(0, 0.8, size) - middle) / spread, 0.7)


def verdicts(mean: float) -> Callable[[np.random.Generator, tuple[int, int]], Clustered]:
    """One verdict a cluster."""
    return lambda rng, size: of_means(rng.binomial(1, mean, size).astype(float), mean)


KINDS: dict[str, Callable[[np.random.Generator, tuple[int, int]], Clustered]] = {
    "normal": lambda rng, size: of_means(0.7 + normal(rng, size), 0.7),
    "exponential": lambda rng, size: of_means(0.7 + skewed(rng, size), 0.7),
    "lognormal": lognormal,
    "1 in 10 fails whole": failures,
    "unequal sizes": unequal,
    **{f"right or wrong, {mean}": right_or_wrong(mean) for mean in (0.5, 0.9, 0.97)},
    **{f"single verdicts, {mean}": verdicts(mean) for mean in (0.5, 0.9, 0.97)},
}


def kinds() -> None:
    """Kinds of clusters, without a benchmark.

    After coverage and width follows how often a model of this kind differs significantly from a
    normal one of the same mean: by p, and by an interval that excludes 0.
    """
    print_row("clusters", "", "number", ("cover", "width", "p", "excludes"))
    for name, sample in KINDS.items():
        for number in (24, 50, 100) if "verdicts" in name else (6, 10, 20):
            rng = np.random.default_rng(number)
            totals, counts, truth = sample(rng, (MANY, number))
            columns = pd.Index([f"{index:03}" for index in range(number)], name="cluster")
            clusters = Clusters(columns.to_frame(index=False), [])
            total_frame = pd.DataFrame(totals, columns=columns)
            count_frame = pd.DataFrame(counts, columns=columns)
            rows = clusters.ratios(total_frame, count_frame).rows()
            cover, _ = covered(rows, truth)
            normal_totals = (truth + rng.normal(0, 0.03, totals.shape)) * counts
            gaps = clusters.ratios(total_frame - normal_totals, count_frame, (-1.0, 1.0))
            significant = (gaps.p_values() < 0.05).mean()
            excludes = 1 - covered(gaps.rows(), 0.0)[0]
            width = 1 / exact_scale(rows, truth)
            values = (f"{cover:.3f}", f"{width:.2f}", f"{significant:.3f}", f"{excludes:.3f}")
            print_row(name, number, "", values)


def mean_case(frame: pd.DataFrame, truth: float, task: str) -> tuple[str, str]:
    """Coverage and width of a task's score or the overall one."""
    length = frame["length"].cat.categories[0] if frame["length"].nunique() == 1 else ""
    part = frame if task == OVERALL else frame[frame["task"] == task]
    # in the rubric, too, the scenarios have about the same weight
    rows = ars(part, PAPER._replace(weighting="mean"))
    rows = rows[(rows["task"] == task) & (rows["length"] == length)]
    return f"{covered(rows, truth)[0]:.3f}", f"{1 / exact_scale(rows, truth):.2f}"


def means() -> None:
    """Scores of tasks and overall: at one length and over lengths."""
    print("score            contexts   effects          cover   width ÷ exact")
    kinds: dict[str, tuple[Effects, float, dict[str, float]]] = {
        "normal": (normal, 0.7, {}),
        "skewed": (skewed, 0.7, {}),
        **{f"share {p}": (shares(p), p, {"mean": 0.0}) for p in (0.03, 0.1, 0.5, 0.9, 0.97)},
    }
    for (name, (effects, truth, options)), contexts in product(kinds.items(), (2, 4, 6, 10, 20)):
        frame = runs(effects, contexts, ["4k"], RUNS, **options)
        for task in ("OQ", OVERALL):
            print_row(f"{task}, one length", contexts, name, mean_case(frame, truth, task))
    for effects, contexts, trend in product((normal, skewed), (2, 4), (0.0, TREND)):
        frame = runs(effects, contexts, LENGTHS, RUNS, trend=trend)
        name = effects.__name__ + (", trend" if trend else "")
        for task in ("OQ", OVERALL):
            print_row(f"{task}, six lengths", contexts, name, mean_case(frame, 0.7, task))


def stability() -> None:
    """IFS of expressions over all lengths: the mean IFS of such runs counts as the truth.

    Without a spread of expressions this is a stable model's chance level: the last column.
    """
    print("\nIFS              contexts   effects          cover   width ÷ IFS   IFS   by chance")
    cases = product((normal, skewed), (0.0, 0.06), (["4k"], LENGTHS), (2, 4, 6, 10))
    for effects, spread, lengths, contexts in cases:
        frame = runs(effects, contexts, lengths, 200, spread=spread)
        rows = ifs(frame)
        rows = rows[(rows["perspective"] == "expression") & (rows["length"] == "")]
        for task in ("OQ", OVERALL):
            task_rows = rows[rows["task"] == task]
            value = task_rows["value"].mean()
            cover, width = covered(task_rows, value)
            name = f"{task}, {len(lengths)} length(s)"
            values = [f"{cover:.3f}", f"{width / value:.2f}", f"{value:.4f}"]
            values.append(f"{task_rows['chance'].mean():.4f}")
            kind = effects.__name__ + (", spread" if spread else "")
            print_row(name, contexts, kind, values)


def differences() -> None:
    """How often p is below .05 for two models with the same mean, and how often intervals cover 0.

    Each run is a task, so that all are compared at once: of one scenario, or of three.
    """
    print("\nequal models       contexts   the other's      p  cover")
    kinds = dict[str, Effects](normal=normal, skewed=skewed)
    kinds |= {f"fails {share}": failing(share) for share in (0.1, 0.2, 0.3)}
    for (name, other), lengths in product(kinds.items(), (LENGTHS, ["4k"])):
        for contexts, scenarios in product((1, 2, 4, 10), (["onedoc"], [*TASKS.values()])):
            if contexts * len(lengths) == 1:
                continue
            pair = {"a": (normal, 0), "b": (other, 1)}
            parts = []
            for model, (effects, seed) in pair.items():
                part = runs(effects, contexts, lengths, RUNS, seed=seed)
                parts.append(part.assign(task=part["model"], model=model))
            frame = pd.concat(parts, ignore_index=True)
            frame = frame[frame["stratum"].isin(scenarios)].astype({"task": str, "stratum": str})
            rows = compare_models(frame, dict.fromkeys(frame["task"], 1.0), bootstrap(frame))
            rows = rows[rows["task"] != OVERALL]
            values = [(rows["p"] < 0.05).mean(), covered(rows, 0.0)[0]]
            design = f"{len(scenarios)} scenario(s), {len(lengths)} length(s)"
            print_row(design, contexts, name, [f"{value:.3f}" for value in values])


def overall(times: int = 3000) -> None:
    """How often an overall difference of 0 is significant, with equal scenarios and a noisy one.

    Differences of whole contexts are sampled, with five times the deviation in one scenario. After
    the single p follows the larger one of it and of the p by changes of signs.
    """
    print("\noverall            contexts   differences    single  corrected")
    draws = {"normal": normal, "exponential": skewed}
    layouts = [(3, number) for number in (2, 3, 4, 6, 10)] + [(18, 2)]
    for (name, draw), (strata, number), wide in product(draws.items(), layouts, (1, 5)):
        rng = np.random.default_rng(1)
        spread = np.repeat(np.where(np.arange(strata) < strata // 3, wide, 1), number)
        gaps = 0.8 * draw(rng, (times, strata * number)) * spread
        stratum = np.repeat(np.arange(strata), number)
        share = np.full(gaps.shape, 1 / gaps.shape[1])
        means = gaps.reshape(times, strata, number).mean(axis=2)
        cells = pd.DataFrame({"value": means.mean(axis=1), "n": 1, "lowest": -1.0, "highest": 1.0})
        estimates = Estimates(cells, (gaps - means[:, stratum]) * share, share, stratum)
        single = np.maximum(estimates.p_values(), 2.0 ** (1 - gaps.shape[1]))
        families = list(np.arange(times)[:, None])
        flipped = np.concatenate(step_down(estimates, gaps * share, families))
        shares = [(p < 0.05).mean() for p in (single, np.maximum(single, flipped))]
        design = f"{strata} strata" + (", a third noisy" if wide > 1 else "")
        print_row(design, number, name, [f"{value:.3f}" for value in shares])


def raters(times: int = 300) -> None:
    """Raw agreement and kappa of two raters with independent errors, more in some contexts."""
    print("\nagreement        clusters   yes, errors      raw     kappa")
    rng = np.random.default_rng(3)
    for (yes, wrong), number in product([(0.5, 0.1), (0.8, 0.1), (0.9, 0.02)], (4, 10, 30, 100)):
        agree = 1 - 2 * wrong + 2 * (wrong**2 + 0.3 * wrong * (1 - wrong))
        judged_yes = yes * (1 - wrong) + (1 - yes) * wrong
        chance = judged_yes**2 + (1 - judged_yes) ** 2
        truth = {"raw": agree, "kappa": (agree - chance) / (1 - chance)}
        covers = []
        for _ in range(times):
            right = rng.random((number, 10)) < yes
            scale = (1 - 0.3) / 0.3
            error_rates = rng.beta(wrong * scale, (1 - wrong) * scale, (number, 1))
            verdicts = {}
            for rater in RATERS:
                wrong_verdicts = rng.random(right.shape) < error_rates
                verdicts[rater] = dict(np.ndenumerate(right ^ wrong_verdicts))
            rows = agreement_rows(verdicts, {}, lambda item: "", lambda item: item[0])
            (row,) = rows.to_dict("records")
            covers.append([row[f"{k}_low"] <= v <= row[f"{k}_high"] for k, v in truth.items()])
        values = [f"{share:.3f}" for share in np.mean(covers, axis=0)]
        print_row("verdicts, 10 each", number, f"{yes}, {wrong}", values)


def print_row(name: str, contexts: int | str, effects: str, values: Iterable[str]) -> None:
    """A line of the table."""
    cells = [f"{value:>9}" for value in values]
    print(f"{name:28} {contexts:4}   {effects:16}", *cells, flush=True)


if __name__ == "__main__":
    parts = {
        "kinds": kinds,
        "means": means,
        "stability": stability,
        "differences": differences,
        "overall": overall,
        "raters": raters,
    }
    for part in sys.argv[1:] or parts:
        parts[part]()
