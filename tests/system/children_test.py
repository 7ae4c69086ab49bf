"""Children: processes that a program starts itself by MPI_Comm_spawn, under `ductile run`."""
import os
import signal
import subprocess
import time

import pytest
from ductile_job import DUCTILE, LONG, STEADY, Job, wait_until
from patience import patient


SPAWNER = os.environ.get("SPAWNER_PROGRAM", "")


def run(*words, where=("--local=1", "--ranks-per-host=8"), ranks=1):
    begin = time.monotonic()
    done = subprocess.run([DUCTILE, "run", *where, "-n", str(ranks), "--", SPAWNER, *words], capture_output=True, text=True, timeout=60)
    done.seconds = time.monotonic() - begin
    return done


def expect(said, done):
    assert done.returncode == 0 and done.stdout == said + "\n", done


def test_children_of_a_rank():
    expect("spawn 1", run("spawn", "1"))
    expect("spawn 6", run("spawn", "3", ranks=2))  # 1 + 2 + 3; arguments with blanks, empty ones, words that mpiexec would take
    expect("multiple 203", run("multiple"))  # application numbers 0, 1 and 1


def test_children_on_several_hosts():
    hosts = ("--local=3", "--ranks-per-host=2")
    expect("spawn 6", run("spawn", "3", where=hosts, ranks=3))  # no host has room for all of them
    expect("spawn 6", run("spawn", "3", "local1:2,local0", where=hosts, ranks=3))
    refused = run("spawn", "1", "elsewhere", where=hosts)
    assert refused.stdout == "spawn -1\n" and "host elsewhere is not one of the job's" in refused.stderr, refused


def info(ranks, program, *entries, where=("--local=1", "--ranks-per-host=4"), of=1):
    """What `spawner info` says: its result, and where each child runs."""
    done = run("info", str(ranks), program, *entries, where=where, ranks=of)
    assert done.returncode == 0, done
    *children, said = sorted(done.stdout.splitlines())
    return said, children, done.stderr


def test_children_that_are_soft():
    """As many children start as `soft` allows and as there are free slots: 3."""
    here = os.getcwd()
    for soft, ranks in (("0:8", 3), ("2:8:2", 2), ("1,8", 1)):
        said, children, errors = info(8, "self", "soft", soft)
        assert said == f"info {ranks * (ranks + 1) // 2}" and not errors, (soft, said, errors)
        assert children == [f"child {rank} on host 0 in {here}" for rank in range(ranks)], (soft, children)
    said, children, errors = info(8, "self", "soft", "8:1")
    assert said == "info -1" and not children and "MPI_Comm_spawn by rank g0.0 fails: info key soft: '8:1' is no number" in errors, (said, errors)
    said, children, errors = info(5, "self", "soft", "4:8")
    why = "MPI_Comm_spawn by rank g0.0: info key soft: '4:8' has no number up to 3 (requested: at most 5 ranks; free: 3 slots), and has no effect"
    assert said == "info 15" and len(children) == 5 and errors.count(why) == 1, (said, errors)


def test_children_on_the_hosts_of_a_file(tmp_path):
    hosts = tmp_path / "hosts"
    hosts.write_text("local2:2\nlocal0\n")
    said, children, errors = info(3, "self", "hostfile", str(hosts), where=("--local=3", "--ranks-per-host=3"))
    assert said == "info 6" and not errors and [child.split(" in ")[0] for child in children] == [
        "child 0 on host 2", "child 1 on host 2", "child 2 on host 0"], (said, children, errors)
    said, _, errors = info(1, "self", "hostfile", f"{tmp_path}/none")
    assert said == "info -1" and f"info key hostfile: {tmp_path}/none is no file" in errors, (said, errors)


def test_children_on_a_host_twice():
    """The commands of MPI_Comm_spawn_multiple name hosts in any order. Their ranks are in the order of the commands."""
    for hosts in ((1, 0, 1), (0, 1, 2, 2, 0, 0, 1)):
        done = run("several", *(f"local{host}" for host in hosts), where=("--local=3", "--ranks-per-host=4"))
        *children, said = sorted(done.stdout.splitlines())
        assert done.returncode == 0 and not done.stderr and said == f"several {sum(range(1, len(hosts) + 1))}", done
        assert [child.split(" in ")[0] for child in children] == [f"child {rank} on host {host}" for rank, host in enumerate(hosts)], done


def test_children_on_the_host_that_mpi_names():
    """MPI_Get_processor_name returns the host name, which is not the name of a logical host."""
    said, children, errors = info(2, "self", "host", os.uname().nodename)
    assert said == "info 3" and len(children) == 2 and not errors, (said, errors)


def test_calls_that_cannot_succeed_return_an_error():
    """So do calls whose words PMI-1 cannot carry. Newlines are no reason."""
    done = run("wrong")
    assert done.returncode == 0 and done.stdout == "wrong 0\n", done
    for why in ("MPI_Comm_spawn by rank g0.0 fails: one of its texts has a line that begins with 'argcnt', as lines of PMI-1 do",
                "MPI_Publish_name by rank g0.0 fails: it gives an empty service",
                "MPI_Lookup_name by rank g0.0 fails: it gives an empty service", "MPI_Comm_spawn by rank g0.0: info key a_key has no effect"):
        assert why in done.stderr, (why, done)
    assert done.stderr.count("MPI_Comm_spawn by rank g0.0 fails: ") == 2, done  # Intel MPI itself leaves a long argument out


