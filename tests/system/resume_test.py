"""A broker dies at any step of its journal, and another broker takes the job over."""
import os
import signal
import subprocess
import time

import pytest
from ductile_job import DUCTILE, STEADY, Job, processes, wait_until
from steady_job import local_ranks_are


SPAWNER = os.environ.get("SPAWNER_PROGRAM", "")
DIES = os.environ.get("DIES_AT_STEP_LIBRARY", "")
BEFORE_THE_SWITCH = ("a resize is accepted", "new groups are started", "an agent is started", "the leaders are joined",
                     "the ranks are asked for their point", "the point is announced")


class Resumed(Job):
    """A job whose broker may die. `resume` starts another broker, with the same output files."""

    def __init__(self, *options, steps=3000, program=None, environment=None, dies_at=None, before=False, count=1, **more):
        environment = dict(environment or {})
        if dies_at:
            environment.update(LD_PRELOAD=DIES, DIES_AT_STEP=dies_at, DIES_AT_COUNT=str(count), **({"DIES_BEFORE_STEP": "1"} if before else {}))
        super().__init__(program or [STEADY, steps, 20000], options=options, environment=environment, **more)

    def die(self):
        self.process.kill()
        self.process.wait()

    def next_broker(self, **environment):
        self.process = subprocess.Popen([*self.prefix, DUCTILE, "run", "--resume", self.id], stdout=self.out, stderr=self.err,
                                        stdin=subprocess.DEVNULL, env=dict(os.environ, **environment))
        return self.process

    def resume(self):
        self.next_broker()
        return self.running()


def job_of(pid):
    with open(f"/proc/{pid}/environ") as environment:
        return dict(entry.split("=", 1) for entry in environment.read().split("\0") if "=" in entry)["DUCTILE_JOB"]


def no_broker(*words):
    return subprocess.run([DUCTILE, *words], capture_output=True, text=True, timeout=20)


def test_broker_dies_at_rest(tmp_path):
    with Resumed("-n", "2", "--tag", "--max", "4", logs=tmp_path) as job:
        job.running()
        assert job.resize(3).returncode == 0
        before = job.status()
        job.die()
        job.broker_is_missed(3)
        gone = no_broker("resize", job.id, "2")
        assert gone.returncode != 0 and f"--resume {job.id}" in gone.stderr, gone
        now = job.resume()
        assert [g["id"] for g in now["groups"]] == [g["id"] for g in before["groups"]], now
        assert [r["transaction"] for r in now["resizes"]] == [1], now["resizes"]
        assert now["options"] == before["options"], now["options"]
        assert job.resize(4).returncode == 0, job.stderr()
        assert "max" in job.resize(5).stderr
        assert job.resize(1).returncode == 0, job.stderr()
        assert job.status()["groups_ever"] == 3 and job.status()["resizes"][-1]["transaction"] == 3
        job.ends_well()
        assert "[g0.0] " in job.stdout(), "its output is ours again"


def test_the_next_broker_knows_the_local_ranks():
    with Resumed("-n", "2", where=("--local=1", "--ranks-per-host=4")) as job:
        job.running()
        assert job.resize(3).returncode == 0
        job.die()
        job.resume()
        assert job.resize(4).returncode == 0, job.stderr()
        local_ranks_are(job, {0: [0, 1], 1: [2], 2: [3]})
        job.ends_well()


def dies_at(step, before, size, expected, start=1, options=(), how=(), **more):
    """The broker dies at a step of a resize. Then another broker takes the job over, resizes it again, and it ends well."""
    what = f"{'before' if before else 'at'} {step!r}"
    with Resumed("-n", str(start), *options, dies_at=step, before=before, **more) as job:
        job.running()
        asked = job.resize(size, *how)
        assert asked.returncode not in (0, 3), (what, asked)
        assert job.process.wait(10) == -signal.SIGKILL
        listed = job.ask("status")
        assert any(line.split()[:3] == [job.id, "no", "broker"] for line in listed.stdout.splitlines()), listed
        now = job.resume()
        wait_until(f"nothing is open, {what}", lambda: job.phase() is None)
        now = job.status()
        assert now["ranks"] in expected, (what, now["ranks"], job.stderr())
        assert job.resize(2).returncode in (0, 3), (what, job.stderr())
        for ranks in (4, 1):
            again = job.resize(ranks)
            assert again.returncode == 0, (what, again, job.stderr())
        job.ends_well()


