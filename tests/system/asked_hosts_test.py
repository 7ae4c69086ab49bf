"""A job asks a program of the site for hosts (`--rms-command`). They come late, in part, twice, never or after a cancel, or are taken back."""
import json
import os
import sys
import threading
import time

import pytest
from ductile_job import wait_until
from host_job import HostJob

pytestmark = [pytest.mark.cluster, pytest.mark.hosts(5)]


BRIDGE = f"{os.path.dirname(os.path.abspath(__file__))}/site_bridge.py"


class Site:
    """What the site's program hears from the job and says to it (site_bridge.py passes it on)."""

    def __init__(self, folder):
        self.heard, self.said = f"{folder}/heard", f"{folder}/said"
        open(self.heard, "w").close()
        os.mkfifo(self.said)
        self.taken = 0

    def command(self):
        return f"{sys.executable} {BRIDGE} {self.heard} {self.said}"

    def say(self, *messages):
        def speak():
            with open(self.said, "w") as fifo:
                for message in messages:
                    fifo.write(json.dumps(message) + "\n")
        speaker = threading.Thread(target=speak, daemon=True)  # the program may be gone
        speaker.start()
        speaker.join(20)
        assert not speaker.is_alive(), "the job's program does not listen"

    def grant(self, number, *hosts, last=True):
        self.say({"type": "granted", "id": number, "hosts": [{"name": host, "slots": 1} for host in hosts], "last": last})

    def deny(self, number, reason="none is free"):
        self.say({"type": "denied", "id": number, "reason": reason})

    def revoke(self, host, seconds):
        self.say({"type": "revoked", "host": host, "deadline_s": seconds})

    def messages(self):
        return [json.loads(line) for line in open(self.heard) if line.endswith("\n")]

    def hears(self, kind, seconds=30):
        """Waits for the next message of this kind, and skips the messages before it."""
        def look():
            for number, message in enumerate(self.messages()[self.taken:]):
                if message["type"] == kind:
                    self.taken += number + 1
                    return message
            return None
        return wait_until(f"the job says {kind}", look, seconds, 0.05)

    def hears_request(self, number, hosts):
        request = self.hears("request")
        assert (request["id"], request["hosts"]) == (number, hosts), request

    def released(self):
        return sorted(message["host"] for message in self.messages() if message["type"] == "release")

    def frees(self, *hosts, seconds=20):
        wait_until(f"{hosts} are released", lambda: self.released() == sorted(hosts), seconds, 0.05)


class Asking:
    """A site, and a job that asks the site for hosts."""

    def __init__(self, folder, *options, steps=100000, pause=10000, per_host=1):
        self.site = Site(folder)
        self.job = HostJob(steps, pause, *options, hosts_from=("--rms-command", self.site.command()),
                           per_host=per_host)

    def begins(self, *hosts):
        """The job asks for its first hosts, gets these, and runs."""
        self.site.hears_request(1, len(hosts))
        self.site.grant(1, *hosts)
        self.runs()

    def runs(self):
        self.job.__enter__()

    def ends(self, ranks, code=0):
        self.job.tell_to_end()
        assert self.job.process.wait(60) == code, self.job.text()
        if code == 0:
            assert f"end {ranks} bad 0" in self.job.text(), self.job.text()

    def ranks(self):
        return self.job.status()["ranks"]

    def hosts(self):
        return [host["name"] for host in self.job.status()["hosts"]]


@pytest.fixture
def asking(tmp_path, virtual_hosts):
    """Makes an Asking; its job ends with the case."""
    made = []

    def make(*options, **more):
        made.append(Asking(tmp_path, *options, **more))
        return made[-1]
    yield make
    for one in made:
        one.job.__exit__()


