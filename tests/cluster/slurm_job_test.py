"""`ductile run` in a job of a real Slurm: with the hosts of this job, and with hosts of sidecar jobs."""

import json
import os
import shutil
import subprocess
import tempfile

import pytest
from slurm_test import IS_ROOT, NOBODY, on_head, packages, up  # noqa: F401 - a fixture
from virtual_cluster import wait_until

DUCTILE = os.environ.get("DUCTILE_WITH_RUN", "")
STEADY = os.environ.get("STEADY_PROGRAM", "")
# Slurm schedules batch jobs as soon as they are submitted, not up to 3 s later.
AT_ONCE = ("--slurm-set", "SchedulerParameters=batch_sched_delay=0")
# Variables that a job may have inherited. They would break each Slurm command that used them.
STALE = ("export SLURM_HINT=multithread SLURM_MEM_PER_NODE=77777 SLURM_CLUSTERS=none SBATCH_PARTITION=none SLURM_EXPORT_ENV=NONE "
         "SLURM_CONSTRAINT=none SLURM_GRES=gpu:3 SLURM_THREADS_PER_CORE=5 SQUEUE_STATES=FAILED")


class Job:
    """A Slurm job with `ductile run` in it, whose program runs until it is told to end."""

    def __init__(self, cluster, nodes, *options, prefix=(), after="exit $?", name="grower", submit=False, sharing="--exclusive"):
        self.cluster = cluster
        self.name = name
        self.folder = tempfile.mkdtemp(prefix="dsj-")
        cluster.cleanup.callback(shutil.rmtree, self.folder, ignore_errors=True)
        if prefix:
            os.chmod(self.folder, 0o755)
            os.chown(self.folder, 65534, 65534)
            prefix = (*prefix, "env", f"XDG_RUNTIME_DIR={self.folder}")  # without it, all clusters would share one in /tmp
            if cluster.run("exec", "head", "--", *prefix, DUCTILE, "--help").returncode != 0:
                pytest.skip(f"other users cannot run {DUCTILE}")
        self.prefix = prefix
        run = ["--ranks-per-host", "1", "--name", name, "--id-file", f"{self.folder}/id", "--env", f"STEADY_UNTIL={self.folder}/end",
               *options, "--", STEADY, "1000000", "1000"]
        to_slurm = ["--parsable", "--time=10", f"--output={self.folder}/out"]
        if submit:
            self.number = self.slurm(DUCTILE, "submit", *to_slurm, "--", *run).strip()
        else:
            script = self.folder + "/job.sh"
            with open(script, "w") as text:
                text.write(f"#!/bin/sh\n{STALE}\n{DUCTILE} run {' '.join(run)}\n{after}\n")
            self.number = self.slurm("sbatch", *to_slurm, f"--nodes={nodes}", sharing, script).strip()
        assert wait_until(self.runs, 30), self.text()

    def slurm(self, *words):
        return on_head(self.cluster, *words, prefix=self.prefix)

    def own_hosts(self):
        """The number of hosts that Slurm has for the job itself, without its sidecars."""
        return int(self.slurm("squeue", "-h", "-j", self.number, "-o", "%D"))

    def host(self):
        """The host of the broker."""
        return self.slurm("squeue", "-h", "-j", self.number, "-o", "%B").strip()

    def ask(self, verb, *words):
        words = ("exec", self.host(), "--", *self.prefix, DUCTILE, verb, self.name, *words)
        return self.cluster.run(*words, timeout=60)

    def status(self):
        shown = self.ask("status", "--json") if self.host() not in ("", "n/a") else None
        return json.loads(shown.stdout) if shown and shown.returncode == 0 else {"state": "none"}

    def runs(self):
        return self.status()["state"] == "running"

    def resize(self, size):
        result = self.ask("resize", size, "--wait")
        assert result.returncode == 0, (result, self.text())
        return result.stdout + result.stderr

    def text(self):
        try:
            with open(self.folder + "/out") as text:
                return text.read()
        except FileNotFoundError:
            return ""

    def end(self):
        with open(self.folder + "/end", "w"):
            pass
        assert wait_until(lambda: self.state() == "COMPLETED", 30), (self.state(), self.text())

    def state(self):
        return dict(jobs(self.cluster, "all"))[self.number]