@pytest.mark.parametrize("step, before, expected", [
    *((step, False, (1,)) for step in BEFORE_THE_SWITCH if step != "an agent is started"),  # the start of the job has this step, too
    ("the switch begins", False, (1, 3)),
    *((step, before, (3,)) for step in ("the resize is committed", "the resize is done") for before in (False, True))])
def test_broker_dies_at_each_step_of_a_growth(step, before, expected):
    dies_at(step, before, 3, expected)


@pytest.mark.parametrize("before", (False, True))
def test_broker_dies_while_ranks_are_joined(before):
    dies_at("the join begins", before, 3, (1,), options=("--join", "background"))


@pytest.mark.parametrize("step, expected", [
    ("a resize is accepted", (3,)), ("the ranks are asked for their point", (3,)), ("the point is announced", (3,)),
    ("the switch begins", (1, 3)), ("the resize is committed", (1,))])
def test_broker_dies_at_each_step_of_a_shrink(step, expected):
    dies_at(step, False, 1, expected, start=3)


def test_broker_dies_before_the_ranks_are_members():
    """No rank has been told that the job runs. The next broker tells them."""
    with Resumed("-n", "2", dies_at="the job runs") as job:
        assert job.process.wait(20) == -signal.SIGKILL
        job.id = job_of(next(iter(processes(STEADY_UNTIL=job.until, DUCTILE_GROUP=0))))
        job.resume()
        for ranks in (1, 3):
            asked = job.resize(ranks)
            assert asked.returncode == 0, (asked, job.stderr())
        job.ends_well()


@pytest.mark.parametrize("size", (3, 1))
def test_broker_dies_between_its_questions(size):
    """The broker has asked the ranks of only one host for their point when it dies. Ranks wait for each other until the next broker calls
    for a vote."""
    with Resumed("-n", "2", dies_at="the ranks are asked for their point", environment={"DIES_AFTER_SEND": "1"}) as job:
        job.running()
        asked = job.resize(size)
        assert asked.returncode == 1, asked
        assert job.process.wait(10) == -signal.SIGKILL
        job.resume()
        wait_until("nothing is open", lambda: job.phase() is None)
        assert job.status()["ranks"] == 2, (job.status(), job.stderr())
        for ranks in (3, 1):
            again = job.resize(ranks)
            assert again.returncode == 0, (again, job.stderr())
        job.ends_well()


def test_broker_dies_in_a_switch_that_hangs():
    """Degraded ranks have one attempt to be replaced. The resize that degrades them does not use it up: the next growth replaces them."""
    environment = {"STEADY_HANG_AT": "merge", "STEADY_LAST_NEWCOMER": "1"}
    with Resumed("-n", "2", "--progress-within", "5", environment=environment) as job:
        job.running()
        asked = job.start_resize(4)
        wait_until("switching", lambda: job.phase() == "switching", 20, 0.01)
        job.says("hangs at the merge", times=2)
        job.die()
        asked.communicate(timeout=10)
        job.resume()
        wait_until("nothing is open", lambda: job.phase() is None)
        now = job.status()
        assert now["ranks"] == 2 and now["health"] == "helper", (now["health"], job.stderr())
        again = job.resize(3)
        assert again.returncode == 0, (again, job.stderr())
        assert job.status()["health"] == "good"
        job.ends_well()


@pytest.mark.parametrize("step, before, expected", [
    ("new groups are started", False, (2,)), ("the leaders are joined", False, (2,)), ("the point is announced", False, (2,)),
    ("the switch begins", False, (2, 3)), ("the resize is committed", True, (3,))])
def test_broker_dies_in_a_baseline(step, before, expected):
    dies_at(step, before, 3, expected, start=2, options=("--method", "baseline"))


@pytest.mark.parametrize("step, expected", (("the point is announced", (4,)), ("the resize is committed", (3,))))
def test_broker_dies_while_ranks_park(step, expected):
    dies_at(step, False, 3, expected, start=4, where=("--local=4", "--ranks-per-host=2"), how=("--shrink", "park"))


