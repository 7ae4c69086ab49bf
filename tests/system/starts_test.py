"""Ranks start new groups by MPI_Comm_spawn: all ranks together, one rank alone, or several in parallel."""
import os
import signal
import time

import pytest
from ductile_job import LONG, STEADY, Job, possible, wait_until
from patience import patient
from steady_job import STARTS, Steady, ids, last, only_new_groups_may_run, only_new_groups_run


@pytest.mark.parametrize("overlap", ("background", "blocking"))
def test_starts_grow_and_shrink(start, overlap):
    """Each start, blocking and in the background: the data is right, groups are on the right hosts, and they leave."""
    with Steady("--overlap", overlap, start=start) as job:
        for size in (2, 4, 1, 3):
            done = job.resize(size)
            assert done.returncode == 0 and job.status()["ranks"] == size, (start, overlap, size, done, job.stderr())
            record = last(job)
            if record["kind"] == "expand":
                assert (record["start"], record["overlap"]) == (start, overlap) and record["spawn_s"] > 0, record
                at = record["since_accepted_s"]
                assert (at["arrived"] < at["launched"]) == (overlap == "blocking"), record
                worlds = 1 if start in ("collective", "single") else len(set(record["hosts_after"]) - set(record["hosts_before"]))
                assert len(ids(job)) == (1 if size != 4 else 2) + worlds, (start, size, job.status()["groups"])
            else:
                wait_until("left groups are gone", lambda: not job.group(1) and not job.group(2), 10)
        job.ends_well()


@pytest.mark.parametrize("overlap", ("background", "blocking"))
def test_starts_by_baseline(start, overlap):
    """Each start with baseline: also to fewer ranks, several ranks a host, on hosts that old ranks still use."""
    with Steady("--overlap", overlap, start=start, ranks=2, per_host=2) as job:
        for size in (4, 8, 2, 6) if start != "single" else (3, 8, 1, 5):
            done = job.resize(size, "--method", "baseline")
            assert done.returncode == 0 and job.status()["ranks"] == size, (start, overlap, size, done, job.stderr())
            assert last(job)["kind"] == "replace" and last(job)["start"] == start
            only_new_groups_may_run(job)
        job.ends_well()


def test_new_ranks_begin_slowly(any_start):
    """New ranks take long between MPI_Init and their Job. MPI_Comm_spawn has returned then, so a cancel takes effect immediately."""
    with Steady(start=any_start, environment={"STEADY_SETS_UP_US": "3000000", "STEADY_LAST_NEWCOMER": "2"}) as job:
        done = job.resize(2)
        assert done.returncode == 0 and job.status()["ranks"] == 2, (any_start, done, job.stderr())
        asked = job.start_resize(3)
        wait_until("a new rank is there", lambda: job.rank(2))
        time.sleep(1)
        assert job.ask("cancel", job.id).returncode == 0
        begin = time.monotonic()
        text, _ = asked.communicate(timeout=20)
        assert asked.returncode == 4 and "cancelled" in text and time.monotonic() - begin < patient(2), (any_start, text, job.stderr())
        assert job.resize(3).returncode == 0, (any_start, job.stderr())
        job.ends_well()


@pytest.mark.parametrize("overlap", ("background", "blocking"))
def test_one_new_rank_begins_slowly(start, overlap):
    """Other ranks wait for a slow new rank, but not inside MPI. So a cancel, the death of this rank and the end of the program take effect
    immediately."""
    slow = {"STEADY_SETS_UP_US": "60000000", "STEADY_LAST_NEWCOMER": "3", "STEADY_NEWCOMER_RANK": "1"}
    with Steady("--overlap", overlap, start=start, ranks=2, per_host=2, environment=slow) as job:
        for group, how in enumerate(("cancelled", "killed", "ended")[:2 if overlap == "blocking" else 3], 1):
            asked = job.start_resize(4)
            wait_until("the new ranks are there", lambda group=group: len(job.ranks(group)) == 2, 20)
            time.sleep(0.5)
            begin = time.monotonic()
            if how == "cancelled":
                assert job.ask("cancel", job.id).returncode == 0
            elif how == "killed":
                os.kill(job.rank(group, 1), signal.SIGKILL)
            else:
                job.tell_to_end()
            text, _ = asked.communicate(timeout=20)
            assert asked.returncode == 4 and time.monotonic() - begin < patient(2), (start, overlap, how, text, job.stderr())
            if how != "ended":
                assert job.status()["ranks"] == 2 and job.status()["health"] == "good", (start, overlap, how, job.status())
        job.ends_well()


