"""Several MPI programs in one rank: one after the other, and one within another."""
import subprocess

from children_test import SPAWNER
from ductile_job import DUCTILE, LONG, STEADY, Job
from patience import patient

TWO_HOSTS = ("--local=2", "--ranks-per-host=2", "-n", "4")
RUNS = f"{SPAWNER} runs"
ALONE = "runs 0/1 sum 0"
SECOND_JOB = "a second program with a Job in rank g0."


def shell(text, where=("--local=1", "--ranks-per-host=2", "-n", "2")):
    """The job's ranks are shells. Returns the lines that they print, sorted, and what is on standard error."""
    done = subprocess.run([DUCTILE, "run", *where, "--", "sh", "-c", text], capture_output=True, text=True, timeout=patient(60))
    assert done.returncode == 0, done
    return sorted(done.stdout.splitlines()), done.stderr


def world(ranks, word="runs", code=""):
    return [f"{word} {rank}/{ranks} sum {ranks * (ranks - 1) // 2}{code}" for rank in range(ranks)]


def test_programs_one_after_the_other():
    assert shell(f"{RUNS}; {RUNS}; exec {RUNS}", TWO_HOSTS) == (sorted(3 * world(4)), "")
    # The ranks need not finalise at one time.
    assert shell(f"{RUNS}; [ $PMI_RANK = 1 ] && sleep 1; exec {RUNS}", TWO_HOSTS) == (sorted(2 * world(4)), "")


def test_program_within_a_program():
    """It is the only rank of its world, whatever it has inherited."""
    for inner in (RUNS, f"{RUNS}; {RUNS}", "for f in 3 4 5 6 7 8 9; do eval exec $f\\>\\&-; done; " + RUNS):
        times = 2 if ";" in inner and "for" not in inner else 1
        assert shell(f"exec {SPAWNER} runs '{inner}'") == (sorted(2 * times * [ALONE] + world(2, code=" code 0")), ""), inner
    assert shell(f"exec {SPAWNER} after '{RUNS}'") == (sorted(2 * [ALONE] + world(2, "after", " code 0")), "")
    assert shell(f"{RUNS} & wait; exec {SPAWNER} runs '{RUNS} & {RUNS} & wait'") == (sorted(world(2) + 4 * [ALONE] + world(2, code=" code 0")), "")


def test_program_within_a_program_fails_alone():
    said, errors = shell(f"exec {SPAWNER} runs '{SPAWNER} abort 5'")
    assert said == world(2, code=" code 5"), said
    assert errors.count("application called MPI_Abort(MPI_COMM_WORLD, 5)") == 2, errors
    said, errors = shell(f"exec {SPAWNER} runs '{SPAWNER} spawn 1'")
    assert said == sorted(2 * ["spawn -1"] + world(2, code=" code 0")), said
    assert "an MPI program in rank g0.0 calls MPI_Comm_spawn, which fails: it is no rank of the job (it has a process manager of its own by: env -u PMI_PORT PROGRAM)" in errors, errors
    assert shell(f"exec {SPAWNER} runs 'env -u PMI_PORT {RUNS}'") == (sorted(2 * [ALONE] + world(2, code=" code 0")), "")


def fails(text, code, why, ranks=2):
    done = subprocess.run([DUCTILE, "run", "--local=1", f"--ranks-per-host={ranks}", "-n", str(ranks), "--", "sh", "-c", text], capture_output=True, text=True, timeout=patient(60))
    assert done.returncode == code and why in done.stderr, done


def test_program_after_one_that_has_died(tmp_path):
    """Others may wait for it in MPI. Nobody does if it is alone in its world."""
    waits = f"{SPAWNER} held {tmp_path} & until [ -e {tmp_path}/$PMI_RANK ]; do sleep 0.02; done"
    fails(f"{waits}; [ $PMI_RANK = 0 ] || wait; kill -9 $!; exec {RUNS}", 137, "its MPI program has ended without MPI_Finalize, and it runs another")
    said, _ = shell(f"{SPAWNER} abort 3; exec {RUNS}", ("--local=1", "-n", "1"))
    assert said == [ALONE], said


def test_program_that_not_all_ranks_run():
    fails(f"{RUNS}; [ $PMI_RANK = 0 ] || exit 0; sleep 1; exec {RUNS}", 137, "it begins another MPI program, and a rank of its world has left or ended (it runs alone by: env -u PMI_PORT PROGRAM)")


def test_program_that_fails_after_a_job():
    fails(f"{STEADY} 20 1000; exec {SPAWNER} abort 3", 3, "has ended with code 3: it called MPI_Abort; the job is ended on all hosts")


def test_job_after_another_program():
    """New ranks run the whole script, and join with its second program."""
    with Job(["sh", "-c", f"{RUNS}; exec {STEADY} {LONG} 5000"]) as job:
        job.running()
        for size in (3, 1):
            assert job.resize(size).returncode == 0, job.stderr()
        job.ends_well()
        assert job.stdout().count("runs 0/") == 2 and SECOND_JOB not in job.stderr(), (job.stdout(), job.stderr())


def test_program_after_a_job():
    said, errors = shell(f"{STEADY} 20 1000; exec {RUNS}")
    assert said[-2:] == world(2) and SECOND_JOB not in errors, (said, errors)


def test_job_after_a_job():
    said, errors = shell(f"{STEADY} 20 1000; exec {STEADY} 20 1000")
    assert sum("bad 0" in line for line in said) == 2 and errors.count(SECOND_JOB) == 1, (said, errors)


def test_job_within_a_program():
    """It is not resized. Its ranks would be those of the program around it."""
    said, errors = shell(f"exec {SPAWNER} runs '{STEADY} 20 1000'")
    assert sum("bad 0" in line for line in said) == 2 and world(2, code=" code 0") == said[-2:], (said, errors)
    assert errors.count(SECOND_JOB) == 1, errors
