"""Every row of the table of deaths in docs/behaviour.md that needs no virtual cluster."""
import contextlib
import os
import signal
import tempfile
import time

import pytest
from ductile_job import LONG, STEADY, Job, wait_until
from patience import patient



def grows_after(job):
    """A job that has rolled back can do the next resize, unless its health is `final`: then it refuses. A job with another degraded
    health has one attempt, which may fail."""
    before = job.status()["health"]
    result = job.resize(2)
    if before == "final":
        assert result.returncode == 3 and "degraded" in result.stderr, result
    elif before == "helper" and job.status()["health"] == "final":
        assert result.returncode in (3, 4), result
    else:
        assert result.returncode == 0, result


def test_newcomer_rank_starting():
    """A newcomer dies while it starts. The next point is far away, so the newcomer is not a member yet."""
    with Job([STEADY, 8, 2500000]) as job:
        job.running()
        asked = job.start_resize(3)
        os.kill(job.rank(1, 1), signal.SIGKILL)
        code = asked.wait(30)
        assert code == 4, (code, asked.stdout.read())
        assert job.status()["ranks"] == 1
        grows_after(job)
        job.ends_well(90, files=False)  # a process that dies in MPI_Init may leave files


def test_newcomer_agent():
    with Job([STEADY, 8, 2500000]) as job:
        job.running()
        asked = job.start_resize(3)
        os.kill(job.agent(2), signal.SIGKILL)
        assert asked.wait(30) == 4, asked.stdout.read()
        grows_after(job)
        job.ends_well(90, files=False)


def test_remote_shell_vanishes(tmp_path):
    """Hosts cannot be reached when the job grows: the resize fails, and the job goes on."""
    hosts, shell = f"{tmp_path}/hosts", f"{tmp_path}/shell"
    with open(hosts, "w") as file:
        file.write("first\nsecond\nthird\n")

    def make_shell():
        with open(shell, "w") as file:
            file.write('#!/bin/sh\nshift\nexec sh -c "$*"\n')
        os.chmod(shell, 0o700)

    make_shell()
    with Job([STEADY, LONG, 20000], where=("--hosts", hosts, "--remote-shell", shell + " {host} {command}")) as job:
        job.running()
        os.unlink(shell)
        result = job.resize(3)
        assert result.returncode == 4 and shell in result.stdout + result.stderr, result
        make_shell()
        grows_after(job)
        job.ends_well(90)


def shells_of(path):
    """How many processes run the script."""
    found = 0
    for entry in os.listdir("/proc"):
        try:
            with open(f"/proc/{entry}/cmdline") as file:
                found += entry.isdigit() and path in file.read().split("\0")[:2]
        except (FileNotFoundError, NotADirectoryError, ProcessLookupError):
            continue
    return found


@pytest.mark.parametrize("lingers", ("sleep 0.7", "read end <{ends}"), ids=("briefly", "for_good"))
def test_remote_shell_lingers(tmp_path, lingers):
    """A host is free only when the remote shell of its agent has ended. A shrink waits for this, but not without limit."""
    hosts, shell, ends = f"{tmp_path}/hosts", f"{tmp_path}/shell", f"{tmp_path}/ends"
    os.mkfifo(ends)
    with open(hosts, "w") as file:
        file.write("first\nsecond\nthird\n")
    with open(shell, "w") as file:
        file.write(f'#!/bin/sh\nshift\nsh -c "$*"\n{lingers.format(ends=ends)}\n')
    os.chmod(shell, 0o700)
    with Job([STEADY, LONG, 20000], where=("--hosts", hosts, "--remote-shell", shell + " {host} {command}"), options=("-n", "3")) as job:
        job.running()
        before = shells_of(shell)
        assert job.resize(1).returncode == 0, job.stderr()
        left = shells_of(shell)
        assert (before, left) == (3, 3 if "ends" in lingers else 1)
        job.ends_well(90)

    def shells_have_ended():
        with contextlib.suppress(OSError):  # nobody reads
            os.close(os.open(ends, os.O_WRONLY | os.O_NONBLOCK))
        return not shells_of(shell)
    wait_until("the shells have ended", shells_have_ended, 15)


