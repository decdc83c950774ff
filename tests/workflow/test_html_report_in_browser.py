"""The page in a real browser: it sorts, filters, shows samples, and does nothing else."""

from itertools import pairwise

import pytest

from browser import Watched, browser, chromium
from html_report_project import HOSTILE, JUDGED, LONG, SAMPLES, html_report_project
from steadfast.html_report.pack import Pack
from steadfast.html_report.pack import page as page_html
from steadfast.html_report.sample_data import table_data
from steadfast.show.table import Cell, Column, Section, Table

pytest.importorskip("playwright", reason="playwright is not installed: make .venv/dev")
pytestmark = [
    pytest.mark.heavy,
    pytest.mark.workflow,
    pytest.mark.xdist_group("page_in_browser"),
]


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    return html_report_project(tmp_path_factory.mktemp("page"))


@pytest.fixture(scope="module")
def other(project, tmp_path_factory):
    """The HTML report of a second run: the simulated model slips less, and LIFBench's contexts are others."""  # noqa: E501
    fork = project.fork(tmp_path_factory.mktemp("other"))
    fork.edit("my.yaml", "slip: 0.4", "slip: 0.0")
    fork.edit("my.yaml", "2k: 2048", "2k: 1800")
    fork.snakemake("html_report")
    # A page of another version has another style, which the policy of this one does not know.
    fork.edit("results/report.html", "<style>", "<style>/* another */")
    return fork.path("results/report.html").rename(fork.path("second.html"))


@pytest.fixture(scope="module")
def started(tmp_path_factory):
    with browser(chromium(tmp_path_factory.getbasetemp().parent)) as running:
        yield running


@pytest.fixture
def watched(started, project):
    """The page in a window of its own; at the end nothing was fetched, and nothing complained."""
    context = started.new_context(viewport={"width": 1300, "height": 900})
    found = Watched(context.new_page())
    found.page.goto(project.path("results/report.html").as_uri())
    found.page.wait_for_selector("#tables table")
    title = found.page.title()
    yield found
    assert found.page.title() == title
    context.close()
    assert found.complaints == []


@pytest.fixture
def page(watched):
    return watched.page


def cells(page, table, column):
    return page.locator(f"{table} tbody tr:not(.section) > :nth-child({column})").all_inner_texts()


def open_table(page, name):
    table = f"details[data-table='{name}']"
    page.locator(f"{table} > summary").click()
    page.wait_for_selector(f"{table} table")
    return table


def show_samples(page, **wanted):
    """The section of samples, with some values chosen."""
    page.click("nav >> text=Samples")
    page.wait_for_selector("button.open")
    for label, value in wanted.items():
        page.locator("#samples").get_by_label(label, exact=True).select_option(value)
    page.wait_for_selector("button.open")


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
def table_page(started, tmp_path):
    """A page with one table, by hand."""
    pack = Pack()
    about = {"format": 1, "trial": "Trial: few.", "published": False, "benchmarks": []}
    about["findings"] = ["Highest scores: three."]
    pack.add("run", about)
    pack.add("tables", [{"title": "All", "tables": [table_data(TABLE)]}])
    path = tmp_path / "report.html"
    path.write_text(page_html("made", [pack]))
    made = started.new_page()
    made.goto(path.as_uri())
    made.wait_for_selector("table")
    yield made
    made.close()


@pytest.mark.parametrize(
    ("column", "orders"),
    [
        (1, ["four one three two", "two three one four"]),
        (2, ["two three one four", "one three two four"]),
        (3, ["one four two three", "two four one three"]),
    ],
)
def test_a_heading_sorts_its_column_and_leaves_rows_in_their_section(table_page, column, orders):
    heading = table_page.locator("thead tr:last-child th").nth(column - 1)
    for order in [*orders, "one two three four"]:
        heading.locator("button").click()
        assert cells(table_page, "table", 1) == [*order.split(), "reference"]
    assert heading.get_attribute("aria-sort") == "none"


def test_the_group_of_the_best_and_incomplete_values_are_marked(table_page):
    assert table_page.locator("td.best strong").all_inner_texts() == ["9.5", "10.0"]
    assert table_page.locator("td u").all_inner_texts() == ["< 0.001"]
    shown = [text.split("\n") for text in cells(table_page, "table", 2)]
    assert shown == [["9.5", "9 to 10"], ["1,200*"], ["10.0 (1)", "8 to 11"], ["–"], ["99"]]
    assert table_page.locator(".findings li").all_inner_texts() == ["Highest scores: three."]
    assert table_page.locator("#trial").inner_text() == "Trial: few."


