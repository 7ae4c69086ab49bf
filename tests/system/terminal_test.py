"""Jobs at a terminal: in its background, with text that has no newline, and with a broker that is stopped."""
import json
import os
import re
import signal
import subprocess
import time

import pytest
from ductile_job import DUCTILE, LONG, STEADY, Job, wait_until
from patience import patient
from terminal import Terminal


def test_what_is_typed_reaches_the_shell_and_the_job_in_the_background_runs(tmp_path):
    go = tmp_path / "go"
    with Terminal() as terminal:
        terminal.command(f"ductile run -n 2 --local=2 -- sh -c 'until [ -e {go} ]; do sleep 0.05; done; echo the $((40+2)) end' & sleep 1")
        terminal.command("echo typed $((1+1)); jobs")
        terminal.see(r"typed 2\s[^$]*Running +ductile run")
        go.touch()
        terminal.see(r"the 42 end\s+the 42 end")
        terminal.command("wait; jobs; echo over $((2+2))")
        terminal.see("over 4")
        assert "Stopped" not in terminal.seen and "Exit" not in terminal.seen, terminal.seen


def test_input_comes_back_with_the_foreground():
    with Terminal() as terminal:
        terminal.command("ductile run -- sh -c 'while read -r line; do echo \"got <$line>\"; done; echo at the end' & sleep 1")
        terminal.command("echo mine $((3+3))")
        terminal.see("mine 6")
        terminal.command("fg")
        terminal.see("ductile run")
        terminal.type("to rank 0\n")
        terminal.see("got <to rank 0>")
        assert "got <echo mine" not in terminal.seen, terminal.seen
        terminal.type("\x04")
        terminal.see("at the end")
        terminal.see("ready> $")


def test_stty_tostop_holds_the_output_up_and_nothing_else(tmp_path):
    go, job = tmp_path / "go", tmp_path / "job"
    with Terminal() as terminal:
        terminal.command(f"stty tostop; ductile run --id-file {job} -n 2 --local=2 -- sh -c 'echo text; until [ -e {go} ]; do sleep 0.05; done'& sleep 1")
        wait_until("the job has an id", job.exists)
        time.sleep(1)
        shown = subprocess.run([DUCTILE, "status", job.read_text().strip(), "--json"], capture_output=True, text=True, timeout=patient(30))
        assert shown.returncode == 0 and '"ranks": 2' in shown.stdout and '"stopped"' not in shown.stdout, shown
        assert "text\r\n" not in terminal.seen, terminal.seen
        go.touch()
        # Only its output is left to do. So the kernel stops it, as it stops every program that writes then.
        wait_until("the shell shows it", lambda: (terminal.type("jobs\n"), terminal.read(0.3), "Stopped" in terminal.seen)[2])
        assert "text\r\n" not in terminal.seen, terminal.seen
        terminal.command("fg")
        terminal.see(r"text\s+text\s")
        terminal.see("ready> $")


def test_a_job_whose_output_is_held_up_can_be_ended(tmp_path):
    job = tmp_path / "job"
    with Terminal() as terminal:
        terminal.command(f"stty tostop; ductile run --id-file {job} -n 2 --local=2 -- sh -c 'echo text; sleep 1000'& sleep 1")
        wait_until("the job has an id", job.exists)
        assert subprocess.run([DUCTILE, "end", job.read_text().strip()], timeout=patient(30), check=False).returncode == 0
        terminal.command("wait %1")
        terminal.see("Exit 143")


def test_a_disowned_job_outlives_its_terminal(tmp_path):
    go, ended, job = tmp_path / "go", tmp_path / "ended", tmp_path / "job"
    with Terminal() as terminal:
        script = f"echo begins; until [ -e {go} ]; do sleep 0.05; done; echo nobody reads it; sleep 0.5; echo nor this; touch {ended}"
        terminal.command(f"ductile run --id-file {job} -- sh -c '{script}' & disown; sleep 0.1")
        terminal.see(r"begins\r")
        terminal.command("exit")
    name = job.read_text().strip()
    shown = subprocess.run([DUCTILE, "status", name, "--json"], capture_output=True, text=True, timeout=patient(30))
    assert shown.returncode == 0, shown
    go.touch()
    wait_until("the program has ended", ended.exists)
    wait_until("the job has ended", lambda: name not in subprocess.run([DUCTILE, "status"], capture_output=True, text=True, timeout=patient(30)).stdout)


@pytest.mark.parametrize("options, shown", ((("-n", "1"), True), (("-n", "2"), False), (("-n", "2", "--unbuffered", "--tag"), True)))
def test_text_without_a_newline_in_a_pipe(options, shown):
    script = 'printf "rank $PMI_RANK: "; : > "$STEADY_UNTIL.$PMI_RANK"; until [ -e "$STEADY_UNTIL" ]; do sleep 0.05; done; echo end'
    with Job(["sh", "-c", script], where=("--local=2", "--ranks-per-host=1"), options=options) as job:
        ranks = int(options[1])
        if shown:
            wait_until("the text is shown", lambda: job.stdout().count("rank ") == ranks)
        else:
            wait_until("it is written", lambda: all(os.path.exists(f"{job.until}.{rank}") for rank in range(ranks)))
            time.sleep(1)
            assert job.stdout() == ""
        job.tell_to_end()
        assert job.end() == 0, job.stderr()
        said = dict.fromkeys(range(ranks), "")
        for line in job.stdout().splitlines():
            tagged = re.fullmatch(r"\[g0\.(\d)\] (.*)", line)
            assert bool(tagged) == ("--tag" in options), line
            said[int(tagged[1] if tagged else line[5])] += tagged[2] if tagged else line
        assert said == {rank: f"rank {rank}: end" for rank in range(ranks)}, job.stdout()