def test_who_waits_asks_the_next_broker():
    """A growth consists of two resizes: a parked rank comes back, then new ranks start. The broker dies between the two."""
    where = ("--local=4", "--ranks-per-host=2")
    with Resumed("-n", "4", dies_at="the resize is done", count=2, where=where) as job:
        job.running()
        assert job.resize(3, "--shrink", "park").returncode == 0, job.stderr()
        asked = job.start_resize(6)
        assert job.process.wait(20) == -signal.SIGKILL
        out = asked.communicate(timeout=20)[0]
        assert asked.returncode == 1 and f"ductile resize {job.id} --await 2" in out, (asked.returncode, out)
        job.resume()
        answer = job.ask("resize", job.id, "--await", "2", seconds=60)
        assert answer.returncode == 0 and "4 -> 6 ranks" in answer.stdout, (answer, job.stderr())
        assert job.status()["ranks"] == 6, job.stderr()
        again = job.ask("resize", job.id, "--await", "2", seconds=20)
        assert again.returncode == 0 and "4 -> 6 ranks" in again.stdout, again
        unknown = job.ask("resize", job.id, "--await", "9", seconds=20)
        assert unknown.returncode == 3 and "no resize 9" in unknown.stderr, unknown
        job.ends_well()


def test_request_that_waits_is_carried_on():
    """A second request waits until the first resize, whose newcomers are late, is over. The broker dies when both are open."""
    environment = {"STEADY_LATE_US": "1500000", "STEADY_FIRST_NEWCOMER": "1", "STEADY_LAST_NEWCOMER": "1"}
    with Resumed("-n", "1", dies_at="a request waits for its turn", environment=environment) as job:
        job.running()
        first = job.start_resize(3)
        wait_until("the first one is open", lambda: job.phase() is not None, 20, 0.01)
        second = job.resize(2)
        assert second.returncode == 1, second
        assert job.process.wait(10) == -signal.SIGKILL
        first.communicate(timeout=20)
        job.resume()
        job.says("1 request that waited for its turn is carried on")
        wait_until("the second one is done", lambda: (job.status() or {}).get("ranks") == 2 and job.phase() is None, 30, 0.1)
        job.ends_well()


def killed_after(milliseconds, *options):
    with Resumed("-n", "2", *options) as job:
        job.running()
        asked = job.start_resize(4)
        time.sleep(milliseconds / 1000)  # until some moment of the resize
        job.die()
        asked.communicate(timeout=10)
        job.resume()
        wait_until("nothing is open", lambda: job.phase() is None)
        assert job.status()["ranks"] in (2, 4), job.status()
        for ranks in (1, 3):
            again = job.resize(ranks)
            assert again.returncode == 0, (milliseconds, options, again, job.stderr())
        job.ends_well()


@pytest.mark.slow
@pytest.mark.parametrize("overlap", ("blocking", "background"))
@pytest.mark.parametrize("step, expected", (("ranks are to start the new groups", (1,)), ("the switch begins", (1, 3))))
def test_broker_dies_after_each_start(start, step, expected, overlap):
    dies_at(step, False, 3, expected, options=("--start", start, "--overlap", overlap))


@pytest.mark.slow
@pytest.mark.parametrize("milliseconds", (40, 80, 120))
def test_broker_dies_while_ranks_start_others(start, milliseconds):
    """MPI_Comm_spawn waits for the broker. The next broker lets it return, and then ends what it has started."""
    killed_after(milliseconds, "--start", start)


@pytest.mark.parametrize("milliseconds", (20, 60, 100, 140, 180, 220, 260, 300))
def test_broker_is_killed_at_any_time(milliseconds):
    """The broker dies at any time, not only at a step of its journal."""
    killed_after(milliseconds)


def test_second_broker_dies_too():
    with Resumed("-n", "2") as job:
        job.running()
        for ranks in (3, 1, 4):
            job.die()
            job.resume()
            assert job.resize(ranks).returncode == 0, job.stderr()
        job.die()
        for step in ("the program has said its limits", "taken over"):  # a later broker does not write the first one
            for before in ({"DIES_BEFORE_STEP": "1"}, {}):
                broker = job.next_broker(LD_PRELOAD=DIES, DIES_AT_STEP=step, **before)
                if step == "taken over":
                    assert broker.wait(20) == -signal.SIGKILL
                else:
                    job.running()
                    job.die()
        job.resume()
        assert job.status()["ranks"] == 4 and job.resize(2).returncode == 0, job.stderr()
        job.ends_well()


