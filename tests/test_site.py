"""The pages of docs/ as a site: it builds strictly, links are valid, sentences are short."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

import steadfast
from sentences import sentences

ROOT = Path(__file__).parents[1]
PAGES = sorted(ROOT.glob("docs/*.md"))
MOST_WORDS = 40
MEAN_WORDS = 20
HREF = re.compile(r'(?:href|src)="(?!https?:|data:|#|mailto:)([^"#?]+)')
CODE_SHOWN = re.compile(r"<(pre|code)\b.*?</\1>", re.S)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    process = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-d", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert process.returncode == 0, process.stdout + process.stderr
    return folder


def test_links_of_the_site_lead_to_files_in_it(site):
    for page in site.rglob("*.html"):
        for link in HREF.findall(page.read_text()):
            assert page.name == "404.html" or (page.parent / link).exists(), page.name


def test_menu_and_search_index_have_every_page(site):
    menu = HREF.findall((site / "index.html").read_text())
    pages = {"index" if page.stem == "README" else page.stem for page in PAGES}
    assert pages <= {Path(link).stem for link in menu}
    entries = json.loads((site / "search/search_index.json").read_text())["docs"]
    config = [entry["text"] for entry in entries if "config.html" in entry["location"]]
    assert "max_spend" in " ".join(config)


def test_site_has_the_linked_files_of_other_folders(site):
    configuration = (site / "repository/config/index.html").read_text()
    assert 'href="../../config.html"' in configuration
    assert (site / "repository/CITATION.cff").read_text() == (ROOT / "CITATION.cff").read_text()


def test_no_markdown_is_left_in_the_text(site):
    for page in site.rglob("*.html"):
        (article,) = re.findall(r"<article.*?</article>", page.read_text(), re.S) or [""]
        text = re.sub(r"<[^>]+>", "", CODE_SHOWN.sub("", article))
        assert re.findall(r"^ *(?:- |#+ |\| ).*|.*\*\*.*|.*\]\(.*", text, re.M) == [], page.name


def test_docs_have_at_most_29_pages():
    assert len(PAGES) <= 29


def test_citation_has_the_version_of_the_package():
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert citation["version"] == steadfast.__version__


def test_ci_runs_the_complete_check():
    (job,) = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())["jobs"].values()
    assert ".ci/run" in [step.get("run") for step in job["steps"]]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_sentences_are_short(page):
    counts, texts = zip(*sentences(page.read_text()), strict=True)
    longest = max(counts)
    assert longest <= MOST_WORDS, texts[counts.index(longest)]
    assert sum(counts) / len(counts) < MEAN_WORDS


def test_sentences_of_markdown_are_split_and_counted():
    page = """# A heading

A *first* one, with `a. b` and [a link](x.md#y). **Second** one in bold:

- an item of a list
  on two lines. vLLM begins another one.

| head of one | head of two |
|---|---|
| a cell of four words | short |

```sh
no sentence at all here
```
"""
    assert [count for count, _ in sentences(page)] == [8, 4, 8, 4, 3, 3, 5]