def test_the_report_opens_with_findings_the_main_figure_and_the_summary(page):
    tops = [
        page.locator(f"#tables {part}").first.bounding_box()["y"]
        for part in (".findings", "figure img", "details[data-table='summary'] table")
    ]
    assert tops == sorted(tops)
    page.locator("#tables figure img").evaluate("image => image.decode()")


def test_a_table_that_scrolls_has_shadows_and_the_header_stays(page):
    page.get_by_role("button", name="Open all").click()
    assert "linear-gradient" in page.locator("#tables .scroll").first.evaluate(
        "box => getComputedStyle(box).backgroundImage"
    )
    page.evaluate("window.scrollTo(0, 3000)")
    assert page.locator("header").bounding_box()["y"] == 0


def closed(page):
    return page.locator("#tables details:not([open])").count()


def test_all_tables_open_and_close_with_one_button_each(page):
    page.get_by_role("button", name="Open all").click()
    assert closed(page) == 0
    assert page.locator("#tables details").count() == page.locator("#tables table").count() > 10
    page.get_by_role("button", name="Close all").click()
    assert page.locator("#tables details[open]").count() == 0


def test_all_tables_are_printed_with_their_captions_and_closed_again(page):
    before = closed(page)
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert closed(page) == 0
    captions = page.locator("#tables .caption")
    assert captions.count() == page.locator("#tables details").count()
    assert all(caption.is_visible() for caption in captions.all())
    assert page.locator("#tables form, #tables summary").locator("visible=true").count() == 0
    wider = "box => box.scrollWidth > box.clientWidth"
    assert page.locator("#tables .scroll").evaluate_all(f"all => all.filter({wider}).length") == 0
    page.emulate_media(media="screen")
    page.evaluate("window.dispatchEvent(new Event('afterprint'))")
    assert closed(page) == before


def levels(page):
    """The levels of the headings that are shown, in their order."""
    found = page.locator("h1, h2, h3, h4, h5, h6").locator("visible=true")
    return [int(tag[1]) for tag in found.evaluate_all("all => all.map((node) => node.tagName)")]


@pytest.mark.parametrize("section", ["Tables", "Figures", "Samples", "What was run"])
def test_headings_skip_no_level(page, section):
    page.click(f"nav >> text={section}")
    if section == "Samples":
        show_samples(page)
        page.locator("button.open").first.click()
        page.wait_for_selector("article")
    page.wait_for_selector("section:not([hidden]) h2")
    found = levels(page)
    assert found[0] == 1 and len(found) > 1
    assert all(deeper - level <= 1 for level, deeper in pairwise(found))


def test_the_list_of_samples_is_as_wide_as_the_window_and_cut_nowhere(page):
    show_samples(page)
    box = page.locator(".list")
    assert box.bounding_box()["width"] > 0.9 * 1300
    assert box.evaluate("box => box.scrollWidth <= box.clientWidth")
    page.locator("button.open").first.click()
    page.wait_for_selector("article")
    assert box.evaluate("box => box.scrollWidth <= box.clientWidth")


def test_failures_come_first_and_then_the_lowest_scores(page):
    show_samples(page, Model="hostile")
    found = [text.split()[0] for text in cells(page, ".list", 2)]
    failed = found.count("–")
    assert failed == 24 and found[:failed] == ["–"] * failed
    scores = [float(value) for value in found[failed:]]
    assert scores == sorted(scores)
    assert "≠ raters differ: they give" in page.locator("#samples .key").last.inner_text()
    assert "Names of samples: task/context" in page.locator("#samples .key").first.inner_text()


def test_rows_are_found_by_a_text_and_a_benchmark_by_its_name(page):
    page.get_by_label("Rows with").fill("sim-a")
    shown = cells(page, "details[data-table='summary']", 1)
    assert shown == ["sim-a"]
    page.get_by_label("Benchmark", exact=True).select_option("FollowBench")
    assert page.locator("#tables h2:visible").all_inner_texts() == ["FollowBench"]


def test_what_the_paper_prints_stands_in_a_section_that_can_be_shown(page):
    table = open_table(page, "followbench_table2_levels")
    assert "GPT-3.5" not in page.locator(table).inner_text()
    page.get_by_label("numbers printed in the papers").check()
    assert "GPT-3.5" in page.locator(table).inner_text()


