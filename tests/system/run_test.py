"""What `ductile run`, `resize`, `status` and `plan` promise."""
import glob
import json
import os
import signal
import socket
import subprocess
import tempfile

import pytest
from ductile_job import DUCTILE, LONG, STEADY, Job, wait_until
from patience import patient



def run(*argv, **options):
    return subprocess.run([DUCTILE, *argv], capture_output=True, text=True, timeout=60, **options)


def test_data_over_resizes():
    """The job goes 1 -> 4 -> 1 -> 3 ranks and gives its first host back. The data is intact, and group ids are never reused."""
    with Job([STEADY, 1500, 10000], options=("--tag",)) as job:
        job.running()
        for size in (4, 1, 3):
            assert job.resize(size).returncode == 0
            assert job.status()["ranks"] == size
        assert [g["id"] for g in job.status()["groups"]] == [0, 2]
        released = job.ask("resize", job.id, "--release", "local0", "--wait")
        assert released.returncode == 0, released
        assert not job.group(0), "the host that was given back holds no process of the job"
        assert [g["id"] for g in job.status()["groups"]] == [2]
        assert job.resize(4).returncode == 0
        assert job.end(60) == 0, job.stderr()
        assert "[g2.0] end 4 bad 0" in job.stdout(), job.stdout()
        job.nothing_left()


def test_several_ranks_a_host():
    with Job([STEADY, 800, 10000], where=("--local=3", "--ranks-per-host=2"), options=("-n", "2")) as job:
        job.running()
        assert job.resize(6).returncode == 0
        assert job.resize(5).returncode == 0 and job.status()["parked"] == 0, job.status()
        assert job.resize(2, "--hosts", wait=True).returncode == 0
        assert job.status()["ranks"] == 4
        planned = job.resize(6, "--dry-run", wait=False)
        assert planned.returncode == 0 and "local1" in planned.stdout and "rounds" not in planned.stderr, planned
        assert job.status()["ranks"] == 4
        assert job.end(60) == 0
        assert "end 4 bad 0" in job.stdout()


def test_begins_with_as_many_as_fit():
    """`-n 2:8` on 6 slots begins with 6 ranks, and sets no limits for resizes. A job that cannot have the lower size is refused."""
    where = ("--local=3", "--ranks-per-host=2")
    with Job([STEADY, LONG, 20000], where=where, options=("-n", "2:8")) as job:
        assert job.running()["ranks"] == 6
        options = json.loads(job.ask("status", job.id, "--options", "--json").stdout)
        assert options["ranks"] == {"value": "2:8", "from": "command line"} and options["min"]["value"] == 0, options
        assert job.resize(1).returncode == 0 and job.status()["ranks"] == 1
        job.tell_to_end()
        assert job.end(60) == 0 and "end 1 bad 0" in job.stdout(), job.stdout()
    refused = run("run", "-n", "7:8", *where, "--", "true")
    assert refused.returncode == 2 and "ask for at most 6" in refused.stderr, refused


def test_resizes_to_a_range():
    """A resize to a range takes the largest size that can be reached. A job within the range never shrinks."""
    with Job([STEADY, LONG, 20000], where=("--local=3", "--ranks-per-host=2"), options=("-n", "2")) as job:
        job.running()
        for sizes, ranks, words in (("4:5", 5, "2 -> 5 ranks"), ("4:8", 6, "5 -> 6 ranks"), ("4:8", 6, "within 4:8; it cannot grow now"), ("1:3", 3, "6 -> 3 ranks")):
            asked = job.resize(sizes)
            assert asked.returncode == 0 and words in asked.stdout, asked
            assert job.status()["ranks"] == ranks, job.status()
        refused = job.resize("7:9")
        assert refused.returncode == 3 and "ask for at most 6" in refused.stderr, refused
        job.tell_to_end()
        assert job.end(60) == 0 and "end 3 bad 0" in job.stdout(), job.stdout()


