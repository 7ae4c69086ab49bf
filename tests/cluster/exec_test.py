"""`ductile cluster exec`: it behaves as the command that it runs."""

import secrets
import signal
import subprocess
import time
import unittest

import virtual_cluster
from virtual_cluster import PROGRAM, PYTHON, Cluster, ClusterTest, wait_until


class ExecTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = Cluster(f"exec{secrets.token_hex(4)}")
        cls.addClassCleanup(cls.cluster.discard)
        cls.cluster.up(3, "--cores", 2)

    def sh(self, host, script, *words, **options):
        return self.cluster.run("exec", host, "--", "sh", "-c", script, *words, **options)

    def test_host_has_its_name_and_address(self):
        for host, address in (("node01", "10.66.0.1"), ("node03", "10.66.0.3"), ("head", "10.66.0.254")):
            result = self.sh(host, "hostname; cat /proc/net/fib_trie")
            self.assertEqual(result.stdout.split("\n")[0], host)
            self.assertIn(f"-- {address}\n", result.stdout)

    def test_exit_codes(self):
        for script, code in (("exit 0", 0), ("exit 7", 7), ("exit 255", 255), ("kill -TERM $$", 143), ("kill -KILL $$", 137)):
            self.assertEqual(self.sh("node01", script).returncode, code, script)
        self.assertEqual(self.cluster.run("exec", "node01", "--", "/no/such").returncode, 127)
        self.assertEqual(self.cluster.run("exec", "node01", "--", "/etc/passwd").returncode, 126)

    def test_bad_requests_are_refused(self):
        result = self.cluster.run("exec", "node04", "--", "true")
        self.assertEqual(result.returncode, 255)
        self.assertIn('no host "node04"', result.stderr)
        self.assertEqual(self.cluster.run("exec", "node01", "true").returncode, 2)
        self.assertNotEqual(self.cluster.run("exec", "node01").returncode, 0)
        stranger = Cluster("nobody-there")
        self.addCleanup(stranger.discard)
        self.assertEqual(stranger.run("exec", "node01", "--", "true").returncode, 255)

    def test_words_arrive_as_they_were_given(self):
        words = ["[a,b]", "", "--", "two words", "status", "new\nline", "$HOME", "--name", "%s", "é"]
        result = self.cluster.run("exec", "node02", "--", "printf", "%s\\0", *words)
        self.assertEqual(result.stdout.split("\0")[:-1], words)
        odd = b"\xff\xfe"
        result = self.cluster.run("exec", "node02", "--", "printf", "%s", odd.decode(errors="surrogateescape"), text=False)
        self.assertEqual(result.stdout, odd)

    def test_standard_files(self):
        result = self.sh("node01", "cat; echo err >&2", input="x" * 3_000_000 + "\n")
        self.assertEqual(len(result.stdout), 3_000_001)
        self.assertEqual(result.stderr, "err\n")
        self.assertEqual(self.sh("node01", "cat", stdin=subprocess.DEVNULL).stdout, "")

    def test_directory_environment_and_umask(self):
        environment = dict(self.cluster.environment, ODD="a=b\nc")
        words = self.cluster.words("exec", "node01", "--", "sh", "-c", 'umask; pwd; printf "%s" "$ODD"')
        result = subprocess.run(words, env=environment, cwd="/usr/share", capture_output=True, text=True, timeout=20, umask=0o027)
        self.assertEqual(result.stdout, "0027\n/usr/share\na=b\nc")

    def test_environment_may_be_empty(self):
        inner = [PROGRAM, "cluster", "exec", "node02", "--", "/usr/bin/env"]
        result = self.cluster.run("exec", "node01", "--", "env", "-i", *inner)
        self.assertEqual((result.returncode, result.stdout), (0, ""), result.stderr)

    def test_reaches_any_host_from_any_other(self):
        for here in ("head", "node01", "node02"):
            for there in ("head", "node01", "node03"):
                result = self.cluster.run("exec", here, "--", PROGRAM, "cluster", "exec", there, "--", "sh", "-c", "hostname; exit 5")
                self.assertEqual((result.returncode, result.stdout), (5, there + "\n"), result.stderr)

    def test_signals_are_passed_on(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1):
            script = f"trap 'exit 42' {signal.Signals(number).name[3:]}; echo ready; while :; do sleep 0.05; done"
            process = self.cluster.start("exec", "node01", "--", "sh", "-c", script)
            self.assertEqual(process.stdout.readline(), "ready\n")
            process.send_signal(number)
            process.communicate(timeout=10)
            self.assertEqual(process.returncode, 42, number)

    def test_a_signal_reaches_the_whole_pipeline(self):
        process = self.cluster.start("exec", "node01", "--", "sh", "-c", "echo ready; sleep 98; echo not reached")
        self.assertEqual(process.stdout.readline(), "ready\n")
        self.assertTrue(wait_until(lambda: self.running("node01", "sleep", "98")))
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=10)
        self.assertEqual(process.returncode, 130)
        self.assertTrue(wait_until(lambda: not self.cluster.processes("node01")))

    def running(self, host, *words):
        return [p for p in self.cluster.processes(host) if p["command"] == list(words)]

    def test_command_dies_with_exec(self):
        process = self.cluster.start("exec", "node02", "--", "sh", "-c", "echo ready; sleep 97; true")
        self.assertEqual(process.stdout.readline(), "ready\n")
        self.assertTrue(wait_until(lambda: len(self.running("node02", "sleep", "97")) == 1))
        process.kill()
        process.communicate(timeout=10)
        self.assertTrue(wait_until(lambda: not self.cluster.processes("node02")))

    def test_command_with_a_session_of_its_own_stays(self):
        for script in ("import os, time; os.setsid(); print('ready', flush=True); time.sleep(96)",
                       "import os, time\nif os.fork() == 0:\n os.setsid(); print('ready', flush=True)\ntime.sleep(96)"):
            process = self.cluster.start("exec", "node03", "--", PYTHON, "-c", script)
            self.assertEqual(process.stdout.readline(), "ready\n")
            process.kill()
            process.wait(timeout=10)
            process.stdout.close()
            process.stderr.close()
            self.assertFalse(wait_until(lambda: not self.cluster.processes("node03"), 0.3))
            survivors = self.cluster.processes("node03")
            self.assertEqual(len(survivors), 1)
            self.cluster.ok("exec", "node03", "--", "kill", "-9", survivors[0]["pid"])
            self.assertTrue(wait_until(lambda: not self.cluster.processes("node03")))

    def test_does_not_wait_for_what_the_command_leaves_running(self):
        begin = time.monotonic()
        self.assertEqual(self.sh("node02", "sleep 95 >/dev/null 2>&1 & echo $!").returncode, 0)
        self.assertLess(time.monotonic() - begin, 5)
        self.assertTrue(wait_until(lambda: self.running("node02", "sleep", "95")))
        left = self.running("node02", "sleep", "95")
        self.assertEqual(left[0]["ppid"], 1, "orphans belong to their host's init")
        self.cluster.ok("exec", "node02", "--", "kill", left[0]["pid"])
        self.assertTrue(wait_until(lambda: not self.cluster.processes("node02")), "the init did not collect its orphan")

    def test_ps_filters_by_environment(self):
        environment = dict(self.cluster.environment, JOB="j17")
        words = self.cluster.words("exec", "node01", "--", "sh", "-c", "echo ready; sleep 94; true")
        with subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, text=True) as process:
            self.assertEqual(process.stdout.readline(), "ready\n")
            # The session, which is ours, must not be taken for a process of the job.
            def found():
                return sorted(p["command"][0] for p in self.cluster.processes("node01", "--env", "JOB=j17"))
            self.assertTrue(wait_until(lambda: found() == ["sh", "sleep"]), found())
            everything = self.cluster.ok("ps", "node01", "--env", "JOB=j17")
            self.assertNotIn("host-session", everything)
            self.assertEqual(self.cluster.processes("node01", "--env", "JOB=j1"), [])
            self.assertEqual(self.cluster.processes("node02", "--env", "JOB=j17"), [])
            self.assertEqual(self.cluster.host("node01")["processes"], 2)
            process.terminate()

    def test_hosts_have_processes_and_shared_memory_of_their_own(self):
        self.assertEqual(self.sh("node01", "echo $$ > /dev/shm/mine; ls /dev/shm").stdout, "mine\n")
        self.assertEqual(self.sh("node02", "ls /dev/shm").stdout, "")
        self.assertNotIn("init", self.sh("node02", "cat /proc/[0-9]*/comm | grep -v host-").stdout)

    def test_status_and_hosts_file(self):
        status = self.cluster.status()
        self.assertEqual([h["name"] for h in status["hosts"]], ["head", "node01", "node02", "node03"])
        self.assertEqual({h["cores"] for h in status["hosts"]}, {2})
        path = self.cluster.ok("hosts").strip()
        with open(path) as lines:
            self.assertEqual(lines.read(), "node01 slots=2\nnode02 slots=2\nnode03 slots=2\n")
        with open("/etc/hosts") as untouched:
            self.assertNotIn("node01", untouched.read())

    def test_a_hundred_at_once(self):
        processes = [self.cluster.start("exec", f"node0{i % 3 + 1}", "--", "sh", "-c", f"exit {i}") for i in range(100)]
        for i, process in enumerate(processes):
            process.communicate(timeout=30)
            self.assertEqual(process.returncode, i)


class SlownessTest(ClusterTest):
    def test_many_hosts_start_fast(self):
        begin = time.monotonic()
        self.cluster.up(64)
        self.assertLess(time.monotonic() - begin, 20)  # 0.2 s on an idle machine
        self.assertEqual(self.cluster.ok("exec", "node64", "--", "hostname"), "node64\n")
        self.cluster.ok("down")
        self.assert_nothing_left()


if __name__ == "__main__":
    virtual_cluster.main()