def jobs(cluster, states="pending,running"):
    lines = on_head(cluster, "squeue", "--noheader", f"--states={states}", "--format=%A %T").splitlines()
    return [tuple(line.split()) for line in lines]


def sidecars(cluster):
    """State and host of the sidecars that have not ended."""
    lines = on_head(cluster, "squeue", "--noheader", "--states=pending,running", "--format=%j|%T|%N").splitlines()
    return sorted(tuple(line.split("|")[1:]) for line in lines if line.startswith("ductile-grower-"))


@pytest.mark.parametrize("prefix, settings", [((), ()), (NOBODY, AT_ONCE)] if IS_ROOT else [((), AT_ONCE)],
                         ids=["root", "plain_user"] if IS_ROOT else ["plain_user"])
def test_a_job_grows_and_shrinks(cluster, prefix, settings):
    up(cluster, 3, *settings)
    job = Job(cluster, 1, "-n", "1", prefix=prefix)
    said = job.resize(2)
    assert "1 more host is asked for" in said
    (one,) = sidecars(cluster)
    assert one[0] == "RUNNING" and one[1] != job.host()
    if not settings:  # the host was idle, so nobody waited until Slurm looks at batch jobs
        number = on_head(cluster, "squeue", "--noheader", "--format=%A %j").split("ductile-grower-")[0].split()[-1]
        assert "BatchFlag=0" in on_head(cluster, "scontrol", "show", "job", number)
    job.resize(3)
    assert len(sidecars(cluster)) == 2
    job.resize(1)
    assert wait_until(lambda: sidecars(cluster) == [], 5)
    job.resize(2)
    job.end()
    assert "end 2 bad 0" in job.text()
    assert wait_until(lambda: jobs(cluster) == [], 5), jobs(cluster)
    cluster.ok("down")
    cluster.assert_nothing_left()


@pytest.mark.parametrize("settings", [(), ("--slurm-set", "SelectType=select/linear", "--slurm-set",
                                           "AccountingStorageType=accounting_storage/none", "--slurm-set", "PrologFlags=Alloc")])
def test_the_jobs_own_hosts_come_first(cluster, settings):
    up(cluster, 3, *AT_ONCE, *settings)
    job = Job(cluster, 2, "-n", "3")
    assert "1 more host is asked for" in job.text()
    assert len(sidecars(cluster)) == 1
    job.resize(1)
    assert wait_until(lambda: sidecars(cluster) == [], 5)
    job.resize(2)
    assert sidecars(cluster) == []
    job.end()
    assert wait_until(lambda: jobs(cluster) == [], 5), jobs(cluster)


def test_ranks_get_the_variables_of_slurm_that_stay_true(cluster, tmp_path):
    """And srun within a rank starts a step, though the job's script has set options for it that cannot be met."""
    up(cluster, 2, *AT_ONCE)
    script, out = tmp_path / "job.sh", tmp_path / "out"
    script.write_text(f"#!/bin/sh\n{STALE}\n{DUCTILE} run -n 1 -- env\n"
                      f"{DUCTILE} run -n 1 -- srun --overlap --nodes=1 --ntasks=1 echo a step\n")
    on_head(cluster, "sbatch", "--array=5", "--nodes=2", "--exclusive", "--cpus-per-task=2", f"--output={out}", str(script))
    assert wait_until(lambda: out.exists() and "a step\n" in out.read_text(), 30), out.read_text()
    of_slurm = dict(line.split("=", 1) for line in out.read_text().splitlines() if line.startswith("SLURM"))
    assert of_slurm["SLURM_ARRAY_TASK_ID"] == "5" and of_slurm["SLURM_CPUS_PER_TASK"] == "2" and int(of_slurm["SLURM_JOB_ID"]) > 0
    assert [name for name in of_slurm if "NODELIST" in name or "PROCID" in name or "NNODES" in name or name.startswith("SLURMD_")] == []


ALL_CORES = "--ntasks-per-node=4"