def test_newcomer_while_waiting():
    """The point is far away. The newcomers' leader is connected to the program's, and all newcomers sleep, when one of them dies."""
    with Job([STEADY, 8, 2500000]) as job:
        job.running()
        asked = job.start_resize(3)
        wait_until("waiting", lambda: job.phase() in ("asking", "waiting"))
        os.kill(job.rank(1, 0), signal.SIGKILL)
        assert asked.wait(30) == 4, asked.stdout.read()
        job.ends_well(90)


def newcomer_in_join(where, **environment):
    """A newcomer dies at the worst moment: the program may just be sending to it."""
    for sources in (1, 1, 2, 2, 2):
        with Job([STEADY, LONG, 20000], options=("-n", str(sources)),
                 environment={"STEADY_DIE_AT": where, **environment}) as job:
            job.running()
            result = job.resize(sources + 2)
            assert result.returncode == 4, (result, job.stderr())
            assert job.status()["ranks"] == sources
            job.ends_well(90)


@pytest.mark.each
@pytest.mark.parametrize("moment", ("create", "merge", "dup", "bcast", "redistribute"))
def test_newcomer_dies_at(moment):
    newcomer_in_join(moment)


def test_newcomer_dies_before_little_data():
    """All data for the newcomer is in one message that is already sent. So no send of the program can fail."""
    newcomer_in_join("redistribute", STEADY_ITEMS="30")


@pytest.mark.each
@pytest.mark.parametrize("moment", ("alltoallv_meet", "alltoallv_alltoallw", "rma_lock_window", "rma_lock_get", "rma_lock_unlock",
                                    "rma_lockall_window", "rma_lockall_get", "rma_lockall_unlock"))
@pytest.mark.slow_for("rma_lock_window", "rma_lock_unlock", "rma_lockall_window", "rma_lockall_get")
def test_newcomer_dies_in_executor(moment):
    """The data of the sources stays unchanged."""
    executor, where = moment.rsplit("_", 1)
    executor = executor.replace("_", "-")
    for sources in (1, 2):
        with Job([STEADY, LONG, 20000], options=("-n", str(sources), "--redistribution", executor), environment={"STEADY_DIE_AT": where}) as job:
            job.running()
            result = job.resize(sources + 2)
            assert result.returncode == 4, (result, job.stderr())
            assert job.status()["ranks"] == sources
            job.ends_well(90)


def hangs_in_join(where, *options):
    return Job([STEADY, LONG, 20000], options=("-n", "2", "--progress-within", "2", *options),
               environment={"STEADY_HANG_AT": where})


def test_newcomer_hangs_in_join():
    """A newcomer stops inside the join. At the deadline both sources give it up."""
    with hangs_in_join("merge", "--env", "FI_PROVIDER=sockets") as job:
        try:
            job.running()
        except AssertionError:
            if not os.environ.get("DUCTILE_MPI") or "fi_getinfo" not in job.stderr():
                raise
            pytest.skip("this MPI's libfabric has no provider of that name")
        result = job.resize(4)
        assert result.returncode == 4, result
        assert job.status()["ranks"] == 2
        shrunk = job.resize(1)
        assert shrunk.returncode == 0, shrunk
        job.ends_well(90)


@pytest.mark.parametrize("where", ("create", "merge", "bcast", "redistribute"))
def test_newcomer_hangs_in_join_over_rxm(where):
    """With libfabric's default provider the stuck thread holds MPI's lock, but not for ever."""
    with hangs_in_join(where) as job:
        job.running()
        result = job.resize(4)
        assert result.returncode == 4, (where, result, job.stderr())
        assert job.status()["ranks"] == 2
        job.ends_well(90)


