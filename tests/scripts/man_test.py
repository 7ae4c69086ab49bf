"""The man pages that scripts/man makes from docs/commands."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def make(folder, root=ROOT):
    return subprocess.run([root / "scripts/man", "--version", "1.2.3", folder], capture_output=True, text=True, timeout=30, check=False)


@pytest.fixture(name="pages")
def made_pages(tmp_path):
    done = make(tmp_path / "man1")
    assert done.returncode == 0, done.stderr
    return tmp_path / "man1"


@pytest.fixture(name="page_of")
def maker_of_one(tmp_path):
    """A function that makes the man page of a command from the text below the synopsis on its page."""
    def page_of(text, synopsis="\n```\nductile run program\n```\n\n"):
        for folder in ("scripts", "docs/commands"):
            (tmp_path / folder).mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / "scripts/man", tmp_path / "scripts")
        (tmp_path / "docs/commands/README.md").write_text("# Commands\n\n| command | what |\n|---|---|\n| [`ductile run`](run.md) | runs |\n")
        (tmp_path / "docs/commands/run.md").write_text(f"# `ductile run`\n{synopsis}{text}\n")
        done = make(tmp_path / "made", tmp_path)
        made = tmp_path / "made/ductile-run.1"
        return done.stderr or made.read_text().partition(".SH DESCRIPTION\n")[2].partition(".SH SEE ALSO")[0]
    return page_of


def test_each_command_has_a_page(pages):
    said = subprocess.run([os.environ["DUCTILE_PROGRAM"], "--help"], capture_output=True, text=True, timeout=30, check=True).stdout
    commands = re.findall(r"^  ([a-z]+) ", said.partition("Subcommands:")[2], re.MULTILINE)
    assert "run" in commands
    assert {page.stem for page in pages.iterdir()} == {"ductile", *(f"ductile-{name}" for name in commands)}


def test_pages_have_the_usual_sections(pages):
    for page in pages.iterdir():
        text = page.read_text(encoding="ascii")
        if text.startswith(".so "):
            assert (pages.parent / text.removeprefix(".so ").strip()).exists()
            continue
        assert text.startswith('.TH "DUCTILE') and '"Ductile 1.2.3"' in text
        sections = re.findall(r"^\.SH (.*)$", text, re.MULTILINE)
        assert sections[:3] == ["NAME", "SYNOPSIS", "DESCRIPTION"] and sections[-1] == "SEE ALSO", page
        assert re.search(r"^\.SH NAME\nductile.* \\- .+$", text, re.MULTILINE), page


def test_nothing_of_markdown_is_left(pages):
    for page in pages.iterdir():
        code = False
        for line in page.read_text().splitlines():
            code = line == ".nf" or (code and line != ".fi")
            assert code or not re.search(r"\]\(|\*\*|^\||```|^#", line), f"{page.name}: {line}"


@pytest.mark.skipif(not shutil.which("groff"), reason="no groff")
def test_groff_has_no_complaint(pages):
    for page in pages.iterdir():
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-z", f"man1/{page.name}"], cwd=pages.parent, capture_output=True,
                              text=True, timeout=30, check=True)
        assert done.stderr == "", page


@pytest.mark.parametrize("written, made", [
    ("One\ntwo `three`.", ".PP\nOne two \\fBthree\\fP.\n"),
    (".so is no order, 'this neither", ".PP\n\\&.so is no order, 'this neither\n"),
    ("`a\\b` and --c", ".PP\n\\fBa\\(rsb\\fP and \\-\\-c\n"),
    ("Many *hosts*, **and `ranks`**", ".PP\nMany \\fIhosts\\fP, \\fBand ranks\\fP\n"),
    ("See [here](../events.md#top), [`ductile end`](end.md), [below](#x)",
     ".PP\nSee here <docs/events.md>, ductile\\-end(1), below\n"),
    ("![A picture](a.svg)", ""),
    ("## `--a`, *b*", '.SH "\\-\\-a, b"\n'),
    ("- one\n  more\n\n  Even more.\n- two", ".IP \\(bu 4\none more\n.RS 4\n.PP\nEven more.\n.RE\n.IP \\(bu 4\ntwo\n"),
    ("1. one\n2. two", ".IP 1. 4\none\n.IP 2. 4\ntwo\n"),
    ("| a | b |\n|---|---|\n| `x\\|y` | z |", ".TP\n\\fBx|y\\fP\nz\n"),
    ("| a | b | c |\n|---|---|---|\n| 1 | 2 | |\n| 3 | 4 | 5 |", ".TP\n1\nb: 2\n.TP\n3\nb: 4;\nc: 5\n"),
    ("```\n.a\n├── b\n```", ".PP\n.RS 4\n.nf\n\\&.a\n+\\-\\- b\n.fi\n.RE\n"),
])
def test_what_pages_are_written_in(page_of, written, made):
    assert page_of(written) == made


@pytest.mark.parametrize("page, why", [
    ({"text": "```\nno end"}, "a block of code has no end"),
    ({"text": "| a | b |\n|---|---|\n| 1 |"}, "a row with 1 cells under 2 names"),
    ({"text": "Text.", "synopsis": "\n"}, "no block of code below the title"),
])
def test_what_cannot_be_read_is_an_error(page_of, page, why):
    said = page_of(**page)
    assert said.startswith("scripts/man: docs/commands/run.md: ") and why in said