def give_back_hosts_of_the_job_itself(cluster, *options, sharing):
    job = Job(cluster, "1-3", "-n", "1:3", *options, sharing=sharing)
    assert job.status()["ranks"] == job.own_hosts() == 3
    job.resize(2)
    assert wait_until(lambda: job.own_hosts() == 2, 10), job.text()
    job.resize(1)
    assert wait_until(lambda: job.own_hosts() == 1, 10), job.text()
    other = on_head(cluster, "sbatch", "--parsable", "--nodes=3", "--exclusive", "--output=/dev/null", "--wrap", "sleep 300").strip()
    assert wait_until(lambda: dict(jobs(cluster, "all"))[other] == "RUNNING", 10), "others can use them at once"
    on_head(cluster, "scancel", other)
    job.resize(3)
    assert len(sidecars(cluster)) == 2 and job.own_hosts() == 1
    job.resize(1)
    assert wait_until(lambda: sidecars(cluster) == [], 5)
    job.end()
    assert "end 1 bad 0" in job.text() and "stays idle" not in job.text(), job.text()
    assert wait_until(lambda: jobs(cluster) == [], 5), jobs(cluster)


def test_hosts_of_the_job_itself_are_given_back(cluster):
    up(cluster, 4, *AT_ONCE)
    give_back_hosts_of_the_job_itself(cluster, "--shrink-slurm-job=yes", sharing=ALL_CORES)


def test_a_host_with_a_step_of_the_user_stays(cluster):
    up(cluster, 3, *AT_ONCE)
    job = Job(cluster, 3, "-n", "3", "--shrink-slurm-job=yes", sharing=ALL_CORES)
    others = [host for host in ("node01", "node02", "node03") if host != job.host()]
    step = cluster.start("exec", job.host(), "--", "srun", f"--jobid={job.number}", "--overlap", "-N1", "-n1", "-w", others[0], "sleep", "60")
    lists_step = ("squeue", "--noheader", "--steps", f"--jobs={job.number}", "--format=%j")
    assert wait_until(lambda: "sleep" in on_head(cluster, *lists_step), 20)
    job.resize(1)
    assert wait_until(lambda: job.own_hosts() == 2, 10), job.text()
    assert wait_until(lambda: f"{others[0]} stays idle in Slurm job {job.number}: another step" in job.text(), 40), job.text()
    assert step.poll() is None, "Slurm has not killed it"
    job.end()
    step.communicate(timeout=60)


@pytest.mark.parametrize("sharing, why", [("--exclusive", "this job has whole hosts"), (ALL_CORES, "this Slurm is older than 24.05")])
def test_hosts_that_slurm_cannot_take_back_safely_stay(cluster, sharing, why):
    up(cluster, 2, *AT_ONCE)
    job = Job(cluster, 2, "-n", "2", sharing=sharing)
    job.resize(1)
    assert wait_until(lambda: f"stays idle in Slurm job {job.number}: {why}" in job.text(), 10), job.text()
    assert job.own_hosts() == 2
    job.end()
    assert job.text().count("stays idle") == 1, job.text()


def test_a_job_is_submitted(cluster):
    """`ductile submit` submits a job of one host by sbatch. So all its hosts but the first can be given back."""
    up(cluster, 3, *AT_ONCE)
    job = Job(cluster, 1, "-n", "3", submit=True)
    assert len(sidecars(cluster)) == 2
    assert on_head(cluster, "squeue", "-h", "-j", job.number, "-o", "%j %D").split() == ["steady", "1"]
    job.resize(1)
    assert wait_until(lambda: sidecars(cluster) == [], 5)
    job.end()
    assert wait_until(lambda: jobs(cluster) == [], 5), jobs(cluster)
    refused = cluster.run("exec", "head", "--", DUCTILE, "submit", "--nodes=2", "--", "/bin/true")
    assert refused.returncode == 2 and "--nodes=2" in refused.stderr


