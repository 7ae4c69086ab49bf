"""However a cluster ends, nothing of it is left."""

import fcntl
import os
import pty
import signal
import socket
import subprocess
import time

import pytest
import virtual_cluster
from virtual_cluster import Cluster, wait_until


def tied(cluster, script, hosts=2, **options):
    """Starts `up` with a script that runs on the head, and waits until the script prints "ready"."""
    process = cluster.start("up", hosts, "--", "sh", "-c", script, **options)
    cluster.cleanup.callback(lambda: (process.kill(), process.wait(), process.stdout.close(), process.stderr.close()))
    assert process.stdout.readline() == "ready\n"
    cluster.note_namespaces()
    return process


def busy(cluster):
    """Starts a daemon on node01 that does not end with any other process."""
    cluster.ok("exec", "node01", "--", "setsid", "-f", "sh", "-c", "sleep 91; true", stdout=subprocess.DEVNULL,
               stderr=subprocess.DEVNULL, capture_output=False)
    assert wait_until(lambda: len(cluster.processes("node01")) == 2)


def test_command_ends(cluster):
    for script, code in (("exit 0", 0), ("exit 9", 9), ("kill -TERM $$", 143)):
        process = tied(cluster, f"setsid sleep 90 & echo ready; read line; {script}", stdin=subprocess.PIPE)
        busy(cluster)
        process.stdin.close()
        process.wait(timeout=20)
        assert process.returncode == code
        cluster.assert_nothing_left()


def test_down(cluster):
    cluster.up(3)
    busy(cluster)
    cluster.ok("freeze", "node02")
    cluster.ok("cut", "node03")
    cluster.ok("down")
    assert virtual_cluster.pids_in(cluster.namespaces) == [], "down returned too early"
    cluster.assert_nothing_left()
    result = cluster.run("down")
    assert result.returncode == 1
    assert "no cluster is up" in result.stderr


def test_down_from_inside(cluster):
    cluster.up(2)
    cluster.run("exec", "node02", "--", virtual_cluster.PROGRAM, "cluster", "down")
    cluster.assert_nothing_left()


def assert_gone_but_for_directory(cluster):
    assert wait_until(lambda: not virtual_cluster.pids_in(cluster.namespaces))
    assert cluster.run("status").returncode != 0  # the next command sees that it is dead
    cluster.assert_nothing_left()


def test_owner_is_killed(cluster):
    process = tied(cluster, "echo ready; sleep 89")
    busy(cluster)
    process.kill()
    assert_gone_but_for_directory(cluster)


def test_init_is_killed_under_a_command(cluster):
    process = tied(cluster, "echo ready; sleep 88")
    busy(cluster)
    os.kill(cluster.init(), signal.SIGKILL)
    assert process.wait(timeout=20) == 255
    cluster.assert_nothing_left()


def test_init_is_killed(cluster):
    for method in ("auto", "signals"):
        cluster.up(2)
        busy(cluster)
        cluster.ok("freeze", "node01", "--by", method)
        os.kill(cluster.init(), signal.SIGKILL)
        assert_gone_but_for_directory(cluster)


def test_next_up_takes_the_place_of_a_dead_one(cluster):
    cluster.up(2)
    os.kill(cluster.init(), signal.SIGKILL)
    assert wait_until(lambda: not virtual_cluster.pids_in(cluster.namespaces))
    cluster.up(1)
    cluster.ok("down")
    cluster.assert_nothing_left()


@pytest.mark.parametrize("has_socket", (False, True))
def test_next_up_waits_for_the_end_of_a_dead_one(cluster, has_socket):
    """This process stands for one of the old cluster that is slow to end: it holds the lock, and perhaps the socket."""
    cluster.up(1)
    path = f"{cluster.state}/socket"
    assert os.path.exists(path)
    with open(f"{cluster.state}/lock", "r+b") as lock, socket.socket(socket.AF_UNIX) as listening:
        os.kill(cluster.init(), signal.SIGKILL)
        assert wait_until(lambda: not virtual_cluster.pids_in(cluster.namespaces))
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if has_socket:
            os.unlink(path)
            listening.bind(path)
            listening.listen()
        following = cluster.start("up", 1)
        time.sleep(3)
        assert following.poll() is None
    following.communicate(timeout=20)
    assert following.returncode == 0
    cluster.note_namespaces()
    cluster.ok("down")
    cluster.assert_nothing_left()


