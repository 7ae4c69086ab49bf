"""docs/architecture.md agrees with the files, folders and floors of the project."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")


def test_files_that_it_names_are_there():
    named = set(re.findall(r"`([\w/.]+\.(?:cpp|hpp|c|py|sh|cmake|md|txt))`", PAGE))
    known = {str(file.relative_to(ROOT)) for top in ROOT.iterdir() if not top.name.startswith(("build", ".")) and top.is_dir()
             for file in top.rglob("*")} | {file.name for file in ROOT.iterdir()}
    ends = {path[at:] for path in known for at in (0, *(match.end() for match in re.finditer("/", path)))}
    assert len(named) > 30
    assert not [name for name in named if "NAME" not in name and name not in ends]


def test_each_folder_has_its_paragraph():
    folders = {f"src/{folder.name}" for folder in (ROOT / "src").iterdir() if folder.is_dir()}
    folders |= {"include/ductile", "cluster", "apps", "examples", "bench", "tests", "scripts", "cmake", "packaging"}
    assert folders <= set(re.findall(r"\*\*`([\w/]+)`\*\*", PAGE))


def test_floors_are_those_of_the_test():
    table = (ROOT / "tests/core/floors_test.cpp").read_text(encoding="utf-8").partition("floor_of{")[2].partition("};")[0]
    floors = {folder: int(floor) for folder, floor in re.findall(r'\{"(\w+)", (\d)\}', table)}
    shown = {folder: int(floor) for floor, cell in re.findall(r"^\| (\d) \| (.*) \|$", PAGE, re.MULTILINE)
             for folder in re.findall(r"`(\w+)/?`", cell)}
    assert shown == {folder: floor for folder, floor in floors.items() if (ROOT / "src" / folder).is_dir() or (ROOT / folder).is_dir()}


def test_its_pictures_are_there():
    pictures = re.findall(r"!\[[^\]]+\]\((images/[\w-]+\.svg)\)", PAGE)
    assert len(pictures) == 2 and all((ROOT / "docs" / picture).exists() for picture in pictures)
