"""However a cluster ends, nothing of it is left."""

import os
import pty
import signal
import subprocess
import time

import virtual_cluster
from virtual_cluster import Cluster, ClusterTest, wait_until


class LeftoversTest(ClusterTest):
    def tied(self, script, hosts=2, **options):
        """An `up` that runs a script on the head, which has said "ready"."""
        process = self.cluster.start("up", hosts, "--", "sh", "-c", script, **options)
        self.addCleanup(lambda: (process.kill(), process.wait(), process.stdout.close(), process.stderr.close()))
        self.assertEqual(process.stdout.readline(), "ready\n")
        self.cluster.note_namespaces()
        return process

    def busy(self, cluster=None):
        """A daemon on node01 that nobody is tied to."""
        cluster = cluster or self.cluster
        cluster.ok("exec", "node01", "--", "setsid", "-f", "sh", "-c", "sleep 91; true", stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, capture_output=False)
        self.assertTrue(wait_until(lambda: len(cluster.processes("node01")) == 2))

    def test_command_ends(self):
        for script, code in (("exit 0", 0), ("exit 9", 9), ("kill -TERM $$", 143)):
            process = self.tied(f"setsid sleep 90 & echo ready; read line; {script}", stdin=subprocess.PIPE)
            self.busy()
            process.stdin.close()
            process.wait(timeout=20)
            self.assertEqual(process.returncode, code)
            self.assert_nothing_left()

    def test_down(self):
        self.cluster.up(3)
        self.busy()
        self.cluster.ok("freeze", "node02")
        self.cluster.ok("cut", "node03")
        self.cluster.ok("down")
        self.assertEqual(virtual_cluster.pids_in(self.cluster.namespaces), [], "down returned too early")
        self.assert_nothing_left()
        result = self.cluster.run("down")
        self.assertEqual(result.returncode, 1)
        self.assertIn("no cluster is up", result.stderr)

    def test_down_from_inside(self):
        self.cluster.up(2)
        self.cluster.run("exec", "node02", "--", virtual_cluster.PROGRAM, "cluster", "down")
        self.assert_nothing_left()

    def assert_gone_but_for_directory(self):
        self.assertTrue(wait_until(lambda: not virtual_cluster.pids_in(self.cluster.namespaces)))
        self.assertNotEqual(self.cluster.run("status").returncode, 0)  # the next command sees that it is dead
        self.assert_nothing_left()

    def test_owner_is_killed(self):
        process = self.tied("echo ready; sleep 89")
        self.busy()
        process.kill()
        self.assert_gone_but_for_directory()

    def test_init_is_killed_under_a_command(self):
        process = self.tied("echo ready; sleep 88")
        self.busy()
        os.kill(self.cluster.init(), signal.SIGKILL)
        self.assertEqual(process.wait(timeout=20), 255)
        self.assert_nothing_left()

    def test_init_is_killed(self):
        for method in ("auto", "signals"):
            self.cluster.up(2)
            self.busy()
            self.cluster.ok("freeze", "node01", "--by", method)
            os.kill(self.cluster.init(), signal.SIGKILL)
            self.assert_gone_but_for_directory()

    def test_next_up_takes_the_place_of_a_dead_one(self):
        self.cluster.up(2)
        os.kill(self.cluster.init(), signal.SIGKILL)
        self.assertTrue(wait_until(lambda: not virtual_cluster.pids_in(self.cluster.namespaces)))
        self.cluster.up(1)
        self.cluster.ok("down")
        self.assert_nothing_left()

    def test_named_owner_ends(self):
        with subprocess.Popen(["sleep", "87"]) as owner:
            self.cluster.up(2, "--owner", owner.pid)
            self.busy()
            owner.kill()
        self.assert_nothing_left()

    def test_control_c(self):
        """As at a terminal: the signal goes to the foreground process group."""
        terminal, far_end = pty.openpty()
        words = self.cluster.words("up", 2, "--", "sh", "-c", "trap 'exit 33' INT; echo ready; while :; do sleep 0.1; done")
        with subprocess.Popen(["setsid", "--ctty", "--wait", *words], env=self.cluster.environment, stdin=far_end, stdout=far_end,
                              stderr=subprocess.PIPE) as process:
            os.close(far_end)
            self.assertIn(b"ready", os.read(terminal, 100))
            self.cluster.note_namespaces()
            self.busy()
            os.write(terminal, b"\x03")
            process.communicate(timeout=20)
        os.close(terminal)
        self.assertEqual(process.returncode, 33)
        self.assert_nothing_left()

    def test_interrupted_at_any_moment_of_up(self):
        for step in range(12):
            process = self.cluster.start("up", 4, "--", "sleep", "86")
            time.sleep(step * 0.008)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=20)
        for step in range(12):
            process = self.cluster.start("up", 4, "--", "sleep", "86")
            time.sleep(step * 0.008)
            process.kill()
            process.communicate(timeout=20)
        self.cluster.up(1)  # takes notice of what the killed ones left
        self.cluster.ok("down")
        unfinished = f"{self.cluster.runtime}/ductile-cluster"
        for name in os.listdir(unfinished) if os.path.exists(unfinished) else []:
            self.assertTrue(name.startswith("new-"), name)  # one killed within its first microseconds; removed a minute later
            os.utime(f"{unfinished}/{name}", (1, 1))
        self.cluster.run("status")
        self.assert_nothing_left()

    def test_bad_input_starts_nothing(self):
        for words in ((0,), (65,), ("x",), (2, "--cores", 0), (2, "--cores", 5000), ()):
            self.assertNotEqual(self.cluster.run("up", *words).returncode, 0, words)
        for name in ("", "../x", "Upper", "a" * 33, "1a", "a b"):
            words = [virtual_cluster.PROGRAM, "cluster", "up", "--name", name, "1"]
            if name == "":
                continue  # means the default
            self.assertNotEqual(subprocess.run(words, env=self.cluster.environment, capture_output=True, timeout=20).returncode, 0)
        self.assertEqual(os.listdir(self.cluster.runtime), [])

    def test_base_directory_of_somebody_else_is_refused(self):
        os.mkdir(f"{self.cluster.runtime}/ductile-cluster")
        os.chmod(f"{self.cluster.runtime}/ductile-cluster", 0o777)
        result = self.cluster.run("up", 1)
        self.assertEqual(result.returncode, 1)
        self.assertIn("directory of this user's alone", result.stderr)

    def test_two_at_once(self):
        other = Cluster(self.cluster.name + "-b")
        self.addCleanup(other.discard)
        other.runtime, other.environment, other.state = (self.cluster.runtime, self.cluster.environment,
                                                         f"{self.cluster.runtime}/ductile-cluster/cluster-{other.name}")
        self.cluster.up(2)
        other.up(3)
        self.assertEqual(self.cluster.run("up", 1).returncode, 1, "one of a name at a time")
        self.assertFalse(self.cluster.namespaces & other.namespaces)
        self.busy()
        self.assertEqual(other.processes("node01"), [])
        # From inside of one, the default is that one; the other has its name.
        inside = [virtual_cluster.PROGRAM, "cluster", "status", "--json"]
        self.assertIn(f'"name":"{other.name}"', other.ok("exec", "node02", "--", *inside))
        self.cluster.ok("down")
        self.assertEqual(other.ok("exec", "node03", "--", "hostname"), "node03\n")
        other.ok("down")
        self.assert_nothing_left()
        self.assert_nothing_left(other)


if __name__ == "__main__":
    virtual_cluster.main()
