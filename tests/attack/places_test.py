"""Directories that Ductile must not trust: symlinks, directories of other users, and directories that Ductile has not made."""
import glob
import json
import os
import re
import signal
import struct
import subprocess
import time

import pytest
from attack import (AGENT, DUCTILE, PLAIN, STRANGER, WEEK, AttackedJob, FakeBroker, DeadJob, as_user, bombs, clear, control_characters,
                    do_as, expect_calm, make_files, make_old, need_root, parent, reply, run, tree_of, wait_until)

OLD = ("photos/1.jpg", "thesis/chapter1.txt", "0badcafe/journal.sqlite", "job.0.1/notes.txt", "job.0.2/", "empty/")


def ask_everything(check, user=None):
    """Runs each command that reads the directory of this user's jobs."""
    for words in (["run", "--", "true"], ["status"], ["status", "0badcafe"], ["resize", "4"], ["resize", "0badcafe", "4"], ["end"], ["end", "0badcafe"], ["cancel"], ["watch"],
                  ["run", "--resume", "0badcafe"]):
        check(words, run(*words, user=user))


def sweep(marker, user=None):
    return subprocess.run([*as_user(os.geteuid() if user is None else user), AGENT, "--sweep", marker], capture_output=True, timeout=20, stdin=subprocess.DEVNULL)


def link_to_a_victim(link_owner, user):
    """/tmp/ductile-UID is a symlink to a directory with old files of the user. Nothing there is touched."""
    victim, link = "/tmp/victim", parent(user)
    failures = []
    for mode in (0o755, 0o700):
        clear(victim), clear(link)
        make_files(victim, *OLD)
        for where, folders, files in os.walk(victim):
            for one in [where, *(os.path.join(where, name) for name in folders + files)]:
                os.chown(one, user, user)
        os.chmod(victim, mode)
        make_old(victim, 4 * WEEK)
        before = tree_of(victim)
        do_as(link_owner, lambda: os.symlink(victim, link))

        def check(words, result):
            if tree_of(victim) != before:
                failures.append(("touched", words, sorted(set(before) - set(tree_of(victim)))))
                make_files(victim, *OLD, age=4 * WEEK)
            if result.returncode not in (1, 2) or link.encode() not in result.stderr:
                failures.append(("not refused by name", words, result.returncode, result.stdout, result.stderr))
        ask_everything(check, user)
        for marker in ("job.0.1", "job.0"):
            swept = sweep(marker, user)
            if tree_of(victim) != before or swept.returncode < 0 or link.encode() not in swept.stderr:
                failures.append(("sweep", marker, sorted(set(before) - set(tree_of(victim))), swept))
                make_files(victim, *OLD, age=4 * WEEK)
    assert not failures, "\n".join(map(str, failures))


def test_own_link_to_a_victim():
    link_to_a_victim(os.geteuid(), os.geteuid())


def test_foreign_link_to_a_victim():
    need_root()
    for user in (0, PLAIN):
        link_to_a_victim(STRANGER, user)


def test_unmarked_directories_stay():
    """The directory belongs to the user, but its contents were not made by Ductile: they stay."""
    make_files(parent(), *OLD, age=4 * WEEK)
    os.chmod(parent(), 0o700)
    make_files("/tmp/elsewhere", "file")
    os.symlink("/tmp/elsewhere", f"{parent()}/job.0.3")
    make_old(parent(), 4 * WEEK)
    before = tree_of(parent())
    result = run("run", "--", "true")
    assert result.returncode == 0, result
    lost = sorted(set(before) - set(tree_of(parent())))
    assert not lost, ("`run` has removed what Ductile had not made", lost)
    for marker in ("job.0.1", "job.0"):
        assert sweep(marker).returncode == 0
        lost = sorted(set(before) - set(tree_of(parent())))
        assert not lost, ("a sweep has removed what Ductile had not made", lost)
    with AttackedJob() as job:
        job.running()
        job.expect_whole(2, 1)
    assert os.path.exists("/tmp/elsewhere/file")
    assert not set(before) - set(tree_of(parent()))


def test_dead_directories_go():
    """Directories that Ductile has made are removed: that of an agent after a minute, one with a journal after a week."""
    dead = DeadJob()
    of_agent = glob.glob(f"{parent()}/{dead.job}.*")
    assert of_agent, os.listdir(parent())
    make_old(parent(), WEEK - 3600)
    for path in [dead.directory, *of_agent]:
        make_old(path, WEEK - 3600)
    assert run("run", "--", "true").returncode == 0
    assert not any(map(os.path.exists, of_agent)), "an agent's directory goes"
    assert os.path.exists(dead.directory), "a journal is kept for a week"
    make_old(dead.directory, WEEK + 3600)
    assert run("run", "--", "true").returncode == 0
    assert not os.path.exists(dead.directory), "and not longer"