def test_a_signal_of_slurm_reaches_the_program(cluster):
    """Slurm sends a signal to the script of the job, or to all processes of its steps. The latter are Ductile's agent and the rank on
    the first host, but not the rank on the host of the sidecar."""
    up(cluster, 2, *AT_ONCE)
    job = Job(cluster, 1, "-n", "2", "--env", "STEADY_TELL_SIGNAL=1", submit=True)
    on_head(cluster, "scancel", "--batch", "--signal=USR1", job.number)
    assert wait_until(lambda: job.text().count("signalled g0.") == 2, 10), job.text()
    on_head(cluster, "scancel", "--signal=USR1", job.number)
    assert wait_until(lambda: job.text().count("signalled g0.") == 3, 10), job.text()
    job.resize(1)
    job.end()


def test_a_request_that_waits_is_cancelled(cluster):
    up(cluster, 2, *AT_ONCE)
    on_head(cluster, "sbatch", "--nodes=1", "--exclusive", "--output=/dev/null", "--wrap", "sleep 100")
    job = Job(cluster, 1, "-n", "1")
    words = ("exec", job.host(), "--", DUCTILE, "resize", "grower", "2", "--wait")
    resize = cluster.start(*words)
    assert wait_until(lambda: sidecars(cluster) == [("PENDING", "")], 10)
    assert job.ask("cancel").returncode == 0
    assert "cancelled" in "".join(resize.communicate(timeout=30))
    assert wait_until(lambda: sidecars(cluster) == [], 5)
    job.end()


def kill_slurmctld(cluster):
    """Kills slurmctld when it has saved the present jobs."""
    now = int(on_head(cluster, "date", "+%s"))
    assert wait_until(lambda: int(on_head(cluster, "stat", "-c", "%Y", "/etc/slurm/state/job_state")) > now, 30), "Slurm saves no state"
    on_head(cluster, "sh", "-c", "kill -9 $(pgrep -x slurmctld)")


def test_a_host_leaves_when_slurmctld_is_back(cluster):
    up(cluster, 2, *AT_ONCE)
    job = Job(cluster, 2, "-n", "2", "--shrink-slurm-job=yes", sharing=ALL_CORES)
    host = job.host()
    kill_slurmctld(cluster)
    cluster.ok("exec", host, "--", DUCTILE, "resize", "grower", "1", "--wait", timeout=30)
    cluster.start("exec", "head", "--", "/usr/sbin/slurmctld", "-D")
    assert wait_until(lambda: cluster.run("exec", "head", "--", "timeout", "3", "scontrol", "ping").returncode == 0, 30)
    assert wait_until(lambda: job.own_hosts() == 1, 60), job.text()
    job.end()


def test_slurmctld_is_restarted_during_a_resize(cluster):
    """The request of a resize waits in Slurm's queue during the restart. The program goes on."""
    up(cluster, 2, *AT_ONCE)
    rigid = on_head(cluster, "sbatch", "--parsable", "--nodes=1", "--exclusive", "--output=/dev/null", "--wrap", "sleep 100").strip()
    job = Job(cluster, 1, "-n", "1", "--hosts-within", "120")
    resize = cluster.start("exec", job.host(), "--", DUCTILE, "resize", "grower", "2", "--wait")
    assert wait_until(lambda: sidecars(cluster) == [("PENDING", "")], 10)
    host, before = job.host(), job.status()["points"]
    kill_slurmctld(cluster)
    shown = ("exec", host, "--", DUCTILE, "status", "grower", "--json")
    assert wait_until(lambda: json.loads(cluster.ok(*shown))["points"] > before + 100, 20)
    cluster.start("exec", "head", "--", "/usr/sbin/slurmctld", "-D")
    assert wait_until(lambda: cluster.run("exec", "head", "--", "timeout", "3", "scancel", rigid).returncode == 0, 30)
    assert resize.wait(60) == 0, (job.text(), jobs(cluster, "all"))
    assert job.status()["ranks"] == 2 and len(sidecars(cluster)) == 1
    job.end()
    assert wait_until(lambda: jobs(cluster) == [], 20), jobs(cluster)


def test_a_host_that_dies_ends_the_job(cluster):
    """One line of output says which host has died. The other hosts are given back."""
    up(cluster, 3, *AT_ONCE)
    job = Job(cluster, 1, "-n", "1", after="echo ended $?; exit 0")
    job.resize(3)
    dead = sidecars(cluster)[0][1]
    cluster.ok("kill", dead)
    assert wait_until(lambda: "ended 125" in job.text(), 30), job.text()
    assert dead in job.text()
    assert wait_until(lambda: jobs(cluster) == [], 20), jobs(cluster)


