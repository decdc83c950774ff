"""Headings and labels of results in Snakemake's report."""

from steadfast.workflow.report_items import heading, label

TITLES = {"bench": "Bench", "bench_two": "Bench Two"}


def test_item_has_the_benchmark_as_heading_and_the_rest_as_label():
    assert heading("bench_two_table", TITLES) == "Bench Two"
    assert heading("bench_table", TITLES) == "Bench"
    assert heading("benchmarks_table", TITLES) == "All benchmarks"
    assert label("bench_two_table3_ars", TITLES) == "table3 ars"
    assert label("bench_two", TITLES) == "two"
    assert label("summary_of_all", TITLES) == "summary of all"
