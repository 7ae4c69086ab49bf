"""Odd umasks, directories that vanish, impossible paths and names; and which processes of a job other processes can read."""
import glob
import os
import re
import shutil
import signal
import stat
import subprocess
import time

import pytest
from attack import PLAIN, AttackedJob, as_user, expect_calm, need_root, parent, processes, run, wait_until


def with_umask(umask):
    return ("sh", "-c", f'umask {umask}; exec "$@"', "sh")


def modes_in(folder):
    found = {}
    for where, folders, files in os.walk(folder):
        found.update({os.path.join(where, one): os.lstat(os.path.join(where, one)).st_mode for one in [*folders, *files]})
    return {folder: os.lstat(folder).st_mode, **found}


def expect_private(folder):
    """Directories have mode 0700, sockets and the journal 0600. Other files give no access to other users."""
    wrong, seen = [], set()
    for path, mode in modes_in(folder).items():
        name = os.path.basename(path)
        seen.add(name)
        if stat.S_ISDIR(mode):
            fits = stat.S_IMODE(mode) == 0o700
        elif stat.S_ISSOCK(mode) or name.startswith("journal"):
            fits = stat.S_IMODE(mode) == 0o600
        else:
            fits = not mode & 0o077
        if not fits:
            wrong.append((path, oct(mode)))
    assert {"journal.sqlite", "journal.sqlite-wal", "broker.sock", "agent.sock"} <= seen, seen
    assert not wrong, wrong


def job_under_umask(umask, user):
    """A job under this umask starts, is resized, shown and taken over. Its files are private."""
    with AttackedJob("-n", "2", user=user, prefix=with_umask(umask)) as job:
        job.running()
        expect_private(parent(user))
        job.expect_resize(3)
        expect_private(parent(user))
        job.broker_dies()
        job.resume()
        expect_private(parent(user))
        job.expect_resize(4, 1)
        expect_private(parent(user))
        job.expect_whole(2)
        told = "share no memory" in job.stderr()
        assert told == (user == PLAIN), job.stderr()


def test_umask_0777():
    job_under_umask("0777", os.geteuid())


def test_umask_0777_of_a_plain_user():
    need_root()
    job_under_umask("0777", PLAIN)


def test_umask_0000():
    job_under_umask("0000", os.geteuid())


def test_umask_0277_of_a_plain_user():
    need_root()
    job_under_umask("0277", PLAIN)


def test_ranks_have_the_users_umask():
    """An agent sets a umask for its own files. Its ranks have the umask of the user."""
    for umask in ("0777", "0000", "0027"):
        result = run("run", "--", "sh", "-c", "umask", prefix=with_umask(umask))
        assert result.returncode == 0 and result.stdout.strip() == umask.encode(), (umask, result)


# --- a runtime directory that vanishes ---


def vanishes(what):
    """Within 2 s a message says what has happened. The job runs on, and ends in order."""
    with AttackedJob("-n", "2") as job:
        job.running()
        job.expect_resize(3)
        ranks = sorted(job.ranks())
        before = job.stderr()
        gone = what(job)
        shutil.rmtree(gone)
        wait_until("it is said", lambda: os.path.dirname(job.directory()) in job.stderr()[len(before):] or job.directory() in job.stderr()[len(before):], 2, 0.05)
        said = job.stderr()[len(before):]
        assert re.search(r"delet|remov|gone|missing|vanish", said), said
        time.sleep(1.5)  # the message does not come again
        assert len(job.stderr()) - len(before) < 2000, ("once, not again and again", job.stderr())
        assert sorted(job.ranks()) == ranks and job.process.poll() is None, "the job runs on"
        job.process.send_signal(signal.SIGINT)
        assert job.end(10) == 130, job.stderr()
        job.nothing_left()


def test_parent_directory_vanishes():
    vanishes(lambda job: parent())


def test_brokers_directory_vanishes():
    vanishes(lambda job: job.directory())


def test_program_ends_after_its_directory_vanished():
    with AttackedJob("-n", "2") as job:
        job.running()
        shutil.rmtree(parent())
        time.sleep(2.5)  # nothing ends the job meanwhile
        job.tell_to_end()
        assert job.end(20) == 0 and "bad 0" in job.stdout(), (job.stdout(), job.stderr())
        job.nothing_left()


# --- paths ---

NO_FOLDER, FOLDER = "/tmp/no/such/folder/file", "/tmp/folder"


