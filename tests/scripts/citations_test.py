"""Citations name a paper by its key in docs/bibliography.md."""
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ("include", "src", "cluster", "apps", "bench", "examples", "tests")
KEYS = re.findall(r"^### ([a-z0-9-]+)$", (ROOT / "docs/bibliography.md").read_text(encoding="utf-8"), re.MULTILINE)
PLACE = re.compile(r"\b(equations? \(?\d|listing \d|algorithm \d|table (ii\b|\d)|figures? \d|the papers?\b)", re.IGNORECASE)
# Citations by author and year: "(Jaruga et al. 2015)", "Dekker (1971)".
AUTHOR = re.compile(r"\b[A-Z][a-z]+(( (and|&) [A-Z][a-z]+)|( et al\.))? \(?(19|20)\d\d\)")
COMMENT = re.compile(r'(//|^\s*/?\*|^\s*#(?! *(include|if|endif|define|pragma))|""").*')


def comments(file):
    return "\n".join(match[0] for match in map(COMMENT.search, file.read_text(encoding="utf-8").splitlines()) if match)


def files():
    for folder in FOLDERS:
        for file in sorted((ROOT / folder).rglob("*")):
            if file.suffix in (".c", ".cpp", ".h", ".hpp", ".py", ".toml") and file != pathlib.Path(__file__).resolve():
                yield file


def test_the_bibliography_has_keys():
    assert len(KEYS) == len(set(KEYS)) >= 5 and "parallel-spawning-strategies" in KEYS


def test_each_file_that_cites_names_a_key():
    without = []
    for file in files():
        said = comments(file)
        if PLACE.search(said) and not any(key in said for key in KEYS):
            without.append(str(file.relative_to(ROOT)))
    assert not without, "name the paper by its key in docs/bibliography.md"


def test_nobody_cites_by_authors():
    found = {str(file.relative_to(ROOT)): match[0] for file in files() if (match := AUTHOR.search(comments(file)))}
    assert not found, "name the paper by its key in docs/bibliography.md"


@pytest.mark.parametrize("line, cites", [("// equation (9)", True), ("/// Listing 2", True), ("int table = 2;  // of rows", False)])
def test_what_counts_as_a_citation(line, cites):
    assert bool(PLACE.search(COMMENT.search(line)[0])) == cites
