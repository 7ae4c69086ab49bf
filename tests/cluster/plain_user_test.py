"""Virtual clusters without root: in a user namespace."""

import os
import shutil
import subprocess
import tempfile

import pytest
import virtual_cluster
from virtual_cluster import wait_until

NOBODY = 65534
PREFIX = ("setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups", "--") if os.geteuid() == 0 else ()
USER = {"prefix": PREFIX, "uid": NOBODY if PREFIX else None}  # for the cluster of each case (conftest.py)


@pytest.fixture(scope="module", autouse=True)
def program():
    """A copy where that user can reach it: the build may be in a folder that is its owner's alone."""
    with tempfile.TemporaryDirectory() as place, pytest.MonkeyPatch.context() as patch:
        os.chmod(place, 0o755)
        patch.setattr(virtual_cluster, "PROGRAM", shutil.copy(virtual_cluster.PROGRAM, place))
        patch.chdir(place)
        yield


@pytest.fixture(scope="module", autouse=True)
def possible(program):
    if reason := virtual_cluster.skip_reason(PREFIX):
        pytest.skip(reason)
    if PREFIX:
        probe = subprocess.run([*PREFIX, virtual_cluster.PROGRAM, "--help"], capture_output=True, text=True, timeout=20)
        if probe.returncode != 0:
            pytest.skip(f"user {NOBODY} cannot run {virtual_cluster.PROGRAM}")


def test_whole_life(cluster):
    cluster.up(3, "--cores", 2)
    assert cluster.ok("exec", "node02", "--", "sh", "-c", "id -u; hostname") == "0\nnode02\n"
    inner = [virtual_cluster.PROGRAM, "cluster", "exec", "node03", "--", "hostname"]
    assert cluster.ok("exec", "node01", "--", "env", "-i", *inner) == "node03\n"
    session = cluster.start("exec", "node01", "--", "sleep", "85")
    cluster.cleanup.callback(lambda: (session.kill(), session.communicate()))
    assert wait_until(lambda: cluster.processes("node01"))
    cluster.ok("freeze", "node01")
    assert cluster.host("node01")["state"] == "frozen"
    assert [p["state"] for p in cluster.processes("node01")] == ["T" if by_signals(cluster) else "S"]
    cluster.ok("thaw", "node01")
    cluster.ok("cut", "node02")
    assert cluster.run("exec", "--connect-timeout", 0.2, "node02", "--", "true").returncode == 255
    cluster.ok("mend", "node02")
    cluster.ok("kill", "node01")
    assert session.wait(timeout=10) == 255
    cluster.ok("start", "node01")
    assert cluster.ok("exec", "node01", "--", "hostname") == "node01\n"
    cluster.ok("down")
    cluster.assert_nothing_left()


def by_signals(cluster):
    return cluster.host("node01")["frozen_by"] == "signals"


def test_refused_where_namespaces_are_not_permitted(cluster):
    words = cluster.words("up", 1)[len(PREFIX):]
    forbid = ('echo 0 > /proc/sys/user/max_user_namespaces && '
              'exec setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin "$@"')
    result = subprocess.run([*PREFIX, "unshare", "-Ur", "sh", "-c", forbid, "sh", *words], capture_output=True,
                            env=cluster.environment, text=True, timeout=20)
    assert result.returncode == 1
    assert "allow user namespaces" in result.stderr
    assert os.listdir(cluster.runtime) == []


def test_with_a_command(cluster):
    process = cluster.start("up", 2, "--", "sh", "-c", "echo ready; read x; exit 4", stdin=-1)
    cluster.cleanup.callback(process.kill)
    assert process.stdout.readline() == "ready\n"
    cluster.note_namespaces()
    process.communicate("\n", timeout=20)
    assert process.returncode == 4
    cluster.assert_nothing_left()
