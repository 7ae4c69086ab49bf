"""Arguments that mean something to mpiexec, shells or printf; empty arguments, too many, too long ones."""
import json
import os
import re
import subprocess
import time

import pytest
from attack import DUCTILE, LONG, STEADY, AttackedJob, expect_calm, run

ODD = [":", "-n", "--", "-host", "localhost", "", "  two  blanks ", "'", '"', "\\", "a\nb", "\t", os.fsdecode(b"\xfe\xff"), "$HOME", "`id`", "$(id)", "%s%n", "*", "~", "{argv}", "-h", "-genv", "A", "B",
       ";", "&", "|", ">", "#", "@file", "-f", "-configfile", "=", "-", "---", ":", "é", "\x1b[31m", "\x7f", ""]


def words_of(pid):
    with open(f"/proc/{pid}/cmdline", "rb") as f:
        return f.read().split(b"\0")[:-1]


@pytest.mark.each
@pytest.mark.parametrize("start", ("launch", "collective", "single", "hypercube", "diffusive"))
def test_odd_words_by(start):
    """Ranks get odd arguments unchanged: the first ranks, and those that a resize adds."""
    program = [STEADY, LONG, 10000, *ODD]
    wanted = [os.fsencode(str(word)) for word in program]
    with AttackedJob("-n", "2", "--start", start, "--env", "ODD=a : b", program=program) as job:
        try:
            job.running()
        except AssertionError as error:
            raise AssertionError(("the job does not start", start, str(error)[-1500:])) from None

        def expect_words(size):
            ranks = job.ranks()
            assert len(ranks) == size, (start, size, ranks)
            for pid in ranks:
                assert words_of(pid) == wanted, (start, size, [w for w in zip(words_of(pid), wanted) if w[0] != w[1]][:5], len(words_of(pid)))
                with open(f"/proc/{pid}/environ", "rb") as f:
                    assert b"\0ODD=a : b\0" in b"\0" + f.read()
        expect_words(2)
        for size in (4, 1, 3):
            job.expect_resize(size)
            expect_words(size)
        job.expect_whole(2)


SHOW = 'for w; do printf "%s\\0" "$w"; done'


def test_odd_words_of_plain_programs():
    """A plain program gets odd arguments unchanged: all together, and each alone."""
    wanted = b"".join(os.fsencode(word) + b"\0" for word in ODD)
    for options, ranks in ((["-n", "1"], 1), (["-n", "2", "--local=1", "--ranks-per-host=2"], 2), (["-n", "2", "--local=2", "--ranks-per-host=1"], 2)):
        result = run("run", *options, "--", "sh", "-c", SHOW, "sh", *ODD)
        assert result.returncode == 0, (options, result)
        # The output of two ranks is mixed line by line, and one of the words has two lines.
        pieces = sorted(result.stdout.replace(b"\n", b"\0").split(b"\0"))
        assert pieces == sorted((wanted * ranks).replace(b"\n", b"\0").split(b"\0")), (options, result.stdout, result.stderr)
    for word in ODD:
        result = run("run", "--", "sh", "-c", SHOW, "sh", word)
        assert result.returncode == 0 and result.stdout == os.fsencode(word) + b"\0", (word, result)


def test_program_of_an_odd_name():
    """The program has an odd name, and so has its directory, in which it also runs."""
    folder = "/tmp/a : b $HOME\n*"
    os.mkdir(folder)
    for name in (":", "-n", "a b", "%s", "'"):
        path = f"{folder}/{name}"
        with open(path, "w") as f:
            f.write("#!/bin/sh\nprintf '%s|%s' \"$0\" \"$PWD\"\n")
        os.chmod(path, 0o755)
        result = run("run", "--", path, cwd=folder)
        assert result.returncode == 0 and result.stdout == f"{path}|{folder}".encode(), (name, result)
        result = run("run", "--", "./" + name, cwd=folder)
        assert result.returncode == 0 and result.stdout.endswith(f"|{folder}".encode()), (name, result)


