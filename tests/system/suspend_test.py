"""Jobs that are stopped by Ctrl-Z: ranks, deadlines, and a resize that is under way."""
import os
import signal
import subprocess
import time

from ductile_job import DUCTILE, LONG, STEADY, Job, processes, wait_until
from patience import PatientProcess, patient
from terminal import Terminal

# What is shorter than the time for which a test stops a job.
SHORT = "--heartbeat 0.5 --heartbeat-limit 4 --orphan-limit 4 --progress-within 4 --check=report --check-after 4 "
STOPPED = 6


def states(job):
    """The states of the ranks, as in /proc/PID/stat."""
    found = []
    for pid in processes(DUCTILE_JOB=job):
        try:
            with open(f"/proc/{pid}/environ", "rb") as environment, open(f"/proc/{pid}/stat") as stat:
                if b"DUCTILE_GROUP=" in environment.read():
                    found.append(stat.read().rsplit(")", 1)[1].split()[0])
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


def all_stopped(job, ranks):
    return states(job).count("T") == len(states(job)) >= ranks


class Steadily:
    """`steady` in the foreground of a terminal."""

    def __init__(self, terminal, folder, options="", environment="", resume=None):
        self.terminal, self.until, file = terminal, folder / "until", folder / "job"
        if resume is None:
            terminal.command(f"STEADY_UNTIL={self.until} {environment} ductile run --id-file {file} --local=4 --ranks-per-host=1 {options} -- {STEADY} {LONG} 5000")
            wait_until("the job has an id", file.exists)
            self.id = file.read_text().strip()
        else:
            terminal.command(f"ductile run --resume {resume}")
            self.id = resume
        try:
            wait_until("the job runs", lambda: '"state": "running"' in self.ask("status", "--json").stdout)
        except AssertionError:
            terminal.read(0.1)
            raise AssertionError((terminal.seen, self.ask("status", "--json"))) from None

    def ask(self, command, *words):
        return subprocess.run([DUCTILE, command, self.id, *words], capture_output=True, text=True, timeout=patient(60))

    def stop(self, ranks):
        self.terminal.type("\x1a")
        self.terminal.see("Stopped +.*ductile run")
        wait_until("the ranks are stopped", lambda: all_stopped(self.id, ranks))

    def ends_well(self, seconds=20):
        self.until.touch()
        self.terminal.see("ready> $", seconds)
        assert "ductile:" not in self.terminal.seen and "waits" not in self.terminal.seen, self.terminal.seen
        self.terminal.command("echo code $?")
        self.terminal.see(r"code 0\s", seconds)


def test_a_resize_goes_on_after_ctrl_z_and_fg(tmp_path):
    go = tmp_path / "go"
    with Terminal() as terminal:
        job = Steadily(terminal, tmp_path, SHORT + "-n 2", f"STEADY_LATE_UNTIL={go}")
        resize = PatientProcess([DUCTILE, "resize", job.id, "4", "--wait"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        wait_until("the new ranks have started", lambda: len(states(job.id)) == 4)
        job.stop(4)
        time.sleep(STOPPED)
        refused = job.ask("resize", "3")
        assert refused.returncode == 1 and "is stopped" in refused.stderr, refused
        assert all_stopped(job.id, 4)
        terminal.command("fg")
        terminal.see("ductile run")
        go.touch()
        said = resize.communicate(timeout=30)[0]
        assert resize.returncode == 0, (said, terminal.seen)
        job.ends_well()


def test_bg_continues_a_stopped_job(tmp_path):
    with Terminal() as terminal:
        job = Steadily(terminal, tmp_path, "-n 2")
        job.stop(2)
        terminal.command("bg")
        terminal.see("ductile run.*&")
        wait_until("the ranks run", lambda: "T" not in states(job.id))
        assert job.ask("resize", "3", "--wait").returncode == 0
        job.until.touch()
        terminal.command("wait; echo over $((2+2))")
        terminal.see("over 4")


def test_ranks_of_a_stopped_job_continue_when_its_broker_is_killed(tmp_path):
    with Terminal() as terminal:
        job = Steadily(terminal, tmp_path, "-n 2")
        job.stop(2)
        terminal.command("kill -9 %1; echo kill''ed")
        terminal.see("killed\\s")
        wait_until("the ranks run", lambda: len(states(job.id)) >= 2 and "T" not in states(job.id))
        again = Steadily(terminal, tmp_path, resume=job.id)
        again.stop(2)
        time.sleep(2)
        terminal.command("fg")
        terminal.see("ductile run")
        assert again.ask("resize", "3", "--wait").returncode == 0
        again.ends_well()


def test_whoever_stops_the_ranks_ends_them():
    """`kill %1` of a stopped job: the shell sends SIGTERM, then SIGCONT."""
    with Terminal() as terminal:
        terminal.command("ductile run -n 2 --local=2 -- sleep 4321")
        def ranks():
            return [command for command in processes(DUCTILE_GROUP="0").values() if command.endswith("/sleep 4321")]
        wait_until("the ranks run", lambda: len(ranks()) == 2)
        terminal.type("\x1a")
        terminal.see("Stopped +.*ductile run")
        terminal.command("kill %1")
        terminal.see("ended by signal 15")
        wait_until("the shell shows it", lambda: (terminal.type("jobs\n"), terminal.read(0.3), "Exit 143" in terminal.seen)[2])
        assert not ranks()


def test_a_signal_that_can_stop_nobody_changes_nothing():
    """Without a shell that could continue it, a process ignores SIGTSTP."""
    with Job([STEADY, LONG, 10000], prefix=("setsid", "-w")) as job:
        before = job.running()
        os.kill(before["broker_pid"], signal.SIGTSTP)
        wait_until("the program continues", lambda: job.status()["points"] > before["points"] + 20)
        assert "T" not in states(job.id)
        job.ends_well()


def test_ctrl_z_waits_for_an_agent_that_is_being_started(tmp_path):
    """Both SIGCONT and an end of the job call it off meanwhile."""
    go = tmp_path / "go"
    shell = tmp_path / "shell"
    shell.write_text(f"#!/bin/sh\n[ $1 = one ] || until [ -e {go} ]; do sleep 0.05; done\nshift\nexec sh -c \"$*\"\n")
    shell.chmod(0o700)
    hosts = tmp_path / "hosts"
    hosts.write_text("one\ntwo\n")
    options = ("--hosts", str(hosts), "--remote-shell", f"{shell} {{host}} {{command}}")
    with Job([STEADY, LONG, 10000], where=options, options=("-n", "1"), process_group=0) as job:
        broker = job.running()["broker_pid"]
        resize = job.start_resize(2)
        wait_until("an agent is being started", job.phase)
        os.kill(broker, signal.SIGTSTP)
        wait_until("the rank is stopped", lambda: all_stopped(job.id, 1))
        os.kill(broker, signal.SIGCONT)
        wait_until("the rank runs", lambda: states(job.id) and "T" not in states(job.id))
        go.touch()
        assert resize.wait(30) == 0, job.stderr()
        job.ends_well()
