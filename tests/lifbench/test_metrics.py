"""LIFBench's metrics: small cases worked by hand, and the paper's printed tables."""

import os
import re
from pathlib import Path

import pandas as pd
import pytest

from score_files import ROOT, record, released_frame, samples, write_run
from steadfast.errors import UserError
from steadfast.files import write_jsonl
from steadfast.lifbench.metrics import ars, compute_metrics, full_coverage, ifp, ifs
from steadfast.lifbench.tasks import RUBRIC
from steadfast.metrics.scores import read_scores
from steadfast.metrics.tidy import OVERALL, read_csv
from steadfast.tables.table import rounded

TASKS_OF_TABLE = ["OR", "OQ", "OE", "LSI", "LMI", "LOI", "LOE", "LBI", "LBE", "MB", "MF"]
GPT_4O = "gpt-4o-2024-08-06"
ALIASES = {
    "GPT-4o": GPT_4O,
    "GPT-4": "gpt-4-0125-preview",
    "C4AI-cmd-r-08-2024": "c4ai-command-r-08-2024",
    "C4AI-cmd-r-v01": "c4ai-command-r-v01",
    "InternLM2.5-7b-chat-1m": "internlm2_5-7b-chat-1m",
    "GLM-4-9b-chat-1m": "glm-4-9b-chat-1m",
}


def outs(directory: Path) -> dict[str, Path]:
    return {name: directory / f"{name}.csv" for name in ("ars", "ifp", "ifs", "coverage")}


def value(rows: pd.DataFrame, **where: str) -> float:
    for column, wanted in ({"length": ""} | where).items():
        rows = rows[rows[column] == wanted]
    (found,) = rows["value"]
    return found


def frame_of(tmp_path: Path, records: list[dict]) -> pd.DataFrame:
    write_jsonl(tmp_path / "scores.jsonl", records)
    return read_scores({("m", "4k"): tmp_path / "scores.jsonl"})


def two_tasks(oq: list[dict | None], mf: list[dict | None]) -> list[dict]:
    chosen = {"OQ": iter(oq), "MF": iter(mf)}
    found = []
    for sample in samples("4k"):
        if sample["task"] in chosen:
            points = next(chosen[sample["task"]], "end")
            if points != "end":
                status = "ok" if points is not None else "overflow"
                found.append(record(sample, "4k", points, status))
    return found


OQ_FULL, OQ_HALF, OQ_NONE = ({"correct": x, "format": x} for x in (1.0, 0.5, 0.0))
MF_NONE = dict.fromkeys(RUBRIC["MF"], 0.0)


def test_overall_is_weighted_by_the_rubric(tmp_path):
    frame = frame_of(tmp_path, two_tasks([OQ_FULL, OQ_HALF], [MF_NONE]))
    assert value(ars(frame), task="OQ") == pytest.approx(0.75)
    assert value(ars(frame), task=OVERALL) == pytest.approx(0.75 * 5 / 25)


def test_overall_is_the_plain_mean_when_asked(tmp_path):
    frame = frame_of(tmp_path, two_tasks([OQ_FULL, OQ_HALF], [MF_NONE]))
    assert value(ars(frame, "mean"), task=OVERALL) == pytest.approx(0.375)


def test_unscored_samples_are_in_no_mean_and_lower_the_coverage(tmp_path):
    frame = frame_of(tmp_path, two_tasks([OQ_FULL, None], [MF_NONE]))
    assert value(ars(frame), task="OQ") == 1.0
    coverage = full_coverage(frame).set_index(["task", "length"])
    row = coverage.loc[("OQ", "4k")]
    assert (row["expected"], row["scored"], row["status_overflow"]) == (2, 1, 1)
    assert coverage.loc[(OVERALL, ""), "scored"] == 2


def test_a_task_without_scores_has_no_value_and_shows_in_the_coverage(tmp_path):
    frame = frame_of(tmp_path, two_tasks([OQ_FULL], [None]))
    assert "MF" not in set(ars(frame)["task"])
    assert value(ars(frame), task=OVERALL) == 1.0
    overall = full_coverage(frame).set_index(["task", "length"]).loc[(OVERALL, "")]
    assert overall["scored"] < overall["expected"]


def test_a_model_without_some_samples_is_not_fully_covered(tmp_path):
    scores, _ = write_run(tmp_path, {"a": 0.5, "b": 0.5}, ["4k"])
    lines = scores["b", "4k"].read_text().splitlines(keepends=True)
    scores["b", "4k"].write_text("".join(lines[1:]))
    coverage = full_coverage(read_scores(scores)).set_index(["model", "task", "length"])
    whole = coverage.xs((OVERALL, ""), level=["task", "length"])
    assert (whole["expected"] - whole["scored"]).to_dict() == {"a": 0, "b": 1}