def test_limits_and_options():
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as config:
        config.write("max = 3\nmin = 1\n")
        config.flush()
        with Job([STEADY, 500, 10000], options=("--config", config.name, "--min", "2", "-n", "2"),
                 environment={"DUCTILE_MULTIPLE": "1"}) as job:
            job.running()
            options = json.loads(job.ask("status", job.id, "--options", "--json").stdout)
            assert options["min"] == {"value": 2, "from": "command line"}, options
            assert options["max"] == {"value": 3, "from": "file"}, options
            assert options["heartbeat"] == {"value": 1.0, "from": "default"}, options
            assert options["ranks"] == {"value": 2, "from": "command line"}, options
            assert {"inhibitor", "inhibitor-points", "ranks-per-host", "local", "vote-within"} <= set(options), options
            assert options["multiple"] == {"value": 1, "from": "environment"}, options
            for size in (1, 4):
                refused = job.resize(size)
                assert refused.returncode == 3, refused
            assert job.end(60) == 0


def test_bad_input_is_named():
    for argv, words in ((["run", "-n", "zero", "--", "true"], "--ranks"), (["run", "-n", "8:2", "--", "true"], "--ranks is '8:2'"), (["resize", "nojob", "0:3"], "SIZE is '0:3'"), (["run"], "program"),
                        (["run", "--", "/nonexistent"], "/nonexistent"), (["run", "--hosts", "/nonexistent", "--", "true"], "/nonexistent"),
                        (["plan", "--from", "1", "--to", "4x2"], "--from"), (["resize", "nojob", "3"], "nojob"),
                        (["resize", "--release", "h", "--hosts"], "--hosts goes with"), (["renew", "--switch-within", "nan"], "switch-within"),
                        (["resize", "--release", "h:x"], "--release is 'h:x'"), (["run", "-hosts", "h", "--", "x"], "there is no option '-hosts'; --hosts FILE names hosts"), (["resize", "2", "--reclaim", ":3"], "--reclaim names no host"),
                        (["run", "-n", "5", "--local=2", "--ranks-per-host=2", "--", "true"], "5")):
        result = run(*argv)
        assert result.returncode == 2 and words in result.stderr, (argv, result)
    with tempfile.NamedTemporaryFile("w", suffix=".toml") as config:
        config.write("\nmaximum = 3\n")
        config.flush()
        result = run("run", "--config", config.name, "--", "true")
        assert result.returncode == 2 and f"{config.name}:2" in result.stderr, result
    for line, why in (("max = 3 4", "several words"), ("max = 2001-02-03", "neither a date"), ("max = 04:05:06", "neither a date"), ("max = 3\x01", "control character")):
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as config:
            config.write(f"min = 1  # ranks\n{line}\n")
            config.flush()
            result = run("run", "--config", config.name, "--", "true")
            assert result.returncode == 2 and f"{config.name}:2" in result.stderr and why in result.stderr, (line, result)


@pytest.mark.parametrize("program, code", ((("sh", "-c", "exit 5"), 5), (("true",), 0), (("sh", "-c", "kill -SEGV $$"), 139)))
def test_exit_codes(program, code):
    assert run("run", "--", *program).returncode == code


def test_plain_program():
    """A program that makes no Job runs as under mpiexec: one world, over all hosts."""
    result = run("run", "-n", "3", "--local=3", "--ranks-per-host=1", "--", os.environ["MPI_PROGRAM"])
    assert result.returncode == 0 and sorted(result.stdout.splitlines()) == [f"rank {i} of 3" for i in range(3)], result
    assert run("run", "-n", "2", "--local=2", "--ranks-per-host=1", "--", "true").returncode == 0


def test_standard_streams():
    result = run("run", "--tag", "--", "sh", "-c", "printf 'a\\nb'; echo e >&2", input="")
    assert result.returncode == 0 and "[g0.0] a\n[g0.0] b" in result.stdout and "[g0.0] e\n" in result.stderr, result
    lines = "".join(f"line {i}\n" for i in range(5000))
    result = run("run", "--", "cat", input=lines)
    assert result.returncode == 0 and result.stdout == lines
    # Many lines from many ranks arrive whole.
    result = run("run", "-n", "3", "--local=1", "--ranks-per-host=3", "--", "sh", "-c",
                 "i=0; while [ $i -lt 400 ]; do echo abcdefghijklmnopqrstuvwxyz$i; i=$((i+1)); done")
    assert result.returncode == 0
    assert sorted(result.stdout.splitlines()) == sorted(f"abcdefghijklmnopqrstuvwxyz{i}" for i in range(400) for _ in range(3))