def test_odd_words_are_shown_plainly():
    """Arguments, variables and files with control characters: messages about them do not print the control characters."""
    odd, folder, failures = "\x1b]0;owned\x07\x1b[2J\x9b31m\x7f", "/tmp/odd", []
    os.mkdir(folder)

    def file(text):
        path = f"{folder}/{len(os.listdir(folder))}"
        with open(path, "w") as f:
            f.write(text)
        return path
    runs = [["--hosts", file(f"{odd} slots=1\n")], ["--hosts", file(f"a slots={odd}\n")], ["--hosts", f"/no/{odd}"], ["--config", file(f'# {odd}\nranks = "{odd}"\n')], ["--config", file(f'"{odd}" = 1\n')],
            ["--config", file(f"ranks = 1 {odd}\n")], ["--config", f"/no/{odd}"], ["--costs", file(json.dumps({"mpi": odd}))], ["--costs", file(odd)], ["--mpi", f"/no/{odd}"], ["--mpiexec", f"/no/{odd}"],
            ["--remote-shell", odd, "--hosts", file("a slots=1\n")], ["--env", odd], ["--events", f"/no/{odd}"], ["-n", odd], ["--start", odd], ["--method", odd], [f"--{odd}"]]
    empty = file("{}\n")
    words = [*(["run", *one, "--", "true"] for one in runs), ["run", "--", odd], ["run", "--", f"./{odd}"], ["report", file(odd + "\n")], ["report", file(json.dumps({"event": odd, "time": 1}) + "\n")], ["report", f"/no/{odd}"],
             ["report", empty, "--field", file(odd)], ["report", empty, "-o", f"/no/{odd}"], ["plan", "--from", odd, "--to", "2x1"], ["plan", "--allocation", odd, "--running", "1"], ["plan", "--from", "1x1", "--to", odd],
             ["plan", "--from", "1x1", "--to", "2x1", "--start", odd], ["doctor", "--mpi", f"/no/{odd}"], ["doctor", "--json", "--mpi", f"/no/{odd}"], ["calibrate", "--output", f"/no/x/{odd}/", "--rounds", "1"],
             ["calibrate", "--hosts", f"/no/{odd}"], ["cluster", "up", "1", "--name", odd], ["cluster", "kill", odd], ["cluster", "exec", odd, "--", "true"], ["trees", "study", "--processes", odd], ["trees", odd],
             ["trees", "study", "--json", f"/no/{odd}"], ["demo", "--page", f"/no/{odd}"], ["demo", odd], [odd]]
    variables = ("DUCTILE_CONFIG", "DUCTILE_MPI", "DUCTILE_LOG", "DUCTILE_RANKS", "DUCTILE_START", "DUCTILE_HOSTS", "DUCTILE_COSTS", "DUCTILE_EVENTS", "DUCTILE_REMOTE_SHELL", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "HOME")
    asked = [(one, {}) for one in words] + [(["run", "--", "true"], {name: value}) for name in variables for value in (odd, f"/no/{odd}")]
    for one, env in asked:
        try:
            expect_calm(run(*one, env=env), (one, env))
        except (AssertionError, subprocess.TimeoutExpired) as error:
            failures.append(repr(error)[:400])
    assert not failures, f"{len(failures)}:\n" + "\n".join(failures)


# --- empty words ---

EMPTY = (["end", ""], ["status", ""], ["status", "", "--json"], ["resize", "", "4"], ["resize", ""], ["resize", "JOB", ""], ["resize", "", ""], ["resize", "--release", ""], ["resize", "JOB", "--release", ""],
         ["resize", "JOB", "--release="], ["resize", "JOB", "2", "--start", ""], ["resize", "JOB", "2", "--method="], ["resize", "JOB", "2", "--switch-within", ""], ["cancel", ""], ["watch", ""],
         ["watch", "JOB", "--every", ""], ["renew", ""], ["run", "--resume", ""], ["run", "--resume="], ["report", ""], ["report", "/tmp/events", "-o", ""], ["report", "/tmp/events", "--field", ""],
         ["run", "--"], ["run", "--", ""], ["run", "--", "", "x"], ["plan", "--from", "", "--to", "2x1"], ["plan", "--allocation", "", "--running", "1"],
         ["plan", "--from", "1x1", "--to", "2x1", "--explain", "--costs", ""], ["doctor", "--mpi", ""], ["doctor", "--mpi="], ["demo", "--page", "", "--quick"], ["demo", "--events", "", "--quick"],
         ["calibrate", "--output", ""], ["calibrate", "--hosts", ""], ["calibrate", "--mpi", ""], ["calibrate", "--remote-shell", ""],
         ["trees", "study", "-o", "", "--processes", "16"], ["trees", "study", "--csv", "", "--processes", "16"], ["trees", "study", "--json", "", "--processes", "16"], ["trees", "draw", "--n", "3", "--members", ""], [""], ["", "x"],
         ["cluster", ""], ["cluster", "status", "--name", ""], ["cluster", "down", "--name", ""], ["cluster", "up", ""], ["cluster", "up", "1", "--name", ""], ["cluster", "kill", ""],
         ["cluster", "exec", "", "--", "true"], ["cluster", "exec", "node01", "--", ""], ["cluster", "freeze", "node01", "--by", ""], ["cluster", "ps", "node01", "--env", ""],
         # Dashes end the options of these commands, and no program follows.
         ["end", "--", ""], ["status", "--", ""], ["status", "--json", "--", ""], ["cancel", "--", ""], ["watch", "--", ""], ["renew", "--", ""], ["resize", "--", ""], ["resize", "--", "", "4"],
         ["resize", "--", "JOB", ""], ["report", "--", ""], ["cluster", "kill", "--", ""], ["cluster", "--", ""], ["--", ""])
