"""The HTML report in a real browser: it sorts, filters, shows samples, and fetches nothing."""

from itertools import pairwise

import pytest

from browser import Watched, browser, chromium
from html_report_project import (
    HOSTILE,
    HOSTILE_SAMPLES,
    JUDGED,
    LONG,
    html_report_project,
)
from steadfast.html_report.pack import Pack
from steadfast.html_report.pack import page as page_html
from steadfast.html_report.sample_data import table_data
from steadfast.show.table import Cell, Column, Section, Table

pytest.importorskip("playwright", reason="playwright is not installed: make .venv/dev")
pytestmark = [pytest.mark.heavy, pytest.mark.workflow]


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return html_report_project(tmp_path_factory.mktemp("page"))


@pytest.fixture(scope="module")
def second_report(project, tmp_path_factory):
    """The HTML report of a second run, with fewer slips and other contexts of LIFBench."""
    fork = project.fork(tmp_path_factory.mktemp("other"))
    fork.edit("my.yaml", "slip: 0.4", "slip: 0.0")
    fork.edit("my.yaml", "2k: 2048", "2k: 1800")
    fork.snakemake("html_report")
    # A report of another version has another style, which this one's policy does not allow.
    fork.edit("results/report.html", "<style>", "<style>/* another */")
    return fork.path("results/report.html").rename(fork.path("second.html"))


@pytest.fixture(scope="module")
def window(tmp_path_factory):
    with browser(chromium(tmp_path_factory.getbasetemp().parent)) as window:
        yield window


@pytest.fixture
def page(window, project):
    """The report in a new context; afterwards, nothing was fetched and no error was reported."""
    context = window.new_context(viewport={"width": 1300, "height": 900})
    watched = Watched(context.new_page())
    page = watched.page
    page.goto(project.path("results/report.html").as_uri())
    page.wait_for_selector("#tables table")
    title = page.title()
    yield page
    assert page.title() == title
    context.close()
    assert watched.complaints == []


def cells(page, table, column):
    return page.locator(f"{table} tbody tr:not(.section) > :nth-child({column})").all_inner_texts()


def open_table(page, name):
    table = f"details[data-table='{name}']"
    page.locator(f"{table} > summary").click()
    page.wait_for_selector(f"{table} table")
    return table


def show_samples(page, **filters):
    """Opens the section of samples and sets filters."""
    page.click("nav >> text=Samples")
    page.wait_for_selector("button.open")
    for label, value in filters.items():
        page.locator("#samples").get_by_label(label, exact=True).select_option(value)
    page.wait_for_selector("button.open")


def open_first_sample(page, responses=1):
    page.locator("button.open").first.click()
    page.wait_for_selector(f"article >> nth={responses - 1}")


def open_sample(page, name):
    page.get_by_label("Sample", exact=True).fill(name)
    page.locator("button.open", has_text=name).first.click()
    page.wait_for_selector("article")


ROWS = [
    [Cell("one"), Cell("9.5", "best"), Cell("9 to 10"), Cell("0.1 to 0.2")],
    [Cell("two"), Cell("1,200", marks=("incomplete",)), Cell(None), Cell("-0.3 to 0.2")],
    [Cell("three"), Cell("10.0", "best", suffix="(1)"), Cell("8 to 11"), Cell(None)],
    [Cell("four"), Cell(None), Cell(None), Cell("< 0.001", "second")],
]
TABLE = Table(
    "made",
    "A table.",
    (
        Column("Model", align="l"),
        *(Column(heading, "Group") for heading in ("Value", "Value: 95 %", "Difference")),
    ),
    (
        Section(tuple(map(tuple, ROWS)), "Models"),
        Section(((Cell("reference"), Cell("99"), Cell(None), Cell(None)),)),
    ),
    (("incomplete", "Some are missing."),),
)


@pytest.fixture
def table_page(window, tmp_path):
    """A report with one table, composed by hand."""
    pack = Pack()
    run = {"format": 1, "trial": "Trial: few.", "published": False, "benchmarks": []}
    pack.add("run", run | {"findings": ["Highest scores: three."]})
    pack.add("tables", [{"title": "All", "tables": [table_data(TABLE)]}])
    path = tmp_path / "report.html"
    path.write_text(page_html("made", [pack]))
    page = window.new_page()
    page.goto(path.as_uri())
    page.wait_for_selector("table")
    yield page
    page.close()


@pytest.mark.parametrize(
    ("column", "orders"),
    [
        (1, ["four one three two", "two three one four"]),
        (2, ["two three one four", "one three two four"]),
        (3, ["one four two three", "two four one three"]),
    ],
)
def test_heading_sorts_rows_within_their_section(table_page, column, orders):
    heading = table_page.locator("thead tr:last-child th").nth(column - 1)
    for order in [*orders, "one two three four"]:
        heading.locator("button").click()
        assert cells(table_page, "table", 1) == [*order.split(), "reference"]
    assert heading.get_attribute("aria-sort") == "none"


