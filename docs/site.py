"""What the site has beyond docs/: a menu by README.md, files of other folders, notebooks.

The menu is what docs/README.md lists under each heading. A page may link to a file outside docs/:
the site holds a copy of it below ``repository/``, as a page where it is Markdown. So the same links
work in a clone and in the site. A notebook is a page of its texts and its code.
"""

import json
import os
import re
from pathlib import Path
from posixpath import normpath
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

DOCS = Path(__file__).parent
ROOT = DOCS.parent
COPIES = "repository"
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")
SECTION = re.compile(r"^## ([^\n]+)\n(.*?)(?=^## |\Z)", re.M | re.S)
ENTRY = re.compile(r"^\| \[[^]]+\]\(([^)#\s]+)\)", re.M)


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Makes the menu."""
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    menu: list[Any] = ["README.md"]
    for heading, body in SECTION.findall(index):
        entries = [_target("README.md", link) for link in ENTRY.findall(body)]
        menu += [{heading: entries}] if entries else []
    config.nav = menu
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the files of other folders that pages link to, and those that these link to."""
    for path in DOCS.glob("*.ipynb"):
        files.append(File.generated(config, f"{path.stem}.md", content=_as_page(path)))
    waiting = [(path.name, path) for path in DOCS.glob("*.md")]
    while waiting:
        page, path = waiting.pop()
        for link in LINK.findall(path.read_text(encoding="utf-8")):
            target = _target(page, link)
            source = ROOT / target.removeprefix(COPIES + "/")
            if not target.startswith(COPIES) or files.get_file_from_path(target):
                continue
            if source.is_file():
                files.append(File.generated(config, target, content=source.read_bytes()))
                waiting += [(target, source)] if source.suffix == ".md" else []
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Has links to files of other folders lead to their copies."""
    name = page.file.src_uri
    return LINK.sub(lambda link: f"]({_relative(name, link[1])}", markdown)


def _as_page(notebook: Path) -> str:
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    texts = [("".join(cell["source"]), cell["cell_type"]) for cell in cells]
    return "\n\n".join(
        f"```python\n{text}\n```" if kind == "code" else text for text, kind in texts
    )


def _place(page: str) -> str:
    """Where a page of the site stands in the repository."""
    inside = page.startswith(COPIES + "/")
    return page.removeprefix(COPIES + "/") if inside else f"docs/{page}"


def _target(page: str, link: str) -> str:
    """The place in the site of what a page links to."""
    target = normpath(f"{_place(page)}/../{link}")
    target = re.sub(r"^(docs/.*)\.ipynb$", r"\1.md", target)
    return target.removeprefix("docs/") if target.startswith("docs/") else f"{COPIES}/{target}"


def _relative(page: str, link: str) -> str:
    return os.path.relpath(_target(page, link), Path(page).parent)