@pytest.mark.parametrize("how", (("--release", "local0"), ("2", "--method", "baseline")))
def test_input_follows_rank_0(how):
    """When rank 0 leaves, later input goes to the new rank 0. This holds also if all ranks are replaced."""
    with Job([STEADY, LONG, 5000], options=("-n", "2"), stdin=subprocess.PIPE, environment={"STEADY_READ_AT_LEAVE": "1"}) as job:
        job.running()
        assert job.ask("resize", job.id, *how, "--wait").returncode == 0
        job.process.stdin.write(b"more\n")
        job.process.stdin.flush()
        wait_until("the new rank 0 has read it", lambda: "read more" in job.stdout())
        job.process.stdin.close()
        wait_until("and the end", lambda: "read the end" in job.stdout())
        job.tell_to_end()
        assert job.end(40) == 0, job.stderr()
        assert "bad 0" in job.stdout()


def placed(job):
    """[(host, group, first rank there, ranks)] of the active ranks, in the order of the job's ranks; the same for the parked ranks."""
    layout = job.status()["layout"]
    return tuple([(r["host"], r["group"], r["first"], r["ranks"]) for r in layout[kind]] for kind in ("active", "parked"))


def test_ranks_of_a_host_leave():
    """Any ranks of a host leave, even rank 0. Their slots are given back, and are used again only if a resize asks for this."""
    with Job([STEADY, LONG, 5000], where=("--local=2", "--ranks-per-host=3"), options=("-n", "6")) as job:
        job.running()
        rank_0 = job.rank(0, 0)

        def release(*words):
            result = job.ask("resize", job.id, "--release", *words, "--wait")
            assert result.returncode == 0, (words, result, job.stderr())
        release("local0:2")
        assert placed(job) == ([("local0", 0, 0, 1), ("local1", 0, 3, 3)], []), job.status()
        wait_until("the two ranks have ended", lambda: sorted(job.ranks(0)) == [0, 3, 4, 5])
        assert job.rank(0, 0) == rank_0
        host = job.status()["hosts"][0]
        assert (host["slots"], host["given_back"]) == (3, 2), host
        refused = job.resize(5)
        assert refused.returncode == 3 and "given back" in refused.stderr, refused
        assert job.resize(5, "--reclaim", "local0:1").returncode == 0, job.stderr()
        assert placed(job)[0] == [("local0", 0, 0, 1), ("local1", 0, 3, 3), ("local0", 1, 0, 1)], job.status()
        assert job.resize(6, "--reclaim", "local0").returncode == 0, job.stderr()
        release("local1:3")
        assert not job.status()["hosts"][1]["agent"], "nothing of it is left: the host is free"
        release("local0:1", "--shrink", "park")
        assert job.status()["parked"] == 1, job.status()
        too_many = job.ask("resize", job.id, "--release", "local0:3")
        assert too_many.returncode == 3 and "2 ranks" in too_many.stderr, too_many
        all_of_it = job.ask("resize", job.id, "--release", "local0")
        assert all_of_it.returncode == 3 and "keep at least one" in all_of_it.stderr, all_of_it
        assert job.resize(6, "--reclaim", "local1").returncode == 0, job.stderr()
        assert job.rank(0, 0) == rank_0 and job.status()["parked"] == 0, job.status()
        job.tell_to_end()
        assert job.end(30) == 0 and "end 6 bad 0" in job.stdout(), job.stderr()
        job.nothing_left()


