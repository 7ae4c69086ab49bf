"""The broker of a job whose groups lie on several hosts dies, and another one takes the job over."""
import tempfile

from ductile_job import main, wait_until
from hosts_test import Cluster, HostJob
from world_test import hosts_of_groups, nothing_left, processes

ALL = ("node01", "node02", "node03", "node04")


class LongJob(HostJob):
    def __init__(self, folder, *options, **more):
        self.until = f"{folder}/end"
        super().__init__(100000, 10000, *options, "--env", f"STEADY_UNTIL={self.until}", **more)

    def ends_well(self, ranks):
        open(self.until, "w").close()
        assert self.process.wait(60) == 0 and f"end {ranks} bad 0" in self.text(), self.text()
        nothing_left(hosts=ALL)

    def is_taken_over(self, asked_for=None):
        """At rest, or during the resize that is asked for (a shrink may be over by then): which is done or undone, and no host is lost."""
        ranks, asked = self.status()["ranks"], None
        if asked_for:
            asked = self.start_resize(asked_for)
            wait_until("the resize is open or over", lambda: "pending" in (self.status() or {}) or asked.poll() is not None, 10, 0.02)
        self.broker_is_killed()
        if asked:
            asked.communicate(timeout=10)
        now = self.resumes()["ranks"]
        assert now in (ranks, int(asked_for or ranks)), (now, self.text())


def one_world():
    with tempfile.TemporaryDirectory() as folder, Cluster(), LongJob(folder, "--one-world", "-n", "4", per_host=2) as job:
        before = hosts_of_groups(job)
        job.is_taken_over()
        assert hosts_of_groups(job) == before == [(0, ["node01", "node02"])], job.status()
        job.is_taken_over("6")
        assert job.resize("6").returncode in (0, 2), job.text()  # 2: it has that size
        assert job.status()["ranks"] == 6 and processes("node03"), job.status()
        assert job.resize("4").returncode == 0, job.text()  # node03, which has a group of its own, leaves
        job.is_taken_over("2")  # a part of the world has to go: it is replaced
        assert job.resize("2").returncode in (0, 2), job.text()
        assert [hosts for _, hosts in hosts_of_groups(job)] == [["node01"]], job.status()
        for host in ALL[1:]:
            wait_until(f"{host} is free", lambda host=host: not processes(host), 10)
        assert job.resize("8").returncode == 0, job.text()
        job.ends_well(8)


def groups_of_several_hosts():
    with tempfile.TemporaryDirectory() as folder, Cluster(), LongJob(folder, "--hosts-per-group", "2", "-n", "2") as job:
        job.is_taken_over()
        assert hosts_of_groups(job) == [(0, ["node01", "node02"])], job.status()
        job.is_taken_over("4")
        assert job.resize("4").returncode in (0, 2), job.text()
        assert [hosts for _, hosts in hosts_of_groups(job)] == [["node01", "node02"], ["node03", "node04"]], job.status()
        job.is_taken_over("3")  # a pair is split: replaced
        assert job.resize("3").returncode in (0, 2), job.text()
        assert job.status()["ranks"] == 3, job.status()
        wait_until("node04 is free", lambda: not processes("node04"), 10)
        job.is_taken_over()
        assert job.resize("1").returncode == 0 and job.resize("4").returncode == 0, job.text()
        job.ends_well(4)


if __name__ == "__main__":
    main({"one_world_is_taken_over": one_world, "groups_of_several_hosts_are_taken_over": groups_of_several_hosts})
