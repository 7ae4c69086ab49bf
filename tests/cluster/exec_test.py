"""`ductile cluster exec` behaves like the command that it runs."""

import pathlib
import re
import signal
import subprocess
import time

import pytest
from patience import patient
from virtual_cluster import PROGRAM, PYTHON, Cluster, wait_until


STANDING = (3, "--cores", 2)


def sh(cluster, host, script, *words, **options):
    return cluster.run("exec", host, "--", "sh", "-c", script, *words, **options)


def test_host_has_its_name_and_address(cluster):
    for host, address in (("node01", "10.66.0.1"), ("node03", "10.66.0.3"), ("head", "10.66.0.254")):
        result = sh(cluster, host, "hostname; cat /proc/net/fib_trie")
        assert result.stdout.split("\n")[0] == host
        assert f"-- {address}\n" in result.stdout


def test_exit_codes(cluster):
    for script, code in (("exit 0", 0), ("exit 7", 7), ("exit 255", 255), ("kill -TERM $$", 143), ("kill -KILL $$", 137)):
        assert sh(cluster, "node01", script).returncode == code, script
    assert cluster.run("exec", "node01", "--", "/no/such").returncode == 127
    assert cluster.run("exec", "node01", "--", "/etc/passwd").returncode == 126


def test_bad_requests_are_refused(cluster):
    result = cluster.run("exec", "node04", "--", "true")
    assert result.returncode == 255
    assert 'no host "node04"' in result.stderr
    assert cluster.run("exec", "node01", "true").returncode == 2
    assert cluster.run("exec", "node01").returncode != 0
    stranger = Cluster("nobody-there")
    cluster.cleanup.callback(stranger.discard)
    assert stranger.run("exec", "node01", "--", "true").returncode == 255


def test_words_arrive_as_they_were_given(cluster):
    words = ["[a,b]", "", "--", "two words", "status", "new\nline", "$HOME", "--name", "%s", "é"]
    result = cluster.run("exec", "node02", "--", "printf", "%s\\0", *words)
    assert result.stdout.split("\0")[:-1] == words
    odd = b"\xff\xfe"
    result = cluster.run("exec", "node02", "--", "printf", "%s", odd.decode(errors="surrogateescape"), text=False)
    assert result.stdout == odd


def test_standard_files(cluster):
    result = sh(cluster, "node01", "cat; echo err >&2", input="x" * 3_000_000 + "\n")
    assert len(result.stdout) == 3_000_001
    assert result.stderr == "err\n"
    assert sh(cluster, "node01", "cat", stdin=subprocess.DEVNULL).stdout == ""


def test_directory_environment_and_umask(cluster):
    environment = dict(cluster.environment, ODD="a=b\nc")
    words = cluster.words("exec", "node01", "--", "sh", "-c", 'umask; pwd; printf "%s" "$ODD"')
    result = subprocess.run(words, env=environment, cwd="/usr/share", capture_output=True, text=True, timeout=20, umask=0o027)
    assert result.stdout == "0027\n/usr/share\na=b\nc"


def test_environment_may_be_empty(cluster):
    inner = [PROGRAM, "cluster", "exec", "node02", "--", "/usr/bin/env"]
    result = cluster.run("exec", "node01", "--", "env", "-i", *inner)
    assert (result.returncode, result.stdout) == (0, ""), result.stderr


def test_reaches_any_host_from_any_other(cluster):
    for here in ("head", "node01", "node02"):
        for there in ("head", "node01", "node03"):
            result = cluster.run("exec", here, "--", PROGRAM, "cluster", "exec", there, "--", "sh", "-c", "hostname; exit 5")
            assert (result.returncode, result.stdout) == (5, there + "\n"), result.stderr


def test_signals_are_passed_on(cluster):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1):
        script = f"trap 'exit 42' {signal.Signals(number).name[3:]}; echo ready; while :; do sleep 0.05; done"
        process = cluster.start("exec", "node01", "--", "sh", "-c", script)
        assert process.stdout.readline() == "ready\n"
        process.send_signal(number)
        process.communicate(timeout=10)
        assert process.returncode == 42, number


def test_a_signal_reaches_the_whole_pipeline(cluster):
    process = cluster.start("exec", "node01", "--", "sh", "-c", "echo ready; sleep 98; echo not reached")
    assert process.stdout.readline() == "ready\n"
    assert wait_until(lambda: running(cluster, "node01", "sleep", "98"))
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=10)
    assert process.returncode == 130
    assert wait_until(lambda: not cluster.processes("node01"))


