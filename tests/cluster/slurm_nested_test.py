"""A Slurm on the hosts of a Slurm job (`ductile nested-slurm`)."""

import glob
import json
import os
import shutil
import tempfile

import pytest
from slurm_job_test import AT_ONCE, DUCTILE, STEADY, jobs
from slurm_test import IS_ROOT, NOBODY, on_head, packages, states, up  # noqa: F401 - a fixture
from virtual_cluster import wait_until

PREFIX = NOBODY if IS_ROOT else ()
NO_ACCOUNTS = "--slurm-set AccountingStorageType=accounting_storage/none"


class Nested:
    """A Slurm job of two hosts, in which a script runs with a Slurm of its own."""

    def __init__(self, cluster, script, options=NO_ACCOUNTS):
        self.cluster = cluster
        self.folder = tempfile.mkdtemp(prefix="dns-")
        cluster.cleanup.callback(shutil.rmtree, self.folder, ignore_errors=True)
        self.before = set(glob.glob("/tmp/ductile-nested-*"))
        with open(self.folder + "/inner.sh", "w") as text:
            text.write(f"#!/bin/sh\ncd {self.folder}\n{script}\n")
        with open(self.folder + "/job.sh", "w") as text:
            text.write(f"#!/bin/sh\nSBATCH_PARTITION=outer {DUCTILE} nested-slurm {options} -- sh {self.folder}/inner.sh\necho ended with $?\n")
        os.chmod(self.folder, 0o777)
        self.number = on_head(cluster, "sbatch", "--parsable", "--nodes=2", "--exclusive", "--time=5", "--chdir=/", f"--output={self.folder}/out",
                              self.folder + "/job.sh", prefix=PREFIX).strip()

    def text(self, name="out"):
        try:
            with open(f"{self.folder}/{name}") as text:
                return text.read()
        except FileNotFoundError:
            return ""

    def runs(self):
        return dict(jobs(self.cluster)).get(self.number) is not None

    def end(self):
        assert wait_until(lambda: not self.runs(), 120), self.text()

    def daemons(self, host):
        """The outer Slurm has only a slurmd on each host."""
        names = [process["command"][0] for process in self.cluster.processes(host) if process["command"]]
        return [name for name in names if name.rpartition("/")[2] in ("munged", "slurmctld", "slurmd", "slurmdbd", "mariadbd", "slurm-keeper")]

    def assert_nothing_left(self):
        """Neither files nor processes, on no host."""
        assert wait_until(lambda: set(glob.glob("/tmp/ductile-nested-*")) <= self.before, 15)
        for host in ("node01", "node02"):
            assert wait_until(lambda host=host: self.cluster.ok("exec", host, "--", "ls", "/dev/shm").split() == [], 15)
            assert wait_until(lambda host=host: self.daemons(host) == ["/usr/sbin/slurmd"], 15), self.daemons(host)
        assert wait_until(lambda: set(states(self.cluster).values()) == {"idle"}, 15), states(self.cluster)


def test_a_plain_user_has_a_slurm_of_its_own(cluster):
    up(cluster, 2, *AT_ONCE)
    nested = Nested(cluster, """
srun -N2 hostname | sort > hosts
sbatch --wait --output=batch --wrap 'id -u; srun -N1 hostname' > /dev/null
squeue --noheader --states=running,pending --format=%j > inner
env -u SLURM_CONF squeue --noheader --states=running,pending --format=%j > outer
env | grep -E '^(SLURM|SBATCH)' > variables
sleep 300 & srun sh -c '(setsid sleep 300 > /dev/null 2>&1 &)'
exit 7""")
    nested.end()
    assert nested.text("hosts") == "node01\nnode02\n", nested.text()
    assert nested.text("batch").split()[0] == str(65534 if IS_ROOT else 0) and "node0" in nested.text("batch")
    assert nested.text("inner") == "" and nested.text("outer") == "job.sh\n"
    assert nested.text("variables").startswith("SLURM_CONF=/tmp/ductile-nested-") and nested.text("variables").count("\n") == 1
    assert nested.text() == "ended with 7\n"
    nested.assert_nothing_left()


