"""A remote shell hangs: the growth is rolled back, the job ends when it is told to, and no process of the shell is left."""
import os
import signal
import time

from attack import AttackedJob, command_of, family, parents, processes, wait_until

HANGS = "/tmp/hang"
SHELL = """#!/bin/sh
host=$1
shift
if [ -e {hangs}.$host ] && {when}; then
  {trap}
  sleep 86399 &
  sh -c 'sleep 86398; sleep 86397' &
  sleep 86396
  wait
  sleep 86395
fi
{start} "$@"
"""


def hosts_with_a_shell(*hanging, when="true", trap="", start="exec"):
    """Options for a job on three hosts that are all this machine. The remote shell hangs for the hosts in `hanging`."""
    with open("/tmp/hosts", "w") as f:
        f.write("".join(f"{name} slots=1\n" for name in ("hosta", "hostb", "hostc")))
    with open("/tmp/shell", "w") as f:
        f.write(SHELL.format(hangs=HANGS, when=when, trap=trap, start=start))
    os.chmod("/tmp/shell", 0o755)
    for host in hanging:
        open(f"{HANGS}.{host}", "w").close()
    return {"where": ("--hosts", "/tmp/hosts", "--remote-shell", "/tmp/shell {host} {argv}"), "environment": {"STEADY_LATE_US": "0"}}


def sleepers(job):
    return [command for command in processes(**job.mark).values() if "sleep 8639" in command]


def expect_nothing(job, seconds):
    """No process with the mark of the job is left: no ranks, agents, shells, children of shells, sweepers."""
    end = time.monotonic() + seconds
    while left := processes(**job.mark):
        assert time.monotonic() < end, ("left", left, job.stderr()[-600:])
        time.sleep(0.05)


def shells_run(job):
    """Waits until a remote shell hangs."""
    return wait_until("the shell hangs", lambda: sleepers(job), 10)


def test_growth_to_a_host_that_hangs():
    with AttackedJob(**hosts_with_a_shell("hostb")) as job:
        job.running()
        asked = job.resize(2, seconds=90)
        assert asked.returncode == 4, asked
        assert "hostb" in asked.stderr, asked
        wait_until("its shell and what that started are gone", lambda: not sleepers(job), 15, 0.1)
        assert len(job.ranks()) == 1
        job.is_stepping()
        os.unlink(HANGS + ".hostb")
        job.expect_whole(2, 1)


def ended_while_it_hangs(number, **how):
    with AttackedJob(**hosts_with_a_shell("hostb", **how)) as job:
        job.running()
        asked = job.start_resize(2)
        shells_run(job)
        begin = time.monotonic()
        job.process.send_signal(number)
        code = job.end(20)
        took = time.monotonic() - begin
        assert code == 128 + number, (code, job.stderr())
        assert took < 4, f"it took {took:.1f} s"
        expect_nothing(job, 2)
        asked.communicate(timeout=10)


def test_interrupted_while_it_hangs():
    ended_while_it_hangs(signal.SIGINT)


def test_terminated_while_it_hangs():
    ended_while_it_hangs(signal.SIGTERM)


def test_interrupted_while_it_hangs_and_ignores():
    """The shell ignores the signals that ask it to end."""
    ended_while_it_hangs(signal.SIGINT, trap="trap '' TERM INT HUP PIPE")


def test_interrupted_while_it_hangs_in_a_session_of_its_own():
    ended_while_it_hangs(signal.SIGINT, trap="setsid sleep 86394 &")


def test_interrupted_while_the_first_host_hangs():
    """The shell of the first host hangs, so no rank runs yet."""
    with AttackedJob(**hosts_with_a_shell("hosta")) as job:
        shells_run(job)
        begin = time.monotonic()
        job.process.send_signal(signal.SIGINT)
        code = job.end(20)
        assert code == 130 and time.monotonic() - begin < 4, (code, time.monotonic() - begin, job.stderr())
        expect_nothing(job, 2)


def test_sweeper_that_hangs():
    """An agent is killed, and the remote shell for the sweep of its host hangs. The job ends nevertheless, and nothing is left."""
    with AttackedJob("-n", "2", **hosts_with_a_shell("hostb", when='case "$*" in *--sweep*) true;; *) false;; esac')) as job:
        job.running()
        victims = [pid for pid, command in processes(**job.mark).items() if command.endswith("/libexec/ductile/agent")]
        assert len(victims) == 2, processes(**job.mark)
        ranks = {pid: open(f"/proc/{pid}/environ").read() for pid in job.ranks()}
        assert len(ranks) == 2
        on_b = [pid for pid in victims if "hostb" in command_lines_above(pid) or any("DUCTILE_HOST=1\0" in env for child, env in ranks.items() if is_below(child, pid))]
        os.kill(on_b[0], signal.SIGKILL)
        begin = time.monotonic()
        code = job.end(30)
        assert code in (125, 137) and time.monotonic() - begin < 20, (code, time.monotonic() - begin, job.stderr())
        expect_nothing(job, 5)


def command_lines_above(pid):
    above, text = parents(), ""
    while pid > 1:
        text, pid = text + command_of(pid), above.get(pid, 0)
    return text


def is_below(pid, ancestor):
    return pid in family(ancestor)
