"""How pages become a site (scripts/lib/docs_site.py): their addresses, their links, and Markdown for MkDocs."""
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/lib"))

import docs_site  # noqa: E402 - after the line above


@pytest.fixture(name="without_reference", autouse=True)
def no_reference(tmp_path, monkeypatch):
    """A reference folder in which Doxygen has made only one page."""
    (tmp_path / "process__group_8hpp.html").touch()
    monkeypatch.setattr(docs_site, "REFERENCE", tmp_path)


@pytest.mark.parametrize("path, page", [
    ("README.md", "index.md"),
    ("docs/commands/run.md", "commands/run.md"),
    ("docs/images/demo.png", "images/demo.png"),
    ("CONTRIBUTING.md", "contributing.md"),
    ("apps/heat/README.md", "apps/heat/README.md"),
    ("docs/changelog", "changelog/index.md"),
    ("docs/decisions", "decisions/README.md"),
    ("examples/minimal/minimal.cpp", "source/examples/minimal/minimal.cpp.md"),
    ("include/ductile/process_group.hpp", "reference/process__group_8hpp.html"),
    ("include/ductile/job.hpp", "source/include/ductile/job.hpp.md"),
])
def test_where_a_file_is(path, page):
    assert docs_site.page_of(path) == page


@pytest.mark.parametrize("path, written, made", [
    ("README.md", "[a](docs/mpi.md#what) [b](LICENSE) `[c](docs/c.md)`", "[a](mpi.md#what) [b](source/LICENSE.md) `[c](docs/c.md)`"),
    ("docs/commands/run.md", "[a](../mpi.md) [b](../../CONTRIBUTING.md#tests)", "[a](../mpi.md) [b](../contributing.md#tests)"),
    ("docs/c.md", "[a](#x) [b](https://example.org) ![c](images/demo.png)", "[a](#x) [b](https://example.org) ![c](images/demo.png)"),
    ("docs/c.md", "```\n[a](../README.md)\n```\n", "```\n[a](../README.md)\n```\n"),
])
def test_links_lead_where_the_pages_are(path, written, made):
    assert docs_site.relinked(written, path) == made


@pytest.mark.parametrize("written, made", [
    ("Text:\n- one\n  more\n- two\n", "Text:\n\n- one\n  more\n- two\n"),
    ("Text:\n1. one\n2. two\n", "Text:\n\n1. one\n2. two\n"),
    ("In the year\n2015. No list.\n", "In the year\n2015. No list.\n"),
    ("Text:\n| a |\n|---|\n| b |\n", "Text:\n\n| a |\n|---|\n| b |\n"),
    ("```sh norun\n- a\n```\n", "```sh\n- a\n```\n"),
    ("```cpp\nf();\n```\n- one\n", "```cpp\nf();\n```\n\n- one\n"),
])
def test_markdown_as_mkdocs_reads_it(written, made):
    assert docs_site.as_mkdocs_reads(written) == made


def test_a_folder_is_a_list():
    page = docs_site.content_of("docs/reports")
    names = sorted(file.name for file in (ROOT / "docs/reports").glob("*.md"))
    assert re.findall(r"^- \[.+\]\((.+)\)$", page, re.MULTILINE) == names


def test_each_page_of_the_navigation_is_there():
    pages = re.findall(r"^ +- (?:.*: )?([\w/-]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    paths = {docs_site.page_of(file.relative_to(ROOT).as_posix()) for pattern in ("*.md", "docs/**/*.md", "apps/*/*.md") for file in ROOT.glob(pattern)}
    assert len(pages) > 30 and set(pages) <= paths


def test_usage():
    for arguments, status in ((["--help"], 0), (["--no-such-option"], 2)):
        done = subprocess.run([ROOT / "scripts/docs", *arguments], capture_output=True, text=True, timeout=30, check=False)
        assert done.returncode == status and "usage: scripts/docs" in done.stdout + done.stderr
