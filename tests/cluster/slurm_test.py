"""Virtual clusters with a Slurm of their own (`up --slurm`)."""

import os
import pathlib
import signal
import subprocess

import pytest
import virtual_cluster
from virtual_cluster import wait_until

BUILD = pathlib.Path(__file__).resolve().parents[2] / "build"
IS_ROOT = os.geteuid() == 0
NOBODY = ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups", "--")
START_LIMIT = 40  # seconds for `up --slurm`, which gives up after 30


@pytest.fixture(autouse=True)
def packages(monkeypatch):
    folder = os.environ.get("DUCTILE_SLURM", str(BUILD / "slurm"))
    if not os.path.exists(folder + "/usr/sbin/slurmctld"):
        pytest.skip("there is no Slurm here; scripts/setup --with slurm brings it")
    monkeypatch.setenv("DUCTILE_SLURM", folder)


def up(cluster, hosts, *rest):
    cluster.ok("up", hosts, "--cores", 4, "--slurm", *rest, timeout=START_LIMIT)
    cluster.note_namespaces()


def on_head(cluster, *words, prefix=()):
    return cluster.ok("exec", "head", "--", *prefix, "timeout", 30, *words, timeout=40)


def states(cluster):
    """The state of each host, as Slurm has it."""
    return dict(line.split() for line in on_head(cluster, "sinfo", "-h", "-N", "-o", "%N %T").splitlines())


def test_whole_life(cluster):
    up(cluster, 3)  # which gives up after 30 s
    assert states(cluster) == {"node01": "idle", "node02": "idle", "node03": "idle"}
    hosts = {"node01", "node02", "node03"}
    assert set(on_head(cluster, "srun", "-N3", "hostname").split()) == hosts
    if IS_ROOT:
        assert set(on_head(cluster, "srun", "-N3", "hostname", prefix=NOBODY).split()) == hosts
    configured = on_head(cluster, "scontrol", "show", "config")
    for value in ("sched/backfill", "priority/multifactor", "select/cons_tres", "accounting_storage/slurmdbd"):
        assert value in configured
    users = ["root", "nobody"] if IS_ROOT else ["root"]
    assert wait_until(lambda: recorded(cluster) == [(user, "COMPLETED") for user in users], 20), recorded(cluster)
    cluster.ok("kill", "node03")
    cluster.ok("start", "node03")
    assert wait_until(lambda: states(cluster)["node03"] == "idle", 20)
    assert on_head(cluster, "srun", "-w", "node03", "hostname") == "node03\n"
    cluster.ok("down")
    cluster.assert_nothing_left()


def recorded(cluster):
    lines = on_head(cluster, "sacct", "-a", "-n", "-X", "-P", "--format=User,State").splitlines()
    return [tuple(line.split("|")) for line in lines]


@pytest.mark.skipif(not IS_ROOT, reason="without root all cases are of this kind")
def test_without_root():
    """Slurm runs in a user namespace, which forbids setgroups()."""
    if reason := virtual_cluster.skip_reason(NOBODY):
        pytest.skip(reason)
    cluster = virtual_cluster.Cluster("plain-slurm", prefix=NOBODY, uid=65534)
    try:
        up(cluster, 2)
        assert set(on_head(cluster, "srun", "-N2", "hostname").split()) == {"node01", "node02"}
        cluster.ok("down")
        cluster.assert_nothing_left()
    finally:
        cluster.discard()


def test_settings(cluster):
    up(cluster, 2, "--slurm-set", "SelectType=select/linear", "--slurm-set", "AccountingStorageType=accounting_storage/none",
       "--slurm-set", "PrologFlags=Alloc")
    configured = on_head(cluster, "scontrol", "show", "config")
    assert "select/linear" in configured
    assert "accounting_storage/slurmdbd" not in configured
    assert not [p for p in cluster.processes("head") if p["name"] in ("mariadbd", "slurmdbd")]
    assert set(on_head(cluster, "srun", "-N2", "hostname").split()) == {"node01", "node02"}
    cluster.ok("down")
    cluster.assert_nothing_left()


def test_init_is_killed(cluster):
    up(cluster, 2)
    os.kill(cluster.init(), signal.SIGKILL)
    assert wait_until(lambda: not virtual_cluster.pids_in(cluster.namespaces))
    assert cluster.run("status").returncode != 0
    cluster.assert_nothing_left()


def test_a_daemon_that_does_not_start_is_named(cluster):
    result = cluster.run("up", 1, "--slurm", "--slurm-set", "SchedulerType=sched/none", timeout=START_LIMIT)
    assert result.returncode == 1
    assert "slurmctld on head has ended" in result.stderr
    assert "sched" in result.stderr
    assert os.listdir(cluster.runtime) == []


def test_bad_settings(cluster):
    for words, said in (
            (("--slurm-set", "MinJobAge=5"), "add --slurm"),
            (("--slurm", "--slurm-set", "NodeName=node09"), "NodeName cannot be set"),
            (("--slurm", "--slurm-set", "MinJobAge"), "no setting of slurm.conf")):
        result = cluster.run("up", 1, *words)
        assert result.returncode == 2
        assert said in result.stderr


def test_packages_that_are_not_there(cluster, tmp_path):
    environment = dict(cluster.environment, DUCTILE_SLURM=str(tmp_path))
    result = subprocess.run(cluster.words("up", 1, "--slurm"), env=environment, capture_output=True, text=True, timeout=30, check=False)
    assert result.returncode == 1
    assert f"{tmp_path}/usr/sbin/slurmctld" in result.stderr
    assert "scripts/setup --with slurm" in result.stderr