def test_first_hosts_come_in_parts(asking):
    one = asking("-n", "2")
    one.site.hears_request(1, 2)
    one.site.grant(1, "node03", last=False)
    one.site.grant(1, "node03", last=False)  # twice: it counts once
    status = wait_until("the job waits", one.job.status, 20, 0.2)
    assert "ductile end" in one.job.ask("cancel", status["job"]).stderr
    assert status["state"] == "starting" and status["asked_hosts"] == 2, status
    one.site.grant(1, "node01")
    one.runs()
    assert one.ranks() == 2 and one.hosts() == ["node03", "node01"]
    one.ends(2)
    one.site.frees("node01", "node03")


def test_first_host_is_taken_back_before_the_others_come(asking):
    one = asking("-n", "3")
    one.site.hears_request(1, 3)
    one.site.grant(1, "node01", "node02", last=False)
    one.site.revoke("node01", 20)
    one.site.frees("node01")
    one.site.grant(1, "node03")
    one.site.hears_request(2, 1)
    one.site.grant(2, "node04")
    one.runs()
    assert one.ranks() == 3 and one.hosts() == ["node02", "node03", "node04"]
    one.ends(3)


def test_no_first_hosts(asking):
    one = asking("-n", "2")
    one.site.hears_request(1, 2)
    one.site.deny(1, "the site is closed")
    assert one.job.process.wait(20) == 125, one.job.text()
    assert "cannot start the job: the site is closed" in one.job.text(), one.job.text()


def test_moldable_start(asking):
    one = asking("-n", "2:5", "--multiple", "2")
    one.site.hears_request(1, 4)  # the largest that is allowed
    one.site.grant(1, "node01", "node02", "node03")  # the last ones: the fourth host never comes
    one.runs()
    assert one.ranks() == 2
    one.site.frees("node03")
    one.ends(2)


def test_moldable_start_waits(asking):
    """With fewer hosts than the lower size of `-n` needs, the job waits as if `-n` were this size."""
    one = asking("-n", "2:4")
    one.site.hears_request(1, 4)
    one.site.grant(1, "node01", last=False)
    one.site.hears_request(2, 2)  # after a while
    assert one.site.released() == ["node01"]
    one.site.grant(2, "node01", "node02")
    one.runs()
    assert one.ranks() == 2
    one.ends(2)


def test_growth_waits_for_hosts(asking):
    one = asking()
    one.begins("node01")
    asked = one.job.start_resize(3)
    one.site.hears_request(2, 2)
    one.site.grant(2, "node02", last=False)
    assert one.ranks() == 1
    one.site.grant(2, "node03")
    assert asked.wait(30) == 0, asked.stdout.read()
    assert one.hosts() == ["node01", "node02", "node03"]
    assert one.job.resize("1").returncode == 0
    one.site.frees("node02", "node03")
    asked = one.job.start_resize(2)  # a host that was given back can be granted again
    one.site.hears_request(3, 1)
    one.site.grant(3, "node03")
    assert asked.wait(30) == 0, asked.stdout.read()
    assert one.hosts() == ["node01", "node03"]
    one.ends(2)
    one.site.frees("node01", "node02", "node03", "node03")


def test_hosts_never_come(asking):
    one = asking("--hosts-within", "2")
    one.begins("node01")
    asked = one.job.start_resize(3)
    one.site.hears_request(2, 2)
    one.site.grant(2, "node02", last=False)
    assert asked.wait(30) == 3, asked.stdout.read()
    assert "1 of 2 hosts were granted in time" in asked.stdout.read()
    assert one.site.hears("cancel")["id"] == 2
    one.site.frees("node02")
    one.site.grant(2, "node03", last=False)  # too late: the job gives it back
    one.site.frees("node02", "node03")
    one.site.deny(2, "cancelled")
    refused = one.job.start_resize(2)
    one.site.hears_request(3, 1)
    one.site.deny(3, "the site is closed")
    assert refused.wait(30) == 3
    assert "the site is closed" in refused.stdout.read()
    one.ends(1)