@contextlib.contextmanager
def in_the_switch(*options):
    """A job of two ranks whose newcomers hang in the join for ever. end_switch() lets the job end."""
    with tempfile.TemporaryDirectory() as folder, Job(
            [STEADY, 3000, 20000], options=("-n", "2", *options),
            environment={"STEADY_HANG_AT": "merge", "STEADY_UNTIL": folder + "/end"}) as job:
        job.end_file = folder + "/end"
        job.running()
        job.asked = job.start_resize(4)
        wait_until("switching", lambda: job.phase() == "switching")
        job.says("hangs at the merge", times=2)
        yield job


def end_switch(job, files=True):
    open(job.end_file, "w").close()
    job.nothing_left(30, files=files)


@pytest.mark.parametrize("what", ("rank", "agent"))
def test_newcomer_process_in_the_switch(what):
    with in_the_switch("--progress-within", "20") as job:
        os.kill(job.agent(2) if what == "agent" else job.rank(1, 1), signal.SIGKILL)
        assert job.asked.wait(15) == 4, (what, job.asked.stdout.read())
        assert job.status()["ranks"] == 2
        end_switch(job, files=what != "agent")
        assert job.end(20) == 0 and "end 2 bad 0" in job.stdout(), (what, job.stdout(), job.stderr())


@pytest.mark.parametrize("what, code", (("rank", 137), ("agent", 125)))
def test_member_in_the_switch(what, code):
    with in_the_switch("--progress-within", "20") as job:
        os.kill(job.agent(1) if what == "agent" else job.rank(0, 1), signal.SIGKILL)
        assert job.asked.wait(15) == 1, (what, job.asked.stdout.read())
        assert job.end(10) == code, (what, job.stderr())
        end_switch(job, files=what != "agent")


def test_broker_killed_in_the_switch():
    with in_the_switch("--progress-within", "2", "--orphan-limit", "4") as job:
        job.process.kill()
        job.process.wait()
        assert job.asked.wait(15) == 1, job.asked.stdout.read()
        wait_until("the newcomers are gone", lambda: not job.group(1), 20)
        time.sleep(6)  # longer than the orphan limit
        assert len(job.ranks(0)) == 2, "the job runs on"
        end_switch(job)


def newcomer_killed_after(milliseconds, sources=1, environment=()):
    """A newcomer is killed at any time of its join. The resize is rolled back. After the commit the newcomer is a member: the job ends."""
    environment = {"STEADY_DIE_US": str(1000 * milliseconds), "STEADY_NEWCOMER_RANK": "1", "STEADY_LAST_NEWCOMER": "1", **dict(environment)}
    with Job([STEADY, LONG, 20000], options=("-n", str(sources)), environment=environment) as job:
        job.running()
        result = job.resize(sources + 2)
        if result.returncode == 4:
            assert job.status()["ranks"] == sources
            job.ends_well(90)
        else:
            assert result.returncode in (0, 1), (milliseconds, result, job.stderr())
            assert job.end(10) == 137 and "rank g1." in job.stderr(), (milliseconds, result, job.stderr())
            job.nothing_left()


@pytest.mark.parametrize("sources", (1, 2))
@pytest.mark.parametrize("milliseconds", range(0, 28, 3))
def test_newcomer_killed_in_the_switch(sources, milliseconds):
    newcomer_killed_after(milliseconds, sources)


@pytest.mark.parametrize("milliseconds", (0, 1, 2, 3, 6))
def test_newcomer_killed_while_connecting(milliseconds):
    """The newcomers' leader is killed while it connects to the program's leader."""
    newcomer_killed_after(milliseconds, environment={"STEADY_DIE_FROM_CONNECT": "1", "STEADY_NEWCOMER_RANK": "0"})


