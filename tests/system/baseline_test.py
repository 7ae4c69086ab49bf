"""Resizes by baseline: all ranks are started afresh. The old ranks end when the new ranks have the data."""
import json
import os
import re
import signal
import time

import pytest
from ductile_job import LONG, STEADY, Job, wait_until
from patience import patient
from steady_job import ids, only_new_groups_run



def test_baseline_resizes():
    """From any size to any size: by request, by renewal and between merges. The data is right after each."""
    with Job([STEADY, LONG, 20000], where=("--local=4", "--ranks-per-host=2"), options=("-n", "2")) as job:
        job.running()
        ever, before = 1, ids(job)
        for size, how in ((2, "renew"), (5, "baseline"), (3, "baseline"), (7, "merge"), (7, "renew"), (2, "baseline"), (8, "baseline"), (1, "baseline")):
            if how == "renew":
                done = job.ask("renew", job.id, "--wait", seconds=60)
            else:
                done = job.resize(size, "--method", how)
            assert done.returncode == 0, (size, how, done, job.stderr())
            status = job.status()
            now = ids(job)
            assert status["ranks"] == size and not status["degraded"], status
            if how == "merge":
                assert now[:len(before)] == before, (before, now)
            else:
                assert min(now) >= ever, "group ids are never reused"
                only_new_groups_run(job)
            ever, before = status["groups_ever"], now
        kinds = [resize["kind"] for resize in status["resizes"]]
        assert kinds == ["replace", "replace", "replace", "expand", "replace", "replace", "replace", "replace"], kinds
        live = [int(n) for n in re.findall(r"resized \d+ at \d+ live (\d+)", job.stdout())]
        assert max(live) <= 3, live  # for each process: the job's communicator and its two duplicates
        job.ends_well()


def test_method_of_a_job(tmp_path):
    """--method comes from the command line, the environment or a file. A request may name another method. An error says where a bad value is."""
    with open(f"{tmp_path}/d.toml", "w") as file:
        file.write('method = "baseline"\n')
    for options, environment in (("--method=baseline",), {}), ((), {"DUCTILE_METHOD": "baseline"}), (("--config", f"{tmp_path}/d.toml"), {}):
        with Job([STEADY, LONG, 20000], options=options, environment=environment) as job:
            job.running()
            assert job.status()["options"]["method"]["value"] == "baseline"
            assert job.resize(2).returncode == 0 and ids(job) == [1], job.stderr()
            assert job.resize(3, "--method", "merge").returncode == 0 and ids(job) == [1, 2], job.stderr()
            planned = job.resize(2, "--dry-run", wait=False)
            assert planned.returncode == 0 and "replace 3 -> 2" in planned.stdout and ids(job) == [1, 2], planned
            assert job.resize(3).returncode == 0 and ids(job) == [1, 2]  # the job has this size already
            assert job.resize(2, "--method", "x").returncode == 2
            job.ends_well()
    with Job([STEADY, 1, 1], environment={"DUCTILE_METHOD": "bass"}) as job:
        assert job.end(20) == 2 and "DUCTILE_METHOD" in job.stderr() and "baseline" in job.stderr(), job.stderr()


@pytest.mark.parametrize("sources", (1, 2))
@pytest.mark.parametrize("where", ("create", "merge", "dup", "bcast", "redistribute", "create_group"))
def test_newcomer_dies_in_baseline(sources, where):
    """At each step of the join: the old ranks still have all data, and go on. A later baseline can replace them."""
    environment = {"STEADY_DIE_AT": where, "STEADY_LAST_NEWCOMER": "1", "STEADY_NEWCOMER_RANK": "0"}
    # A message to the dead newcomer holds MPI's lock for up to 4 s of processor time (mpi/bounded_sends.hpp). The next join waits for it.
    with Job([STEADY, LONG, 20000], options=("-n", str(sources), "--progress-within", "30"), environment=environment) as job:
        job.running()
        result = job.resize(3, "--method", "baseline")
        assert result.returncode == 4, (sources, where, result, job.stderr())
        assert job.status()["ranks"] == sources and ids(job) == [0]
        again = job.resize(3, "--method", "baseline")
        assert again.returncode == 0, (sources, where, again, job.stderr())
        job.ends_well()


@pytest.mark.parametrize("sources", (1, 2))
@pytest.mark.parametrize("milliseconds", range(0, 40, 5))
def test_newcomer_killed_in_baseline(sources, milliseconds):
    environment = {"STEADY_DIE_US": str(1000 * milliseconds), "STEADY_NEWCOMER_RANK": "1"}
    with Job([STEADY, LONG, 20000], options=("-n", str(sources), "--progress-within", "2"), environment=environment) as job:
        job.running()
        result = job.resize(2, "--method", "baseline")
        if result.returncode == 4:
            assert job.status()["ranks"] == sources
            job.ends_well()
        else:  # the sources had committed: the newcomer was a member
            assert result.returncode in (0, 1), (milliseconds, result, job.stderr())
            assert job.end(10) == 137 and "rank g1.1 " in job.stderr(), (milliseconds, result, job.stderr())
            job.nothing_left()