def test_sweep_of_a_dead_agent():
    """A sweep removes the directory of the agent that it names."""
    dead = DeadJob()
    of_agent = glob.glob(f"{parent()}/{dead.job}.*")[0]
    result = sweep(os.path.basename(of_agent))
    assert result.returncode == 0 and not os.path.exists(of_agent), result


# --- clusters ---

CLUSTER_OLD = ("new-car/plans.txt", "new-Abc123/file", "cluster-of-stars/lock", "cluster-of-stars/data.txt", "cluster-x/lock", "unrelated/file")


def cluster_commands():
    for words in (["status"], ["hosts"], ["down"], ["ps", "node01"], ["kill", "node01"], ["exec", "node01", "--", "true"], ["up", "1", "--name", "fresh"], ["down", "--name", "fresh"]):
        yield words, run("cluster", *words)


def cluster_base():
    return f"/tmp/ductile-cluster-{os.geteuid()}"


def expect_no_cluster_touches(base, target):
    before, failures = tree_of(target), []
    for words, result in cluster_commands():
        lost = sorted(set(before) - set(tree_of(target)))
        if lost:
            failures.append(("touched", words, lost))
            make_files(target, *CLUSTER_OLD, age=4 * WEEK)
        if base and (result.returncode in (0, 128 + signal.SIGSEGV) or result.returncode < 0 or base.encode() not in result.stderr):
            failures.append(("not refused by name", words, result))
    assert not failures, "\n".join(map(str, failures))


def test_cluster_link_to_a_victim():
    for base in (cluster_base(), "/tmp/run/ductile-cluster"):
        clear("/tmp/victim")
        make_files("/tmp/victim", *CLUSTER_OLD, age=4 * WEEK)
        os.chmod("/tmp/victim", 0o700)
        if base.startswith("/tmp/run"):
            os.mkdir("/tmp/run", 0o700)
            os.environ["XDG_RUNTIME_DIR"] = "/tmp/run"
        os.symlink("/tmp/victim", base)
        expect_no_cluster_touches(base, "/tmp/victim")


def test_foreign_cluster_link_to_a_victim():
    need_root()
    make_files("/tmp/victim", *CLUSTER_OLD, age=4 * WEEK)
    os.chmod("/tmp/victim", 0o700)
    base = cluster_base()
    do_as(STRANGER, lambda: os.symlink("/tmp/victim", base))
    expect_no_cluster_touches(base, "/tmp/victim")


def test_unmarked_cluster_directories_stay():
    make_files(cluster_base(), *CLUSTER_OLD, age=4 * WEEK)
    os.chmod(cluster_base(), 0o700)
    expect_no_cluster_touches(None, cluster_base())


def test_directories_that_a_dead_cluster_lists():
    """The file `cgroups` of a dead cluster lists other directories, too. Only cgroups that Ductile may have made are removed."""
    up = run("cluster", "up", "1", "--cores", "1", "--name", "doomed")
    if up.returncode != 0:
        pytest.skip(up.stderr.decode())
    state = f"{cluster_base()}/cluster-doomed"
    assert os.path.isdir(state), os.listdir("/tmp")
    holder = holders_of(state)
    assert holder, "somebody holds the cluster's lock"
    listed = ["/tmp/precious", "/tmp/precious2/ductile-doomed-node01-1", "/sys/fs/cgroup/../../../tmp/precious3", "relative"]
    for path in ("/tmp/precious", "/tmp/precious2/ductile-doomed-node01-1", "/tmp/precious3", "/tmp/relative"):
        os.makedirs(path)
    with open(f"{state}/cgroups", "a") as f:
        f.write("".join(line + "\n" for line in listed))
    for pid in holder:
        os.kill(pid, signal.SIGKILL)
    wait_until("the next command finds it dead and removes it", lambda: run("cluster", "status", "--name", "doomed").returncode != 0 and not os.path.exists(state), 10, 0.1)
    lost = [path for path in ("/tmp/precious", "/tmp/precious2/ductile-doomed-node01-1", "/tmp/precious3", "/tmp/relative") if not os.path.isdir(path)]
    assert not lost, ("directories of others were removed", lost)