def test_connection_reset_in_join():
    """MPICH aborts on a source because a connection was reset: the resize is rolled back, too. The job is degraded only if the leaders were being
    joined."""
    for where in ("accept", "create", "dup", "bcast", "redistribute"):
        with Job([STEADY, LONG, 20000], environment={"STEADY_RESET_AT": where}) as job:
            job.running()
            mpi = job.status()["mpi"]
            result = job.resize(3)
            if where == "redistribute" and mpi.startswith("Intel MPI") and result.returncode == 1:
                assert "Connection reset by peer" in job.stderr(), job.stderr()
                continue  # it cannot be caught there (docs/mpi.md)
            assert result.returncode == 4, (where, result, job.stderr())
            now = job.status()
            said = ["tried to abort", "before it was a member"]
            if not mpi.startswith("MPICH 5.0"):
                said.append("no progress")
            if mpi.startswith("Intel MPI"):
                said.append("did not become one communicator")
            assert any(why in result.stderr for why in said), (where, result)  # depending on which failure is detected first
            assert now["ranks"] == 1, (where, result)
            assert now["degraded"] == (where in ("accept", "create")) or not now["mpi"].startswith("MPICH 5.0"), (where, result, now["health"])  # other MPIs hang there, so the job is degraded
            grows_after(job)
            job.ends_well(90)
    with Job([STEADY, LONG, 20000], environment={"STEADY_RESET_AT": "dup", "STEADY_RESET_NEWCOMERS": "1"}) as job:
        job.running()
        result = job.resize(3)
        assert result.returncode == 4, (result, job.stderr())
        job.ends_well(90)


def test_ends_after_a_roll_back():
    """After a rollback the ranks do not call MPI_Finalize. Each rank still ends at its own time."""
    with Job([STEADY, LONG, 20000], where=("--local=4", "--ranks-per-host=2"), options=("-n", "2"),
             environment={"STEADY_DIE_AT": "redistribute", "STEADY_FIRST_NEWCOMER": "1", "STEADY_AFTER_US": "400000"}) as job:
        job.running()
        assert job.resize(4).returncode == 4, job.stderr()
        job.ends_well(90)
        assert "after 0" in job.stdout() and "after 1" in job.stdout(), job.stdout()


def member_killed(word, code, *options):
    with Job([STEADY, 3000, 20000], options=("-n", "2", *options)) as job:
        job.running()
        assert job.resize(3).returncode == 0
        pid = job.agent(1) if word == "agent" else job.rank(*word)
        begin = time.monotonic()
        os.kill(pid, signal.SIGKILL)
        ended = job.end(20)
        assert time.monotonic() - begin < patient(10)
        assert ended == code or (isinstance(code, tuple) and ended in code), (ended, job.stderr())
        lines = [line for line in job.stderr().splitlines() if line.startswith("ductile:")]
        assert len(lines) == 1, lines
        job.nothing_left()


@pytest.mark.parametrize("process", ((1, 0), (0, 1), (0, 0)))
def test_member_rank(process):
    """A member dies: a rank that was added, a rank of the start, or rank 0."""
    member_killed(process, 137)


def test_member_agent():
    member_killed("agent", 125)


def test_stopped_rank_is_no_failure():
    with Job([STEADY, LONG, 10000], options=("-n", "2")) as job:
        job.running()
        pid = job.rank(0, 1)
        os.kill(pid, signal.SIGSTOP)
        time.sleep(7)  # longer than all limits
        assert job.process.poll() is None
        asked = job.start_resize(3)
        time.sleep(7)  # the resize is not given up meanwhile
        assert asked.poll() is None
        os.kill(pid, signal.SIGCONT)
        assert asked.wait(30) == 0, asked.stdout.read()
        job.ends_well(90)


def test_leaver_fails():
    with Job([STEADY, LONG, 10000], options=("-n", "2"), environment={"STEADY_LEAVE_CODE": "7"}) as job:
        job.running()
        assert job.resize(1).returncode == 0
        job.tell_to_end()
        assert job.end(30) == 7
        assert "end 1 bad 0" in job.stdout()
        job.nothing_left()


def test_leaver_hangs():
    with Job([STEADY, LONG, 10000], options=("-n", "2", "--leave-within", "2"), environment={"STEADY_LEAVE_HANG": "1"}) as job:
        job.running()
        assert job.resize(1).returncode == 0
        wait_until("the leaver is gone", lambda: list(job.ranks(0)) == [0], 8)
        job.tell_to_end()
        code = job.end(30)
        assert code == 137, code
        assert "end 1 bad 0" in job.stdout()
        job.nothing_left()