def test_any_part_fits_a_multiple_of_one(asking):
    one = asking("--hosts-within", "2", "--multiple", "1")
    one.begins("node01")
    asked = one.job.start_resize(3)
    one.site.hears_request(2, 2)
    one.site.grant(2, "node02", last=False)
    assert asked.wait(30) == 0, asked.stdout.read()
    assert one.hosts() == ["node01", "node02"]
    one.ends(2)


def test_a_part_that_fits_is_used(asking):
    one = asking("--hosts-within", "2", "--multiple", "2", "-n", "2")
    one.begins("node01", "node02")
    asked = one.job.start_resize(6)
    one.site.hears_request(2, 4)
    one.site.grant(2, "node03", "node04", "node05", last=False)
    assert asked.wait(30) == 0, asked.stdout.read()
    assert one.ranks() == 4
    one.site.frees("node05")
    one.ends(4)


def test_waiting_is_cancelled(asking):
    one = asking()
    one.begins("node01")
    asked = one.job.start_resize(3)
    one.site.hears_request(2, 2)
    one.site.grant(2, "node02", last=False)
    assert one.job.ask("cancel", one.job.id).returncode == 0
    assert asked.wait(20) == 4, asked.stdout.read()
    assert one.site.hears("cancel")["id"] == 2
    one.site.frees("node02")
    one.ends(1)


def test_host_is_left_in_time(asking):
    one = asking("-n", "3")
    one.begins("node01", "node02", "node03")
    one.site.revoke("node01", 20)  # the host of rank 0
    one.site.frees("node01")
    assert one.ranks() == 2 and one.hosts() == ["node02", "node03"]
    assert "host node01 is taken back in" in one.job.text()
    one.ends(2)


def test_host_is_left_while_others_are_asked_for(asking):
    """A host is taken back while a growth waits for hosts. The growth then needs one more."""
    one = asking("-n", "2")
    one.begins("node01", "node02")
    asked = one.job.start_resize(4)
    one.site.hears_request(2, 2)
    one.site.revoke("node02", 20)
    one.site.frees("node02")
    one.site.grant(2, "node03", "node04")
    one.site.hears_request(3, 1)
    one.site.grant(3, "node05")
    assert asked.wait(40) == 0, asked.stdout.read()
    assert one.hosts() == ["node01", "node03", "node04", "node05"]
    one.ends(4)


def test_host_is_left_too_late(asking):
    """The program does not reach a resize point in time: the host counts as lost."""
    one = asking("-n", "2", pause=4000000)
    one.begins("node01", "node02")
    one.site.revoke("node02", 0.3)
    assert one.job.process.wait(30) == 125, one.job.text()
    assert "host node02 is lost: the resource manager has taken it back" in one.job.text(), one.job.text()


def test_host_is_needed(asking):
    """Without the host the job would have too few ranks: the job ends, with one line of output."""
    one = asking("-n", "2", "--min", "2")
    one.begins("node01", "node02")
    one.site.revoke("node02", 1)
    assert one.job.process.wait(30) == 125, one.job.text()
    text = one.job.text()
    said = [line for line in text.splitlines() if "node02" in line and line.startswith("ductile")]
    assert len(said) == 1, text
    assert "node02 is lost: the resource manager has taken it back, and the job could not leave it" in said[0], text
    assert "without node02 the job would have 1 rank" in said[0], text


LATE = ("--env", "STEADY_LATE_US=1500000", "--env", "STEADY_FIRST_NEWCOMER=1", "--env", "STEADY_LAST_NEWCOMER=2")


def test_host_is_taken_back_while_starting(asking):
    """The resize is rolled back and starts again: the job keeps the other hosts, and asks for another one."""
    one = asking(*LATE)
    one.begins("node01")
    asked = one.job.start_resize(3)
    one.site.hears_request(2, 2)
    one.site.grant(2, "node02", "node03")
    wait_until("new ranks start", lambda: "pending" in (one.job.status() or {}), 20, 0.05)
    one.site.revoke("node03", 20)
    one.site.hears_request(3, 1)
    one.site.frees("node03")
    one.site.grant(3, "node04")
    assert asked.wait(40) == 0, asked.stdout.read()
    assert one.hosts() == ["node01", "node02", "node04"] and one.site.released() == ["node03"]
    one.ends(3)


