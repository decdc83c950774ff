"""All scores of a run as one tidy table, and what evalstats makes of such a table beside us."""

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
def test_the_table_has_every_response_with_the_units_of_the_intervals(project):
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


def shape(kind: str) -> pd.DataFrame:
    """Forty units for two models: a verdict each, four verdicts each, or a share three times."""
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


@pytest.mark.heavy
def test_intervals_and_tests_beside_those_of_evalstats(tmp_path):
    shapes = {kind: shape(kind) for kind in ("verdicts", "groups", "repeats")}
    groups = shapes["groups"]
    means = groups.groupby(["model", "sampling_unit"], as_index=False)["score"].mean()
    means = means.assign(benchmark="units", sample=means["sampling_unit"], stratum="s", repeat=0)
    path = tmp_path / "scores.csv"
    write_csv(path, pd.concat([*shapes.values(), means[list(COLUMNS)]]))
    python = cached_python("evalstats", "evalstats.txt")
    script = ROOT / "tests/export/compare_score_table.py"
    done = subprocess.run([python, script, path], capture_output=True, text=True, check=True)
    theirs = json.loads(done.stdout.splitlines()[-1])
    ours = {}
    pair = {}
    for kind, table in shapes.items():
        names = {"sampling_unit": "cluster", "score": "total", "sample": "sample_id"}
        frame = table.rename(columns=names)
        ours[kind] = Clusters(frame, []).means(frame, ["model"]).rows().set_index("model")
        (pair[kind],) = overall_pairs(frame.assign(task="", measure="Score"), []).itertuples()
        for model, row in theirs[kind]["means"].items():
            assert row["mean"] == pytest.approx(ours[kind].loc[model, "value"])
        assert theirs[kind]["pair"]["diff"] == pytest.approx(pair[kind].difference)

    def ends(kind, model, of=None):
        row = theirs[of or kind]["means"][model]
        low, high = ours[kind].loc[model, ["low", "high"]]
        return (row["ci_low"], row["ci_high"]), (low, high)

    for model in "ab":
        # A verdict for each unit: both take Wilson's interval.
        their_ends, our_ends = ends("verdicts", model)
        assert their_ends == pytest.approx(our_ends, abs=1e-9)
        # Shares, of which both take the mean of the repeats first, and Student's t on the scale of
        # log odds. Ours is united with t after Hall's correction for skewness, so that the end on
        # the side of the longer tail lies further out.
        their_ends, our_ends = ends("repeats", model)
        assert our_ends[0] <= their_ends[0] + 1e-9 and their_ends[1] <= our_ends[1] + 1e-9
        assert sum(np.isclose(their_ends, our_ends, atol=1e-9)) == 1
        assert their_ends == pytest.approx(our_ends, abs=0.005)
        # Four verdicts for each unit: evalstats knows no sampling units, takes 160 verdicts as
        # independent, and has too narrow an interval. Of the units' means it has ours, but for
        # Hall's correction.
        their_ends, our_ends = ends("groups", model)
        assert our_ends[1] - our_ends[0] > 1.05 * (their_ends[1] - their_ends[0])
        their_ends, our_ends = ends("groups", model, of="units")
        assert sum(np.isclose(their_ends, our_ends, atol=1e-9)) == 1
        assert their_ends == pytest.approx(our_ends, abs=0.015)

    # Of a difference of verdicts evalstats has Bonett and Price's (2012) interval, which adds a
    # pair to each kind of disagreement, and McNemar's mid-p; we have t of the differences on the
    # scale of log odds.
    for kind, far in (("verdicts", 0.015), ("repeats", 0.005)):
        row = theirs[kind]["pair"]
        assert row["ci_low"] == pytest.approx(pair[kind].low, abs=far)
        assert row["ci_high"] == pytest.approx(pair[kind].high, abs=far)
    assert theirs["verdicts"]["pair"]["p_value"] == pytest.approx(pair["verdicts"].p, rel=0.3)
    # Of shares it has Wilcoxon's signed ranks, which forget by how much: both are sure here.
    assert max(theirs["repeats"]["pair"]["p_value"], pair["repeats"].p) < 1e-9
    # The four verdicts again: the p of evalstats is too small, the one of the units' means is not.
    assert theirs["groups"]["pair"]["p_value"] < pair["groups"].p / 2
    assert theirs["units"]["pair"]["p_value"] == pytest.approx(pair["groups"].p, rel=1)