def test_best_and_incomplete_values_are_marked(table_page):
    assert table_page.locator("td.best strong").all_inner_texts() == ["9.5", "10.0"]
    assert table_page.locator("td u").all_inner_texts() == ["< 0.001"]
    values = cells(table_page, "table", 2)
    assert values == ["9.5\n9 to 10", "1,200*", "10.0 (1)\n8 to 11", "–", "99"]
    assert table_page.locator(".findings li").all_inner_texts() == ["Highest scores: three."]
    assert table_page.locator("#trial").inner_text() == "Trial: few."


def test_findings_main_figure_and_summary_come_first(page):
    tops = []
    for part in (".findings", "figure img", "details[data-table='summary'] table"):
        tops.append(page.locator(f"#tables {part}").first.bounding_box()["y"])
    assert tops == sorted(tops)
    page.locator("#tables figure img").evaluate("image => image.decode()")


def test_scrolling_table_has_shadows_and_header_stays(page):
    page.get_by_role("button", name="Open all").click()
    background = "box => getComputedStyle(box).backgroundImage"
    assert "linear-gradient" in page.locator("#tables .scroll").first.evaluate(background)
    page.evaluate("window.scrollTo(0, 3000)")
    assert page.locator("header").bounding_box()["y"] == 0


def closed_tables(page):
    return page.locator("#tables details:not([open])").count()


def test_buttons_open_and_close_all_tables(page):
    page.get_by_role("button", name="Open all").click()
    assert closed_tables(page) == 0
    assert page.locator("#tables details").count() == page.locator("#tables table").count() > 10
    page.get_by_role("button", name="Close all").click()
    assert page.locator("#tables details[open]").count() == 0


def test_printing_shows_all_tables_with_captions(page):
    before = closed_tables(page)
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert closed_tables(page) == 0
    captions = page.locator("#tables .caption")
    assert captions.count() == page.locator("#tables details").count()
    for caption in captions.all():
        assert caption.is_visible()
    assert page.locator("#tables form, #tables summary").locator("visible=true").count() == 0
    wider = "box => box.scrollWidth > box.clientWidth"
    assert page.locator("#tables .scroll").evaluate_all(f"all => all.filter({wider}).length") == 0
    page.emulate_media(media="screen")
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert closed_tables(page) == before


@pytest.mark.parametrize("section", ["Tables", "Figures", "Samples", "What was run"])
def test_headings_skip_no_level(page, section):
    page.click(f"nav >> text={section}")
    if section == "Samples":
        show_samples(page)
        open_first_sample(page)
    page.wait_for_selector("section:not([hidden]) h2")
    headings = page.locator("h1, h2, h3, h4, h5, h6").locator("visible=true")
    tags = headings.evaluate_all("all => all.map((node) => node.tagName)")
    levels = [int(tag[1]) for tag in tags]
    assert levels[0] == 1 and len(levels) > 1
    for level, next_level in pairwise(levels):
        assert next_level - level <= 1


def test_list_of_samples_fits_the_window(page):
    show_samples(page)
    box = page.locator(".list")
    assert box.bounding_box()["width"] > 0.9 * 1300
    assert box.evaluate("box => box.scrollWidth <= box.clientWidth")
    open_first_sample(page)
    assert box.evaluate("box => box.scrollWidth <= box.clientWidth")


def test_samples_are_sorted_by_failure_then_score(page):
    show_samples(page, Model="hostile")
    values = [text.split()[0] for text in cells(page, ".list", 2)]
    assert values[:24] == ["–"] * 24 and "–" not in values[24:]
    assert values[24:] == sorted(values[24:], key=float)
    assert "≠ raters differ: they give" in page.locator("#samples .key").last.inner_text()
    assert "Names of samples: task/context" in page.locator("#samples .key").first.inner_text()


def test_tables_are_filtered_by_text_and_benchmark(page):
    page.get_by_label("Rows with").fill("sim-a")
    assert cells(page, "details[data-table='summary']", 1) == ["sim-a"]
    page.get_by_label("Benchmark", exact=True).select_option("FollowBench")
    assert page.locator("#tables h2:visible").all_inner_texts() == ["FollowBench"]


def test_published_results_are_shown_on_request(page):
    table = open_table(page, "followbench_table2_levels")
    assert "GPT-3.5" not in page.locator(table).inner_text()
    page.get_by_label("numbers printed in the papers").check()
    assert "GPT-3.5" in page.locator(table).inner_text()