@pytest.mark.parametrize("start", ("collective", "single"))
def test_a_new_leader_is_slow(start):
    """The new leader is slow to send its first message to the program. The program waits, unless the leader dies, the user cancels or the program
    ends."""
    with Steady(start=start, ranks=2, per_host=2, environment={"STEADY_LATE_HELLO_US": "3000000"}) as job:
        assert job.resize(4).returncode == 0, (start, job.stderr())
        for group, how in enumerate(("cancelled", "killed", "ended"), 2):
            asked = job.start_resize(6)
            leader = job.rank(group, 0)
            time.sleep(1)
            begin = time.monotonic()
            if how == "cancelled":
                assert job.ask("cancel", job.id).returncode == 0
            elif how == "killed":
                os.kill(leader, signal.SIGKILL)
            else:
                job.tell_to_end()
            text, _ = asked.communicate(timeout=20)
            assert asked.returncode == 4 and time.monotonic() - begin < patient(2), (start, how, text, job.stderr())
            if how != "ended":
                assert job.status()["ranks"] == 4 and job.status()["health"] == "good", (start, how, job.status())
            else:
                assert "the program" in text, (start, text)
        job.ends_well()


def test_starts_in_turn():
    """One job uses every start in turn. Ranks that one start has made take part in the next."""
    able = possible(*STARTS)
    with Steady(start="single", ranks=2, per_host=2) as job:
        for size, method, start in ((4, "merge", "diffusive"), (8, "merge", "hypercube"), (2, "merge", ""), (6, "merge", "collective"),
                                    (8, "baseline", "launch"), (4, "baseline", "diffusive"), (8, "merge", "launch"), (2, "merge", ""),
                                    (5, "merge", "single"), (3, "merge", "renewed")):
            if start in STARTS and start not in able:
                start = "diffusive"
            how = ("--start", start) if start in (*STARTS, "launch") else ()
            done = job.resize(size, *(("--method", method) if start != "renewed" else ()), *how)
            assert done.returncode == 0 and job.status()["ranks"] == size, (size, method, start, done, job.stderr())
        assert last(job)["kind"] == "shrink", last(job)
        assert job.ask("renew", job.id, "--wait").returncode == 0
        only_new_groups_run(job)
        assert job.ask("renew", job.id, "--wait", "--start", "diffusive").returncode == 0
        job.ends_well()


def test_leader_is_connected_to_while_it_connects(parallel_start):
    """Two connections of one leader must not be mixed up. MPICH 4 and Intel MPI tell connections apart only by port numbers, and reuse the number of
    a spawn for the next port."""
    with Steady(start=parallel_start, environment={"STEADY_LATE_PORT_US": "100000", "STEADY_LATE_ACCEPT_US": "300000"}) as job:
        for size in (3, 1, 4, 1, 3):
            done = job.resize(size)
            assert done.returncode == 0 and job.status()["ranks"] == size, (parallel_start, size, done, job.stderr())
        job.ends_well()


def test_starts_refused():
    with Job([STEADY, LONG, 20000]) as job:
        job.running()
        assert job.resize(2, "--start", "single").returncode == 0
        refused = job.resize(1, "--start", "hypercube")
        assert refused.returncode == 3 and "starts nothing" in refused.stderr, refused
        assert job.resize(3, "--start", "x").returncode == 2
        planned = job.resize(4, "--start", "diffusive", "--dry-run", wait=False)
        assert planned.returncode == 0 and "diffusive" in planned.stdout, planned
        job.ends_well()
    with Job([STEADY, 1, 1], environment={"DUCTILE_OVERLAP": "none"}) as job:
        assert job.end(20) == 2 and "DUCTILE_OVERLAP" in job.stderr() and "blocking" in job.stderr(), job.stderr()
    with Job([STEADY, LONG, 20000], where=("--local=3", "--ranks-per-host=2"), options=("-n", "1")) as job:
        job.running()
        refused = job.resize(4, "--start", "hypercube")
        assert refused.returncode == 3 and "diffusive" in refused.stderr, refused
        job.ends_well()