def test_a_job_grows_in_it_and_is_recorded(cluster):
    """With accounts in slurmdbd: that is the default, as in a virtual cluster."""
    up(cluster, 2, *AT_ONCE)
    nested = Nested(cluster, f"""
export XDG_RUNTIME_DIR=$PWD/run; mkdir -m 700 run
job=$(sbatch --parsable --nodes=1 --exclusive --output=job --time=5 --wrap "{DUCTILE} run -n 1 --ranks-per-host 1 --name grower --env STEADY_UNTIL=$PWD/end -- {STEADY} 1000000 1000")
until {DUCTILE} resize grower 2 --wait; do sleep 0.2; done
squeue --noheader --format=%T > grown
touch end
while squeue --noheader | grep -q .; do sleep 0.2; done
sleep 2
sacct -X --noheader --parsable2 --format=State -j $job > recorded""", "--slurm-set SchedulerParameters=batch_sched_delay=0")
    nested.end()
    assert nested.text("grown").split() == ["RUNNING", "RUNNING"], nested.text() + nested.text("job")
    assert nested.text("recorded") == "COMPLETED\n"
    assert "bad 0" in nested.text("job")
    nested.assert_nothing_left()


@pytest.mark.parametrize("how", ["scancel", "kill"])
def test_nothing_stays_when_it_is_killed(cluster, how):
    up(cluster, 2, *AT_ONCE)
    nested = Nested(cluster, "srun -N2 touch ready; srun -N2 sleep 300")
    assert wait_until(lambda: os.path.exists(nested.folder + "/ready"), 60), nested.text()
    if how == "scancel":
        on_head(cluster, "scancel", nested.number)
    else:
        host = on_head(cluster, "squeue", "-h", "-j", nested.number, "-o", "%B").strip()
        shown = json.loads(cluster.ok("ps", host, "--json"))["processes"]
        (pid,) = [one["pid"] for one in shown if one["command"][1:2] == ["nested-slurm"] and one["command"][0].endswith("ductile")]
        cluster.ok("exec", host, "--", "kill", "-KILL", str(pid))
    nested.end()
    nested.assert_nothing_left()


def test_a_daemon_that_ends_is_reported(cluster):
    up(cluster, 2, *AT_ONCE)
    nested = Nested(cluster, "touch never", NO_ACCOUNTS + " --slurm-set SelectType=select/unknown")
    nested.end()
    assert "cannot start a Slurm on node0" in nested.text() and "has ended (exit code 1)" in nested.text() and "ended with 1" in nested.text()
    assert "select/unknown" in nested.text()
    assert not os.path.exists(nested.folder + "/never")
    nested.assert_nothing_left()


def test_signals_reach_the_command_and_lost_daemons_are_told(cluster):
    up(cluster, 2, *AT_ONCE)
    nested = Nested(cluster, """
trap 'touch heard; exit 3' USR1
touch ready
while :; do sleep 0.1; done""")
    assert wait_until(lambda: os.path.exists(nested.folder + "/ready"), 60), nested.text()
    (pid,) = [one["pid"] for one in cluster.processes("node02") if one["command"][:1] == ["slurmd"]]
    cluster.ok("exec", "node02", "--", "kill", "-KILL", str(pid))
    assert wait_until(lambda: "the Slurm on node02 has ended: slurmd has ended (signal 9)" in nested.text(), 20), nested.text()
    (pid,) = [one["pid"] for one in cluster.processes("node01") if one["command"][1:2] == ["nested-slurm"] and one["command"][0].endswith("ductile")]
    cluster.ok("exec", "node01", "--", "kill", "-USR1", str(pid))
    nested.end()
    assert os.path.exists(nested.folder + "/heard") and "ended with 3" in nested.text(), nested.text()
    nested.assert_nothing_left()
