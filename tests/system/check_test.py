"""`ductile run --check`: wrong uses of communicators, and ranks that wait too long."""
import os
import re
import subprocess

import pytest
from ductile_job import DUCTILE, STEADY, Job, processes, wait_until
from host_job import NAME, cluster

MISTAKES = os.environ["MISTAKES_PROGRAM"]
NEIGHBOURS = os.environ["NEIGHBOURS_PROGRAM"]
ASKS = os.environ["ASKS_ITSELF_PROGRAM"]
WHERE = ("--local=4", "--ranks-per-host=2")


def mistake(which, *, ranks=2, size=4, steps=3, options=("--check",), environment=None):
    return Job([MISTAKES, which, size, steps], where=WHERE, options=("-n", str(ranks), *options), environment=environment)


def said(job):
    return [line.removeprefix("ductile check: ") for line in job.stderr().splitlines() if line.startswith("ductile check: ")]


# A finding names the ranks that have made the call so far: at least one old rank and one new rank.
STAYERS_DIFFER = (r"collective call 1 on the job's communicator since the resize is not the same on all ranks: MPI_Bcast on ranks? (0|1|0-1), "
                  r"MPI_Allreduce on ranks? (2|3|2-3) \(new since the resize: ranks? (2|3|2-3)\)")

FINDINGS = {
    "world": r"rank \d of 4 calls MPI_Allreduce on MPI_COMM_WORLD: it holds the ranks that were started together, and never changes. "
             r"Use the job's communicator \(Job::comm\(\); in C ductile_job_comm\(\); in DMR DMR_COMM\) \(called at mistakes\+0x[0-9a-f]+\)",
    "old": r"rank [01] of 4 calls MPI_Barrier on the communicator that the job had before the last resize: it is void. Ask for the job's communicator again after "
           r"each resize \(Job::comm\(\); in C ductile_job_comm\(\); in DMR DMR_COMM\) \(called at mistakes\+0x[0-9a-f]+\)",
    "made": r"rank [01] of 4 calls MPI_Barrier on a communicator made from the communicator that the job had before the last resize: ranks have come or gone since. "
            r"Make it anew after each resize, in Job::on_rebuild\(\) \(called at mistakes\+0x[0-9a-f]+\)",
    "span": r"rank [01] of 4 uses memory of array 'field' that is not the array's any more: a span or pointer is void after a resize, and when "
            r"the Job has ended. Take it from the array again after each `resized` \(at mistakes\+0x[0-9a-f]+\)",
    "frozen": r"rank \d of 4 writes to array 'field', which is frozen: it may be moving while the program computes. Freeze only an array to "
              r"which no rank writes any more \(at mistakes\+0x[0-9a-f]+\)",
}


@pytest.mark.parametrize("which", FINDINGS)
def test_what_is_void_after_a_resize_ends_the_job(which):
    with mistake(which) as job:
        assert job.end(40) == 1, job.stderr()
        lines = said(job)
        assert lines and all(re.fullmatch(FINDINGS[which], line) for line in lines), job.stderr()
        assert "end" not in job.stdout()


def test_report_continues():
    """Each rank reports each place in the program once."""
    with mistake("made", size=3, options=("--check=report",), environment={"DUCTILE_CHECK_AFTER": "1000"}) as job:
        assert job.end(40) == 0, job.stderr()
        lines = said(job)
        assert len(lines) == 2 and all(re.fullmatch(FINDINGS["made"].replace("of 4", "of 3"), line) for line in lines), job.stderr()


def test_collective_that_newcomers_do_not_make():
    """The program does not hang: a broadcast does not wait for ranks that only receive."""
    with mistake("stayers", steps=100000) as job:
        assert job.end(40) == 1, job.stderr()
        text = "\n".join(said(job))
        assert re.search(STAYERS_DIFFER, text), job.stderr()
        assert "must leave out calls that the others do not make" in text, job.stderr()


def test_collective_of_a_kind_that_newcomers_make_later():
    """The program does not hang before the next resize. The finding then says which ranks have made fewer calls."""
    with mistake("stayers-sum", steps=1000000, environment={"DUCTILE_CHECK_AFTER": "1"}) as job:
        job.running()
        wait_until("it has grown", lambda: job.status()["ranks"] == 4)
        job.resize(3, wait=False)
        wait_until("it is said", lambda: any("fewer collective calls" in line for line in said(job)), 30)
        assert re.search(r"made fewer collective calls on the job's communicator since the resize than the \d+ of rank [01] "
                         r"\(new since the resize: ranks 2-3\)", "\n".join(said(job))), job.stderr()