EMPTY_OPTIONS = ("--ranks", "--hosts", "--ranks-per-host", "--min", "--max", "--preferred", "--multiple", "--inhibitor", "--inhibitor-points", "--method", "--start",
                 "--overlap", "--redistribution", "--costs", "--remote-shell", "--mpi", "--mpiexec", "--shared-cores", "--leave-within", "--orphan-limit", "--heartbeat", "--heartbeat-limit", "--progress-within", "--vote-within",
                 "--renew-after", "--efficiency", "--efficiency-band", "--events", "--env", "--config")


def test_empty_words():
    """An empty word in place of a name or value: the message says that it is empty. It never stands for the only job that runs."""
    failures = []
    with AttackedJob("-n", "2") as job:
        job.running()
        words = [*EMPTY, *(["run", option, "", "--", "true"] for option in EMPTY_OPTIONS), *(["run", option + "=", "--", "true"] for option in EMPTY_OPTIONS if option != "--local")]
        for one in words:
            one = [job.id if word == "JOB" else word for word in one]
            try:
                result = run(*one, seconds=10)
            except subprocess.TimeoutExpired:
                failures.append((one, "does not end within 10 s"))
                continue
            program_follows = one[0] == "run" or one[:2] == ["cluster", "exec"]
            after_dashes = program_follows and (one[-2:] == ["--", ""] or one[-3:] == ["--", "", "x"] or one == ["run", "--"])
            fits = result.returncode != 0 if after_dashes else result.returncode == 2 and b"empty" in result.stderr
            if not fits:
                failures.append((one, result.returncode, result.stdout[-80:], result.stderr[-160:]))
        ended = job.process.poll() is not None
        if ended:
            failures.append("the job that runs was ended")
        else:
            assert job.status()["ranks"] == 2, "nor resized"
            assert not job.status()["resizes"], job.status()["resizes"]
            job.expect_whole(3, 1)
    run("cluster", "down")
    assert not failures, f"{len(failures)} empty words:\n" + "\n".join(map(str, failures))


def test_empty_values_in_a_file():
    """An empty value of an option in a file is an error, as on the command line. The message names the file and the line."""
    failures = []
    for option in (*EMPTY_OPTIONS, "--local", "--tag"):
        if option in ("--env", "--config"):
            continue
        for value in ('""', "''"):
            with open("/tmp/options.toml", "w") as f:
                f.write(f"# options\n{option[2:]} = {value}\n")
            result = run("run", "--config", "/tmp/options.toml", "--", "true")
            if result.returncode != 2 or b"options.toml:2" not in result.stderr or b"empty" not in result.stderr:
                failures.append((option, value, result))
    assert not failures, "\n".join(map(str, failures))


def test_empty_words_that_are_no_ones_business():
    """Empty arguments of a program are passed on."""
    result = run("run", "--", "sh", "-c", 'echo "$#"', "sh", "", "")
    assert result.returncode == 0 and result.stdout == b"2\n", result
    if run("cluster", "up", "1", "--cores", "1", "--name", "empty").returncode == 0:
        try:
            result = run("cluster", "exec", "--name", "empty", "node01", "--", "sh", "-c", 'echo "$#"', "sh", "", "")
            assert result.returncode == 0 and result.stdout == b"2\n", result
        finally:
            run("cluster", "down", "--name", "empty")
        result = run("cluster", "up", "1", "--cores", "1", "--name", "emptier", "--", "sh", "-c", 'echo "$#"', "sh", "", "")
        assert result.returncode == 0 and result.stdout == b"2\n", result
    result = run("run", "--env", "NOTHING=", "--", "sh", "-c", 'echo "${NOTHING-unset}|"')
    assert result.returncode == 0 and result.stdout == b"|\n", result


# --- many words ---


def test_many_words():
    for count in (8191, 8193, 20000):
        result = run("run", "--", "sh", "-c", 'echo "$#" "$1" "${10}"; shift $(($# - 1)); echo "$1"', "sh", *map(str, range(count)))
        assert result.returncode == 0 and result.stdout.split() == [str(count).encode(), b"0", b"9", str(count - 1).encode()], (count, result.returncode, result.stdout, result.stderr[-300:])