@pytest.mark.parametrize("overlap, ranks", (("background", 1), ("blocking", 1), ("background", 2)))
def test_readiness_goes_by_the_tree(parallel_start, overlap, ranks):
    """Readiness is reported along the tree of ranks that started each other: with groups of one rank and of several, and with one source and several."""
    with Steady("--readiness", "tree", "--overlap", overlap, start=parallel_start, ranks=ranks, per_host=ranks) as job:
        for size in (4 * ranks, ranks, 2 * ranks, 4 * ranks):
            done = job.resize(size)
            assert done.returncode == 0 and job.status()["ranks"] == size, (parallel_start, overlap, ranks, size, done, job.stderr())
        job.ends_well()


def test_tree_is_given_up(parallel_start):
    """Groups wait for another group, which dies or comes too late. The resize is rolled back, and the job can grow the next time."""
    late = {"STEADY_LATE_US": "60000000", "STEADY_FIRST_NEWCOMER": "3", "STEADY_LAST_NEWCOMER": "3"}
    with Steady("--readiness", "tree", start=parallel_start, environment=late) as job:
        asked = job.start_resize(4)
        wait_until("the last group starts", lambda: job.rank(3) is not None, 20)
        os.kill(job.rank(3), signal.SIGKILL)
        assert asked.wait(20) == 4, job.stderr()
        assert job.status()["ranks"] == 1 and job.status()["health"] == "good", job.status()
        assert job.resize(4).returncode == 0, job.stderr()
        job.ends_well()
    with Steady("--readiness", "tree", start=parallel_start, environment=late) as job:
        asked = job.start_resize(4)
        wait_until("the last group starts", lambda: job.rank(3) is not None, 20)
        assert job.ask("cancel", job.id).returncode == 0
        assert asked.wait(20) == 4, job.stderr()
        again = job.resize(4)
        assert again.returncode == 0, (parallel_start, again, job.stderr())
        job.ends_well()


def test_newcomer_dies_after_a_start(start):
    """A newcomer that MPI_Comm_spawn has started dies in the join. The job goes on and grows the next time, as with launched ranks."""
    for where in ("create", "redistribute") if start == "single" else ("merge",):
        environment = {"STEADY_DIE_AT": where, "STEADY_LAST_NEWCOMER": "1"}
        with Steady("--progress-within", "2", start=start, environment=environment) as job:
            result = job.resize(3)
            assert result.returncode == 4, (start, where, result, job.stderr())
            assert job.status()["ranks"] == 1
            again = job.resize(3)
            assert again.returncode == 0, (start, where, again, job.stderr())
            job.ends_well()


@pytest.mark.slow
def test_newcomer_killed_while_it_waits(start):
    """A newcomer dies before the switch. The program does not notice it."""
    with Steady(start=start, pause=3000000) as job:
        asked = job.start_resize(3)
        wait_until("waiting", lambda: job.phase() == "waiting")
        os.kill(job.rank(1), signal.SIGKILL)
        text, _ = asked.communicate(timeout=20)
        assert asked.returncode == 4 and "rank g1." in text, (start, text)
        job.ends_well()


def test_newcomer_killed_before_mpi(start):
    """MPI_Comm_spawn then returns with an error: the resize is rolled back at once, and the job can grow the next time."""
    with Steady(start=start, environment={"STEADY_LATE_US": "60000000", "STEADY_LAST_NEWCOMER": "2"}) as job:
        asked = job.start_resize(2)
        os.kill(job.rank(1), signal.SIGKILL)
        begin = time.monotonic()
        text, _ = asked.communicate(timeout=20)
        assert asked.returncode == 4 and "rank g1.0" in text and time.monotonic() - begin < patient(3), (start, text, job.stderr())
        assert job.status()["ranks"] == 1 and job.status()["health"] == "good", job.status()
        asked = job.start_resize(2)  # the job can begin another resize, whose newcomer is late, too
        wait_until("starting", lambda: job.phase() == "starting")
        assert job.ask("cancel", job.id).returncode == 0
        assert asked.wait(10) == 4
        job.ends_well()


