"""Which tests `./test --tenth COMMIT` chooses (scripts/lib/tiers.sh)."""
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def tiers(command, words=()):
    """The output of a command of bash, as lines. It can call the functions of scripts/lib/tiers.sh. Its input is the words, one a line."""
    script = f'root={ROOT} build={ROOT}/build; source "$root/scripts/lib/tiers.sh"; {command}'
    said = subprocess.run(["bash", "-euc", script], input="".join(f"{word}\n" for word in words), capture_output=True, text=True,
                          timeout=30, check=True)
    return said.stdout.splitlines()


@pytest.mark.parametrize("number, chosen", [(0, 0), (1, 1), (10, 1), (11, 2), (100, 10)])
def test_a_tenth_is_rounded_up(number, chosen):
    words = [f"attack/a.{word}" for word in range(number)]
    taken = tiers("tenth_of c0ffee", words)
    assert len(taken) == chosen == len(set(taken)) and set(taken) <= set(words)


def test_the_commit_alone_chooses():
    words = [f"system/case_{word}" for word in range(40)]
    assert tiers("tenth_of c0ffee", words) == tiers("tenth_of c0ffee", reversed(words))
    by_commit = [set(tiers(f"tenth_of {commit}", words)) for commit in range(20)]
    assert len({frozenset(chosen) for chosen in by_commit}) > 15
    assert len(set().union(*by_commit)) >= 30


def test_names_of_several_words_stay_whole():
    assert tiers("tenth_of c0ffee", ["mpich-5.0.2 --standard-abi"]) == ["mpich-5.0.2 --standard-abi"]


def test_each_fuzz_target_can_be_chosen():
    assert set(tiers("fuzz_targets")) == {file.name.removesuffix("_fuzz.cpp") for file in (ROOT / "tests/fuzz").glob("*_fuzz.cpp")}