def test_children_have_no_more_room_than_max_slots():
    for ranks, why in ((2, ""), (3, "MPI_Comm_spawn by rank g0.0 fails: the hosts have room for 2 of 3 processes (max_slots)")):
        words = [DUCTILE, "run", "--hosts", "-", "--", SPAWNER, "info", str(ranks), "self"]
        done = subprocess.run(words, input="localhost max_slots=3\n", capture_output=True, text=True, timeout=patient(60), check=False)
        assert done.returncode == 0 and ("info -1" in done.stdout) == bool(why) and why in done.stderr, done


def test_children_in_their_directory(tmp_path):
    said, children, errors = info(1, "self", "wdir", str(tmp_path))
    assert (said, children, errors) == ("info 1", [f"child 0 on host 0 in {tmp_path}"], "")
    said, children, errors = info(1, "self", "wdir", f"{tmp_path}/nowhere")
    assert said == "info -1" and not children and "nowhere" in errors, (said, errors)


def test_children_that_are_found_by_their_path(tmp_path):
    os.symlink(SPAWNER, tmp_path / "a-child")
    said, children, errors = info(2, "a-child", "path", f"/nowhere:{tmp_path}")
    assert said == "info 3" and len(children) == 2 and not errors, (said, children, errors)
    said, children, errors = info(2, "a-child")
    assert said == "info -1" and not children and "cannot execute a-child" in errors, (said, errors)


def test_children_on_the_host_that_is_added():
    where = ("--local=3", "--ranks-per-host=2")
    said, children, errors = info(2, "self", "add-host", "local1", where=where, of=3)
    assert said == "info 3" and not errors and [child[:20] for child in children] == ["child 0 on host 1 in", "child 1 on host 1 in"], (said, children, errors)


def test_children_on_hosts_without_ranks():
    """Agents are started on such hosts. Free slots on hosts with ranks are used first."""
    said, children, errors = info(3, "self", where=("--local=3", "--ranks-per-host=2"))
    assert said == "info 6" and not errors, (said, errors)
    assert [child.split(" in ")[0] for child in children] == ["child 0 on host 0", "child 1 on host 1", "child 2 on host 1"], children
    said, children, errors = info(1, "self", "host", "local2", where=("--local=3", "--ranks-per-host=1"))
    assert said == "info 1" and not errors and children[0].startswith("child 0 on host 2 in"), (said, children, errors)


def test_children_that_fail():
    missing = run("missing")
    expect("missing 3", missing)
    assert "cannot execute" in missing.stderr or "/nowhere/nothing" in missing.stderr, missing
    expect("early 3", run("early"))
    dies = run("dies", "5")
    assert dies.returncode == 5 and dies.seconds < patient(10), dies
    assert len([line for line in dies.stderr.splitlines() if line.startswith("ductile: ")]) == 1 and "code 5" in dies.stderr, dies
    unfinished = run("unfinished")  # the job ends: otherwise the parent could wait for the child for ever
    assert unfinished.returncode == 1 and unfinished.seconds < patient(10) and "without MPI_Finalize" in unfinished.stderr, unfinished


def test_child_that_fails_before_it_connects():
    """The broker has answered the parent's MPI_Comm_spawn, which still waits for the child: the job ends."""
    fails = run("window", "code", "9")
    assert fails.returncode == 9 and fails.seconds < patient(10), fails
    assert len([line for line in fails.stderr.splitlines() if line.startswith("ductile: ")]) == 1 and "code 9" in fails.stderr, fails


def test_host_of_a_child_that_is_lost_before_it_connects(tmp_path):
    held = f"{tmp_path}/held"
    with Job([SPAWNER, "window", "hold", held, "local1"], where=("--local=2", "--ranks-per-host=1")) as job:
        wait_until("the child is told its parent's port", lambda: os.path.exists(held))
        job.id = wait_until("the job is known", lambda: [s["job"] for s in job.all_status() if job.is_mine(s)])[0]
        os.kill(job.agent(1), signal.SIGKILL)
        assert job.end(10) == 125 and "host local1 is lost" in job.stderr(), job.stderr()
        assert len([line for line in job.stderr().splitlines() if line.startswith("ductile: ")]) == 1, job.stderr()
        job.nothing_left(files=False)


def script(tmp_path, text):
    file = tmp_path / "a-program"
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o700)
    return str(file)