@pytest.mark.parametrize("size", (2, 3))
def test_newcomer_dies_at_the_gate(start, size):
    """A newcomer dies when the broker has answered MPI_Comm_spawn, which waits in MPI for the new ranks. An abort connector connects in their
    place."""
    environment = {"STEADY_DIE_AT": "gate", "STEADY_LAST_NEWCOMER": "1"}
    with Steady(start=start, environment=environment) as job:
        begin = time.monotonic()
        result = job.resize(size)
        took = time.monotonic() - begin
        assert result.returncode == 4 and "rank g1." in result.stderr and took < patient(5), (start, size, took, result, job.stderr())
        assert job.status()["ranks"] == 1 and job.status()["health"] == "good", job.status()
        job.ends_well()


def test_program_ends_during_a_start(start):
    """The job waits until the start has returned, and then ends the new ranks. The program ends in order."""
    with Steady(start=start, environment={"STEADY_LATE_US": "1500000"}) as job:
        asked = job.start_resize(2)
        wait_until("starting", lambda: job.phase() == "starting")
        job.tell_to_end()
        text, _ = asked.communicate(timeout=30)
        assert asked.returncode == 4 and "the program" in text, (start, asked.returncode, text)
        job.ends_well()


@pytest.mark.parametrize("overlap", ("background", "blocking"))
def test_called_off_during_a_start(any_start, overlap):
    """A cancel or a request with --replace ends a start: MPI_Comm_spawn returns immediately."""
    environment = {"STEADY_LATE_US": "1000000", "STEADY_LAST_NEWCOMER": "2"}
    with Steady("--overlap", overlap, start=any_start, environment=environment) as job:
        asked = job.start_resize(2)
        wait_until("starting", lambda: job.phase() == "starting")
        assert job.ask("cancel", job.id).returncode == 0
        text, _ = asked.communicate(timeout=30)
        assert asked.returncode == 4 and "cancelled" in text and job.status()["ranks"] == 1, (any_start, overlap, text)
        asked = job.start_resize(2)
        wait_until("starting", lambda: job.phase() == "starting")
        replaced = job.resize(3, "--replace")
        assert replaced.returncode == 0 and job.status()["ranks"] == 3, (any_start, overlap, replaced, job.stderr())
        assert asked.wait(20) == 4
        asked.communicate()
        job.ends_well()


def test_what_is_called_off_starts_no_more(parallel_start):
    """Newcomers of the first step would start further groups. They are told of the cancel before this."""
    with Steady(start=parallel_start, environment={"STEADY_LATE_US": "60000000", "STEADY_TELL_START": "1"}) as job:
        asked = job.start_resize(4)  # g0 starts g1; then g0 and g1 start g2 and g3
        job.says("started g1.0")
        begin = time.monotonic()
        assert job.ask("cancel", job.id).returncode == 0
        text, _ = asked.communicate(timeout=30)
        took = time.monotonic() - begin
        assert asked.returncode == 4 and took < patient(5) and job.status()["ranks"] == 1, (parallel_start, took, text)
        job.ends_well()
        assert "started g2" not in job.stderr() and "started g3" not in job.stderr(), job.stderr()


@pytest.mark.parametrize("overlap", ("background", "blocking"))
def test_second_request_waits_for_a_start(any_start, overlap):
    with Steady("--overlap", overlap, start=any_start, environment={"STEADY_LATE_US": "500000", "STEADY_LAST_NEWCOMER": "1"}) as job:
        first = job.start_resize(2)
        wait_until("starting", lambda: job.phase() == "starting")
        second = job.resize(3)
        assert second.returncode == 0 and job.status()["ranks"] == 3, (any_start, overlap, second, job.stderr())
        text, _ = first.communicate(timeout=5)
        assert first.returncode == 0, (any_start, overlap, text)
        assert [(r["from"], r["to"]) for r in job.status()["resizes"]] == [(1, 2), (2, 3)], job.status()
        job.ends_well()


@pytest.mark.slow
@pytest.mark.parametrize("late", ("0", "2500000"))
def test_switch_comes_too_late(any_start, late):
    """At the limit of --switch-within, long before the next resize point, new ranks are ended, and no further ranks are started."""
    with Steady(start=any_start, pause=60000000, environment={"STEADY_LATE_US": late}) as job:
        begin = time.monotonic()
        result = job.resize(3, "--switch-within", "1.5")
        took = time.monotonic() - begin
        assert result.returncode == 4 and 1.4 < took < patient(3), (any_start, late, took, result, job.stderr())
        assert job.status()["ranks"] == 1
        job.ends_well()