def test_who_waits_for_whom():
    with mistake("silent", options=("--check", "--check-after", "1")) as job:
        job.running()
        wait_until("it is said", lambda: any("The job's 4 ranks are here" in line for line in said(job)), 30)
        text = "\n".join(said(job))
        assert "rank 0: in MPI_Recv from rank 1, tag 7, on the job's communicator (for 1 s)" in text, text
        assert re.search(r"ranks 1-3: in MPI_Allreduce on the job's communicator, collective call \d+ since the resize \(for \d s\)", text), text
        assert job.process.poll() is None  # a long wait need not be a mistake


def test_rank_that_does_not_come():
    with mistake("late", environment={"DUCTILE_CHECK": "1", "DUCTILE_CHECK_AFTER": "1"}, options=()) as job:
        job.running()
        wait_until("it is said", lambda: any("The job's 4 ranks are here" in line for line in said(job)), 30)
        assert re.search(r"rank 1: outside of MPI, after [\w:()]+ \(for \d s\)", "\n".join(said(job))), job.stderr()


@pytest.mark.parametrize("size", (4, 1))
def test_right_programs_pass(size):
    with mistake("none", size=size, steps=30) as job:
        assert job.end(40) == 0, job.stderr()
        assert said(job) == [] and job.stdout() == "end\n", job.stderr()


def test_resizes_of_all_kinds_pass():
    with Job([NEIGHBOURS, 100000, 5000, 1003], where=WHERE, options=("-n", "2", "--check"), environment={"NEIGHBOURS_ENOUGH": "6"}) as job:
        job.running()
        for size, how in ((5, ()), (3, ()), (2, ("--shrink", "park")), (4, ()), (6, ("--method", "baseline")), (1, ()), (8, ())):
            done = job.resize(size, *how)
            assert done.returncode == 0, (size, how, done, job.stderr())
        assert job.end(30) == 0 and said(job) == [], job.stderr()


@pytest.mark.parametrize("executor", ("p2p", "rma-lock"))
def test_frozen_arrays_pass(executor):
    with Job([STEADY, 1000000, 5000], where=WHERE, environment={"STEADY_FROZEN": "1"},
             options=("-n", "2", "--check", "--join", "background", "--redistribution", executor)) as job:
        job.running()
        for size in (4, 2, 5):
            done = job.resize(size)
            assert done.returncode == 0, (size, done, job.stderr())
        assert job.status()["resizes"][-1]["bytes_sent_ahead"] > 0
        job.ends_well(60)
        assert said(job) == [], job.stderr()


def test_c_programs_pass():
    with Job([ASKS, 4, 3, 8, 1], where=WHERE, options=("-n", "2", "--max", "8", "--check")) as job:
        assert job.end(40) == 0 and said(job) == [], job.stderr()
        assert job.stdout().splitlines()[-1] == "bad 0", job.stdout()


def test_nothing_is_loaded_without_it():
    loaded = {}
    for options in ((), ("--check",)):
        with mistake("none", size=999, steps=1, options=options) as job:
            job.running()
            ranks = [pid for pid, command in processes(DUCTILE_JOB=job.id).items() if command.startswith(MISTAKES)]
            assert len(ranks) == 2, ranks
            loaded[options] = ["libductile_check" in open(f"/proc/{pid}/maps").read() for pid in ranks]
    assert loaded == {(): [False, False], ("--check",): [True, True]}


@pytest.mark.parametrize("options, environment, why", (
    (("--check=all",), {}, "--check is 'all', not one of: 0, 1, report"),
    ((), {"DUCTILE_CHECK": "yes"}, "DUCTILE_CHECK in the environment is 'yes', not one of: 0, 1, report"),
    (("--check", "--check-after", "0"), {}, "--check-after is not from 0.1 to 1000000 seconds")))
def test_bad_words_are_refused(options, environment, why):
    with mistake("none", options=options, environment=environment) as job:
        assert job.end(20) == 2, job.stderr()
        assert why in job.stderr()


@pytest.mark.cluster
@pytest.mark.hosts(2)
def test_ranks_of_several_hosts(virtual_hosts):
    hosts = cluster("hosts").stdout.strip()
    shell = f"{DUCTILE} cluster exec --name {NAME} {{host}} -- {{argv}}"
    argv = [DUCTILE, "cluster", "exec", "--name", NAME, "head", "--", DUCTILE, "run", "--hosts", hosts, "--ranks-per-host", "2",
            "--remote-shell", shell, "--shared-cores", "yes", "-n", "2", "--check", "--", MISTAKES, "world", "4", "3"]
    run = subprocess.run(argv, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL, check=False)
    assert run.returncode == 1, run
    lines = [line for line in run.stderr.splitlines() if line.startswith("ductile check: ")]
    assert lines and all(re.fullmatch("ductile check: " + FINDINGS["world"], line) for line in lines), run
    argv[argv.index("world")] = "stayers"
    argv[-1] = "100000"
    run = subprocess.run(argv, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL, check=False)
    assert run.returncode == 1 and re.search(STAYERS_DIFFER, run.stderr), run