def links_of(pid):
    try:
        return [os.readlink(f"/proc/{pid}/fd/{fd}") for fd in os.listdir(f"/proc/{pid}/fd")]
    except OSError:
        return []


def holders_of(state):
    return [int(pid) for pid in filter(str.isdigit, os.listdir("/proc")) if any(link == f"{state}/lock" for link in links_of(pid))]


def test_own_cluster_talks_nonsense():
    """Whatever a cluster answers, the command ends in order and prints no control characters."""
    up = run("cluster", "up", "1", "--cores", "1", "--name", "odd")
    if up.returncode != 0:
        pytest.skip(up.stderr.decode())
    state, failures = f"{cluster_base()}/cluster-odd", []
    evil = EVIL.decode(errors="replace")
    host = {"name": evil, "address": evil, "cores": 1, "state": evil, "processes": 1}
    process = {"pid": 1, "ppid": 0, "state": evil, "name": evil, "command": [evil], "furniture": False}
    answers = {"escapes": json.dumps({"name": evil, "hosts_file": evil, "hosts": [host], "host": evil, "processes": [process]}, ensure_ascii=False).encode(), "no object": b"[]", "nothing": b"", "no JSON": b"\xff" * 1000,
               "deep": b"[" * 1_000_000, "deep and closed": b'{"hosts":' * 200_000 + b"1" + b"}" * 200_000, "a number": json.dumps({"name": 3, "hosts_file": None, "hosts": 4, "processes": 5}).encode()}
    replies = {f"{name} ({kind})": struct.pack("<I", len(text) + 1) + kind.encode() + text for name, text in answers.items() for kind in "DESX\x00"}
    replies.update({f"bomb: {name}": data for name, data in bombs().items()})
    try:
        with FakeBroker(f"{state}/socket", b"") as fake:
            for name, answer in replies.items():
                fake.say(answer)
                for words in (["status"], ["ps", "node01"], ["kill", "node01"], ["exec", "node01", "--", "true"]):
                    try:
                        expect_calm(run("cluster", words[0], "--name", "odd", *words[1:], seconds=10), (name, words))
                    except (AssertionError, subprocess.TimeoutExpired) as error:
                        failures.append(repr(error)[:300])
    finally:
        for pid in holders_of(state):
            os.kill(pid, signal.SIGKILL)
    assert not failures, f"{len(failures)} answers do harm:\n" + "\n".join(failures[:40])


def test_processes_of_odd_names():
    """`ductile cluster ps` shows process names without control characters."""
    if (up := run("cluster", "up", "1", "--cores", "1", "--name", "odd")).returncode != 0:
        pytest.skip(up.stderr.decode())
    odd = os.fsdecode(EVIL)
    try:
        started = run("cluster", "exec", "--name", "odd", "node01", "--", "sh", "-c", 'setsid sh -c "sleep 60; :" "$1" > /dev/null 2>&1 &', "sh", odd)
        assert started.returncode == 0, started
        for words in (["ps", "node01"], ["ps", "node01", "--json"], ["status"], ["status", "--json"]):
            shown = run("cluster", words[0], "--name", "odd", *words[1:])
            assert words[0] != "ps" or b"owned" in shown.stdout, shown
            expect_calm(shown, words, (0,))
    finally:
        run("cluster", "down", "--name", "odd")

# --- a runtime directory that others may change ---


def not_in_a_directory_that_others_may_change(user, owner, mode):
    """If other users may write to the runtime directory, they could replace what is made there. So Ductile makes jobs and clusters in /tmp instead."""
    theirs = "/tmp/theirs"
    clear(theirs)
    os.mkdir(theirs)
    os.chown(theirs, owner, owner)
    os.chmod(theirs, mode)
    os.environ["XDG_RUNTIME_DIR"] = theirs
    seen = []
    with AttackedJob(user=user) as job:
        job.running()
        seen += os.listdir(theirs)
        assert os.path.exists(f"{parent(user)}/{job.id}/broker.sock"), (seen, os.listdir("/tmp"))
        job.expect_whole(2, 1)
    up = run("cluster", "up", "1", "--cores", "1", "--name", "elsewhere", user=user)
    seen += os.listdir(theirs)
    if up.returncode == 0:
        assert run("cluster", "down", "--name", "elsewhere", user=user).returncode == 0
    assert not seen, (user, owner, oct(mode), seen)