def test_strangers_at_the_brokers_socket():
    """The broker refuses bytes that are not a request, drops a silent connection, and refuses another user. The job goes on."""
    with tempfile.TemporaryDirectory() as folder, \
            Job([STEADY, 900, 10000], environment={"XDG_RUNTIME_DIR": folder}) as job:
        os.environ["XDG_RUNTIME_DIR"] = folder
        job.running()
        path = glob.glob(f"{folder}/ductile-*/{job.id}/broker.sock")[0]
        assert os.stat(path).st_mode & 0o777 == 0o600 and os.stat(os.path.dirname(path)).st_mode & 0o777 == 0o700

        def answer(data, seconds):
            with socket.socket(socket.AF_UNIX) as stranger:
                stranger.settimeout(patient(seconds))
                stranger.connect(path)
                stranger.sendall(data)
                said = b""
                while more := stranger.recv(4096):
                    said += more
                return said

        for data in (b"\xff\xff\xff\xff", b"\x03\0\0\0abc", b"\x01\0\0\0\xa0", b"GET / HTTP/1.1\r\n\r\n"):
            answer(data, 8)  # refused, then closed
        assert answer(b"", 8) == b"", "who says nothing is dropped at the deadline"
        if os.getuid() == 0:
            private = (folder, os.path.dirname(os.path.dirname(path)), os.path.dirname(path))
            silent = socket.socket(socket.AF_UNIX)
            silent.connect(path)
            for name in private:
                os.chmod(name, 0o755)
            os.chmod(path, 0o666)
            child = os.fork()
            if child == 0:
                try:
                    os.setgroups([])
                    os.setgid(65534)
                    os.setuid(65534)
                    os._exit(0 if answer(b"", 8) == b"" else 1)
                except ConnectionError:
                    os._exit(0)
                except BaseException as error:
                    print(repr(error), flush=True)
                    os._exit(2)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0, "another user is turned away"
            with silent, pytest.raises(BlockingIOError):  # at once: who came before it and is silent still has time
                silent.recv(1, socket.MSG_DONTWAIT)
            opened = job.ask("status", job.id)
            assert opened.returncode == 1 and "other users have access to it" in opened.stderr, opened
            for name in private:
                os.chmod(name, 0o700)
        assert job.status()["ranks"] == 1
        assert job.end(40) == 0, job.stderr()


def test_environment():
    result = run("run", "--env", "COLOUR=blue", "--", "sh", "-c", "echo $COLOUR $PMIX_NAMESPACE $(umask)",
                 env=dict(os.environ, PMIX_NAMESPACE="stale"))
    assert result.stdout.split() == ["blue", result.stdout.split()[-1]], result


def test_hosts_that_are_this_machine():
    """A list as PBS writes it, from the standard input, with the names of this machine. The default remote shell (ssh) is not used."""
    hosts = f"localhost\r\n{socket.gethostname()}:1\nLOCALHOST\n"
    said = run("run", "-f", "-", "-n", "3", "--tag", "--", "echo", "here", input=hosts)
    assert said.returncode == 0 and sorted(said.stdout.splitlines()) == [f"[g0.{rank}] here" for rank in range(3)], said
    said = run("run", "--hosts", "-", "--", "true", input="node[01-04]\n")
    assert said.returncode == 2 and "the standard input:1: 'node[01-04]' is a range of names; write one host on each line" in said.stderr, said


def test_what_no_policy_reads_is_refused():
    for option in ("--preferred", "--efficiency", "--efficiency-band", "--energy-delay"):
        said = run("run", option, "1", "--", "true")
        assert said.returncode == 2 and f"{option} is refused: only --policy " in said.stderr, said


def test_shared_cores(tmp_path):
    """If a host may get more ranks than it has cores, ranks that wait yield, unless the user's environment says otherwise."""
    crowd = str(4 * os.cpu_count())
    plain = {name: value for name, value in os.environ.items() if name != "MPIR_CVAR_ENABLE_HEAVY_YIELD"}

    def yields(*options, env=plain):
        return run("run", *options, "--", "sh", "-c", "echo ${MPIR_CVAR_ENABLE_HEAVY_YIELD}${I_MPI_THREAD_YIELD}", env=env).stdout.removesuffix("\n")

    yes = yields("--shared-cores", "yes")
    assert yes in ("1", "3"), yes
    assert yields("--shared-cores", "no", "--ranks-per-host", crowd) == "" == yields("--ranks-per-host", "1")
    assert yields("--ranks-per-host", crowd) == yes
    hosts = tmp_path / "hosts"
    hosts.write_text(f"one slots=1\ntwo slots={crowd}\n")
    shell = ("--remote-shell", "sh -c {command} {host}")
    assert sorted(yields("--hosts", str(hosts), *shell, "-n", "2").split("\n")) == ["", yes], "each host for itself"
    cores = len(os.sched_getaffinity(0))
    hosts.write_text(f"one slots={cores}\n")
    assert yields("--hosts", str(hosts), *shell) == ""
    if cores > 1:  # the agent may use fewer cores than `ductile run`
        bound = f"taskset -c {min(os.sched_getaffinity(0))} sh -c {{command}} {{host}}"
        assert yields("--hosts", str(hosts), "--remote-shell", bound) == yes
    mine = dict(plain, MPIR_CVAR_ENABLE_HEAVY_YIELD="0", I_MPI_THREAD_YIELD="0")
    assert yields("--ranks-per-host", crowd, env=mine) == "00"
    assert run("run", "--shared-cores", "maybe", "--", "true").returncode == 2


