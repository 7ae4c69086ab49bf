"""A full disk, a limit on the size of files, and a journal that is out of date or of another job."""
import glob
import os
import re
import resource
import shutil
import signal
import time

from attack import AGENT, AttackedJob, command_of, run, wait_until
from private_tmp import mount_tmpfs

SMALL = "/tmp/small"


def on_a_small_disk(size="2m"):
    os.mkdir(SMALL, 0o700)
    mount_tmpfs(SMALL, size)
    os.environ["XDG_RUNTIME_DIR"] = SMALL


def fill():
    """Fills the disk until not one byte more can be written."""
    with open(SMALL + "/filler", "ab", buffering=0) as f:
        for block in (1 << 16, 4096, 1):
            try:
                while True:
                    f.write(b"x" * block)
            except OSError:
                continue


def says_why(text):
    """Whether the text names the journal and says that the disk is full."""
    text = text.lower()
    return "journal" in text and ("full" in text or "no space" in text)


def refused_while_full(job, *sizes):
    for size in sizes:
        before = job.status()["ranks"]
        asked = job.resize(size)
        assert asked.returncode in (3, 4) and says_why(asked.stderr), (size, asked)
        assert job.status()["ranks"] == before == len(job.ranks())
    job.is_stepping()


def test_resize_on_a_full_disk():
    """A resize is refused or rolled back, and the job runs on. When there is space again, resizes work as before."""
    on_a_small_disk()
    with AttackedJob("-n", "2") as job:
        job.running()
        job.expect_resize(3)
        fill()
        refused_while_full(job, 4, 1)
        os.unlink(SMALL + "/filler")
        job.expect_resize(4)
        ranks = sorted(job.ranks())
        assert len(ranks) == 4
        job.broker_dies()
        job.resume()
        assert sorted(job.ranks()) == ranks, "the next broker has them all"
        job.expect_whole(2, 3)


def test_disk_full_again_and_again():
    """The disk fills during resizes. Each answer is true, and the journal always has the present size."""
    on_a_small_disk()
    with AttackedJob("-n", "2") as job:
        job.running()
        now = 2
        for i, size in enumerate((3, 1, 4, 2)):
            asked = job.start_resize(size)
            time.sleep(0.05 * i)  # until some moment of the resize
            fill()
            out = asked.communicate(timeout=60)[0]
            if asked.returncode == 0:
                now = size
            else:
                assert asked.returncode in (3, 4) and says_why(out), (asked.returncode, out)
            assert job.status()["ranks"] == now, (size, asked.returncode, job.status()["ranks"])
            os.unlink(SMALL + "/filler")
        job.broker_dies()
        job.resume()
        assert job.status()["ranks"] == now == len(job.ranks())
        job.expect_whole(3, 1)


def test_ends_on_a_full_disk():
    on_a_small_disk()
    with AttackedJob("-n", "2") as job:
        job.running()
        fill()
        job.tell_to_end()
        assert job.end(20) == 0 and "bad 0" in job.stdout(), (job.stdout(), job.stderr())
        job.nothing_left()


def test_does_not_start_on_a_full_disk():
    on_a_small_disk()
    fill()
    with AttackedJob() as job:
        code = job.end(20)
        assert code in (1, 2, 125) and says_why(job.stderr()), (code, job.stderr())
        assert not job.stdout()


# --- a journal that is out of date ---


def behind(first, then):
    """The journal is replaced by its copy from before a resize. The next broker then refuses to take the job over, and kills nothing."""
    os.mkdir("/tmp/work", 0o700)
    os.chdir("/tmp/work")
    with AttackedJob("-n", str(first)) as job:
        job.running()
        if first > 2:
            job.is_stepping()
        else:
            job.expect_resize(1, 2)  # so that the old journal has a resize
        old, now = "/tmp/old", job.directory()
        os.mkdir(old)
        for path in glob.glob(now + "/journal.sqlite*"):
            shutil.copy2(path, old)
        job.expect_resize(then)
        ranks = sorted(job.ranks())
        assert len(ranks) == then
        job.broker_dies()
        for path in glob.glob(now + "/journal.sqlite*"):
            os.unlink(path)
        for path in os.listdir(old):
            shutil.copy2(f"{old}/{path}", now)
        broker = job.start_next_broker().wait(45)
        assert broker != 0 and "behind" in job.stderr(), (broker, job.stderr())
        assert broker in (1, 2, 125), broker
        time.sleep(2)  # nothing is killed later
        assert sorted(job.ranks()) == ranks, ("nothing was killed", ranks, job.ranks(), job.stderr())
        job.tell_to_end()
        job.nothing_left(20)
        said = "".join(open(path).read() for folder in ("/tmp/work", os.path.dirname(now)) for path in glob.glob(folder + "/**/*.out*", recursive=True))
        assert f"end {then} bad 0" in said + job.stdout(), (said, job.stdout())


def test_journal_from_before_a_growth():
    behind(2, 4)


def test_journal_from_before_a_shrink():
    behind(4, 2)