def test_runtime_directory_of_another_user():
    need_root()
    for user in (0, PLAIN):
        not_in_a_directory_that_others_may_change(user, STRANGER, 0o777)
        not_in_a_directory_that_others_may_change(user, STRANGER, 0o1777)
    not_in_a_directory_that_others_may_change(0, STRANGER, 0o700)


def test_runtime_directory_that_others_may_write():
    not_in_a_directory_that_others_may_change(os.geteuid(), os.geteuid(), 0o777)
    not_in_a_directory_that_others_may_change(os.geteuid(), os.geteuid(), 0o770)


# --- fake brokers ---

EVIL = b"\x1b]0;owned\x07\x1b[2J\x9b31m\xc2\x9b1mready\r\x08\x7f"
QUESTIONS = (["status"], ["status", "JOB"], ["status", "JOB", "--options"], ["watch", "JOB", "--every", "0.05"], ["resize", "JOB", "4", "--wait"], ["renew", "JOB"], ["cancel", "JOB"], ["end", "JOB"])


def forged_answers():
    for kind in ("refused", "accepted", "done", "rolled_back", "failed"):
        yield f"{kind} with escapes", reply(kind, EVIL, EVIL)
    for data in (b"{}", b"[]", b"null", b"3", b'"x"', b"", b'{"job":', b"[" * 100_000, b"[" * 100_000 + b"]" * 100_000, b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
                 b'{"job":"' + b"x" * 3_900_000 + b'"}'):
        yield f"status {data[:20]!r}", reply("done", b"", data)
    yield "3.9 MB of text", reply("done", b"x" * 3_900_000)
    yield "10 MB of text", reply("done", b"x" * 10_000_000)
    yield "an unknown kind", reply("owned", b"x")
    yield "nothing", b""
    yield "half a frame", reply("done", b"x")[:9]


def mutated(status):
    """The status of a job, in which one field after the other is missing, of another type, or has escape sequences."""
    evil = EVIL.decode(errors="replace")
    for key in status:
        for other in (None, -1, 1e300, evil, [], {}, [None], [{}], [evil]):
            yield f"{key} is {other!r}", {**status, key: other}
        yield f"{key} is missing", {k: v for k, v in status.items() if k != key}
        if isinstance(status[key], list) and status[key] and isinstance(status[key][0], dict):
            for inner in status[key][0]:
                for other in (None, 1e300, evil):
                    yield f"{key}.{inner} is {other!r}", {**status, key: [{**status[key][0], inner: other}]}
                yield f"{key}.{inner} is missing", {**status, key: [{k: v for k, v in status[key][0].items() if k != inner}]}


def foreign_directory(user):
    """Another user has made /tmp/ductile-UID with a job in it, and runs its broker."""
    job, base = "0badcafe", parent(user)

    def make():
        os.umask(0)
        os.makedirs(f"{base}/{job}", 0o755)
        open(f"{base}/{job}/journal.sqlite", "w").close()
    do_as(STRANGER, make)
    status = {"job": EVIL.decode(errors="replace"), "state": "running", "ranks": 1, "program": ["x"]}
    failures = []
    with FakeBroker(f"{base}/{job}/broker.sock", b"", user=STRANGER) as fake:
        for name, answer in (("escapes", reply("done", EVIL, EVIL)), ("fields are missing", reply("done", b"", json.dumps(status).encode())), ("no object", reply("done", b"", b"[]"))):
            fake.say(answer)
            for words in QUESTIONS:
                words = [job if word == "JOB" else word for word in words]
                try:
                    result = run(*words, user=user, seconds=5)
                    expect_calm(result, (name, words), (1, 2))
                    assert base.encode() in result.stderr and re.search(rb"\b%d\b|owner|belong" % STRANGER, result.stderr), (name, words, "names path and owner", result)
                except (AssertionError, subprocess.TimeoutExpired) as error:
                    failures.append(repr(error)[:400])
        resumed = run("run", "--resume", job, user=user)
        if resumed.returncode not in (1, 2) or base.encode() not in resumed.stderr:
            failures.append(f"--resume: {resumed}")
    assert not failures, "\n".join(failures)


def test_directory_of_another_user():
    need_root()
    for user in (0, PLAIN):
        foreign_directory(user)


def expect_all_calm(answers, questions):
    """Whatever a broker answers, the command ends in order and prints no control characters."""
    dead, failures = DeadJob(), []
    with FakeBroker(f"{dead.directory}/broker.sock", b"") as fake:
        for name, answer in answers(dead.status):
            fake.say(answer)
            for words in questions:
                words = [dead.job if word == "JOB" else word for word in words]
                try:
                    expect_calm(calm_run(words), (name, words))
                except AssertionError as error:
                    failures.append(repr(error)[:300])
    assert not failures, f"{len(failures)} answers do harm:\n" + "\n".join(failures[:40])