def test_ifp_divides_points_by_weights_of_a_capability(tmp_path):
    mf = {"correct": 1.0, "num_text": 0.5, "ori": 0.0, "format": 0.0}
    frame = frame_of(tmp_path, two_tasks([OQ_FULL], [mf]))
    # Logic: OQ correct (weight 3, full) and MF num_text (weight 5, half).
    assert value(ifp(frame), capability="Logic") == pytest.approx((3 + 2.5) / 8)
    assert value(ifp(frame), capability="Recog") == 1.0


def test_ifs_is_the_sample_deviation_over_the_mean(tmp_path):
    # Expressions: means 1 and 0.5; mean 0.75, deviation √(2·0.25²) = 0.353553.
    frame = frame_of(tmp_path, two_tasks([OQ_FULL] * 3 + [OQ_HALF] * 3, []))
    found = value(ifs(frame), task="OQ", perspective="expression")
    assert found == pytest.approx(0.3535533906 / 0.75)
    assert value(ifs(frame), task="OQ", perspective="variable") == 0.0


def test_a_task_that_scores_nothing_has_no_ifs(tmp_path):
    frame = frame_of(tmp_path, two_tasks([OQ_FULL] * 3 + [OQ_HALF] * 3, [MF_NONE] * 6))
    rows = ifs(frame)
    assert "MF" not in set(rows["task"])
    whole = rows[(rows["task"] == OVERALL) & (rows["length"] == "")]
    assert whole.set_index("perspective")["n"].to_dict() == {"expression": 1, "variable": 1}


def test_one_length_has_no_length_perspective_and_no_average(tmp_path):
    scores, _ = write_run(tmp_path, {"m": 0.5}, ["4k"])
    assert set(ifs(read_scores(scores))["perspective"]) == {"expression", "variable"}


def test_files_are_the_same_whatever_the_order_of_models(tmp_path):
    scores, _ = write_run(tmp_path, {"a": 0.5, "b": 0.7}, ["4k", "8k"])
    turned = dict(sorted(scores.items(), key=lambda item: item[0][0], reverse=True))
    compute_metrics(scores, "rubric", outs(tmp_path / "one"))
    compute_metrics(turned, "rubric", outs(tmp_path / "two"))
    for name, path in outs(tmp_path / "one").items():
        assert path.read_bytes() == outs(tmp_path / "two")[name].read_bytes()


def test_written_metrics_have_the_tidy_columns(tmp_path):
    scores, _ = write_run(tmp_path, {"NA": 0.5}, ["4k", "8k"])
    compute_metrics(scores, "rubric", outs(tmp_path))
    columns = ["model", "task", "length", "perspective", "capability", "value", "low", "high", "n"]
    for name in ("ars", "ifp", "ifs"):
        rows = read_csv(outs(tmp_path)[name])
        assert list(rows) == columns
        assert set(rows["model"]) == {"NA"}  # a name, no missing value
    assert list(dict.fromkeys(read_csv(outs(tmp_path)["ars"])["length"])) == ["", "4k", "8k"]


def test_nothing_scored_at_all_gives_empty_metrics(tmp_path):
    unscored = [record(sample, "4k", None, "error") for sample in samples("4k")]
    write_jsonl(tmp_path / "s.jsonl", unscored)
    compute_metrics({("m", "4k"): tmp_path / "s.jsonl"}, "rubric", outs(tmp_path))
    assert read_csv(outs(tmp_path)["ars"]).empty
    assert read_csv(outs(tmp_path)["ifs"]).empty
    assert set(read_csv(outs(tmp_path)["coverage"])["scored"]) == {0}


def test_an_unknown_task_is_refused(tmp_path):
    write_jsonl(tmp_path / "s.jsonl", [record(samples("4k")[0], "4k", None) | {"task": "XX"}])
    with pytest.raises(UserError, match="unknown task 'XX'"):
        compute_metrics({("m", "4k"): tmp_path / "s.jsonl"}, "rubric", outs(tmp_path))


# --- the paper ------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def released() -> pd.DataFrame:
    frame = released_frame()
    return frame[frame["model"] != "standard"]