def test_what_happened_meanwhile_counts():
    """Without a broker, a member dies or the program ends. The next broker ends the job accordingly."""
    with Resumed("-n", "3") as job:
        job.running()
        victim = job.rank(0, 1)
        job.die()
        os.kill(victim, signal.SIGKILL)
        job.next_broker()
        assert job.end(30) == 137, job.stderr()
        assert "rank g0.1 " in job.stderr(), job.stderr()
        job.nothing_left()
    with Resumed("-n", "2") as job:
        job.running()
        job.die()
        job.tell_to_end()
        job.next_broker()
        assert job.end(40) in (0, 125), job.stderr()  # 125: all agents had ended before the broker could ask them
        job.nothing_left()


PLAIN_ON = ("--local=2", "--ranks-per-host=2")


def test_plain_program_is_taken_over(tmp_path):
    """The program makes no Job, so the job is still `starting` after the takeover. The next broker goes on serving PMI barriers."""
    with Resumed("-n", "2", program=[SPAWNER, "held", tmp_path], where=PLAIN_ON) as job:
        wait_until("all ranks have passed a barrier", lambda: len(os.listdir(tmp_path)) == 2)
        job.id = job_of(next(iter(processes(STEADY_UNTIL=job.until, DUCTILE_GROUP=0))))
        for _ in range(2):
            job.die()
            job.next_broker()
            wait_until("the job is taken over", lambda: [s for s in job.all_status() if s["job"] == job.id and s["state"] == "starting" and job.is_mine(s)])
        assert "not all ranks have made a ductile::Job" in job.ask("status", job.id).stdout
        (tmp_path / "go").touch()
        assert job.end(30) == 0, (job.stdout(), job.stderr())
        assert "held 3\n" in job.stdout(), (job.stdout(), job.stderr())
        job.nothing_left()


def test_plain_program_that_fails_meanwhile_is_told(tmp_path):
    with Resumed("-n", "2", program=[SPAWNER, "held", tmp_path], where=PLAIN_ON) as job:
        wait_until("all ranks have passed a barrier", lambda: len(os.listdir(tmp_path)) == 2)
        ranks = processes(STEADY_UNTIL=job.until, DUCTILE_GROUP=0)
        job.id = job_of(next(iter(ranks)))
        job.die()
        os.kill(max(ranks), signal.SIGKILL)
        job.next_broker()
        assert job.end(30) == 137, job.stderr()
        job.nothing_left()


def test_children_of_a_pending_spawn_are_ended(tmp_path):
    """The parent's MPI_Comm_spawn has failed because there is no broker. So the children will never be connected, and the next broker
    ends them."""
    child = tmp_path / "child"
    child.write_text(f"#!/bin/sh\ntouch {tmp_path}/begun\nexec sleep 300\n")
    child.chmod(0o755)
    with Resumed("-n", "1", program=[SPAWNER, "info", "1", child], where=PLAIN_ON) as job:
        wait_until("the child runs", (tmp_path / "begun").exists)
        job.id = job_of(next(iter(processes(STEADY_UNTIL=job.until, DUCTILE_GROUP=0))))
        job.die()
        wait_until("the spawn has failed", lambda: not processes(STEADY_UNTIL=job.until, DUCTILE_GROUP=0))
        job.next_broker()
        assert job.end(30) == 0, (job.stdout(), job.stderr())
        job.nothing_left()


def test_job_that_was_starting_is_ended():
    """The broker has died when it had started only one of two agents."""
    with Resumed("-n", "2", dies_at="an agent is started") as job:
        assert job.process.wait(20) == -signal.SIGKILL
        job.id = wait_until("it is listed", lambda: [line.split()[0] for line in job.ask("status").stdout.splitlines() if line.split()[1:3] == ["no", "broker"]])[0]
        job.next_broker()
        assert job.end(30) == 125 and "before the job had started" in job.stderr(), job.stderr()
        job.nothing_left()


def test_what_cannot_be_resumed_is_named():
    with Resumed("-n", "1") as job:
        job.running()
        held = no_broker("run", "--resume", job.id)
        assert held.returncode == 2 and "held by a broker" in held.stderr, held
        for words, text in ((("--resume", "nosuch"), "journal"), (("--resume", "../x"), "name of a job"),
                            (("--resume", job.id, "-n", "2"), "no other option"), (("--resume", job.id, "--", STEADY), "no program")):
            refused = no_broker("run", *words)
            assert refused.returncode == 2 and text in refused.stderr, (words, refused)
        assert job.resize(2).returncode == 0
        job.ends_well()
