"""Every row of the design's table "What happens when something dies" that needs no virtual cluster."""
import os
import signal
import subprocess
import time

from ductile_job import STEADY, Job, main, processes, wait_until


def grows_after(job):
    """A job that has rolled back is whole: it can do the next resize, unless it is worn and says so."""
    result = job.resize(2)
    if job.status()["worn"]:
        assert result.returncode == 3 and "worn" in result.stderr, result
    else:
        assert result.returncode == 0, result


def ended_well(job, steps_end=True):
    code = job.end(90)
    assert code == 0, (code, job.stdout(), job.stderr())
    assert "bad 0" in job.stdout(), job.stdout()
    job.nothing_left()


def newcomer_killed(word, when):
    with Job([STEADY, 700, 20000]) as job:
        job.running()
        asked = job.start_resize(3)
        if when == "starting":
            pid = job.one(2, word)
        else:
            wait_until("waiting", lambda: job.phase() in ("connecting", "bridging", "asking", "waiting", "switching"))
            pid = job.one(2, word)
        os.kill(pid, signal.SIGKILL)
        code = asked.wait(30)
        text = asked.stdout.read()
        if code == 0 and when != "starting":  # it was committed before the kill: then it is a member's death
            assert job.end(20) != 0
            return job.nothing_left()
        assert code == 4, (code, text)
        assert job.status()["ranks"] == 1
        grows_after(job)
        ended_well(job)


def newcomer_rank_starting():
    newcomer_killed(r"^\S*steady ", "starting")


def newcomer_launcher_starting():
    newcomer_killed(r"mpiexec", "starting")


def newcomer_proxy_starting():
    newcomer_killed(r"hydra_pmi_proxy", "starting")


def newcomer_rank_later():
    newcomer_killed(r"^\S*steady ", "later")


def newcomer_agent():
    with Job([STEADY, 700, 20000]) as job:
        job.running()
        asked = job.start_resize(3)
        os.kill(job.agent(2), signal.SIGKILL)
        assert asked.wait(30) == 4, asked.stdout.read()
        grows_after(job)
        ended_well(job)


def newcomer_while_waiting():
    """The point is far away: the newcomers sleep, joined to the leader, when one dies."""
    with Job([STEADY, 8, 2500000]) as job:
        job.running()
        asked = job.start_resize(3)
        wait_until("waiting", lambda: job.phase() in ("asking", "waiting"))
        os.kill(job.rank(1), signal.SIGKILL)
        assert asked.wait(30) == 4, asked.stdout.read()
        ended_well(job)


def newcomer_in_join(where):
    with Job([STEADY, 700, 20000], environment={"STEADY_DIE_AT": where}) as job:
        job.running()
        result = job.resize(3)
        assert result.returncode == 4, result
        assert job.status()["ranks"] == 1
        result = job.resize(1)
        ended_well(job)


def hangs_in_merge(*options):
    return Job([STEADY, 900, 20000], options=("-n", "2", "--progress-within", "2", *options),
               environment={"STEADY_HANG_AT": "merge", "STEADY_FIRST_NEWCOMER": "2"})


def newcomer_hangs_in_join():
    """A newcomer that stops inside the join is given up by the deadline; two sources agree on it."""
    with hangs_in_merge("--env", "FI_PROVIDER=sockets") as job:
        job.running()
        result = job.resize(4)
        assert result.returncode == 4, result
        assert job.status()["ranks"] == 2
        shrunk = job.resize(1)
        assert shrunk.returncode == 0, shrunk
        ended_well(job)


def newcomer_hangs_in_join_over_rxm():
    """There the stuck thread may keep MPI's lock: rolled back, or ended by the second deadline in the design's words."""
    with hangs_in_merge() as job:
        job.running()
        result = job.resize(4)
        if result.returncode == 4:
            assert job.status()["ranks"] == 2
            return
        assert result.returncode == 1 and "could not be brought back" in result.stderr, result
        assert job.end(12) == 125, job.stderr()
        job.nothing_left()


def member_killed(word, code):
    with Job([STEADY, 3000, 20000], options=("-n", "2")) as job:
        job.running()
        assert job.resize(3).returncode == 0
        pid = job.one(1, word) if word != "agent" else job.agent(1)
        begin = time.monotonic()
        os.kill(pid, signal.SIGKILL)
        ended = job.end(20)
        assert time.monotonic() - begin < 10
        assert ended == code or (isinstance(code, tuple) and ended in code), (ended, job.stderr())
        lines = [l for l in job.stderr().splitlines() if l.startswith("ductile:")]
        assert len(lines) == 1, lines
        job.nothing_left()


def member_rank():
    member_killed(r"^\S*steady ", 137)


def member_launcher():
    member_killed(r"mpiexec", (137, 125))


def member_proxy():
    member_killed(r"hydra_pmi_proxy", (137, 125))


def member_agent():
    member_killed("agent", 125)