def test_journal_of_another_job():
    """The journal of another job is in a job's directory, and the brokers of both jobs are dead. Neither job is harmed."""
    with AttackedJob("-n", "2") as one, AttackedJob("-n", "3") as other:
        one.running(), other.running()
        ranks = sorted(one.ranks()), sorted(other.ranks())
        one.broker_dies(), other.broker_dies()
        for path in glob.glob(one.directory() + "/journal.sqlite*"):
            os.rename(path, path.replace("journal", "kept"))
        for path in glob.glob(other.directory() + "/journal.sqlite*"):
            shutil.copy2(path, one.directory())
        broker = one.start_next_broker().wait(45)
        assert broker == 2 and f"journal of job {other.id}" in one.stderr(), (broker, one.stderr())
        for path in glob.glob(one.directory() + "/journal.sqlite*"):
            os.unlink(path)
        for path in glob.glob(one.directory() + "/kept.sqlite*"):
            os.rename(path, path.replace("kept", "journal"))
        one.resume(), other.resume()
        assert (sorted(one.ranks()), sorted(other.ranks())) == ranks, ("nothing was killed", one.stderr(), other.stderr())
        one.expect_whole(3, 1)
        other.expect_whole(2, 1)


# --- a limit on the size of files ---


def limited(kibibytes):
    return ("bash", "-c", f'ulimit -f {kibibytes}; exec "$@"', "bash")


def default_file_size_signal(pid):
    """Whether a process would be ended by SIGXFSZ."""
    with open(f"/proc/{pid}/status") as f:
        fields = dict(line.split(":\t", 1) for line in f.read().splitlines() if ":\t" in line)
    bit = 1 << (signal.SIGXFSZ - 1)
    return not int(fields["SigIgn"], 16) & bit and not int(fields["SigBlk"], 16) & bit


def test_files_may_not_grow():
    """The files of the broker may not grow: a resize is refused as on a full disk, and the job runs on."""
    with AttackedJob("-n", "2") as job:
        job.running()
        job.expect_resize(3)
        broker = job.process.pid
        without = resource.prlimit(broker, resource.RLIMIT_FSIZE)
        size = max(os.path.getsize(path) for path in glob.glob(job.directory() + "/journal.sqlite*"))
        resource.prlimit(broker, resource.RLIMIT_FSIZE, (size + 2048, without[1]))
        for ranks in (4, 1):
            asked = job.resize(ranks)
            assert job.process.poll() is None, ("the broker has died", job.process.returncode, asked)
            assert asked.returncode in (3, 4) and "journal" in asked.stderr, asked
        assert len(job.ranks()) == 3 and all(map(default_file_size_signal, job.ranks()))
        job.is_stepping()
        resource.prlimit(broker, resource.RLIMIT_FSIZE, without)
        job.expect_resize(4)
        job.broker_dies()
        job.resume()
        assert len(job.ranks()) == 4
        job.expect_whole(1, 2)


def test_starts_where_files_may_not_grow():
    """Under `ulimit -f`, `ductile run` works or fails with a message. A signal does not end it."""
    for kibibytes in (0, 4, 16, 64):
        result = run("run", "--", "sh", "-c", "echo hello", prefix=limited(kibibytes))
        assert result.returncode in (0, 1, 2, 125), (kibibytes, result)
        assert result.returncode == 0 or re.search(rb"journal|cannot|large|full|space", result.stderr), (kibibytes, result)
        assert result.returncode != 0 or result.stdout == b"hello\n", (kibibytes, result)
    result = run("run", "--", "sh", "-c", "head -c 100000 /dev/zero > /tmp/large", prefix=limited(96))
    assert result.returncode in (153, 1, 2, 125), ("a rank's own file is its own affair", result)


def test_ranks_are_ended_by_file_size():
    """Ductile itself ignores SIGXFSZ. Ranks do not inherit this: neither the first ranks nor later ones."""
    with AttackedJob("-n", "2") as job:
        job.running()
        job.expect_resize(4)
        assert len(job.ranks()) == 4 and all(map(default_file_size_signal, job.ranks()))
        job.expect_whole(1, 2)


def test_orphans_output_may_not_grow():
    """An agent without a broker writes its ranks' output to a file. If this file may not grow, the ranks run on."""
    os.mkdir("/tmp/work", 0o700)
    os.chdir("/tmp/work")
    script = "echo 0 > /tmp/lines; i=0; while [ ! -e /tmp/stop ]; do echo $i .......... ; i=$((i+1)); echo $i > /tmp/lines; done"
    with AttackedJob(program=("sh", "-c", script)) as job:
        job.started()
        agents = job.agents()
        assert len(agents) == 1
        resource.prlimit(agents[0], resource.RLIMIT_FSIZE, (16384, 16384))
        wait_until("it writes", lambda: os.path.exists("/tmp/lines"), 10)
        job.broker_dies()
        lines = lambda: int(open("/tmp/lines").read().strip() or "0")  # noqa: E731
        before = lines()
        wait_until("the rank writes on", lambda: lines() > before + 20000, 30, 0.2)
        assert command_of(agents[0]) == AGENT, "the agent lives"
        open("/tmp/stop", "w").close()
        job.nothing_left(15)