def test_host_is_taken_back_while_switching(asking, tmp_path):
    """The switch is finished first; then the job leaves the host."""
    moved_when = tmp_path / "moved"
    one = asking("--env", f"STEADY_MOVE_UNTIL={moved_when}")
    one.begins("node01")
    asked = one.job.start_resize(3)
    one.site.hears_request(2, 2)
    one.site.grant(2, "node02", "node03")
    switching = ("switching",)
    wait_until("it switches", lambda: one.job.status().get("pending", {}).get("phase") in switching, 30, 0.01)
    one.site.revoke("node03", 30)
    time.sleep(1)  # the job hears it
    moved_when.touch()
    assert asked.wait(40) == 0, asked.stdout.read()
    one.site.frees("node03", seconds=30)
    assert one.ranks() == 2
    one.ends(2)


def test_site_program_dies(asking):
    one = asking()
    one.begins("node01")

    def dies():
        pid = next(p["pid"] for p in one.job.all_processes("head") if BRIDGE in p["command"])
        one.job.on_head("kill", "-9", str(pid))
    dies()
    hello = one.site.hears("hello")
    assert [host["name"] for host in hello["held"]] == ["node01"], hello
    asked = one.job.start_resize(2)
    one.site.hears_request(2, 1)
    dies()  # the job makes its open request again
    one.site.hears_request(2, 1)
    one.site.grant(2, "node02")
    assert asked.wait(30) == 0, asked.stdout.read()
    dies()
    wait_until("it is given up", lambda: "asks for no more hosts" in one.job.text(), 20, 0.1)
    refused = one.job.resize("3")
    assert refused.returncode == 3 and "no more hosts can be asked for" in refused.stdout + refused.stderr, refused
    assert "asked for\n" not in refused.stdout, refused
    there = one.job.resize("2:3")
    assert there.returncode == 0 and "no more hosts can be asked for" in there.stdout + there.stderr, there
    assert one.job.resize("1").returncode == 0  # the job keeps the host that it does not use now
    assert one.job.resize("2").returncode == 0
    assert one.hosts() == ["node01", "node02"] and one.site.released() == []
    one.ends(2)


def test_site_program_dies_after_a_host_of_no_use(asking):
    """A host of no use was granted, and given back immediately. It does not count: the job asks for as many hosts again."""
    one = asking("-n", "4", per_host=2)
    one.site.hears_request(1, 2)
    one.site.grant(1, "node01", last=False)  # too few slots
    one.site.frees("node01")
    pid = next(p["pid"] for p in one.job.all_processes("head") if BRIDGE in p["command"])
    one.job.on_head("kill", "-9", str(pid))
    one.site.hears_request(1, 2)
    one.site.say({"type": "granted", "id": 1, "hosts": [{"name": host, "slots": 2} for host in ("node02", "node03")], "last": True})
    one.runs()
    assert one.ranks() == 4 and one.hosts() == ["node02", "node03"]
    one.ends(4)


def test_broker_dies_while_it_waits(asking):
    """The next broker holds the same hosts, and asks again for the missing ones."""
    one = asking()
    one.begins("node01")
    one.job.start_resize(3)
    one.site.hears_request(2, 2)
    one.site.grant(2, "node02", last=False)
    wait_until("it is journaled", lambda: "node02" in one.hosts(), 20, 0.1)
    one.job.broker_is_killed()
    one.job.resumes()
    hello = one.site.hears("hello")
    assert [host["name"] for host in hello["held"]] == ["node01", "node02"], hello
    one.site.hears_request(2, 1)
    one.site.grant(2, "node03")
    wait_until("it has grown", lambda: one.ranks() == 3, 30, 0.1)
    assert one.hosts() == ["node01", "node02", "node03"]
    one.ends(3)