def refused_at_once(words, path, env=None):
    """None if the command is refused in less than 2 s, before it starts anything, with a message that names the path."""
    begin = time.monotonic()
    try:
        result = run(*words, seconds=8, env=env)
    except subprocess.TimeoutExpired:
        return (words, "not refused within 8 s", b"")
    took = time.monotonic() - begin
    if result.returncode not in (1, 2) or path.encode() not in result.stderr or took > 2 or os.path.exists("/tmp/started"):
        clear_started()
        return (words, result.returncode, f"{took:.1f} s", result.stdout[-200:], result.stderr[-300:])
    return None


def clear_started():
    if os.path.exists("/tmp/started"):
        os.unlink("/tmp/started")


def test_files_that_cannot_be_written():
    os.mkdir(FOLDER)
    os.mkdir("/tmp/run", 0o700)
    os.environ["XDG_RUNTIME_DIR"] = "/tmp/run"
    events = "/tmp/events.jsonl"
    recorded = run("run", "--events", events, "--", "true")
    assert recorded.returncode == 0 and os.path.getsize(events), recorded
    failures = []
    no_charts = b"charting library" in run("report", events, "-o", "/tmp/page.html").stderr  # then no page can be made here
    for path in (NO_FOLDER, FOLDER, "/tmp/events.jsonl/file", FOLDER + "/"):
        for words in (["run", "--events", path, "--", "touch", "/tmp/started"], ["demo", "--quick", "--page", path], ["demo", "--quick", "--events", path], ["demo", "--quick", "--logical", "--page", path],
                      ["report", events, "-o", path], ["calibrate", "--rounds", "1", "--local", "2", "--output", path], ["trees", "study", "-o", path], ["trees", "study", "--csv", path],
                      ["trees", "study", "--json", path]):
            if words[0] != "calibrate" or path != NO_FOLDER:  # calibrate makes this folder
                failures.append(refused_at_once(words, path))
        assert os.path.isdir(FOLDER) and not os.listdir(FOLDER)
    failures.append(refused_at_once(["report", "/tmp/no-events"], "/tmp/no-events"))
    failures.append(refused_at_once(["report", FOLDER], FOLDER))
    failures.append(refused_at_once(["run", "--config", FOLDER, "--", "touch", "/tmp/started"], FOLDER))
    failures.append(refused_at_once(["run", "--hosts", FOLDER, "--", "touch", "/tmp/started"], FOLDER))
    failures.append(refused_at_once(["run", "--costs", FOLDER, "--", "touch", "/tmp/started"], FOLDER))
    failures = [one for one in failures if one and not (no_charts and b"charting library" in one[-1])]
    assert not failures, f"{len(failures)}:\n" + "\n".join(map(str, failures))


# --- names ---


def test_names_that_cannot_be():
    """Names of jobs that are too long, or have slashes, `..` or bytes that are not UTF-8."""
    failures = []
    with AttackedJob("-n", "2") as job:
        job.running()
        os.makedirs("/tmp/outside")
        for name in ("x" * 300, "y" * 5000, "a/b", "../" + os.path.basename(parent()) + "/" + job.id, "..", ".", "/", job.id + "/", "./" + job.id, f"{parent()}/{job.id}", "/" * 5000, "../../tmp/outside",
                     f"{job.id}.0.1", os.fsdecode(b"\xff\xfe"), "a b", "-x", " ", "\n", job.id.upper() + "x"):
            for words in (["status", name], ["resize", name, "4"], ["end", name], ["cancel", name], ["watch", name], ["renew", name], ["run", "--resume", name]):
                try:
                    result = run(*words, seconds=10)
                    expect_calm(result, [word[:40] for word in words], (2,))
                    assert result.stderr.strip() and result.stderr.count(b"\n") <= 3, ([word[:40] for word in words], result.stderr)
                except (AssertionError, subprocess.TimeoutExpired) as error:
                    failures.append(repr(error)[:300])
        assert os.path.isdir("/tmp/outside") and not os.listdir("/tmp/outside")
        assert job.process.poll() is None and job.status()["ranks"] == 2, job.stderr()
        job.expect_whole(3, 1)
    assert not failures, f"{len(failures)}:\n" + "\n".join(failures)