def stopped_rank_is_no_failure():
    with Job([STEADY, 1500, 10000], options=("-n", "2")) as job:
        job.running()
        pid = job.rank(1)
        os.kill(pid, signal.SIGSTOP)
        time.sleep(7)
        assert job.process.poll() is None
        asked = job.start_resize(3)
        time.sleep(7)
        assert asked.poll() is None
        os.kill(pid, signal.SIGCONT)
        assert asked.wait(30) == 0, asked.stdout.read()
        ended_well(job)


def leaver_fails():
    with Job([STEADY, 1000, 10000], options=("-n", "2"), environment={"STEADY_LEAVE_CODE": "7"}) as job:
        job.running()
        assert job.resize(1).returncode == 0
        assert job.end(30) == 7
        assert "end 1 bad 0" in job.stdout()
        job.nothing_left()


def leaver_hangs():
    with Job([STEADY, 1200, 10000], options=("-n", "2", "--leave-within", "2"), environment={"STEADY_LEAVE_HANG": "1"}) as job:
        job.running()
        assert job.resize(1).returncode == 0
        wait_until("the leaver is gone", lambda: not job.group(1), 8)
        code = job.end(30)
        assert code == 137, code
        assert "end 1 bad 0" in job.stdout()
        job.nothing_left()


def broker_killed():
    with Job([STEADY, 300, 20000], options=("-n", "2")) as job:
        job.running()
        job.process.kill()
        job.process.wait()
        time.sleep(2)
        assert job.group(0) and job.group(1), "the job runs on"
        job.nothing_left(30)


def broker_killed_while_asking():
    """Ranks that have heard of the point and ranks that have not agree, and the job runs on."""
    for delay in (0.0, 0.002, 0.005, 0.01, 0.02):
        with Job([STEADY, 200, 20000], options=("-n", "3")) as job:
            job.running()
            asked = job.start_resize(1)
            time.sleep(0.05 + delay)
            job.process.kill()
            job.process.wait()
            asked.wait(10)
            asked.stdout.close()
            job.nothing_left(40)


def broker_killed_then_member():
    with Job([STEADY, 3000, 20000], options=("-n", "3", "--orphan-limit", "4")) as job:
        job.running()
        job.process.kill()
        job.process.wait()
        time.sleep(3)
        os.kill(job.rank(1), signal.SIGKILL)
        time.sleep(1.5)
        job.nothing_left(20)


def program_ends_while_pending():
    with Job([STEADY, 2, 1500000]) as job:
        job.running()
        asked = job.start_resize(4)
        assert asked.wait(30) in (0, 1, 4), asked.stdout.read()
        ended_well(job)


def second_request_waits():
    with Job([STEADY, 500, 20000]) as job:
        job.running()
        first, second = job.start_resize(3), job.start_resize(2)
        assert first.wait(30) == 0 and second.wait(30) == 0
        assert job.status()["ranks"] in (2, 3)
        ended_well(job)


def second_request_replaces():
    with Job([STEADY, 12, 1500000]) as job:
        job.running()
        first = job.start_resize(3)
        wait_until("pending", job.phase)
        second = job.start_resize(2, "--replace")
        assert first.wait(30) == 4, first.stdout.read()
        assert second.wait(30) == 0, second.stdout.read()
        assert job.status()["ranks"] == 2
        ended_well(job)


def cancelled():
    with Job([STEADY, 12, 1500000]) as job:
        job.running()
        first = job.start_resize(3)
        wait_until("pending", job.phase)
        assert job.ask("cancel", job.id).returncode == 0
        assert first.wait(30) == 4
        assert job.status()["ranks"] == 1
        ended_well(job)


def switch_within():
    with Job([STEADY, 3, 5000000]) as job:
        job.running()
        begin = time.monotonic()
        result = job.resize(3, "--switch-within", "1")
        assert result.returncode == 4, result
        ended_well(job)


def interrupted():
    for during_resize in (False, True):
        with Job([STEADY, 3000, 20000]) as job:
            job.running()
            if during_resize:
                job.start_resize(4)
                time.sleep(0.15)
            job.process.send_signal(signal.SIGINT)
            assert job.end(12) == 130, job.stderr()
            job.nothing_left(2)


if __name__ == "__main__":
    cases = {f.__name__: f for f in (
        newcomer_rank_starting, newcomer_launcher_starting, newcomer_proxy_starting, newcomer_rank_later, newcomer_agent,
        newcomer_while_waiting, newcomer_hangs_in_join, newcomer_hangs_in_join_over_rxm, member_rank, member_launcher, member_proxy, member_agent,
        stopped_rank_is_no_failure, leaver_fails, leaver_hangs, broker_killed, broker_killed_while_asking,
        broker_killed_then_member, program_ends_while_pending, second_request_waits, second_request_replaces, cancelled,
        switch_within, interrupted)}
    for moment in ("create", "merge", "dup", "bcast", "redistribute"):
        cases[f"newcomer_dies_at_{moment}"] = lambda moment=moment: newcomer_in_join(moment)
    main(cases)
