"""Every local link of every page leads to a file or folder that exists. Its anchor is a heading that both GitHub and MkDocs find."""
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/lib"))

from docs_site import anchor_of, anchors, heading_words, links, target_path  # noqa: E402 - after the line above


def pages():
    for top in (ROOT, *(ROOT / folder for folder in ("apps", "bench", "docs", "examples", "packaging", "tests"))):
        yield from sorted(top.glob("*.md") if top == ROOT else top.rglob("*.md"))


def broken(page):
    """What is wrong with the links of a page: a line for each mistake."""
    path = page.relative_to(ROOT).as_posix()
    for number, to in links(page.read_text(encoding="utf-8")):
        target, anchor = ROOT / target_path(path, to), to.partition("#")[2]
        where = f"{path}:{number}: {to}"
        if not target.exists():
            yield f"{where}: there is no {target.relative_to(ROOT)}"
        elif anchor and (target.suffix != ".md" or anchor not in anchors(target.read_text(encoding="utf-8"))):
            yield f"{where}: no heading has that name"


def test_every_local_link_leads_somewhere():
    found = [line for page in pages() for line in broken(page)]
    assert len(list(pages())) > 80
    assert not found, "\n".join(found)


@pytest.mark.parametrize("heading, anchor", [
    ("## Under Open MPI", "under-open-mpi"),
    ("## 4. Where a resize may happen", "4-where-a-resize-may-happen"),
    ("### `--check`: what it *finds*", "--check-what-it-finds"),
    ("# A [page](page.md) - of two_words, `a_b`", "a-page---of-two_words-a_b"),
])
def test_names_of_headings(heading, anchor):
    assert anchors(f"Text.\n\n{heading}\n") == {anchor}
    assert anchor_of(heading_words(heading.lstrip("# "))) == anchor


@pytest.mark.parametrize("text, targets", [
    ("[a](b.md) and ![c](d.svg), [`e`](f.md#g)", ["b.md", "d.svg", "f.md#g"]),
    ("`[a](b.md)` [c](https://example.org) [d](mailto:e@example.org)", []),
    ("```\n[a](b.md)\n```\n[c](#d)", ["#d"]),
    ("[two\nlines](a.md)", ["a.md"]),
    ("`code of\ntwo lines` [a](b.md) `c`", ["b.md"]),
    ("[`a\nb`](c.md) `d`\n\n` [e](f.md)", ["c.md", "f.md"]),
])
def test_what_counts_as_a_link(text, targets):
    assert [to for _, to in links(text)] == targets


def test_a_link_is_from_its_page():
    assert target_path("docs/commands/run.md", "../mpi.md#what") == "docs/mpi.md"
    assert target_path("README.md", "#top") == "README.md"
