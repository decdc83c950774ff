"""The pages of docs/ as a site: it builds strictly, links lead somewhere, sentences are short."""

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
MOST_PAGES = 29
MOST_WORDS = 40
MEAN_WORDS = 20
HREF = re.compile(r'(?:href|src)="(?!https?:|data:|#|mailto:)([^"#?]+)')

CODE_SHOWN = re.compile(r"<(pre|code)\b.*?</\1>", re.S)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-d", str(folder)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_link_of_the_site_leads_to_a_file_in_it(site):
    lost = {
        (str(page.relative_to(site)), link)
        for page in site.rglob("*.html")
        for link in HREF.findall(page.read_text())
        if page.name != "404.html" and not (page.parent / link).exists()
    }
    assert lost == set()


def test_the_menu_has_every_page_and_files_of_other_folders_are_in_the_site(site):
    menu = HREF.findall((site / "index.html").read_text())
    named = {"index" if page.stem == "README" else page.stem for page in PAGES}
    assert named <= {Path(link).stem for link in menu}
    found = json.loads((site / "search/search_index.json").read_text())["docs"]
    assert any("max_spend" in one["text"] and "config.html" in one["location"] for one in found)
    configuration = (site / "repository/config/index.html").read_text()
    assert 'href="../../config.html"' in configuration
    assert (site / "repository/CITATION.cff").read_text() == (ROOT / "CITATION.cff").read_text()


def test_no_sign_of_markdown_is_left_in_a_text(site):
    for page in site.rglob("*.html"):
        (text,) = re.findall(r"<article.*?</article>", page.read_text(), re.S) or [""]
        plain = re.sub(r"<[^>]+>", "", CODE_SHOWN.sub("", text))
        assert re.findall(r"^ *(?:- |#+ |\| ).*|.*\*\*.*|.*\]\(.*", plain, re.M) == [], page.name


def test_pages_are_few_the_citation_is_of_this_version_and_ci_runs_the_whole_check():
    assert len(PAGES) <= MOST_PAGES
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert cited["version"] == steadfast.__version__
    (job,) = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())["jobs"].values()
    assert ".ci/run" in [step.get("run") for step in job["steps"]]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_sentences_are_short(page):
    counted = list(sentences(page.read_text()))
    assert [text for count, text in counted if count > MOST_WORDS] == []
    assert sum(count for count, _ in counted) / len(counted) < MEAN_WORDS


def test_a_sentence_is_told_from_the_next_one():
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