def test_sidecars_end_with_a_job_that_is_cancelled(cluster):
    up(cluster, 2, *AT_ONCE)
    job = Job(cluster, 1, "-n", "1")
    job.resize(2)
    job.slurm("scancel", job.number)
    assert wait_until(lambda: jobs(cluster) == [], 10), jobs(cluster)


def test_sidecars_end_without_a_broker(cluster):
    """The broker is killed, and the job ends with it. The sidecar must end although no broker gives its host back."""
    up(cluster, 2, *AT_ONCE)
    job = Job(cluster, 1, "-n", "1")
    job.resize(2)
    cluster.ok("exec", job.host(), "--", "kill", "-9", job.status()["broker_pid"])
    assert wait_until(lambda: jobs(cluster) == [], 50), jobs(cluster)


def test_another_broker_takes_over(cluster):
    up(cluster, 3, *AT_ONCE)
    job = Job(cluster, 1, "-n", "1", after=f"{DUCTILE} run --resume grower")
    job.resize(3)
    before = sidecars(cluster)
    killed = job.status()["broker_pid"]
    cluster.ok("exec", job.host(), "--", "kill", "-9", killed)
    assert wait_until(lambda: job.runs() and job.status()["broker_pid"] != killed, 20), job.text()
    assert sidecars(cluster) == before
    job.resize(2)
    assert wait_until(lambda: len(sidecars(cluster)) == 1, 5)
    job.resize(1)
    assert wait_until(lambda: sidecars(cluster) == [], 5)
    job.end()
    assert wait_until(lambda: jobs(cluster) == [], 5), jobs(cluster)


def test_why_hosts_are_not_merged_is_said(cluster):
    """The growth itself works as always."""
    up(cluster, 2, *AT_ONCE)
    job = Job(cluster, 1, "-n", "1", "--slurm-growth=merge", sharing=ALL_CORES)
    why = f"added hosts are not merged into Slurm job {job.number}, and are sidecars: this Slurm has PrologFlags=Contain"
    assert wait_until(lambda: why in job.text(), 10), job.text()
    job.resize(2)
    assert len(sidecars(cluster)) == 1
    job.end()


def test_doctor_tries_a_sidecar(cluster):
    up(cluster, 1, *AT_ONCE)
    words = ("exec", "head", "--", *NOBODY, DUCTILE, "doctor", "--slurm") if IS_ROOT else ("exec", "head", "--", DUCTILE, "doctor", "--slurm")
    result = cluster.run(*words, "--json", timeout=60)
    found = {one["probe"]: one for one in json.loads(result.stdout)["findings"]}
    assert result.returncode == 0 and found["sidecar"]["verdict"] == found["agent"]["verdict"] == "ok", result
    assert found["sidecar"]["what"].startswith("one host was granted after") and "does not run it" in found["ductiled"]["what"], found
    assert jobs(cluster) == []
    refused = cluster.run(*words, "--partition", "none", timeout=60)
    assert refused.returncode == 1 and "Jobs cannot grow here." in refused.stdout and "FAIL  sidecar" in refused.stdout, refused


def test_an_old_variable_is_not_believed(cluster):
    up(cluster, 1)
    for number, why in (("999", "Invalid job id"), ("x;y", "no number of a Slurm job")):
        words = ("exec", "head", "--", "env", f"SLURM_JOB_ID={number}", DUCTILE, "run", "--", "/usr/bin/env")
        result = cluster.run(*words, timeout=60)
        assert result.returncode == 0, result
        assert why in result.stderr and "the job runs on this machine" in result.stderr
        assert "SLURM_" not in result.stdout
        result = cluster.run(*words[:7], "--slurm-job", "--", "/usr/bin/env", timeout=60)
        assert result.returncode != 0 and why in result.stderr, result
    result = subprocess.run([DUCTILE, "run", "--slurm-job", "--local", "--", "/usr/bin/env"], capture_output=True, text=True, timeout=60, check=False)
    assert "exclude each other" in result.stderr