def test_many_words_by_resizes():
    program = [STEADY, LONG, 10000, *map(str, range(9000))]
    for start in ("launch", "hypercube"):
        with AttackedJob("-n", "2", "--start", start, program=program) as job:
            job.running()
            job.expect_resize(4)
            for pid in job.ranks():
                assert len(words_of(pid)) == len(program)
            job.expect_whole(1, 2)


def test_many_variables():
    for count in (8200, 20000):
        more = {f"ATTACK_{i}": str(i) for i in range(count)}
        result = run("run", "--", "sh", "-c", "env | grep -c '^ATTACK_'; echo $ATTACK_0 $ATTACK_8199", env=more)
        assert result.returncode == 0 and result.stdout.split() == [str(count).encode(), b"0", b"8199"], (count, result.returncode, result.stdout, result.stderr[-300:])


def test_many_variables_by_resizes():
    with AttackedJob("-n", "2", environment={f"ATTACK_{i}": str(i) for i in range(9000)}) as job:
        job.running()
        job.expect_resize(4)
        for pid in job.ranks():
            with open(f"/proc/{pid}/environ", "rb") as f:
                assert sum(entry.startswith(b"ATTACK_") and not entry.startswith(b"ATTACK_JOB=") for entry in f.read().split(b"\0")) == 9000
        job.expect_whole(1, 2)


def one_large_word(size):
    return "x" * size


def test_large_words():
    """An argument, or a variable, of nearly 128 KiB: the most that exec takes."""
    for size in (100_000, 131_000):
        result = run("run", "--", "sh", "-c", 'echo "${#1}"', "sh", one_large_word(size))
        assert result.returncode == 0 and result.stdout == b"%d\n" % size, (size, result.returncode, result.stdout[-100:], result.stderr[-300:])
        result = run("run", "--", "sh", "-c", 'echo "${#LARGE}"', env={"LARGE": one_large_word(size)})
        assert result.returncode == 0 and result.stdout == b"%d\n" % size, (size, result.returncode, result.stdout[-100:], result.stderr[-300:])


PLAIN_RUN = ("--", "sh", "-c", "echo $#", "sh")


def most_words():
    """Arguments with which exec can just start `ductile run`: one byte more would be too much."""
    def starts(words):
        try:
            return subprocess.run([DUCTILE, "run", "--help", *PLAIN_RUN, *words], capture_output=True, timeout=10).returncode == 0
        except OSError:
            return False

    def most(words_of, low, high):
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if starts(words_of(middle)) else (low, middle)
        return low
    whole = ["y" * 999] * most(lambda n: ["y" * 999] * n, 1, 20000)
    return whole + ["z" * most(lambda n: [*whole, "z" * n], 0, 1000)]


def test_more_than_exec_takes():
    """Arguments that are too large to start ranks with: refused before anything starts, with a message that names the limit."""
    words = most_words()
    begin = time.monotonic()
    result = run("run", *PLAIN_RUN, *words)
    took = time.monotonic() - begin
    assert result.returncode == 2 and took < 3 and re.search(rb"ARG_MAX|limit|bytes|too long|at most", result.stderr), (result.returncode, took, result.stdout[-100:], result.stderr[-300:])
    result = run("run", *PLAIN_RUN, *words[:len(words) // 2])
    assert result.returncode == 0 and result.stdout == b"%d\n" % (len(words) // 2), (result.returncode, result.stdout[-100:], result.stderr[-300:])


def test_variable_of_more_than_exec_takes():
    """A variable of more than 128 KiB cannot be given to `ductile`. But Ductile puts a path in front of LD_LIBRARY_PATH, which makes it too large."""
    size = 131072 - len("LD_LIBRARY_PATH=") - 1
    prefix = os.environ.get("DUCTILE_MPI") or prefix_of_the_mpi()
    begin = time.monotonic()
    result = run("run", "--mpi", prefix, "--", "sh", "-c", 'echo "${#LD_LIBRARY_PATH}"', env={"LD_LIBRARY_PATH": "/" * size})
    took = time.monotonic() - begin
    assert result.returncode == 2 and took < 3 and re.search(rb"128 KiB|131072|131,072|131071|limit", result.stderr), (result.returncode, took, result.stdout[-100:], result.stderr[-300:])


def prefix_of_the_mpi():
    shown = subprocess.run(["ldd", STEADY], capture_output=True, text=True, timeout=10).stdout
    library = re.search(r"libmpi\S* => (\S+)", shown)
    assert library, shown
    return os.path.dirname(os.path.dirname(library[1]))
