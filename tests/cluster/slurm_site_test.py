"""One policy for all jobs of a real Slurm: ductiled, and `ductile run --policy site`."""

import json
import os
import shutil
import signal
import tempfile

from slurm_job_test import ALL_CORES, AT_ONCE, DUCTILE, Job, jobs
from slurm_policy_test import explained, nice, submit
from slurm_test import IS_ROOT, NOBODY, on_head, packages, up  # noqa: F401 - a fixture
from virtual_cluster import wait_until

PLAIN = NOBODY if IS_ROOT else ()
PORT = 6790
SOCKET = "/etc/slurm/munge/socket"


class Site:
    """A ductiled on the head of the cluster, under the user of Slurm."""

    def __init__(self, cluster, policy="natural"):
        self.cluster = cluster
        self.folder = tempfile.mkdtemp(prefix="dss-")
        cluster.cleanup.callback(shutil.rmtree, self.folder, ignore_errors=True)
        os.chmod(self.folder, 0o755)
        self.file = self.folder + "/site.toml"
        user = on_head(cluster, "id", "-u").strip()
        with open(self.file, "w") as text:
            text.write(f'host = "head"\nport = {PORT}\nuser = "{user}"\nmunge_socket = "{SOCKET}"\npolicy = "{policy}"\nstate = "{self.folder}"\n')
        self.options = ("--policy", "site", "--site", self.file, "--policy-every", "0.5")
        self.start()
        cluster.cleanup.callback(self.reap)

    def start(self):
        self.log = open(self.folder + "/log", "a")
        self.process = self.cluster.start("exec", "head", "--", os.path.dirname(DUCTILE) + "/ductiled", "--site", self.file,
                                          stdout=self.log, stderr=self.log)
        said = self.text().count("decides at port")
        assert wait_until(lambda: self.text().count("decides at port") > said, 10), self.text()

    def text(self):
        with open(self.folder + "/log") as text:
            return text.read()

    def journal(self):
        with open(self.folder + "/raised.jsonl") as text:
            return [json.loads(line) for line in text]

    def pids(self):
        return [one["pid"] for one in self.cluster.processes("head") if one["name"] == "ductiled"]

    def reap(self):
        """Ends the command that started ductiled. Ductiled itself ends with the cluster."""
        self.process.kill()
        self.process.wait(timeout=10)

    def kill(self, number=signal.SIGKILL):
        for pid in self.pids():
            self.cluster.run("exec", "head", "--", "kill", f"-{int(number)}", pid)
        self.process.wait(timeout=10)


def site_job(cluster, site, *options, name="grower"):
    return Job(cluster, 1, "-n", "1", *site.options, *options, prefix=PLAIN, name=name)


def ranks(*given):
    return [job.status()["ranks"] for job in given]


def test_jobs_share_hosts_and_make_room_together(cluster):
    up(cluster, 5, *AT_ONCE)
    site = Site(cluster)
    first, second = (site_job(cluster, site, "--max", "3", name=name) for name in ("grower", "other"))
    assert wait_until(lambda: ranks(first, second) == [3, 2], 40), (site.text(), explained(first), explained(second))
    # Neither job alone can give three hosts.
    rigid = submit(cluster, 3, 300, prefix=PLAIN)
    assert wait_until(lambda: dict(jobs(cluster, "all"))[rigid] == "RUNNING", 40), (site.text(), explained(first), explained(second))
    assert ranks(first, second) == [1, 1]
    gave = [[one for one in explained(job) if one.get("for_job") == int(rigid)] for job in (first, second)]
    assert [[one["outcome"] for one in of_one] for of_one in gave] == [["done"], ["done"]], gave
    on_head(cluster, "scancel", rigid)
    assert wait_until(lambda: sum(ranks(first, second)) == 5, 40), (site.text(), explained(first), explained(second))
    first.end()
    assert wait_until(lambda: ranks(second) == [3], 40), (site.text(), explained(second))
    second.end()
    assert "bad 0" in first.text() and "bad 0" in second.text()
    assert wait_until(lambda: jobs(cluster) == [], 5), jobs(cluster)
    site.kill(signal.SIGTERM)
    cluster.ok("down")
    cluster.assert_nothing_left()


def test_a_job_grows_before_waiting_jobs_that_cannot_start(cluster):
    """Slurm would start the sidecars of a plain user only at its next backfill."""
    up(cluster, 3, *AT_ONCE)
    site = Site(cluster)
    job = site_job(cluster, site)
    others = submit(cluster, 2, 300)
    assert wait_until(lambda: dict(jobs(cluster, "all"))[others] == "RUNNING", 40), jobs(cluster)
    submit(cluster, 3, 300, "--nice=-1000")
    on_head(cluster, "scancel", others)
    assert wait_until(lambda: ranks(job) == [3], 40), (site.text(), explained(job))
    grown = [one for one in explained(job) if one.get("to") == 3][-1]
    assert grown["outcome"] == "done" and grown["why"].startswith("no waiting job can be helped"), explained(job)
    if PLAIN:  # it may not raise its sidecars itself
        assert [one["type"] for one in site.journal()][:2] == ["raised", "raised"], site.journal()
    job.end()