@pytest.mark.parametrize("phase, pause, late", (("starting", 20000, "1500000"), ("waiting", 5000000, "0")))
def test_interrupted_during_a_start(any_start, phase, pause, late):
    """Ctrl-C while newcomers start, or when they wait: everything ends immediately, and nothing is left."""
    with Steady(start=any_start, pause=pause, environment={"STEADY_LATE_US": late}) as job:
        asked = job.start_resize(3)
        wait_until(phase, lambda phase=phase: job.phase() == phase)
        job.process.send_signal(signal.SIGINT)
        assert job.end(12) == 130, (any_start, phase, job.stderr())
        asked.communicate(timeout=10)
        assert asked.returncode == 1, (any_start, phase, asked.returncode)
        job.nothing_left(2, files=phase != "starting")


def test_program_is_not_there(tmp_path):
    """The missing program is noticed before MPI_Comm_spawn is called, which would never return."""
    program = f"{tmp_path}/steady"
    os.symlink(STEADY, program)
    with Steady(start="diffusive", program=program) as job:
        os.unlink(program)
        result = job.resize(2)
        assert result.returncode == 4 and "cannot execute " + program in result.stderr, result
        assert job.status()["ranks"] == 1
        os.symlink(STEADY, program)
        assert job.resize(2).returncode == 0
        job.ends_well()


def test_member_that_was_spawned_dies(start):
    with Steady(start=start) as job:
        assert job.resize(3).returncode == 0
        group = ids(job)[-1]
        os.kill(job.rank(group), signal.SIGKILL)
        assert job.end(10) == 137, job.stderr()
        assert f"rank g{group}." in job.stderr(), job.stderr()
        job.nothing_left()


def test_broker_killed_during_a_start(serial_or_parallel_start):
    """The program goes on at its size to its end. New ranks end, at the latest at the orphan limit."""
    environment = {"STEADY_LATE_US": "1000000"}
    with Steady("--orphan-limit", "4", start=serial_or_parallel_start, environment=environment) as job:
        asked = job.start_resize(3)
        wait_until("starting", lambda: job.phase() == "starting")
        wait_until("a newcomer is there", lambda: job.rank(1))
        job.process.kill()
        job.process.wait()
        asked.communicate(timeout=10)
        time.sleep(2)  # the old rank goes on without a broker
        job.tell_to_end()
        wait_until("the old rank ends by itself", lambda: not job.group(0), 30)
        job.nothing_left(30, files=False)


@pytest.mark.slow
def test_broker_killed_while_the_tree_waits():
    """Without a broker, ranks no longer wait for the groups that they have started. So the program can end by itself."""
    late = {"STEADY_LATE_US": "60000000", "STEADY_FIRST_NEWCOMER": "3"}
    with Steady("--readiness", "tree", "--orphan-limit", "60", start="hypercube", environment=late) as job:
        asked = job.start_resize(4)
        wait_until("the last group starts", lambda: job.rank(3), 20)
        job.process.kill()
        job.process.wait()
        asked.communicate(timeout=10)
        begin = time.monotonic()
        job.tell_to_end()
        wait_until("the old rank ends by itself", lambda: not job.group(0), 30)
        assert time.monotonic() - begin < patient(10), time.monotonic() - begin  # its agent must notice the loss of the broker first
        job.nothing_left(80, files=False)


def test_broker_killed_after_a_baseline_start(serial_or_parallel_start):
    """The ranks that started the present ranks have ended. The job must survive the broker even so."""
    with Steady("--method", "baseline", "--orphan-limit", "300", start=serial_or_parallel_start) as job:
        assert job.resize(2).returncode == 0
        only_new_groups_may_run(job)
        job.process.kill()
        job.process.wait()
        time.sleep(4)  # nothing ends them meanwhile
        ranks = [command for group in (1, 2) for command in job.group(group).values() if command.startswith(STEADY)]
        assert len(ranks) == 2, ranks
        job.tell_to_end()
        job.nothing_left(20, files=False)  # not at the orphan limit only
