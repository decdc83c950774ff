"""All scores of a run as one tidy table, and the intervals of evalstats from such a table."""

import json
import subprocess

import numpy as np
import pandas as pd
import pytest

from cached_venv import cached_python
from project import ROOT, command
from steadfast.base.files import read_jsonl
from steadfast.share.score_table import COLUMNS
from steadfast.stats.intervals import Clusters
from steadfast.stats.pairs import overall_pairs
from steadfast.stats.tidy import read_csv, write_csv


@pytest.mark.workflow
def test_table_has_every_response_and_its_sampling_unit(project):
    done = command("export", "my.yaml", "--scores", folder=project.folder)
    assert done.returncode == 0, done.stderr
    table = pd.read_csv(project.path("results/scores.csv"), keep_default_na=False)
    assert tuple(table) == COLUMNS
    assert not table.duplicated(["benchmark", "model", "sample", "repeat"]).any()
    for name, rows in table.groupby("benchmark"):
        totals = []
        for path in project.folder.glob(f"results/{name}/scores/*/*.jsonl"):
            totals += [score["total"] for score in read_jsonl(path)]
        assert sorted(rows["score"].astype(float)) == pytest.approx(sorted(totals))
        units = read_csv(project.path(f"results/{name}/metrics/sampling_units.csv"))
        counts = rows.drop_duplicates("sampling_unit").groupby("stratum").size()
        assert sorted(counts) == sorted(units["clusters"])
        assert rows.groupby("sampling_unit")["stratum"].nunique().max() == 1


def synthetic_scores(kind: str) -> pd.DataFrame:
    """Two models on forty units: a verdict each, four verdicts each, or a share three times."""
    random = np.random.default_rng(7)
    rows = []
    for unit in range(40):
        ease = random.random() / 2
        for sample in range(4 if kind == "groups" else 1):
            for model, skill in (("a", 0.5), ("b", 0.25)):
                for repeat in range(3 if kind == "repeats" else 1):
                    score = float(random.random() < skill + ease)
                    if kind == "repeats":
                        score = float(np.clip(random.normal(skill + ease, 0.15), 0, 1))
                    row = (kind, model, f"{unit}-{sample}", f"unit {unit}", "s", repeat, score)
                    rows.append(row)
    return pd.DataFrame(rows, columns=COLUMNS)


def assert_one_end_equal(first, second, tolerance):
    assert sum(np.isclose(first, second, atol=1e-9)) == 1
    assert first == pytest.approx(second, abs=tolerance)


@pytest.mark.heavy
def test_intervals_and_p_values_beside_those_of_evalstats(tmp_path):
    tables = {kind: synthetic_scores(kind) for kind in ("verdicts", "groups", "repeats")}
    by_unit = tables["groups"].groupby(["model", "sampling_unit"], as_index=False)
    units = by_unit["score"].mean()
    units = units.assign(benchmark="units", sample=units["sampling_unit"], stratum="s", repeat=0)
    path = tmp_path / "scores.csv"
    write_csv(path, pd.concat([*tables.values(), units[list(COLUMNS)]]))
    python = cached_python("evalstats", "evalstats.txt")
    script = ROOT / "tests/export/compare_score_table.py"
    done = subprocess.run([python, script, path], capture_output=True, text=True, check=True)
    theirs = json.loads(done.stdout.splitlines()[-1])
    their_pairs = {kind: estimates["pair"] for kind, estimates in theirs.items()}
    our_means = {}
    our_pairs = {}
    for kind, table in tables.items():
        names = {"sampling_unit": "cluster", "score": "total", "sample": "sample_id"}
        frame = table.rename(columns=names)
        our_means[kind] = Clusters(frame, []).means(frame, ["model"]).rows().set_index("model")
        pairs = overall_pairs(frame.assign(task="", measure="Score"), [])
        (our_pairs[kind],) = pairs.itertuples()
        for model, row in theirs[kind]["means"].items():
            assert row["mean"] == pytest.approx(our_means[kind].loc[model, "value"])
        assert their_pairs[kind]["diff"] == pytest.approx(our_pairs[kind].difference)

    def interval(kind, model):
        """That of evalstats."""
        row = theirs[kind]["means"][model]
        return row["ci_low"], row["ci_high"]

    for model in "ab":
        our_intervals = {}
        for kind, means in our_means.items():
            our_intervals[kind] = tuple(means.loc[model, ["low", "high"]])
        # A verdict for each unit: both use Wilson's interval.
        assert interval("verdicts", model) == pytest.approx(our_intervals["verdicts"], abs=1e-9)
        # Shares: both average the repeats first, and use Student's t on the log-odds scale. Ours is
        # united with t after Hall's correction for skewness, so the end on the side of the longer
        # tail lies further out.
        their_low, their_high = interval("repeats", model)
        our_low, our_high = our_intervals["repeats"]
        assert our_low <= their_low + 1e-9 and their_high <= our_high + 1e-9
        assert_one_end_equal(interval("repeats", model), our_intervals["repeats"], 0.005)
        # Four verdicts for each unit: evalstats has no sampling units, takes 160 verdicts as
        # independent, and its interval is too narrow. From the units' means it has ours, except for
        # Hall's correction.
        their_low, their_high = interval("groups", model)
        our_low, our_high = our_intervals["groups"]
        assert our_high - our_low > 1.05 * (their_high - their_low)
        assert_one_end_equal(interval("units", model), our_intervals["groups"], 0.015)

    # For a difference of verdicts evalstats has Bonett and Price's (2012) interval, which adds a
    # pair to each kind of disagreement, and McNemar's mid-p; we have t of the differences on the
    # log-odds scale.
    for kind, tolerance in (("verdicts", 0.015), ("repeats", 0.005)):
        assert their_pairs[kind]["ci_low"] == pytest.approx(our_pairs[kind].low, abs=tolerance)
        assert their_pairs[kind]["ci_high"] == pytest.approx(our_pairs[kind].high, abs=tolerance)
    assert their_pairs["verdicts"]["p_value"] == pytest.approx(our_pairs["verdicts"].p, rel=0.3)
    # For shares it has Wilcoxon's signed ranks, which ignore sizes: both are sure here.
    assert max(their_pairs["repeats"]["p_value"], our_pairs["repeats"].p) < 1e-9
    # Four verdicts for each unit: its p is too small, that from the units' means is not.
    assert their_pairs["groups"]["p_value"] < our_pairs["groups"].p / 2
    assert their_pairs["units"]["p_value"] == pytest.approx(our_pairs["groups"].p, rel=1)