def test_bytes_that_are_no_text(tmp_path):
    """Variables, arguments and directories may hold any bytes."""
    there = os.fsencode(tmp_path) + b"/\xff"
    os.mkdir(there)
    words = [os.fsencode(DUCTILE), b"run", b"--", b"sh", b"-c", b'printf "%s %s %s\\n" "$ODD" "$1" "${PWD##*/}"', b"sh", b"\xfe"]
    result = subprocess.run(words, cwd=there, env={**os.environb, b"ODD": b"a\xffb", b"PWD": there}, capture_output=True, timeout=60)
    assert result.stdout == b"a\xffb \xfe \xff\n", result


def test_watched():
    """`watch` prints a line for each change if its output is not a terminal. On a terminal it restores the screen, however it ends."""
    with Job([STEADY, LONG, 20000]) as job:
        job.running()
        watch = subprocess.Popen([DUCTILE, "watch", job.id, "--every", "0.05"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        seen_first = watch.stdout.readline()
        assert job.resize(3).returncode == 0
        while "3 ranks on 3 hosts, running" not in seen_first:  # the time limit of the test ends this
            line = watch.stdout.readline()
            assert line, "the view has ended"
            seen_first += line
        screens = []
        for end in ("interrupt", "job"):
            terminal, far_end = os.openpty()
            view = subprocess.Popen([DUCTILE, "watch", "--every", "0.05", job.id], stdout=far_end, stderr=subprocess.DEVNULL)
            os.close(far_end)
            seen = b""
            while b"local2" not in seen:
                seen += os.read(terminal, 4096)
            if end == "interrupt":
                view.send_signal(signal.SIGINT)
            else:
                job.tell_to_end()
            while True:
                try:
                    seen += os.read(terminal, 4096)
                except OSError:  # the other end is closed
                    break
            os.close(terminal)
            assert view.wait(10) == 0
            screens.append(seen.decode())
        assert job.end(20) == 0, job.stderr()
        out, err = watch.communicate(timeout=10)
        assert watch.returncode == 0 and "has ended" in err, (out, err)
        lines = [line.split(" s  ")[1] for line in (seen_first + out).splitlines()]
        assert lines[0] == "1 rank on 1 host, running" and "3 ranks on 3 hosts, running" in lines, lines
        assert all(a != b for a, b in zip(lines, lines[1:])), lines
        for screen in screens:
            assert screen.startswith("\033[?1049h") and screen.endswith("\033[?1049l"), screen[-200:]
            assert "local2" in screen and "1 -> 3" in screen
    nobody = run("watch", "nojob")
    assert nobody.returncode == 2 and "nojob" in nobody.stderr, nobody


def test_plan_tables():
    table = run("plan", "--from", "1x2", "--to", "4x2")
    assert table.returncode == 0 and "expand 2 -> 8" in table.stdout, table
    data = json.loads(run("plan", "--from", "1x2", "--to", "4x2", "--json").stdout)
    assert [(g["first_rank"], g["ranks"], [h["host"] for h in g["shares"]]) for g in data["added"]] == [(2, 6, [1, 2, 3])]
    table2 = json.loads(run("plan", "--start", "diffusive", "--allocation", "4,2,8,12,3,3,4,4,6,3",
                            "--running", "2,0,0,0,0,0,0,0,0,0", "--json").stdout)
    columns = {name: [row[name] for row in table2["steps"]] for name in ("s", "t", "g", "lambda", "T", "G")}
    assert columns == {"s": [0, 1, 2, 3], "t": [2, 6, 40, 49], "g": [None, 4, 34, 9], "lambda": [0, 2, 8, 48],
                       "T": [1, 2, 8, 10], "G": [None, 1, 6, 2]}, columns
    assert [g["ranks"] for g in table2["added"]] == [2, 2, 8, 12, 3, 3, 4, 4, 6, 3] and table2["added"][9]["first_rank"] == 46
    replace = json.loads(run("plan", "--method", "baseline", "--start", "hypercube", "--from", "2x2", "--to", "5x2", "--json").stdout)
    assert replace["kind"] == "replace" and [r["group"] for r in replace["after"]] == [1, 2, 3, 4, 5], replace
    pictures = run("plan", "--start", "hypercube", "--from", "1x1", "--to", "8x1", "--dot").stdout
    assert [line.split()[1] for line in pictures.splitlines() if line.startswith("digraph")] == \
        ["starts", "synchronisation", "connections"], pictures
    for words, says in ((["--from", "1x1", "--to", "2x1", "--dot", "nosuch"], "nosuch"), (["--from", "1x1", "--running", "1"], "--allocation"),
                        (["--from", "2x3", "--to", "5x2", "--start", "hypercube"], "diffusive"),
                        (["--from", "1x1", "--to", "2x1", "--ranks", "2"], "--ranks"), (["--allocation", "2,2", "--running", "1,1,1"], "3"), (["--allocation", "2,-1", "--running", "1"], "-1"),
                        (["--allocation", "4,,2", "--running", "1"], "--allocation holds ''"), (["--allocation", "4,2x", "--running", "1"], "2x"),
                        (["--allocation", "2,2", "--running", "0,0"], "no rank"), (["--from", "1x1", "--to", "2x1", "--start", "x"], "x"),
                        (["--from", "2x1", "--to", "1x1", "--dot", "starts"], "shrink")):
        refused = run("plan", *words)
        assert refused.returncode == 2 and says in refused.stderr, (words, refused)
    shrink = json.loads(run("plan", "--from", "4x2", "--to", "2x2", "--json").stdout)
    assert shrink["leaving"] == [{"group": 0, "host": host, "first": 2 * host, "ranks": 2} for host in (2, 3)], shrink


@pytest.mark.each
@pytest.mark.parametrize("language", ("cpp", "c"))
def test_same_at_any_size(language):
    """The output of the example is the same with and without resizes."""
    minimal = os.environ[{"cpp": "MINIMAL_PROGRAM", "c": "MINIMAL_C_PROGRAM"}[language]]
    with tempfile.NamedTemporaryFile("w") as data:
        data.write("1000 400000\n")
        data.flush()
        # Long enough for two resizes: the fixed-size run is stopped at the same number of lines.
        with Job([minimal, data.name]) as job:
            job.running()
            assert job.resize(4).returncode == 0
            assert job.resize(2).returncode == 0
            so_far = job.stdout().count("step")
            wait_until("it goes on", lambda: job.stdout().count("step") > so_far + 50)
            job.process.terminate()
            job.end(20)
            resized = [line for line in job.stdout().splitlines() if line.startswith("step")][:-1]
        with tempfile.NamedTemporaryFile("w") as short:
            short.write(f"1000 {len(resized)}\n")
            short.flush()
            fixed = [line for line in run("run", "--", minimal, short.name).stdout.splitlines() if line.startswith("step")]
        assert len(resized) > 50 and fixed == resized, (len(resized), fixed[:3], resized[:3])


def test_program_without_dashes_is_refused():
    refused = run("run", "-n", "2", "./program", "3")
    assert refused.returncode == 2 and refused.stderr.startswith("ductile: './program' is no option of `ductile run`; the program comes after `--`"), refused
    refused = run("run", "--bogus", "--", "true")
    assert refused.returncode == 2 and refused.stderr.startswith("ductile: there is no option '--bogus'"), refused
