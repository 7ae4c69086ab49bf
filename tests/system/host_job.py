"""Jobs on the hosts of a virtual cluster."""
import json
import os
import secrets
import subprocess
import tempfile

import pytest

from ductile_job import DUCTILE, STEADY, wait_until
from patience import PatientProcess, patient

NAME = "test" + secrets.token_hex(4)
THREE = ("node01", "node02", "node03")


def cluster(*words, seconds=30, check=True):
    result = subprocess.run([DUCTILE, "cluster", words[0], "--name", NAME, *words[1:]], capture_output=True, text=True, timeout=patient(seconds))
    if check and result.returncode != 0:
        raise AssertionError((words, result))
    return result


class Cluster:
    def __init__(self, hosts=4):
        self.hosts = hosts

    def __enter__(self):
        up = cluster("up", str(self.hosts), "--cores", "1", "--owner", str(os.getpid()), check=False)
        if up.returncode != 0:
            pytest.skip(up.stderr)
        return self

    def __exit__(self, *_):
        cluster("down", check=False)


class HostJob:
    """`ductile run` on the hosts of the cluster, of the file `hosts`, or of the options `hosts_from`, which `shell` reaches. The broker runs
    on `broker_host`, in the directory `folder`. The job runs until it is told to end, or for so many steps."""

    def __init__(self, steps, pause, *options, per_host=1, hosts=None, hosts_from=None, shell=None, broker_host="head", folder=None):
        hosts_from = hosts_from or ("--hosts", hosts or cluster("hosts").stdout.strip())
        self.broker_host = broker_host
        self.until = f"{tempfile.gettempdir()}/{NAME}.end"
        shell = shell or f"{DUCTILE} cluster exec --name {NAME} {{host}} -- {{argv}}"
        argv = [*self.at_broker(), "run", *hosts_from, "--ranks-per-host", str(per_host),
                "--remote-shell", shell, "--shared-cores", "yes", "--env", f"STEADY_UNTIL={self.until}", *options, "--", STEADY, str(steps), str(pause)]
        self.out = open(f"{tempfile.gettempdir()}/{NAME}.out", "w+")
        self.process = PatientProcess(argv, stdout=self.out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, cwd=folder)
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
        if os.path.exists(self.until):
            os.unlink(self.until)

    def tell_to_end(self):
        open(self.until, "w").close()

    def ends_well(self, ranks, seconds=60):
        self.tell_to_end()
        assert self.process.wait(seconds) == 0 and f"end {ranks} bad 0" in self.text(), self.text()

    def at_broker(self):
        return [DUCTILE, "cluster", "exec", "--name", NAME, self.broker_host, "--", DUCTILE]

    def ask(self, *words, seconds=60):
        return subprocess.run([*self.at_broker(), *words], capture_output=True, text=True, timeout=patient(seconds))

    def start_resize(self, size, *words):
        return PatientProcess([*self.at_broker(), "resize", self.id, str(size), "--wait", *words],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def status(self):
        shown = self.ask("status", "--json")
        data = json.loads(shown.stdout) if shown.returncode == 0 and shown.stdout.strip() else None
        # Another job of this user may be running, for example in a test of another build.
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
        """Another broker takes the job over. Returns the status when no resize is open any more."""
        self.process = PatientProcess([*self.at_broker(), "run", "--resume", self.id], stdout=self.out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)

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


def processes_on(host):
    """The processes on a host, without those of the cluster itself. A killed host has none."""
    shown = cluster("ps", host, "--json", check=False)
    return [p for p in json.loads(shown.stdout)["processes"] if not p["furniture"]] if shown.returncode == 0 else []


def nothing_left(seconds=10, hosts=THREE):
    wait_until(f"no process on any host: {[processes_on(h) for h in hosts]}", lambda: not any(processes_on(h) for h in hosts), seconds, 0.3)


def layout(job):
    """[(host, group, ranks)] in the order of the job's ranks."""
    return [(r["host"], r["group"], r["ranks"]) for r in job.status()["layout"]["active"]]
