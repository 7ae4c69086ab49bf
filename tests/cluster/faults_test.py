"""Hosts that are killed, frozen and cut off, and the network between them."""

import errno
import os
import time

import pytest
import virtual_cluster
from virtual_cluster import PYTHON, wait_until

ECHO_SERVER = """
import socket
with socket.create_server(("", 7000)) as server:
    print("ready", flush=True)
    while True:
        peer, _ = server.accept()
        while data := peer.recv(100):
            peer.sendall(data)
"""
# Sends a number to the server about every 20 ms, and prints the echo.
TALKER = """
import socket, sys, time
peer = socket.create_connection((sys.argv[1], 7000), timeout=60)
for i in range(100000):
    peer.sendall(b"%d\\n" % i)
    print(peer.recv(100).decode().strip(), flush=True)
    time.sleep(0.02)
"""
CONNECT = """
import socket, sys
try:
    socket.create_connection((sys.argv[1], 7000), timeout=float(sys.argv[2]))
    print("connected")
except OSError as error:
    print(type(error).__name__, error.errno)
"""
COUNTER = "i=0; while :; do i=$((i+1)); echo $i > {file}.new; mv {file}.new {file}; sleep 0.02; done"
STANDING = (3,)


def begin(cluster, host, *words):
    process = cluster.start("exec", host, "--", *words)
    cluster.cleanup.callback(lambda: (process.kill(), process.wait(), process.stdout.close(), process.stderr.close()))
    return process


def python(cluster, host, script, *words):
    return begin(cluster, host, PYTHON, "-u", "-c", script, *words)


def count_on(cluster, host, name):
    """Starts a process on the host that counts in a file. Returns a function that reads the number."""
    folder = os.path.join(cluster.runtime, "shared")
    os.makedirs(folder, exist_ok=True)
    file = os.path.join(folder, name)
    begin(cluster, host, "sh", "-c", COUNTER.format(file=file))
    assert wait_until(lambda: os.path.exists(file))

    def read():
        with open(file) as text:
            return int(text.read())
    return read


def assert_running(cluster, count):
    before = count()
    assert wait_until(lambda: count() > before + 1), "it does not run"


def assert_standing(cluster, count):
    before = count()
    time.sleep(0.4)
    assert count() == before, "it runs"


def serve(cluster, host):
    server = python(cluster, host, ECHO_SERVER)
    assert server.stdout.readline() == "ready\n"
    return server


def connect(cluster, here, there, seconds=2):
    return cluster.run("exec", "--console", here, "--", PYTHON, "-c", CONNECT, there, seconds).stdout.strip()


def test_network_between_hosts(cluster):
    serve(cluster, "node02")
    for here in ("head", "node01", "node02", "node03"):
        assert connect(cluster, here, "node02") == "connected"
        assert "ConnectionRefused" in connect(cluster, here, "node01")


def test_killed_host_comes_back_fresh(cluster):
    serve(cluster, "node02")
    session = begin(cluster, "node02", "sleep", "93")
    assert wait_until(lambda: len(cluster.processes("node02")) == 2)
    cluster.ok("kill", "node02")
    assert cluster.host("node02")["state"] == "killed"
    assert cluster.processes("node02") == []
    assert session.wait(timeout=10) == 255
    refused = cluster.run("exec", "node02", "--", "true")
    assert refused.returncode == 255
    assert "was killed" in refused.stderr
    assert "connected" not in connect(cluster, "node01", "node02", 0.5)
    for verb in ("kill", "freeze", "cut", "thaw", "mend"):
        assert cluster.run(verb, "node02").returncode == 1, verb
    cluster.ok("start", "node02")
    assert cluster.run("start", "node02").returncode == 1
    assert cluster.ok("exec", "node02", "--", "hostname") == "node02\n"
    serve(cluster, "node02")
    assert connect(cluster, "node01", "node02") == "connected"
    assert connect(cluster, "head", "node02") == "connected"


def test_connection_to_a_host_that_is_gone_fails_as_on_a_real_network(cluster):
    for verb, back, host in (("kill", "start", "head"), ("cut", "mend", "node01")):
        cluster.ok(verb, "node02")
        assert connect(cluster, host, "node02", 20) == f"OSError {errno.EHOSTUNREACH}", verb
        cluster.ok(back, "node02")
        assert "ConnectionRefused" in connect(cluster, host, "node02"), "it should answer at once"


def test_host_whose_init_is_killed_from_within_reach(cluster):
    pid = next(p for p in os.listdir("/proc") if p.isdigit() and title(p) == "ductile cluster: node03 host-init"
               and virtual_cluster.namespaces_of(p) & cluster.namespaces.keys())
    os.kill(int(pid), 9)
    assert wait_until(lambda: cluster.host("node03")["state"] == "killed")
    cluster.ok("start", "node03")
    assert cluster.ok("exec", "node03", "--", "hostname") == "node03\n"