def test_a_prompt_is_answered_at_a_terminal():
    with Terminal() as terminal:
        terminal.command("ductile run -n 2 --local=2 -- sh -c '[ $PMI_RANK = 1 ] || { printf \"Your name: \"; read -r name; echo \"hello $name\"; }'")
        terminal.see("Your name: ")
        terminal.type("Ann\n")
        terminal.see("hello Ann")
        terminal.see("ready> $")


def test_standard_input_for_nobody():
    lines = subprocess.run(["sh", "-c", f'while read -r x; do "{DUCTILE}" run --stdin none -- sh -c "cat; echo $x"; done'], input="1\n2\n3\n",
                           capture_output=True, text=True, timeout=patient(60))
    assert lines.stdout == "1\n2\n3\n", lines
    wrong = subprocess.run([DUCTILE, "run", "--stdin", "all", "--", "true"], capture_output=True, text=True, timeout=patient(30))
    assert wrong.returncode == 2 and "rank0" in wrong.stderr and "none" in wrong.stderr, wrong


def test_a_colon_is_an_argument_unless_mpiexec_would_take_it():
    good = subprocess.run([DUCTILE, "run", "--stdin", "none", "--", "echo", ":", "-np2", ":", "-n", "x", ":", "-n"], capture_output=True, text=True, timeout=patient(60))
    assert good.stdout == ": -np2 : -n x : -n\n", good
    for word in ("-n", "-np"):
        refused = subprocess.run([DUCTILE, "run", "-n", "2", "--", "a", ":", word, "3", "b"], capture_output=True, text=True, timeout=patient(30))
        assert refused.returncode == 2 and f"': {word}'" in refused.stderr, refused


def stopped(job, *words):
    """What a command says of a job whose broker is stopped, and how long that took."""
    began = time.monotonic()
    answer = job.ask(*words)
    took = time.monotonic() - began
    return answer.returncode, answer.stdout + answer.stderr, took


def test_a_broker_that_is_stopped():
    with Job([STEADY, LONG, 10000]) as job:
        job.running()
        job.process.send_signal(signal.SIGSTOP)
        try:
            for words in (("resize", job.id, "2"), ("resize", job.id, "3", "--wait"), ("end", job.id), ("cancel", job.id), ("status", job.id)):
                code, text, took = stopped(job, *words)
                assert code == 1 and f"kill -CONT {job.process.pid}" in text and "--resume" not in text, (words, code, text)
                assert took < patient(3), (words, took)
            code, text, _ = stopped(job, "status", job.id, "--json")
            assert code == 0 and json.loads(text) == {"job": job.id, "state": "stopped", "broker_pid": job.process.pid}, text
            code, text, _ = stopped(job, "run", "--resume", job.id)
            assert code == 2, (code, text)
        finally:
            job.process.send_signal(signal.SIGCONT)
        time.sleep(1)
        after = job.status()
        assert after["ranks"] == 1 and after["state"] == "running" and not after["resizes"] and "pending" not in after, after
        accepted = job.start_resize(2, "--switch-within", "60")
        assert accepted.wait(30) == 0
        job.ends_well()


def test_a_request_that_was_read_is_waited_for(tmp_path):
    go = tmp_path / "go"
    with Job([STEADY, LONG, 10000], environment={"STEADY_LATE_UNTIL": str(go)}) as job:
        job.running()
        first = job.start_resize(2)
        wait_until("the first resize is under way", job.phase)
        second = job.start_resize(3)
        wait_until("the second waits for its turn", lambda: job.status()["waiting"])
        job.process.send_signal(signal.SIGSTOP)
        time.sleep(2)
        assert first.poll() is None and second.poll() is None
        job.process.send_signal(signal.SIGCONT)
        go.touch()
        for resize in (first, second):
            said = resize.communicate(timeout=30)[0]
            assert resize.returncode == 0 and f"kill -CONT {job.process.pid}" in said, said
        assert job.status()["ranks"] == 3
        job.ends_well()


def test_lists_show_a_job_whose_broker_is_stopped():
    with Job([STEADY, LONG, 10000]) as job, Job([STEADY, LONG, 10001], options=("--name", "other")) as other:
        job.running()
        other.running()
        ambiguous = job.ask("resize", "2")
        assert ambiguous.returncode == 2 and job.id in ambiguous.stderr and other.id in ambiguous.stderr, ambiguous
        listed = job.ask("status").stdout
        assert re.search(rf"{job.id} +running +1 ", listed) and re.search(rf"{other.id} +running +1 ", listed), listed
        short = job.ask("resize", other.id[:-5], "2", "--wait")
        assert short.returncode == 2 and "there is no job" in short.stderr, short
        assert other.ask("resize", other.id[:-4], "2", "--wait").returncode == 0
        assert other.status()["ranks"] == 2
        job.process.send_signal(signal.SIGSTOP)
        try:
            listed = job.ask("status").stdout
            assert re.search(rf"{job.id} +stopped .*kill -CONT {job.process.pid}\n", listed) and f"{other.id}" in listed, listed
            states = {one["job"]: one["state"] for one in job.all_status()}
            assert states == {job.id: "stopped", other.id: "running"}, states
        finally:
            job.process.send_signal(signal.SIGCONT)
        job.ends_well(files=False)
        other.ends_well()