def test_commands_that_are_none():
    """For an unknown command or option the message names the word, and says that --help lists the right ones."""
    failures = []
    for words, odd in ((["nosuch"], "nosuch"), (["nosuch", "x"], "nosuch"), (["stat"], "stat"), (["--nosuch"], "--nosuch"), (["status", "a", "b"], "b"), (["status", "--nosuch"], "--nosuch"),
                       (["run", "--nosuch", "--", "true"], "--nosuch"), (["cluster", "nosuch"], "nosuch"), (["trees", "nosuch"], "nosuch")):
        result = run(*words)
        if result.returncode != 2 or odd.encode() not in result.stderr or b"--help" not in result.stderr:
            failures.append((words, result.returncode, result.stdout[-100:], result.stderr[-200:]))
    assert not failures, "\n".join(map(str, failures))


# --- which processes can read a process ---


def is_dumpable(pid, user):
    """Whether a plain user's process is dumpable. If not, its files in /proc belong to root."""
    return os.stat(f"/proc/{pid}/environ").st_uid == user


def members(job):
    found = {"broker": [job.process.pid], "agent": [], "rank": job.ranks()}
    found["agent"] = [pid for pid, command in processes(**job.mark).items() if command.split(" ")[0].endswith("/libexec/ductile/agent")]
    assert len(found["agent"]) == 3 == len(found["rank"]), found
    return found


def who_is_dumpable(wanted, environment=None):
    need_root()
    with AttackedJob("-n", "2", user=PLAIN, environment=environment) as job:
        job.running()
        job.expect_resize(3)
        now = {kind: {is_dumpable(pid, PLAIN) for pid in pids} for kind, pids in members(job).items()}
        assert now == {"broker": {wanted}, "agent": {wanted}, "rank": {True}}, now
        job.broker_dies()
        job.resume()
        assert is_dumpable(job.process.pid, PLAIN) == wanted or environment, "the next broker, too"
        job.expect_whole(4, 1)


def test_broker_and_agents_are_not_dumpable():
    who_is_dumpable(False)


def test_dumpable_where_that_is_asked_for():
    who_is_dumpable(True, {"DUCTILE_DUMPABLE": "1"})


def cores_of(environment):
    """Aborts an agent and a broker. Returns the core files that they leave in the working directory."""
    work = "/tmp/cores"
    shutil.rmtree(work, ignore_errors=True)
    os.mkdir(work, 0o700)
    os.chown(work, PLAIN, PLAIN)
    os.chdir(work)
    left = {}
    for kind in ("agent", "broker"):
        with AttackedJob("-n", "2", user=PLAIN, environment=environment, prefix=("sh", "-c", 'ulimit -c unlimited && exec "$@"', "sh")) as job:
            job.running()
            job.expect_resize(3)
            victim = members(job)[kind][0]
            where = os.readlink(f"/proc/{victim}/cwd")
            os.kill(victim, signal.SIGABRT)
            wait_until("it has ended", lambda: not os.path.exists(f"/proc/{victim}/fd") or job.process.poll() is not None or not processes_alive(victim), 10)
            time.sleep(1)  # time for a core that comes late
            left[kind] = glob.glob(f"{work}/core*") + (glob.glob(f"{where}/core*") if where != work and where.startswith("/tmp") else [])
            for path in left[kind]:
                os.unlink(path)
    return left


def processes_alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def test_no_core_with_the_jobs_secret():
    need_root()
    with open("/proc/sys/kernel/core_pattern") as f:
        pattern = f.read().strip()
    if "/" in pattern or pattern.startswith("|"):
        pytest.skip(f"cores are not written to the working directory here: kernel.core_pattern is {pattern}")
    asked = cores_of({"DUCTILE_DUMPABLE": "1"})
    if not asked["broker"]:
        pytest.skip("no core is written here, even where that is asked for")
    left = cores_of({})
    assert not left["broker"] and not left["agent"], left


def test_not_read_by_the_same_user():
    """A plain user's other processes, ranks among them, cannot read the broker's memory or descriptors."""
    need_root()
    with AttackedJob("-n", "2", user=PLAIN) as job:
        job.running()
        job.expect_resize(3)
        for kind in ("broker", "agent"):
            pid = members(job)[kind][0]
            for name in ("mem", "environ", "fd", "maps"):
                words = ["ls", f"/proc/{pid}/{name}/"] if name == "fd" else ["sh", "-c", f"exec 3< /proc/{pid}/{name}"]
                tried = subprocess.run([*as_user(PLAIN), *words], capture_output=True, timeout=10)
                if name in ("mem", "fd"):
                    assert tried.returncode != 0, (kind, name, tried)
        job.expect_whole(2)