@pytest.mark.parametrize("renew", (False, True))
def test_degraded_job_is_renewed(renew):
    """A helper thread is stuck inside MPI. The next growth, or a renewal, replaces the ranks."""
    environment = {"STEADY_HANG_AT": "create", "STEADY_LAST_NEWCOMER": "1"}
    with Job([STEADY, LONG, 20000], options=("-n", "2", "--progress-within", "1"), environment=environment) as job:
        job.running()
        assert job.resize(4).returncode == 4
        status = job.status()
        assert status["degraded"] and status["health"] == "helper", (status["health"], job.stderr())
        merged = job.resize(3, "--method", "merge")
        assert merged.returncode == 3 and "degraded" in merged.stderr, merged
        done = job.ask("renew", job.id, "--wait", seconds=60) if renew else job.resize(3)
        assert done.returncode == 0, (done, job.stderr())
        status = job.status()
        assert not status["degraded"] and status["ranks"] == (2 if renew else 3), status
        assert job.resize(4).returncode == 0  # an ordinary growth again
        assert job.status()["resizes"][-1]["kind"] == "expand"
        job.ends_well()


def test_degraded_job_is_renewed_by_itself():
    environment = {"STEADY_HANG_AT": "create", "STEADY_LAST_NEWCOMER": "1"}
    with Job([STEADY, LONG, 20000], options=("-n", "2", "--progress-within", "1", "--renew-after", "1"), environment=environment) as job:
        job.running()
        assert job.resize(4).returncode == 4
        wait_until("fresh processes", lambda: job.status()["health"] == "good", 20)
        assert ids(job) == [2], job.status()
        job.says("degraded")
        assert job.resize(4).returncode == 0
        job.ends_well()


def test_renewal_of_a_degraded_job_fails():
    """There is one attempt. If it fails, the job can only shrink and end, and says so."""
    environment = {"STEADY_HANG_AT": "create"}
    with Job([STEADY, LONG, 20000], options=("-n", "2", "--progress-within", "1"), environment=environment) as job:
        job.running()
        assert job.resize(4).returncode == 4
        assert job.ask("renew", job.id, "--wait", seconds=60).returncode == 4
        assert job.status()["health"] == "final"
        for words in (("3",), ("3", "--method", "baseline")):
            refused = job.resize(*words)
            assert refused.returncode == 3 and "degraded" in refused.stderr, refused
        assert job.ask("renew", job.id, "--wait").returncode == 3
        assert "not grow" in job.ask("status", job.id).stdout
        assert job.resize(1).returncode == 0, job.stderr()
        job.ends_well(90)


def test_old_ranks_are_leavers():
    """After they have left, only their exit code matters to the job."""
    with Job([STEADY, LONG, 20000], options=("-n", "2", "--leave-within", "2"), environment={"STEADY_LEAVE_CODE": "7"}) as job:
        job.running()
        assert job.resize(3, "--method", "baseline").returncode == 0, job.stderr()
        job.tell_to_end()
        code = job.end(30)
        assert code == 7 and "bad 0" in job.stdout(), (code, job.stdout(), job.stderr())
        job.nothing_left()
    with Job([STEADY, LONG, 20000], options=("--leave-within", "1"), environment={"STEADY_LEAVE_HANG": "1"}) as job:
        job.running()
        assert job.resize(2, "--method", "baseline").returncode == 0, job.stderr()
        only_new_groups_run(job)
        job.tell_to_end()
        assert job.end(30) in (0, 137) and "bad 0" in job.stdout(), job.stderr()
        job.nothing_left()


def test_members_die_around_a_baseline():
    """An old rank dies before the commit, or a new rank after it. Both are members, so the job ends."""
    environment = {"STEADY_HANG_AT": "merge"}
    with Job([STEADY, 3000, 20000], options=("-n", "2"), environment=environment) as job:
        job.running()
        asked = job.start_resize(2, "--method", "baseline")
        wait_until("switching", lambda: job.phase() == "switching")
        os.kill(job.rank(0, 1), signal.SIGKILL)
        assert job.end(10) == 137 and "rank g0.1 " in job.stderr(), job.stderr()
        asked.communicate(timeout=10)
        job.nothing_left()
    with Job([STEADY, 3000, 20000], options=("-n", "2")) as job:
        job.running()
        assert job.resize(2, "--method", "baseline").returncode == 0
        begin = time.monotonic()
        os.kill(job.rank(1, 1), signal.SIGKILL)
        assert job.end(20) == 137 and "rank g1.1 " in job.stderr(), job.stderr()
        assert time.monotonic() - begin < patient(10)
        job.nothing_left()


def test_broker_killed_in_a_baseline(tmp_path):
    """The broker dies before the commit: the old ranks go on at the old size until the program ends."""
    with Job(
            [STEADY, 3000, 20000], options=("-n", "2", "--progress-within", "2", "--orphan-limit", "5"),
            environment={"STEADY_HANG_AT": "merge", "STEADY_UNTIL": f"{tmp_path}/end"}) as job:
        job.running()
        asked = job.start_resize(2, "--method", "baseline")
        wait_until("switching", lambda: job.phase() == "switching")
        job.process.kill()
        job.process.wait()
        asked.communicate(timeout=10)
        wait_until("the newcomers are gone", lambda: not job.group(1), 20)
        assert len(job.ranks(0)) == 2, "the old ranks go on"
        open(f"{tmp_path}/end", "w").close()
        wait_until("the old ranks end by themselves", lambda: not job.group(0), 20)
        job.nothing_left(30, files=False)


def test_records_of_a_baseline(tmp_path):
    with Job([STEADY, LONG, 20000], options=("--events", f"{tmp_path}/events")) as job:
        job.running()
        assert job.resize(2, "--method", "baseline").returncode == 0
        job.ends_well()
        with open(f"{tmp_path}/events") as events:
            resize, = [event for event in map(json.loads, events) if event["event"] == "resize"]
        assert resize["kind"] == "replace" and resize["from"] == 1 and resize["to"] == 2 and resize["outcome"] == "done", resize
        assert resize["bytes_sent"] > 0 and resize["join_s"] > 0 and resize["stall_s"] >= resize["join_s"], resize