def test_ranks_that_speak_slowly(tmp_path):
    """The ranks send one byte a millisecond to their process manager. Everything works as usual."""
    hosts = ("--local=2", "--ranks-per-host=2")
    slow = script(tmp_path, f'exec {SPAWNER} slowly {SPAWNER} "$@"')
    begin = time.monotonic()
    done = subprocess.run([DUCTILE, "run", *hosts, "-n", "2", "--", slow, "info", "2", slow], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and not done.stderr and sorted(done.stdout.splitlines())[-1] == "info 3", done
    assert time.monotonic() - begin > 1, "it was slow"


def test_newcomers_that_speak_slowly(tmp_path):
    slow = script(tmp_path, f'[ $DUCTILE_GROUP = 0 ] && exec "$@"; exec {SPAWNER} slowly "$@"')
    for start in ("launch", "collective"):
        with Job([slow, STEADY, LONG, 5000], options=("--start", start)) as job:
            job.running()
            for size in (3, 1):
                assert job.resize(size).returncode == 0, job.stderr()
            job.ends_well()


def test_rank_that_speaks_wrongly(tmp_path):
    say = "import os, socket, time; s = socket.create_connection(('127.0.0.1', int(os.environ['PMI_PORT'].split(':')[1]))); s.send(b'cmd=initack pmiid=%s\\n' % os.environb[b'PMI_ID']); s.recv(9999); s.send(b'cmd=nonsense\\n'); time.sleep(100)"
    wrong = script(tmp_path, f'[ $PMI_RANK = 0 ] && exec "$@"; exec python3 -c "{say}"')
    done = subprocess.run([DUCTILE, "run", "--local=1", "-n", "2", "--", wrong, SPAWNER, "spawn", "1"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 137 and "it breaks PMI-1: it speaks before `init`" in done.stderr, done


def test_newcomer_that_does_not_speak(tmp_path):
    """The newcomer may still begin to speak PMI-1, so the growth waits. The job runs on. A cancel ends the newcomer."""
    silent = script(tmp_path, '[ $DUCTILE_GROUP = 0 ] && exec "$@"; exec sleep 1000')
    for start in ("launch", "collective"):
        with Job([silent, STEADY, LONG, 5000], options=("--start", start)) as job:
            job.running()
            asked = job.start_resize(2)
            wait_until("the newcomer sleeps", lambda: any("sleep" in command for command in job.group(1).values()))
            time.sleep(0.5)
            assert job.phase() == "starting", job.status()
            assert job.ask("cancel", job.id).returncode == 0
            assert asked.wait(10) != 0 and job.status()["ranks"] == 1
            assert not job.group(1)
            job.ends_well()


@pytest.mark.slow
def test_child_that_does_not_speak(tmp_path):
    silent = script(tmp_path, "exec sleep 1000")
    begin = time.monotonic()
    done = subprocess.run([DUCTILE, "run", "--local=1", "--ranks-per-host=2", "--", SPAWNER, "info", "1", silent], capture_output=True, text=True, timeout=100)
    assert done.returncode == 0 and done.stdout == "info -1\n" and "MPI did not run in all of its processes within 60 s" in done.stderr, done
    assert time.monotonic() - begin < patient(70)


@pytest.mark.parametrize("where", (("--local=1", "--ranks-per-host=3"), ("--local=3", "--ranks-per-host=1")))
def test_abort_ends_the_job(where):
    aborted = run("abort", "7", where=where, ranks=3)
    # MPI_Abort of MPICH 5.0.2 returns. So the rank may print its result before it is killed.
    assert aborted.returncode == 7 and aborted.seconds < patient(10), aborted
    assert [line for line in aborted.stderr.splitlines() if line.startswith("ductile: ") and "MPI_Abort" in line], aborted


def test_names_are_published():
    expect("names 1", run("names"))


def test_children_hold_their_host(tmp_path):
    """While a child runs, its host is not given back, and its parent does not leave the job."""
    ended = f"{tmp_path}/end"
    with Job([STEADY, LONG, 5000], options=("-n", "2"), environment={"STEADY_CHILD": SPAWNER, "STEADY_CHILD_UNTIL": ended}) as job:
        job.running()
        wait_until("the child runs", lambda: any("child wait" in command for command in job.group(1).values()))
        assert job.resize(3).returncode == 0, job.stderr()
        for how in (("--release", "local0"), ("2", "--method", "baseline")):
            refused = job.ask("resize", job.id, *how, "--wait")
            assert refused.returncode == 3 and "MPI_Comm_spawn (group g1)" in refused.stderr, (how, refused)
        full = job.ask("resize", job.id, "5", "--wait")
        assert full.returncode == 3 and "used by processes that the program has started: 1 slot of local2" in full.stderr, full
        open(ended, "w").close()
        wait_until("the child has ended", lambda: not job.group(1))
        done = wait_until("local0 is given back", lambda: [one for one in [job.ask("resize", job.id, "--release", "local0", "--wait")] if one.returncode == 0])
        assert done and job.status()["ranks"] == 2, done
        job.ends_well()


def test_job_waits_for_children(tmp_path):
    ended = f"{tmp_path}/end"
    with Job([SPAWNER, "wait", ended], where=("--local=2", "--ranks-per-host=2")) as job:
        wait_until("the child runs", lambda: "wait 1" in job.stdout())
        time.sleep(0.3)  # the job does not end meanwhile
        assert job.process.poll() is None, job.stderr()
        open(ended, "w").close()
        assert job.end(10) == 0 and not job.stderr(), job.stderr()