def test_every_figure_is_shown(page):
    page.click("nav >> text=Figures")
    page.wait_for_selector("#figures figure img")
    pictures = page.locator("#figures figure img")
    assert pictures.count() >= 5
    for picture in pictures.all():
        picture.evaluate("image => image.decode()")
        assert picture.evaluate("image => image.naturalWidth") > 100
        assert "Bench: " in picture.get_attribute("alt")


@pytest.mark.parametrize(
    ("kind", "shown"),
    [
        ("image", HOSTILE["image"]),
        ("ansi", "U+001B[31mredU+001B]0;ownedU+0007"),
        ("right-to-left", "U+202Egnp.exeU+2066 \u05e9\u05dc\u05d5\u05dd"),
        ("null", "aU+0000bU+D800c"),
    ],
)
def test_hostile_response_is_shown_as_text(page, kind, shown):
    show_samples(page, Model="hostile")
    open_sample(page, HOSTILE_SAMPLES[kind])
    assert page.get_by_label("Response", exact=True).text_content() == shown
    assert page.locator("article img, article script").count() == 0


def test_sample_shows_position_reasoning_and_points(page):
    show_samples(page, Model="hostile")
    open_sample(page, HOSTILE_SAMPLES["script"])
    reference = page.get_by_label("Expected (reference answer)").text_content()
    assert page.locator(".detail mark").text_content() == reference
    page.locator("#samples summary", has_text="Reasoning").click()
    assert page.get_by_label("Reasoning", exact=True).text_content() == LONG
    points = page.locator("table.points tbody th").all_inner_texts()
    assert points == ["format", "correct", "ori", "total", "status"]
    page.locator("button", has_text="Show all models' responses").click()
    page.wait_for_selector("article >> nth=3")


def test_samples_are_filtered_by_status_and_score_points(page):
    show_samples(page, Model="hostile", Status="error")
    assert page.locator("#samples [role=status]").inner_text() == "24 of 120 responses"
    page.get_by_label("Status", exact=True).select_option("")
    page.get_by_label("Score of").select_option("correct")
    page.get_by_label("to", exact=True).fill("0.5")
    assert page.locator("#samples [role=status]").inner_text() == "6 of 120 responses"


def test_judge_reply_is_shown_as_text(page):
    show_samples(page, Benchmark="followbench", Model="hostile", Status="ok")
    open_sample(page, JUDGED)
    reply = page.get_by_label("Reply of judge judge (ok)")
    assert reply.text_content().startswith(HOSTILE["script"])


def test_url_opens_its_sample(window, page):
    show_samples(page, Model="sim-a")
    open_sample(page, "LSI/list-2k-s1/e1/v2")
    reopened = window.new_page()
    reopened.goto(page.url)
    assert reopened.locator(".detail h2").inner_text() == "LSI/list-2k-s1/e1/v2"
    reopened.close()


def test_keyboard_opens_a_sample(page):
    for key in ("Tab", "Tab", "Tab", "Enter"):
        page.keyboard.press(key)
    page.wait_for_selector("button.open")
    page.locator("button.open").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("article")
    assert page.evaluate("document.activeElement.tagName") == "H2"


@pytest.fixture
def comparison(page, second_report):
    """The report with the second run beside it."""
    page.get_by_label("Compare with another run:").set_input_files(second_report)
    page.wait_for_selector("#message:has-text('my compared with my (second.html).')")
    return page


def test_comparison_has_tables_of_both_runs(comparison):
    table = comparison.locator("details[data-table='summary']")
    assert table.locator("h3").all_inner_texts() == ["my", "my (second.html)"]
    changed = table.locator("td.changed")
    assert changed.count() > 0
    assert changed.first.get_attribute("title").startswith("in the first run: ")


def test_comparison_has_responses_of_both_runs(comparison):
    show_samples(comparison, Benchmark="followbench", Model="sim-a", Change="score")
    open_first_sample(comparison, responses=2)
    first, second = comparison.get_by_label("Response", exact=True).all_text_contents()
    assert first != second
    assert comparison.locator(".detail .warning").count() == 0
    comparison.click("text=This run alone")
    comparison.wait_for_selector("article >> nth=1", state="detached")


def test_comparison_warns_of_changed_prompts(comparison):
    show_samples(comparison, Benchmark="lifbench", Model="reference", Change="asked")
    assert comparison.locator("#samples [role=status]").inner_text() == "30 of 120 responses"
    open_first_sample(comparison, responses=2)
    warning = comparison.locator(".detail .warning").inner_text()
    assert "has another prompt under this name" in warning
    assert comparison.get_by_label("Instruction", exact=True).count() == 2


def test_file_that_is_no_report_is_refused(page, tmp_path):
    wrong = tmp_path / "wrong.html"
    wrong.write_text("<p>Something else.</p><script>document.title = 'owned'</script>")
    page.get_by_label("Compare with another run:").set_input_files(wrong)
    page.wait_for_selector("#message:has-text('wrong.html is not an HTML report of steadfast')")