@pytest.fixture(scope="module")
def printed() -> str:
    path = Path(os.environ.get("LIFBENCH_PAPER", ROOT / "../shared/papers/lifbench.txt"))
    if not path.is_file():
        pytest.skip("no text of the paper: set LIFBENCH_PAPER to it")
    return path.read_text(encoding="utf-8")


def released_name(printed_name: str) -> str:
    name = re.sub(r"\(\d+B\)|\[†\]", "", printed_name).strip()
    name = re.sub(r"-Inst\.$", "-Instruct", name)
    return ALIASES.get(name, re.sub("^Llama", "Meta-Llama", name))


def row_of(rows: pd.DataFrame, model: str, length: str) -> list[str]:
    chosen = rows[(rows["model"] == model) & (rows["length"] == length)]
    values = chosen.set_index("task")["value"]
    return [str(rounded(values[task], 3)) for task in [*TASKS_OF_TABLE, OVERALL]]


def test_gpt_4o_has_the_printed_scores(released):
    rows = ars(released[released["model"] == GPT_4O])
    table_3 = "0.797 0.882 0.834 0.881 0.836 0.740 0.823 0.749 0.825 0.719 0.588 0.758"
    table_7 = "0.770 0.831 0.781 0.942 0.938 0.835 0.874 0.755 0.866 0.735 0.627 0.776"
    assert row_of(rows, GPT_4O, "") == table_3.split()
    assert row_of(rows, GPT_4O, "4k") == table_7.split()


def test_gpt_4o_has_the_printed_stability(released):
    rows = ifs(released[released["model"] == GPT_4O])
    found = [
        str(rounded(value(rows, task=OVERALL, perspective=perspective), 3))
        for perspective in ("expression", "variable", "length", "average")
    ]
    assert found == ["0.087", "0.063", "0.086", "0.079"]


def test_every_cell_of_table_3_is_reproduced(released, printed):
    rows = ars(released)
    table = printed[printed.index("<i>API Models</i>") : printed.index("Table 3: The ARS")]
    lines = [line.split("\t") for line in table.splitlines() if re.search(r"\t.*0\.\d{3}", line)]
    assert len(lines) == 20
    for name, *cells in lines:
        cells = [re.sub("</?u>", "", cell) for cell in cells]
        assert row_of(rows, released_name(name), "") == cells, name


def test_every_printed_row_of_table_7_is_reproduced(released, printed):
    rows = ars(released)
    table = printed[: printed.index("Table 7: ARS scores")]
    table = table[table.rindex("\t\tOR\tOQ\tOE", 0, table.rindex("\t\tOR\tOQ\tOE")) :]
    model, checked = "", 0
    for line in table.splitlines():
        name, length, *cells = [*line.split("\t"), "", ""]
        cells = [cell for cell in cells if cell]
        if length in {"4k", "8k", "16k", "32k", "64k", "128k"} and len(cells) == 12:
            model = released_name(name) if name else model
            assert row_of(rows, model, length) == cells, (model, length)
            checked += 1
    assert checked == 115  # five rows are cut off in the text


def test_every_cell_of_table_8_is_reproduced(released, printed):
    rows = ifp(released)
    table = printed[printed.index("Models\tFormat\tLogit") : printed.index("Table 8: Instr")]
    head, *lines = [line.split("\t") for line in table.splitlines() if "\t" in line]
    names = {"Format": "Fmt", "Logit": "Logic"}
    # The paper prints these two rows interchanged.
    turned = {"LWM-Text-Chat-1M": "Meta-Llama-3.1-8B", "Meta-Llama-3.1-8B": "LWM-Text-Chat-1M"}
    assert len(lines) == 20
    for name, *cells in lines:
        model = turned.get(released_name(name), released_name(name))
        found = [value(rows, model=model, capability=names.get(x, x)) for x in head[1:]]
        assert [str(rounded(x, 3)) for x in found] == cells, name


@pytest.mark.parametrize(("number", "perspective"), [(10, "expression"), (11, "variable")])
def test_ifs_by_length_is_reproduced(released, printed, number, perspective):
    rows = ifs(released)
    table = printed[: printed.index(f"Table {number}: Instruction following stability")]
    table = table[table.rindex("Models\t4k") :].splitlines()[1:]
    lines = [line.split("\t") for line in table if "\t" in line]
    assert len(lines) == 20
    for name, *cells in lines:
        model = released_name(name)
        found = [
            rounded(value(rows, model=model, task=OVERALL, perspective=perspective, length=x), 3)
            for x in ("4k", "8k", "16k", "32k", "64k", "128k")
        ]
        assert list(map(str, found)) == cells, name