def test_a_signal_ends_the_wait_for_a_frozen_host(cluster):
    """This holds also after the terminal has changed its size."""
    cluster.ok("freeze", "node01")
    try:
        process = cluster.start("exec", "node01", "--", "true")
        status = pathlib.Path(f"/proc/{process.pid}/status")
        blocked = re.compile(r"^SigBlk:\s+(\w+)$", re.MULTILINE)
        assert wait_until(lambda: int(blocked.search(status.read_text())[1], 16) & 1 << (signal.SIGWINCH - 1), 10)
        process.send_signal(signal.SIGWINCH)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=0.5)
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
        assert process.returncode == 130 and time.monotonic() - begin < patient(5)
    finally:
        cluster.ok("thaw", "node01")


def running(cluster, host, *words):
    return [p for p in cluster.processes(host) if p["command"] == list(words)]


def test_command_dies_with_exec(cluster):
    process = cluster.start("exec", "node02", "--", "sh", "-c", "echo ready; sleep 97; true")
    assert process.stdout.readline() == "ready\n"
    assert wait_until(lambda: len(running(cluster, "node02", "sleep", "97")) == 1)
    process.kill()
    process.communicate(timeout=10)
    assert wait_until(lambda: not cluster.processes("node02"))


def test_command_with_a_session_of_its_own_stays(cluster):
    for script in ("import os, time; os.setsid(); print('ready', flush=True); time.sleep(96)",
                   "import os, time\nif os.fork() == 0:\n os.setsid(); print('ready', flush=True)\ntime.sleep(96)"):
        process = cluster.start("exec", "node03", "--", PYTHON, "-c", script)
        assert process.stdout.readline() == "ready\n"
        process.kill()
        process.wait(timeout=10)
        process.stdout.close()
        process.stderr.close()
        time.sleep(0.3)  # it lives on
        survivors = cluster.processes("node03")
        assert len(survivors) == 1
        cluster.ok("exec", "node03", "--", "kill", "-9", survivors[0]["pid"])
        assert wait_until(lambda: not cluster.processes("node03"))


def test_does_not_wait_for_what_the_command_leaves_running(cluster):
    begin = time.monotonic()
    assert sh(cluster, "node02", "sleep 95 >/dev/null 2>&1 & echo $!").returncode == 0
    assert time.monotonic() - begin < patient(5)
    assert wait_until(lambda: running(cluster, "node02", "sleep", "95"))
    left = running(cluster, "node02", "sleep", "95")
    assert left[0]["ppid"] == 1, "orphans belong to their host's init"
    cluster.ok("exec", "node02", "--", "kill", left[0]["pid"])
    assert wait_until(lambda: not cluster.processes("node02")), "the init did not collect its orphan"


def test_ps_filters_by_environment(cluster):
    environment = dict(cluster.environment, JOB="j17")
    words = cluster.words("exec", "node01", "--", "sh", "-c", "echo ready; sleep 94; true")
    with subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        # The process of the cluster that has started `sh` must not count as a process of the job.
        def found():
            return sorted(p["command"][0] for p in cluster.processes("node01", "--env", "JOB=j17"))
        assert wait_until(lambda: found() == ["sh", "sleep"]), found()
        everything = cluster.ok("ps", "node01", "--env", "JOB=j17")
        assert "host-session" not in everything
        assert cluster.processes("node01", "--env", "JOB=j1") == []
        assert cluster.processes("node02", "--env", "JOB=j17") == []
        assert cluster.host("node01")["processes"] == 2
        process.terminate()


def test_hosts_have_processes_and_shared_memory_of_their_own(cluster):
    assert sh(cluster, "node01", "echo $$ > /dev/shm/mine; ls /dev/shm").stdout == "mine\n"
    assert sh(cluster, "node02", "ls /dev/shm").stdout == ""
    assert "init" not in sh(cluster, "node02", "cat /proc/[0-9]*/comm | grep -v host-").stdout


def test_status_and_hosts_file(cluster):
    status = cluster.status()
    assert [h["name"] for h in status["hosts"]] == ["head", "node01", "node02", "node03"]
    assert {h["cores"] for h in status["hosts"]} == {2}
    path = cluster.ok("hosts").strip()
    with open(path) as lines:
        assert lines.read() == "node01 slots=2\nnode02 slots=2\nnode03 slots=2\n"
    with open("/etc/hosts") as untouched:
        assert "node01" not in untouched.read()


def test_a_hundred_at_once(cluster):
    processes = [cluster.start("exec", f"node0{i % 3 + 1}", "--", "sh", "-c", f"exit {i}") for i in range(100)]
    for i, process in enumerate(processes):
        process.communicate(timeout=30)
        assert process.returncode == i


def test_many_hosts_start_fast(another_cluster):
    begin = time.monotonic()
    another_cluster.up(64)
    assert time.monotonic() - begin < patient(20)  # 0.2 s on an idle machine
    assert another_cluster.ok("exec", "node64", "--", "hostname") == "node64\n"
    another_cluster.ok("down")
    another_cluster.assert_nothing_left()
