"""What bash offers after `ductile` (packaging/completion/ductile.bash). It reads this from `ductile --help`."""
import os
import pathlib
import re
import subprocess

import pytest

FILE = pathlib.Path(__file__).resolve().parents[2] / "packaging/completion/ductile.bash"
PROGRAM = os.environ.get("DUCTILE_PROGRAM", "ductile")


def offered(*words):
    """What is offered for the last of these words. They follow the name of the program."""
    script = """source "$1"; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_ductile "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
printf '%s\\n' "${COMPREPLY[@]}\""""
    said = subprocess.run(["bash", "--norc", "-uc", script, "bash", FILE, PROGRAM, *words], capture_output=True, text=True, timeout=30,
                          check=True)
    assert said.stderr == ""
    return set(said.stdout.split())


def help_of(*command):
    return subprocess.run([PROGRAM, *command, "--help"], capture_output=True, text=True, timeout=30, check=True).stdout


def commands_in(said):
    return re.findall(r"^  ([a-z-]+) ", said.partition("Subcommands:")[2], re.MULTILINE)


def options_in(said):
    return {name for names in re.findall(r"^  (-\S+)", said, re.MULTILINE) for name in names.split(",")}


def all_commands():
    for command in commands_in(help_of()):
        yield (command,)
        yield from ((command, further) for further in commands_in(help_of(command)))


def test_commands():
    assert offered("") == set(commands_in(help_of())) >= {"run", "resize", "cluster"}
    assert offered("st") == {"status"}
    assert offered("cluster", "") == set(commands_in(help_of("cluster"))) >= {"up", "exec"}
    assert offered("trees", "d") == {"draw"}


def test_each_option_of_each_command():
    for command in all_commands():
        options = options_in(help_of(*command))
        assert offered(*command, "-") == options >= {"-h", "--help"}, command
    assert offered("--v") == {"--version"}


def test_values_that_the_help_lists():
    starts = {"collective", "single", "hypercube", "diffusive", "launch"}
    assert offered("resize", "4", "--start", "") == starts
    assert offered("resize", "4", "--start", "=") == offered("resize", "4", "--start", "=", "") == starts
    assert offered("resize", "--start", "=", "h") == {"hypercube"}
    assert offered("demo", "") == {"heat", "mpdata"}


@pytest.mark.parametrize("words", [("run", "-n", "2", "--", "./program", "--"), ("cluster", "exec", "node01", "--", "ls", "-")])
def test_words_of_another_program_are_its_own(words):
    assert not offered(*words)


def test_a_program_follows():
    assert "bash" in offered("run", "--", "bas")


def test_where_nothing_fits():
    assert not offered("run", "--hosts", "")  # so bash offers names of files (`complete -o default`)
    assert not offered("nonsense", "x")
