"""A host that has lost its broker writes the output of its ranks to a file. It never writes to a file of another user, and never waits for a
reader."""
import glob
import os
import stat
import tempfile

from attack import PLAIN, STRANGER, AttackedJob, do_as, need_root, parent, wait_until

WORK = "/tmp/work"


def work_in(mode, owner=None):
    os.mkdir(WORK)
    os.chmod(WORK, mode)
    os.chown(WORK, os.geteuid() if owner is None else owner, -1)
    os.chdir(WORK)


def make_fifo(path):
    os.mkfifo(path)
    os.chmod(path, 0o666)


def make_file(path):
    with open(path, "w") as f:
        f.write("not yours\n")
    os.chmod(path, 0o666)


def make_link(path):
    os.symlink("/tmp/target", path)


def make_dangling_link(path):
    os.symlink("/tmp/new-file", path)


def make_folder(path):
    os.mkdir(path, 0o777)



def log_folder():
    """A folder for logs that agents of any user can write to."""
    folder = tempfile.mkdtemp(prefix="logs")
    os.chmod(folder, 0o1777)
    return folder


def is_unchanged(path, before):
    now = os.lstat(path)
    assert (now.st_ino, now.st_size, now.st_mode) == (before.st_ino, before.st_size, before.st_mode), (path, before, now)


def orphaned(make, mode=0o1777, user=None, maker=STRANGER, where=None):
    """A job loses its broker, and its ranks print something at their end. The names of its output files are already taken: `make` has made something
    there, which must stay as it is."""
    user = os.geteuid() if user is None else user
    work_in(mode, None if mode == 0o1777 else user)
    with open("/tmp/target", "w") as f:
        f.write("a target\n")
    os.chmod("/tmp/target", 0o666)
    os.chmod("/tmp", 0o1777)
    with AttackedJob("-n", "2", user=user, logs=log_folder()) as job:
        job.running()
        taken = {f"{WORK}/ductile-{job.id}.host{host}.out" for host in (0, 1)}
        umask = os.umask(0)
        do_as(maker, lambda: [make(path) for path in taken]) if maker != os.geteuid() else [make(path) for path in taken]
        os.umask(umask)
        before = {path: os.lstat(path) for path in taken}
        output = f"{parent(user)}/output"
        job.broker_dies()
        job.broker_is_missed(2)  # the agents write the output themselves
        assert len(job.ranks()) == 2, "the ranks run on"
        job.tell_to_end()
        job.nothing_left(15)
        for path in taken:
            is_unchanged(path, before[path])
        assert open("/tmp/target").read() == "a target\n" and not os.path.exists("/tmp/new-file")
        found = [path for path in glob.glob((where or output) + "/*") if path not in taken and stat.S_ISREG(os.lstat(path).st_mode)]
        said = "".join(open(path).read() for path in found)
        assert "end 2 bad 0" in said, ("where is the output?", found, said, os.listdir(WORK))
        for path in found:
            about = os.lstat(path)
            assert job.id in path and about.st_uid == user and about.st_mode & 0o077 == 0, (path, about)


def test_file_of_another_user():
    need_root()
    orphaned(make_file)


def test_file_of_another_user_for_a_plain_user():
    need_root()
    orphaned(make_file, user=PLAIN)


def test_fifo_without_a_reader():
    need_root()
    orphaned(make_fifo)


def test_fifo_while_a_rank_writes():
    """If the agent waited for a reader of the FIFO, its rank could not write either."""
    need_root()
    work_in(0o1777)
    script = "echo 0 > /tmp/lines; i=0; while [ ! -e /tmp/stop ]; do echo $i .......... ; i=$((i+1)); echo $i > /tmp/lines; done"
    with AttackedJob(program=("sh", "-c", script)) as job:
        job.started()
        wait_until("it writes", lambda: os.path.exists("/tmp/lines"), 10)
        path = f"{WORK}/ductile-{job.id}.host0.out"
        do_as(STRANGER, lambda: (os.umask(0), make_fifo(path)))
        job.broker_dies()
        lines = lambda: int(open("/tmp/lines").read().strip() or "0")  # noqa: E731
        before = lines()
        wait_until("the rank writes on", lambda: lines() > before + 20000, 20, 0.2)
        open("/tmp/stop", "w").close()
        job.nothing_left(15)


def test_link_to_a_file():
    need_root()
    orphaned(make_link)


def test_link_to_no_file():
    need_root()
    orphaned(make_dangling_link)


def test_directory_in_its_place():
    need_root()
    orphaned(make_folder, user=PLAIN)


def test_own_file_is_kept():
    """The output goes to the working directory if this belongs to the user. If the name is taken, the file has another name."""
    orphaned(make_file, mode=0o700, maker=os.geteuid(), where=WORK)


def test_own_fifo_is_kept():
    orphaned(make_fifo, mode=0o755, maker=os.geteuid(), where=WORK)


def test_own_link_is_kept():
    orphaned(make_dangling_link, mode=0o700, maker=os.geteuid(), where=WORK)


def test_directory_that_a_group_may_write():
    orphaned(make_file, mode=0o770, maker=os.geteuid())


def test_working_directory_of_another_user():
    """The working directory belongs to another user. Root may write to it, but the output does not go there."""
    need_root()
    os.mkdir(WORK)
    os.chown(WORK, STRANGER, STRANGER)
    os.chdir(WORK)
    with AttackedJob("-n", "1", logs=log_folder()) as job:
        job.running()
        job.broker_dies()
        job.broker_is_missed(1)  # the agent writes the output itself
        job.tell_to_end()
        job.nothing_left(15)
        assert not os.listdir(WORK), os.listdir(WORK)
        said = "".join(open(path).read() for path in glob.glob(f"{parent()}/output/*"))
        assert "end 1 bad 0" in said, said


def test_output_directory_is_a_link():
    """A symlink replaces the directory `output`, which is beside those of the jobs. Output goes there if no other place is safe."""
    need_root()
    work_in(0o1777)
    os.mkdir("/tmp/victim", 0o700)
    with AttackedJob("-n", "2", logs=log_folder()) as job:
        job.running()
        os.symlink("/tmp/victim", f"{parent()}/output")
        job.broker_dies()
        job.broker_is_missed(2)  # the agents write the output themselves
        job.tell_to_end()
        job.nothing_left(15)
        assert not os.listdir("/tmp/victim") and not glob.glob(f"{WORK}/ductile-*"), (os.listdir("/tmp/victim"), os.listdir(WORK))


def test_output_after_a_take_over():
    """After a takeover the output goes to the new broker."""
    work_in(0o1777)
    with AttackedJob("-n", "2", logs=log_folder()) as job:
        job.running()
        for deaths in (1, 2):
            job.broker_dies()
            job.broker_is_missed(2 * deaths)  # the agents write the output themselves for a while
            job.resume()
        job.expect_whole(3, 1)