def test_every_figure_is_drawn(page):
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
def test_an_answer_is_shown_and_never_acted_on(page, kind, shown):
    sample = next(id for id, text in SAMPLES.items() if text == HOSTILE[kind])
    show_samples(page, Model="hostile")
    open_sample(page, sample)
    assert page.get_by_label("Response", exact=True).text_content() == shown
    assert page.locator("article img, article script").count() == 0


def test_a_sample_shows_its_place_in_the_context_the_reasoning_and_every_point(page, project):
    show_samples(page, Model="hostile")
    open_sample(page, next(iter(SAMPLES)))
    assert page.locator(".detail mark").text_content() == (
        page.get_by_label("Expected (reference answer)").text_content()
    )
    page.locator("#samples summary", has_text="Reasoning").click()
    assert page.get_by_label("Reasoning", exact=True).text_content() == LONG
    points = page.locator("table.points tbody th").all_inner_texts()
    assert points == ["format", "correct", "ori", "total", "status"]
    page.locator("button", has_text="Show all models' responses").click()
    page.wait_for_selector("article >> nth=3")


def test_samples_are_found_by_status_and_by_points(page):
    show_samples(page, Model="hostile", Status="error")
    assert page.locator("#samples [role=status]").inner_text() == "24 of 120 responses"
    page.get_by_label("Status", exact=True).select_option("")
    page.get_by_label("Score of").select_option("correct")
    page.get_by_label("to", exact=True).fill("0.5")
    assert page.locator("#samples [role=status]").inner_text() == "6 of 120 responses"


def test_a_judges_reply_is_shown_as_text(page):
    show_samples(page, Benchmark="followbench", Model="hostile", Status="ok")
    open_sample(page, JUDGED)
    reply = page.get_by_label("Reply of judge judge (ok)")
    assert reply.text_content().startswith(HOSTILE["script"])


def test_an_address_leads_to_its_sample(started, page, project):
    show_samples(page, Model="sim-a")
    open_sample(page, "LSI/list-2k-s1/e1/v2")
    again = started.new_page()
    again.goto(page.url)
    assert again.locator(".detail h2").inner_text() == "LSI/list-2k-s1/e1/v2"
    again.close()


def test_the_keyboard_is_enough(page):
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("button.open")
    page.locator("button.open").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("article")
    assert page.evaluate("document.activeElement.tagName") == "H2"


@pytest.fixture
def beside(page, other):
    """The page with the second run's beside it."""
    page.get_by_label("Compare with another run:").set_input_files(other)
    page.wait_for_selector("#message:has-text('my compared with my (second.html).')")
    return page


def test_a_second_runs_tables_stand_below_the_same_of_the_first(beside):
    table = "details[data-table='summary']"
    assert beside.locator(f"{table} h3").all_inner_texts() == ["my", "my (second.html)"]
    changed = beside.locator(f"{table} td.changed")
    assert changed.count() > 0
    assert changed.first.get_attribute("title").startswith("in the first run: ")


def test_a_second_runs_answer_stands_beside_the_first_ones(beside):
    show_samples(beside, Benchmark="followbench", Model="sim-a", Change="score")
    beside.locator("button.open").first.click()
    beside.wait_for_selector("article >> nth=1")
    answers = beside.get_by_label("Response", exact=True).all_text_contents()
    assert len(answers) == 2 and answers[0] != answers[1]
    assert beside.locator(".detail .warning").count() == 0
    beside.click("text=This run alone")
    beside.wait_for_selector("article >> nth=1", state="detached")


def test_what_was_asked_otherwise_in_the_second_run_says_so(beside):
    show_samples(beside, Benchmark="lifbench", Model="reference", Change="asked")
    assert beside.locator("#samples [role=status]").inner_text() == "30 of 120 responses"
    beside.locator("button.open").first.click()
    beside.wait_for_selector("article >> nth=1")
    assert "has another prompt under this name" in beside.locator(".detail .warning").inner_text()
    assert beside.get_by_label("Instruction", exact=True).count() == 2


def test_a_file_that_is_no_page_is_refused_in_a_sentence(page, tmp_path):
    wrong = tmp_path / "wrong.html"
    wrong.write_text("<p>Something else.</p><script>document.title = 'owned'</script>")
    page.get_by_label("Compare with another run:").set_input_files(wrong)
    page.wait_for_selector("#message:has-text('wrong.html is not an HTML report of steadfast')")