def test_broker_killed(tmp_path):
    with Job([STEADY, 300, 20000], options=("-n", "2"), logs=tmp_path) as job:
        job.running()
        job.process.kill()
        job.process.wait()
        job.broker_is_missed(2)
        assert len(job.ranks(0)) == 2, "the job runs on"
        job.nothing_left(30)


@pytest.mark.slow
@pytest.mark.parametrize("delay", (0.0, 0.002, 0.005, 0.01, 0.02))
def test_broker_killed_while_asking(delay):
    """Some ranks have been asked for their point, others have not. They agree, and the job runs on."""
    with Job([STEADY, 200, 20000], options=("-n", "3")) as job:
        job.running()
        asked = job.start_resize(1)
        time.sleep(0.05 + delay)  # some ranks have been asked then, some not
        job.process.kill()
        job.process.wait()
        asked.wait(10)
        asked.stdout.close()
        job.nothing_left(40)


def test_broker_killed_then_member(tmp_path):
    with Job([STEADY, 3000, 20000], options=("-n", "3", "--orphan-limit", "4"), logs=tmp_path) as job:
        job.running()
        job.process.kill()
        job.process.wait()
        job.broker_is_missed(3)
        os.kill(job.rank(0, 1), signal.SIGKILL)
        job.nothing_left(20)


def test_program_ends_while_pending():
    with Job([STEADY, 2, 1500000]) as job:
        job.running()
        asked = job.start_resize(4)
        assert asked.wait(30) in (0, 1, 4), asked.stdout.read()
        job.ends_well(90)


def test_second_request_waits():
    with Job([STEADY, LONG, 20000]) as job:
        job.running()
        first, second = job.start_resize(3), job.start_resize(2)
        assert first.wait(30) == 0 and second.wait(30) == 0
        assert job.status()["ranks"] in (2, 3)
        job.ends_well(90)


def test_freed_host_taken_again():
    """The next resize uses the host that a shrink gives back. Both requests end."""
    with Job([STEADY, LONG, 20000], options=("-n", "4")) as job:
        job.running()
        for _ in range(3):
            shrink = job.start_resize(3)
            expand = job.start_resize(4)
            assert shrink.wait(20) in (0, 3), shrink.stdout.read()
            assert expand.wait(20) in (0, 3), expand.stdout.read()  # 0 or 3 (refused), depending on which request comes first
            if job.status()["ranks"] == 3:
                assert job.resize(4).returncode == 0
        job.ends_well(90)


def test_second_request_replaces():
    with Job([STEADY, 12, 1500000]) as job:
        job.running()
        first = job.start_resize(3)
        wait_until("pending", job.phase)
        second = job.start_resize(2, "--replace")
        assert first.wait(30) == 4, first.stdout.read()
        assert second.wait(30) == 0, second.stdout.read()
        assert job.status()["ranks"] == 2
        job.ends_well(90)


def test_cancelled():
    with Job([STEADY, 12, 1500000]) as job:
        job.running()
        first = job.start_resize(3)
        wait_until("pending", job.phase)
        assert job.ask("cancel", job.id).returncode == 0
        assert first.wait(30) == 4
        assert job.status()["ranks"] == 1
        job.ends_well(90)


def test_switch_within():
    with Job([STEADY, LONG, 60000000]) as job:
        job.running()
        begin = time.monotonic()
        result = job.resize(3, "--switch-within", "1")
        assert result.returncode == 4, result
        assert time.monotonic() - begin < patient(3), "well before the program's next point"
        job.ends_well(90)


@pytest.mark.parametrize("during_resize", (False, True))
def test_interrupted(during_resize):
    with Job([STEADY, 3000, 20000]) as job:
        job.running()
        if during_resize:
            job.start_resize(4)
            wait_until("a resize is open", job.phase)
        job.process.send_signal(signal.SIGINT)
        assert job.end(12) == 130, job.stderr()
        job.nothing_left(2)
