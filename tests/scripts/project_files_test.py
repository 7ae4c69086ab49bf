"""Files of the project that repeat facts from elsewhere: the version, which is in CMakeLists.txt, and what the build needs."""
import os
import pathlib
import re
import subprocess
import sys
import types

ROOT = pathlib.Path(__file__).resolve().parents[2]
# {what CMake looks for: its name in Spack}. Threads come with the system.
IN_SPACK = {"OpenSSL": "openssl", "fmt": "fmt", "SQLite3": "sqlite", "spdlog": "spdlog", "nlohmann_json": "nlohmann-json",
            "tomlplusplus": "tomlplusplus", "CLI11_INCLUDE_DIR": "cli11", "ASIO_INCLUDE_DIR": "asio"}


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def version():
    return re.search(r"^project\(ductile VERSION ([0-9.]+)", text("CMakeLists.txt"), re.MULTILINE)[1]


def citation():
    return dict(re.findall(r'^([a-z-]+): "?(.+?)"?$', text("CITATION.cff"), re.MULTILINE))


def releases():
    return re.findall(r"^## ([0-9.]+) - (\d{4}-\d\d-\d\d)$", text("CHANGELOG.md"), re.MULTILINE)


def recipe():
    """packaging/spack/package.py, read as Spack reads it: {word: the arguments of its calls, in order}."""
    said = {}
    words = types.ModuleType("spack.package")
    for word in ("license", "version", "variant", "depends_on", "conflicts"):
        said[word] = []
        setattr(words, word, lambda *given, word=word, **_: said[word].append(given[0]))
    words.CMakePackage = object
    sys.modules["spack"], sys.modules["spack.package"] = types.ModuleType("spack"), words
    try:
        exec(compile(text("packaging/spack/package.py"), "package.py", "exec"), {})
    finally:
        del sys.modules["spack"], sys.modules["spack.package"]
    return said


def test_the_program_has_the_version_of_cmake():
    said = subprocess.run([os.environ["DUCTILE_PROGRAM"], "--version"], capture_output=True, text=True, timeout=30, check=True).stdout
    assert said.split()[:2] == ["ductile", version()]


def test_the_citation_has_the_last_release():
    assert releases()[0] == (version(), citation()["date-released"])
    assert citation()["version"] == version()


def test_the_changelog_is_in_order():
    dates = [date for _, date in releases()]
    assert dates == sorted(dates, reverse=True)
    assert "\n## Unreleased\n" in text("CHANGELOG.md").partition(f"## {version()}")[0]
    kinds = set(re.findall(r"^### (.*)$", text("CHANGELOG.md"), re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}


def test_the_licence():
    assert "Apache License\n                           Version 2.0, January 2004" in text("LICENSE")
    assert citation()["license"] == "Apache-2.0" == recipe()["license"][0]


def test_the_recipe_has_what_cmake_looks_for():
    looked_for = re.findall(r"^find_(?:package|path)\((\w+) .*REQUIRED\)", text("cmake/DuctileDependencies.cmake"), re.MULTILINE)
    assert "fmt" in looked_for
    needed = {name.partition("@")[0] for name in recipe()["depends_on"]}
    assert {IN_SPACK[name] for name in looked_for if name != "Threads"} | {"mpi", "cmake"} <= needed
    assert recipe()["version"] == [version()]


def test_the_container_runs_what_is_there():
    steps = re.findall(r"^RUN (\S+) (.*?)(?: &&|$)", text("packaging/container/Dockerfile"), re.MULTILINE)
    assert steps and all(os.access(ROOT / program, os.X_OK) for program, _ in steps)
    usage = subprocess.run([ROOT / "scripts/setup", "--help"], capture_output=True, text=True, timeout=30, check=True).stdout
    for program, options in steps:
        assert program != "scripts/setup" or all(option in usage for option in options.split())
