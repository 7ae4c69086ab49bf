"""Hosts that are killed, frozen and cut off, and the network between them."""

import errno
import os
import secrets
import time
import unittest

import virtual_cluster
from virtual_cluster import PYTHON, Cluster, wait_until

ECHO_SERVER = """
import socket
with socket.create_server(("", 7000)) as server:
    print("ready", flush=True)
    while True:
        peer, _ = server.accept()
        while data := peer.recv(100):
            peer.sendall(data)
"""
# Says a number each 50 ms of its life, echoed by the server.
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


class FaultsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster(f"faults{secrets.token_hex(4)}")
        cls.addClassCleanup(cls.cluster.discard)
        cls.cluster.up(3)
        cls.directory = os.path.join(cls.cluster.runtime, "shared")
        os.mkdir(cls.directory)

    def begin(self, host, *words):
        process = self.cluster.start("exec", host, "--", *words)
        self.addCleanup(lambda: (process.kill(), process.wait(), process.stdout.close(), process.stderr.close()))
        return process

    def python(self, host, script, *words):
        return self.begin(host, PYTHON, "-u", "-c", script, *words)

    def count_on(self, host, name):
        """A process on the host that counts in a file; returns how to read it."""
        file = os.path.join(self.directory, name)
        self.begin(host, "sh", "-c", COUNTER.format(file=file))
        self.assertTrue(wait_until(lambda: os.path.exists(file)))

        def read():
            with open(file) as text:
                return int(text.read())
        return read

    def assert_running(self, count):
        before = count()
        self.assertTrue(wait_until(lambda: count() > before + 1), "it does not run")

    def assert_standing(self, count):
        before = count()
        time.sleep(0.4)
        self.assertEqual(count(), before, "it runs")

    def serve(self, host):
        server = self.python(host, ECHO_SERVER)
        self.assertEqual(server.stdout.readline(), "ready\n")
        return server

    def connect(self, here, there, seconds=2):
        return self.cluster.run("exec", "--console", here, "--", PYTHON, "-c", CONNECT, there, seconds).stdout.strip()

    def test_network_between_hosts(self):
        self.serve("node02")
        for here in ("head", "node01", "node02", "node03"):
            self.assertEqual(self.connect(here, "node02"), "connected")
            self.assertIn("ConnectionRefused", self.connect(here, "node01"))

    def test_killed_host_comes_back_fresh(self):
        self.serve("node02")
        session = self.begin("node02", "sleep", "93")
        self.assertTrue(wait_until(lambda: len(self.cluster.processes("node02")) == 2))
        self.cluster.ok("kill", "node02")
        self.assertEqual(self.cluster.host("node02")["state"], "killed")
        self.assertEqual(self.cluster.processes("node02"), [])
        self.assertEqual(session.wait(timeout=10), 255)
        refused = self.cluster.run("exec", "node02", "--", "true")
        self.assertEqual(refused.returncode, 255)
        self.assertIn("was killed", refused.stderr)
        self.assertNotIn("connected", self.connect("node01", "node02", 0.5))
        for verb in ("kill", "freeze", "cut", "thaw", "mend"):
            self.assertEqual(self.cluster.run(verb, "node02").returncode, 1, verb)
        self.cluster.ok("start", "node02")
        self.assertEqual(self.cluster.run("start", "node02").returncode, 1)
        self.assertEqual(self.cluster.ok("exec", "node02", "--", "hostname"), "node02\n")
        self.serve("node02")
        self.assertEqual(self.connect("node01", "node02"), "connected")
        self.assertEqual(self.connect("head", "node02"), "connected")

    def test_connection_to_a_host_that_is_gone_fails_as_on_a_real_network(self):
        for verb, back, host in (("kill", "start", "head"), ("cut", "mend", "node01")):
            self.cluster.ok(verb, "node02")
            self.assertEqual(self.connect(host, "node02", 20), f"OSError {errno.EHOSTUNREACH}", verb)
            self.cluster.ok(back, "node02")
            self.assertIn("ConnectionRefused", self.connect(host, "node02"), "it should answer at once")

    def test_host_whose_init_is_killed_from_within_reach(self):
        pid = next(p for p in os.listdir("/proc") if p.isdigit() and self.title(p) == "ductile cluster: node03 host-init"
                   and virtual_cluster.namespaces_of(p) & self.cluster.namespaces)
        os.kill(int(pid), 9)
        self.assertTrue(wait_until(lambda: self.cluster.host("node03")["state"] == "killed"))
        self.cluster.ok("start", "node03")
        self.assertEqual(self.cluster.ok("exec", "node03", "--", "hostname"), "node03\n")

    @staticmethod
    def title(pid):
        try:
            with open(f"/proc/{pid}/cmdline") as text:
                return text.read().rstrip("\0")
        except OSError:
            return ""

    def freezers(self):
        self.cluster.ok("freeze", "node01")
        method = self.cluster.host("node01")["frozen_by"]
        self.cluster.ok("thaw", "node01")
        return {"signals", method}

    def test_freeze_and_thaw(self):
        for method in self.freezers():
            with self.subTest(method):
                self.serve("node01")
                count = self.count_on("node01", f"freeze-{method}")
                stopped = self.begin("node01", "sh", "-c", "kill -STOP $$; exit 3")
                self.assertTrue(wait_until(lambda: any(p["state"] == "T" for p in self.cluster.processes("node01"))))
                self.assert_running(count)
                self.cluster.ok("freeze", "node01", "--by", method)
                self.assertEqual(self.cluster.host("node01")["state"], "frozen")
                self.assertEqual(self.cluster.run("freeze", "node01").returncode, 1)
                self.assert_standing(count)
                self.assertEqual(self.connect("node03", "node01"), "connected", "the kernel answers for a frozen host")
                self.assertEqual(self.cluster.run("exec", "--connect-timeout", 0.3, "node01", "--", "true").returncode, 255)
                later = self.begin("node01", "hostname")
                self.assertFalse(wait_until(lambda: later.poll() is not None, 0.3))
                self.cluster.ok("thaw", "node01")
                self.assert_running(count)
                self.assertEqual(later.wait(timeout=10), 0)
                self.assertIsNone(stopped.poll(), "it was stopped before the freeze, and stays so")
                self.assertEqual(self.cluster.run("thaw", "node01").returncode, 1)
                self.cluster.ok("kill", "node01")
                self.cluster.ok("start", "node01")

    def test_frozen_host_can_be_killed(self):
        for method in self.freezers():
            with self.subTest(method):
                session = self.begin("node01", "sleep", "92")
                self.assertTrue(wait_until(lambda: self.cluster.processes("node01")))
                self.cluster.ok("freeze", "node01", "--by", method)
                waiting = self.begin("node01", "true")
                self.cluster.ok("kill", "node01")
                self.assertEqual(session.wait(timeout=10), 255)
                self.assertEqual(waiting.wait(timeout=10), 255)
                self.assertEqual(virtual_cluster.cgroups_of(self.cluster.name), [])
                self.cluster.ok("start", "node01")
                self.assertEqual(self.cluster.host("node01")["state"], "up")

    def test_cut_drops_packets_silently_and_mend_brings_them_back(self):
        self.serve("node01")
        count = self.count_on("node01", "cut")
        talker = self.python("node02", TALKER, "node01")
        self.assertEqual(talker.stdout.readline(), "0\n")
        self.cluster.ok("cut", "node01")
        self.assertEqual(self.cluster.host("node01")["state"], "cut")
        self.assertEqual(self.cluster.run("cut", "node01").returncode, 1)
        self.assert_running(count)
        self.assertIn(self.connect("node03", "node01", 1).split()[0], ("TimeoutError", "OSError"))
        self.assertIn(self.connect("node01", "node03", 1).split()[0], ("TimeoutError", "OSError"))
        self.assertEqual(self.connect("node01", "localhost"), "connected", "its loopback is its own")
        self.assertIsNone(talker.poll(), "the connection was closed or reset")
        self.cluster.ok("mend", "node01")
        self.assertEqual(self.cluster.run("mend", "node01").returncode, 1)
        self.assertEqual(self.connect("node03", "node01"), "connected")
        lines = [int(talker.stdout.readline()) for _ in range(200)]
        self.assertEqual(lines, list(range(1, 201)), "the connection has lost something")
        self.assertEqual(self.cluster.host("node01")["state"], "up")

    def test_others_are_not_cut(self):
        self.serve("node02")
        self.cluster.ok("cut", "node01")
        self.assertEqual(self.connect("node03", "node02"), "connected")
        self.cluster.ok("mend", "node01")

    def test_exec_cannot_cross_a_cut(self):
        self.cluster.ok("cut", "node01")
        program = virtual_cluster.PROGRAM
        for_a_moment = ("--connect-timeout", 0.3)
        self.assertEqual(self.cluster.run("exec", *for_a_moment, "node01", "--", "true").returncode, 255)
        inside = ("--", program, "cluster", "exec", *for_a_moment)
        self.assertEqual(self.cluster.run("exec", "node02", *inside, "node01", "--", "true").returncode, 255)
        self.assertEqual(self.cluster.run("exec", "--console", "node01", *inside, "node02", "--", "true").returncode, 255)
        self.assertEqual(self.cluster.run("exec", "--console", "node01", *inside, "node01", "--", "true").returncode, 0)
        later = self.begin("node01", "hostname")
        self.assertFalse(wait_until(lambda: later.poll() is not None, 0.3))
        self.cluster.ok("mend", "node01")
        self.assertEqual(later.wait(timeout=10), 0)
        self.assertEqual(later.stdout.read(), "node01\n")

    def test_frozen_and_cut_at_once(self):
        self.cluster.ok("cut", "node03")
        self.cluster.ok("freeze", "node03")
        self.assertEqual(self.cluster.host("node03")["state"], "frozen,cut")
        self.cluster.ok("mend", "node03")
        self.assertEqual(self.cluster.host("node03")["state"], "frozen")
        self.cluster.ok("thaw", "node03")

    def test_the_head_is_left_alone(self):
        for verb in ("kill", "start", "freeze", "thaw", "cut", "mend"):
            self.assertEqual(self.cluster.run(verb, "head").returncode, 1, verb)
        self.assertEqual(self.cluster.run("kill", "node09").returncode, 1)


if __name__ == "__main__":
    virtual_cluster.main()