def test_named_owner_ends(cluster):
    with subprocess.Popen(["sleep", "87"]) as owner:
        cluster.up(2, "--owner", owner.pid)
        busy(cluster)
        owner.kill()
    cluster.assert_nothing_left()


def test_control_c(cluster):
    """Ctrl-C at a terminal: the signal goes to the foreground process group."""
    terminal, far_end = pty.openpty()
    words = cluster.words("up", 2, "--", "sh", "-c", "trap 'exit 33' INT; echo ready; while :; do sleep 0.1; done")
    with subprocess.Popen(["setsid", "--ctty", "--wait", *words], env=cluster.environment, stdin=far_end, stdout=far_end,
                          stderr=subprocess.PIPE) as process:
        os.close(far_end)
        assert b"ready" in os.read(terminal, 100)
        cluster.note_namespaces()
        busy(cluster)
        os.write(terminal, b"\x03")
        process.communicate(timeout=20)
    os.close(terminal)
    assert process.returncode == 33
    cluster.assert_nothing_left()


def test_interrupted_at_any_moment_of_up(cluster):
    for step in range(12):
        process = cluster.start("up", 4, "--", "sleep", "86")
        time.sleep(step * 0.008)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
    for step in range(12):
        process = cluster.start("up", 4, "--", "sleep", "86")
        time.sleep(step * 0.008)
        process.kill()
        process.communicate(timeout=20)
    cluster.up(1)  # removes what the killed ones left
    cluster.ok("down")
    unfinished = f"{cluster.runtime}/ductile-cluster"
    for name in os.listdir(unfinished) if os.path.exists(unfinished) else []:
        assert name.startswith("new-"), name  # of an `up` that was killed within microseconds; the next command after a minute removes it
        os.utime(f"{unfinished}/{name}", (1, 1))
    cluster.run("status")
    cluster.assert_nothing_left()


def test_bad_input_starts_nothing(cluster):
    for words in ((0,), (65,), ("x",), (2, "--cores", 0), (2, "--cores", 5000), ()):
        assert cluster.run("up", *words).returncode != 0, words
    for name in ("", "../x", "Upper", "a" * 33, "1a", "a b"):
        words = [virtual_cluster.PROGRAM, "cluster", "up", "--name", name, "1"]
        if name == "":
            continue  # means the default
        assert subprocess.run(words, env=cluster.environment, capture_output=True, timeout=20).returncode != 0
    assert os.listdir(cluster.runtime) == []


def test_base_directory_of_somebody_else_is_refused(cluster):
    os.mkdir(f"{cluster.runtime}/ductile-cluster")
    os.chmod(f"{cluster.runtime}/ductile-cluster", 0o777)
    result = cluster.run("up", 1)
    assert result.returncode == 1
    assert "directory that belongs to you" in result.stderr


def test_two_at_once(cluster):
    other = Cluster(cluster.name + "-b")
    cluster.cleanup.callback(other.discard)
    other.runtime, other.environment, other.state = (cluster.runtime, cluster.environment,
                                                     f"{cluster.runtime}/ductile-cluster/cluster-{other.name}")
    cluster.up(2)
    other.up(3)
    assert cluster.run("up", 1).returncode == 1, "one of a name at a time"
    assert not cluster.namespaces.keys() & other.namespaces.keys()
    busy(cluster)
    assert other.processes("node01") == []
    # Inside a cluster, commands without --name mean this cluster.
    inside = [virtual_cluster.PROGRAM, "cluster", "status", "--json"]
    assert f'"name":"{other.name}"' in other.ok("exec", "node02", "--", *inside)
    cluster.ok("down")
    assert other.ok("exec", "node03", "--", "hostname") == "node03\n"
    other.ok("down")
    cluster.assert_nothing_left()
    other.assert_nothing_left()
