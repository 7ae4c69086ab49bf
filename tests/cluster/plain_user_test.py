"""The same without root: in a user namespace."""

import os
import subprocess
import sys
import unittest

import virtual_cluster
from virtual_cluster import ClusterTest, wait_until

NOBODY = 65534
PREFIX = ("setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups", "--")


class PlainUserTest(ClusterTest):
    prefix = PREFIX if os.geteuid() == 0 else ()
    uid = NOBODY if os.geteuid() == 0 else None

    def test_whole_life(self):
        self.cluster.up(3, "--cores", 2)
        self.assertEqual(self.cluster.ok("exec", "node02", "--", "sh", "-c", "id -u; hostname"), "0\nnode02\n")
        inner = [virtual_cluster.PROGRAM, "cluster", "exec", "node03", "--", "hostname"]
        self.assertEqual(self.cluster.ok("exec", "node01", "--", "env", "-i", *inner), "node03\n")
        session = self.cluster.start("exec", "node01", "--", "sleep", "85")
        self.addCleanup(lambda: (session.kill(), session.communicate()))
        self.assertTrue(wait_until(lambda: self.cluster.processes("node01")))
        self.cluster.ok("freeze", "node01")
        self.assertEqual(self.cluster.host("node01")["state"], "frozen")
        self.assertEqual([p["state"] for p in self.cluster.processes("node01")], ["T" if self.by_signals() else "S"])
        self.cluster.ok("thaw", "node01")
        self.cluster.ok("cut", "node02")
        self.assertEqual(self.cluster.run("exec", "--connect-timeout", 0.2, "node02", "--", "true").returncode, 255)
        self.cluster.ok("mend", "node02")
        self.cluster.ok("kill", "node01")
        self.assertEqual(session.wait(timeout=10), 255)
        self.cluster.ok("start", "node01")
        self.assertEqual(self.cluster.ok("exec", "node01", "--", "hostname"), "node01\n")
        self.cluster.ok("down")
        self.assert_nothing_left()

    def by_signals(self):
        return self.cluster.host("node01")["frozen_by"] == "signals"

    def test_refused_where_namespaces_are_not_permitted(self):
        words = self.cluster.words("up", 1)[len(self.prefix):]
        forbid = ('echo 0 > /proc/sys/user/max_user_namespaces && '
                  'exec setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin "$@"')
        result = subprocess.run([*self.prefix, "unshare", "-Ur", "sh", "-c", forbid, "sh", *words], capture_output=True,
                                env=self.cluster.environment, text=True, timeout=20)
        self.assertEqual(result.returncode, 1)
        self.assertIn("allow user namespaces", result.stderr)
        self.assertEqual(os.listdir(self.cluster.runtime), [])

    def test_with_a_command(self):
        process = self.cluster.start("up", 2, "--", "sh", "-c", "echo ready; read x; exit 4", stdin=-1)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), "ready\n")
        self.cluster.note_namespaces()
        process.communicate("\n", timeout=20)
        self.assertEqual(process.returncode, 4)
        self.assert_nothing_left()


if __name__ == "__main__":
    reason = virtual_cluster.skip_reason(PlainUserTest.prefix)
    if not reason and PlainUserTest.prefix:
        probe = subprocess.run([*PREFIX, virtual_cluster.PROGRAM, "--help"], cwd="/", capture_output=True, text=True, timeout=20)
        reason = None if probe.returncode == 0 else f"user {NOBODY} cannot run {virtual_cluster.PROGRAM}"
    if reason:
        print("skipped:", reason)
        sys.exit(77)
    unittest.main(verbosity=2)