def test_average(cluster):
    """The first job has all hosts, and gives half of them to the second one."""
    up(cluster, 4, *AT_ONCE)
    site = Site(cluster, "average")
    doctor = cluster.run("exec", "head", "--", *PLAIN, DUCTILE, "doctor", "--slurm", "--site", site.file, "--json", timeout=60)
    assert "it answers (--policy site)" in doctor.stdout, doctor
    first = site_job(cluster, site)
    assert wait_until(lambda: ranks(first) == [4], 40), (site.text(), explained(first))
    second = Job(cluster, 1, "-n", "1", *site.options, prefix=PLAIN, name="other", sharing=ALL_CORES)
    assert wait_until(lambda: ranks(first, second) == [2, 2], 40), (site.text(), explained(first), explained(second))
    first.end()
    assert wait_until(lambda: ranks(second) == [4], 40), (site.text(), explained(second))
    second.end()


# Asks for a Slurm job, as a job would, and prints the answer.
QUESTION = """
import json, socket, subprocess, sys
ask = {"type": "ask", "nonce": "n", "slurm_job": int(sys.argv[1]), "again_s": 5, "ranks": int(sys.argv[2]), "free_slots": 0,
       "hosts": [{"hosts": int(sys.argv[2]), "ranks": 1, "returnable": True}],
       "slots_per_host": 1, "min": 0, "max": 0, "preferred": 0, "multiple": 0}
munge = lambda name, text, *options: subprocess.run([name, "--socket=" + sys.argv[3], *options], input=text, capture_output=True, text=True, check=True).stdout
with socket.create_connection(("head", int(sys.argv[4])), timeout=10) as site:
    site.sendall(munge("munge", json.dumps(ask)).encode())
    answer = site.makefile().readline()
print(munge("unmunge", answer).partition("\\n\\n")[2])
"""


def test_a_job_speaks_for_itself_alone(cluster):
    up(cluster, 2, *AT_ONCE)
    site = Site(cluster)
    own, other = submit(cluster, 1, 300, prefix=PLAIN), submit(cluster, 1, 300)
    assert wait_until(lambda: [state for _, state in jobs(cluster)] == ["RUNNING"] * 2, 10), jobs(cluster)

    def asked(job, hosts, prefix=PLAIN):
        answer = json.loads(on_head(cluster, "python3", "-c", QUESTION, job, hosts, SOCKET, PORT, prefix=prefix))
        return answer["type"], answer["why"]

    assert asked(own, 1) == ("decided", "no job waits; only 0 slots of the job and 0 hosts are free")
    assert asked(own, 2) == ("refused", f"Slurm job {own} has only 1 host")
    assert asked("999999", 1)[0] == "refused"
    if PLAIN:
        assert asked(other, 1) == ("refused", f"user 65534 has no running Slurm job {other}")
    assert asked(other, 1, prefix=())[0] == "decided"
    send = ("import socket, sys; s = socket.create_connection(('head', int(sys.argv[1])), 10); s.sendall(eval(sys.argv[2])); s.shutdown(1)\n"
            "try: s.recv(1)\nexcept ConnectionError: pass")
    for rubbish in ("b''", "b'\\n'", "b'x\\n'", "b'MUNGE:x:\\n'", "b'MUNGE:' + b'x' * 2_000_000"):
        cluster.run("exec", "head", "--", "python3", "-c", send, PORT, rubbish)
    assert asked(own, 1)[0] == "decided" and len(site.pids()) == 1, site.text()


def test_ductiled_ends_and_comes_back(cluster):
    """The job keeps its hosts meanwhile. What was raised is put back by the next ductiled."""
    up(cluster, 3, *AT_ONCE)
    site = Site(cluster)
    job = site_job(cluster, site)
    assert wait_until(lambda: ranks(job) == [3], 40), (site.text(), explained(job))
    large = submit(cluster, 3, 300)
    small = submit(cluster, 2, 300, "--time=60", "--nice=5", prefix=PLAIN)
    # It is killed as soon as it has noted that it will raise the small job.
    assert wait_until(lambda: [one for one in site.journal() if one["type"] == "raised"], 20), site.text()
    site.kill()
    assert site.journal()[-1] == {"type": "raised", "job": int(small), "before": 5, "nice": site.journal()[-1]["nice"]}
    assert wait_until(lambda: "ductiled at head" in explained(job)[-1]["why"], 20), explained(job)
    site.start()
    assert wait_until(lambda: dict(jobs(cluster, "all"))[small] == "RUNNING", 60), (site.text(), explained(job))
    assert wait_until(lambda: nice(cluster, small) == "5", 90), (nice(cluster, small), site.journal())
    assert wait_until(lambda: not site.journal() or site.journal()[-1]["type"] == "back", 10), site.journal()
    assert nice(cluster, large) == "0"
    on_head(cluster, "scancel", small, large)
    assert wait_until(lambda: ranks(job) == [3], 40), (site.text(), explained(job))
    job.end()
    assert "bad 0" in job.text()
