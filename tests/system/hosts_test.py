"""The table's rows about hosts, on a virtual cluster: killed, frozen, cut off; and hosts that come back."""
import json
import os
import secrets
import subprocess
import sys
import tempfile
import time

from ductile_job import DUCTILE, SKIP, STEADY, main, wait_until

NAME = "test" + secrets.token_hex(4)


def cluster(*words, seconds=30, check=True):
    result = subprocess.run([DUCTILE, "cluster", words[0], "--name", NAME, *words[1:]], capture_output=True, text=True, timeout=seconds)
    if check and result.returncode != 0:
        raise AssertionError((words, result))
    return result


class Cluster:
    def __init__(self, hosts=4):
        self.hosts = hosts

    def __enter__(self):
        up = cluster("up", str(self.hosts), "--cores", "1", "--owner", str(os.getpid()), check=False)
        if up.returncode != 0:
            print("skipped:", up.stderr)
            sys.exit(SKIP)
        return self

    def __exit__(self, *_):
        cluster("down", check=False)


class HostJob:
    """`ductile run` on a cluster's hosts (or those of the file `hosts`, or what `hosts_from` says), its broker on `broker_host`, in the
    directory `folder`."""

    def __init__(self, steps, pause, *options, per_host=1, hosts=None, hosts_from=None, broker_host="head", folder=None):
        hosts_from = hosts_from or ("--hosts", hosts or cluster("hosts").stdout.strip())
        self.broker_host = broker_host
        shell = f"{DUCTILE} cluster exec --name {NAME} {{host}} -- {{argv}}"
        argv = [*self.at_broker(), "run", *hosts_from, "--ranks-per-host", str(per_host),
                "--remote-shell", shell, "--shared-cores", "yes", *options, "--", STEADY, str(steps), str(pause)]
        self.out = open(f"{tempfile.gettempdir()}/{NAME}.out", "w+")
        self.process = subprocess.Popen(argv, stdout=self.out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, cwd=folder)
        self.id = None

    def __enter__(self):
        def look():
            if self.process.poll() is not None:
                raise AssertionError(self.text())
            s = self.status()
            if s and s["state"] == "running":
                self.id = s["job"]
            return self.id
        wait_until("the job runs", look, 40, 0.2)
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(20)
        self.out.close()
        os.unlink(f"{tempfile.gettempdir()}/{NAME}.out")

    def at_broker(self):
        return [DUCTILE, "cluster", "exec", "--name", NAME, self.broker_host, "--", DUCTILE]

    def ask(self, *words, seconds=60):
        return subprocess.run([*self.at_broker(), *words], capture_output=True, text=True, timeout=seconds)

    def start_resize(self, size, *words):
        return subprocess.Popen([*self.at_broker(), "resize", self.id, str(size), "--wait", *words],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def status(self):
        shown = self.ask("status", "--json")
        data = json.loads(shown.stdout) if shown.returncode == 0 and shown.stdout.strip() else None
        # Another job of this user may be running, in a test of another build, say.
        jobs = data if isinstance(data, list) else [data] if data else []
        return next((s for s in jobs if s["program"][0] == STEADY), None)

    def resize(self, *words):
        return self.ask("resize", self.id, *words, "--wait")

    def text(self):
        return open(f"{tempfile.gettempdir()}/{NAME}.out").read()

    def broker_is_killed(self):
        cluster("exec", self.broker_host, "--", "kill", "-9", str(self.status()["broker_pid"]))
        assert self.process.wait(10) != 0, self.text()

    def resumes(self):
        """Another broker takes the job over; its status once nothing is open any more."""
        self.process = subprocess.Popen([*self.at_broker(), "run", "--resume", self.id], stdout=self.out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)

        def settled():
            assert self.process.poll() is None, self.text()
            status = self.status()
            return status if status and status["state"] == "running" and "pending" not in status else None
        return wait_until("the job is taken over", settled, 30, 0.2)

    def on_head(self, *words):
        cluster("exec", "head", "--", *words)

    def all_processes(self, host):
        return json.loads(cluster("ps", host, "--json").stdout)["processes"]

    def processes(self, host):
        shown = cluster("ps", host, "--env", f"DUCTILE_JOB={self.id}", "--json", check=False)
        return json.loads(shown.stdout)["processes"] if shown.returncode == 0 and shown.stdout.strip() else []


def hosts_come_back():
    with Cluster(), HostJob(2500, 10000) as job:
        assert job.resize("4").returncode == 0
        assert job.processes("node03")
        assert job.resize("2").returncode == 0
        assert not job.processes("node03") and not job.processes("node04")
        assert job.resize("4").returncode == 0
        assert job.resize("--release", "node01").returncode == 0
        assert not job.processes("node01")
        assert job.resize("1").returncode == 0
        assert job.process.wait(90) == 0, job.text()
        assert "bad 0" in job.text()


def broker_stays_on_its_host():
    """Where the broker runs on a host that is given back it stays there, and that is said."""
    with Cluster(), HostJob(2500, 10000, "-n", "2", broker_host="node01") as job:
        released = job.ask("resize", job.id, "--release", "node01", "--wait")
        assert released.returncode == 0 and "broker stays on node01" in released.stdout, released
        released = job.ask("resize", job.id, "3", "--wait")
        assert released.returncode == 0 and "broker stays" not in released.stdout, released
        assert job.process.wait(90) == 0 and "end 3 bad 0" in job.text(), job.text()


def broker_dies_on_a_host():
    """Another one takes the job over; what the open resize had taken is free, and every host can be had again."""
    late = ("STEADY_LATE_US=1000000", "STEADY_FIRST_NEWCOMER=2", "STEADY_LAST_NEWCOMER=2")  # so that it is seen to be open
    with tempfile.TemporaryDirectory() as folder, Cluster(), HostJob(
            100000, 10000, *(word for setting in (f"STEADY_UNTIL={folder}/end", *late) for word in ("--env", setting))) as job:
        assert job.resize("2").returncode == 0
        broker = job.status()["broker_pid"]
        asked = job.start_resize(4)
        wait_until("the resize is open", lambda: "pending" in (job.status() or {}), 10)
        job.broker_is_killed()
        assert asked.wait(10) != 0
        status = job.resumes()
        assert status["broker_pid"] != broker and status["ranks"] in (2, 4), status
        if status["ranks"] == 2:
            wait_until("what was started is gone", lambda: not job.processes("node03") and not job.processes("node04"), 10, 0.2)
        for ranks in ("4", "1", "3"):
            assert job.resize(ranks).returncode == 0, job.text()
        assert not job.processes("node04")
        open(f"{folder}/end", "w").close()
        assert job.process.wait(60) == 0, job.text()
        assert "bad 0" in job.text()


def member_host(how):
    with Cluster(), HostJob(6000, 10000, "--heartbeat-limit", "3", "--orphan-limit", "6") as job:
        assert job.resize("3").returncode == 0
        begin = time.monotonic()
        cluster(how, "node02")
        assert job.process.wait(25) == 125, job.text()
        assert time.monotonic() - begin < 13, "ended on each reachable host within 10 s of the limit"
        assert "node02" in job.text()
        for host in ("node01", "node03"):
            assert not job.processes(host)
        if how == "freeze":
            cluster("thaw", "node02")
        if how != "kill":  # cut off: it ends its own at the orphan limit; thawed: as soon as it is refused
            wait_until("nothing is left on node02", lambda: not job.processes("node02"), 15, 0.3)


PHASES = {
    # when the host is lost: the broker's phases then, microseconds a step, what keeps the newcomers there
    "starting": (("starting",), 20000, ("STEADY_LATE_US=60000000", "STEADY_LAST_NEWCOMER=1")),
    "waiting": (("asking", "waiting"), 5000000, ()),
    "joined": (("switching",), 20000, ("STEADY_HANG_AT=merge",)),
    "filled": (("switching",), 20000, ("STEADY_HANG_AT=redistribute",)),
}


def newcomer_host(how, when):
    phases, pause, misfortune = PHASES[when]
    settings = [word for setting in misfortune for word in ("--env", setting)]
    hangs = any("HANG" in setting for setting in misfortune)
    with tempfile.TemporaryDirectory() as folder, Cluster(), HostJob(
            3000, pause, "--heartbeat-limit", "3", "--orphan-limit", "6", "--env", f"STEADY_UNTIL={folder}/end", *settings) as job:
        asked = job.start_resize(3)
        wait_until(phases, lambda: (job.status() or {}).get("pending", {}).get("phase") in phases, 20, 0.02)
        cluster(how, "node02")
        assert asked.wait(40) == 4, asked.stdout.read()
        status = job.status()
        assert status["ranks"] == 1
        wear = status["health"]
        again = job.resize("3")  # the lost host is passed over
        assert again.returncode == (3 if wear == "final" else 4 if hangs else 0), (again, wear, job.text())
        open(f"{folder}/end", "w").close()
        assert job.process.wait(60) == 0, job.text()
        assert f"end {1 if again.returncode else 3} bad 0" in job.text()


if __name__ == "__main__":
    cases = {f.__name__: f for f in (hosts_come_back, broker_stays_on_its_host, broker_dies_on_a_host)}
    for how in ("kill", "freeze", "cut"):
        cases[f"member_host_{how}"] = lambda how=how: member_host(how)
        for when in PHASES:
            cases[f"newcomer_host_{how}_{when}"] = lambda how=how, when=when: newcomer_host(how, when)
    main(cases)