def calm_run(words):
    """As `run`, but interrupts `watch` after a moment, which would not end."""
    if words[0] != "watch":
        return run(*words, seconds=20)
    view = subprocess.Popen([DUCTILE, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    try:
        view.wait(0.08)
    except subprocess.TimeoutExpired:
        view.send_signal(signal.SIGINT)
    out, err = view.communicate(timeout=20)
    early = view.returncode == -signal.SIGINT  # it did not catch the signal yet
    return subprocess.CompletedProcess(words, 0 if early else view.returncode, out, err)


def test_own_broker_talks_nonsense():
    expect_all_calm(lambda status: forged_answers(), QUESTIONS)


def test_own_broker_tells_a_strange_status():
    def answers(status):
        for name, strange in mutated(status):
            yield name, reply("done", b"", json.dumps(strange).encode())
    expect_all_calm(answers, (["status"], ["status", "JOB", "--options"]))


def test_own_broker_shows_a_strange_status():
    def answers(status):
        evil = EVIL.decode(errors="replace")
        for key in ("ranks", "hosts", "state", "pending", "running_s", "groups"):
            for other in (None, evil, [{}]):
                yield f"{key} is {other!r}", reply("done", b"", json.dumps({**status, key: other}).encode())
            yield f"{key} is missing", reply("done", b"", json.dumps({k: v for k, v in status.items() if k != key}).encode())
    expect_all_calm(answers, (["watch", "JOB", "--every", "0.05"],))


def test_own_broker_sends_bombs():
    """A broker answers commands with frames that are not CBOR, or too large."""
    def answers(status):
        yield from bombs().items()
    expect_all_calm(answers, (["status", "JOB"], ["end", "JOB"], ["resize", "JOB", "2", "--wait"]))


def test_terminal_shows_a_strange_status():
    """On a terminal `watch` prints its own escape sequences, and no others."""
    dead = DeadJob()
    evil = EVIL.decode(errors="replace")
    strange = {**dead.status, "program": [evil, evil], "mpi": evil, "state": evil, "hosts": [{**dead.status["hosts"][0], "name": evil}]}
    with FakeBroker(f"{dead.directory}/broker.sock", reply("done", b"", json.dumps(strange, ensure_ascii=False).encode())):
        terminal, far_end = os.openpty()
        view = subprocess.Popen([DUCTILE, "watch", "--every", "0.05", dead.job], stdout=far_end, stderr=far_end, stdin=subprocess.DEVNULL)
        os.close(far_end)
        time.sleep(0.5)  # time for some screens
        view.send_signal(signal.SIGINT)
        seen = b""
        while True:
            try:
                seen += os.read(terminal, 65536)
            except OSError:
                break
        os.close(terminal)
        assert view.wait(10) >= 0, view.returncode
        own = re.sub(rb"\x1b\[(\?1049[hl]|\?25[hl]|H|K|J)|\r\n", b"", seen)
        assert not control_characters(own), own[:300]


def test_job_names_with_escapes():
    """Lists of jobs show names of directories: without control characters."""
    dead = DeadJob()
    odd = [f"{parent()}/".encode() + name for name in (b"\x1b]0;owned\x07", b"\xc2\x9b31m", b"a\rb")]
    fakes = []
    for path in odd:
        os.mkdir(path, 0o700)
        for extra in filter(lambda name: name.startswith(b"."), os.listdir(dead.directory.encode())):
            with open(os.path.join(dead.directory.encode(), extra), "rb") as f, open(os.path.join(path, extra), "wb") as to:
                to.write(f.read())
        fakes.append(FakeBroker(os.fsdecode(path) + "/broker.sock", reply("done", b"", json.dumps(dead.status).encode())))
    try:
        for words in (["status"], ["status", "nosuch"], ["end"], ["resize", "3"], ["watch"], ["status", os.fsdecode(b"\x1b]0;x\x07")], ["resize", "\x1b[2J", "2"],
                      ["resize", "\x1b[2J"], ["run", "--resume", "\x1b[2J"], ["\x1b[2J"], ["run", "--\x1b[2J", "--", "true"], ["run", "--", "/no/\x1b[2J"]):
            expect_calm(run(*words, seconds=20), words)
    finally:
        for fake in fakes:
            fake.__exit__()