def title(pid):
    try:
        with open(f"/proc/{pid}/cmdline") as text:
            return text.read().rstrip("\0")
    except OSError:
        return ""


@pytest.mark.parametrize("method", ("signals", "auto"))
def test_freeze_and_thaw(cluster, method):
    serve(cluster, "node01")
    count = count_on(cluster, "node01", f"freeze-{method}")
    stopped = begin(cluster, "node01", "sh", "-c", "kill -STOP $$; exit 3")
    assert wait_until(lambda: any(p["state"] == "T" for p in cluster.processes("node01")))
    assert_running(cluster, count)
    cluster.ok("freeze", "node01", "--by", method)
    assert cluster.host("node01")["state"] == "frozen"
    assert cluster.run("freeze", "node01").returncode == 1
    assert_standing(cluster, count)
    assert connect(cluster, "node03", "node01") == "connected", "the kernel answers for a frozen host"
    assert cluster.run("exec", "--connect-timeout", 0.3, "node01", "--", "true").returncode == 255
    later = begin(cluster, "node01", "hostname")
    time.sleep(0.3)
    assert later.poll() is None
    cluster.ok("thaw", "node01")
    assert_running(cluster, count)
    assert later.wait(timeout=10) == 0
    assert stopped.poll() is None, "it was stopped before the freeze, and stays so"
    assert cluster.run("thaw", "node01").returncode == 1
    cluster.ok("kill", "node01")
    cluster.ok("start", "node01")


@pytest.mark.parametrize("method", ("signals", "auto"))
def test_frozen_host_can_be_killed(cluster, method):
    session = begin(cluster, "node01", "sleep", "92")
    assert wait_until(lambda: cluster.processes("node01"))
    cluster.ok("freeze", "node01", "--by", method)
    waiting = begin(cluster, "node01", "true")
    cluster.ok("kill", "node01")
    assert session.wait(timeout=10) == 255
    assert waiting.wait(timeout=10) == 255
    assert virtual_cluster.cgroups_of(cluster.name) == []
    cluster.ok("start", "node01")
    assert cluster.host("node01")["state"] == "up"


def test_cut_drops_packets_silently_and_mend_brings_them_back(cluster):
    serve(cluster, "node01")
    count = count_on(cluster, "node01", "cut")
    talker = python(cluster, "node02", TALKER, "node01")
    assert talker.stdout.readline() == "0\n"
    cluster.ok("cut", "node01")
    assert cluster.host("node01")["state"] == "cut"
    assert cluster.run("cut", "node01").returncode == 1
    assert_running(cluster, count)
    assert connect(cluster, "node03", "node01", 1).split()[0] in ("TimeoutError", "OSError")
    assert connect(cluster, "node01", "node03", 1).split()[0] in ("TimeoutError", "OSError")
    assert connect(cluster, "node01", "localhost") == "connected", "its loopback is its own"
    assert talker.poll() is None, "the connection was closed or reset"
    cluster.ok("mend", "node01")
    assert cluster.run("mend", "node01").returncode == 1
    assert connect(cluster, "node03", "node01") == "connected"
    lines = [int(talker.stdout.readline()) for _ in range(200)]
    assert lines == list(range(1, 201)), "the connection has lost something"
    assert cluster.host("node01")["state"] == "up"


def test_others_are_not_cut(cluster):
    serve(cluster, "node02")
    cluster.ok("cut", "node01")
    assert connect(cluster, "node03", "node02") == "connected"
    cluster.ok("mend", "node01")


def test_exec_cannot_cross_a_cut(cluster):
    cluster.ok("cut", "node01")
    program = virtual_cluster.PROGRAM
    for_a_moment = ("--connect-timeout", 0.3)
    assert cluster.run("exec", *for_a_moment, "node01", "--", "true").returncode == 255
    inside = ("--", program, "cluster", "exec", *for_a_moment)
    assert cluster.run("exec", "node02", *inside, "node01", "--", "true").returncode == 255
    assert cluster.run("exec", "--console", "node01", *inside, "node02", "--", "true").returncode == 255
    assert cluster.run("exec", "--console", "node01", *inside, "node01", "--", "true").returncode == 0
    later = begin(cluster, "node01", "hostname")
    time.sleep(0.3)
    assert later.poll() is None
    cluster.ok("mend", "node01")
    assert later.wait(timeout=10) == 0
    assert later.stdout.read() == "node01\n"


def test_frozen_and_cut_at_once(cluster):
    cluster.ok("cut", "node03")
    cluster.ok("freeze", "node03")
    assert cluster.host("node03")["state"] == "frozen,cut"
    cluster.ok("mend", "node03")
    assert cluster.host("node03")["state"] == "frozen"
    cluster.ok("thaw", "node03")


def test_the_head_is_left_alone(cluster):
    for verb in ("kill", "start", "freeze", "thaw", "cut", "mend"):
        assert cluster.run(verb, "head").returncode == 1, verb
    assert cluster.run("kill", "node09").returncode == 1
