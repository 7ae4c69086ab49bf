"""The broker of a job with worlds of several hosts dies, and another broker takes the job over."""

import pytest
from ductile_job import wait_until
from host_job import HostJob, layout, nothing_left, processes_on

pytestmark = [pytest.mark.cluster, pytest.mark.usefixtures("virtual_hosts")]


ALL = ("node01", "node02", "node03", "node04")


class LongJob(HostJob):
    def __init__(self, *options, **more):
        super().__init__(100000, 10000, *options, **more)

    def ends_well(self, ranks, seconds=60):
        super().ends_well(ranks, seconds)
        nothing_left(hosts=ALL)

    def is_taken_over(self, asked_for=None):
        """The broker dies, during the resize `asked_for` if there is one, and another broker takes the job over. The resize is done or undone, and no
        host is lost. (A shrink may be over before the broker dies.)"""
        ranks, asked = self.status()["ranks"], None
        if asked_for:
            asked = self.start_resize(asked_for)
            wait_until("the resize is open or over", lambda: "pending" in (self.status() or {}) or asked.poll() is not None, 10, 0.02)
        self.broker_is_killed()
        if asked:
            asked.communicate(timeout=10)
        now = self.resumes()["ranks"]
        assert now in (ranks, int(asked_for or ranks)), (now, self.text())


def test_worlds_are_taken_over():
    with LongJob("-n", "4", per_host=2) as job:
        before = layout(job)
        job.is_taken_over()
        assert layout(job) == before == [("node01", 0, 2), ("node02", 0, 2)], job.status()
        job.is_taken_over("8")
        assert job.resize("8").returncode in (0, 2), job.text()
        assert [host for host, _, _ in layout(job)] == list(ALL), job.status()
        job.is_taken_over("3")  # ranks of two worlds leave, one of them alone from its host
        assert job.resize("3").returncode in (0, 2), job.text()
        assert layout(job) == [("node01", 0, 2), ("node02", 0, 1)], job.status()
        for host in ALL[2:]:
            wait_until(f"{host} is free", lambda host=host: not processes_on(host), 10)
        assert job.ask("resize", job.id, "--release", "node01:1", "--shrink", "park", "--wait").returncode == 0, job.text()
        job.is_taken_over()
        status = job.status()
        assert status["parked"] == 1 and status["hosts"][0]["given_back"] == 0, status
        job.is_taken_over("3")
        assert job.resize("3").returncode in (0, 2), job.text()
        assert job.ask("resize", job.id, "--release", "node02:1", "--wait").returncode == 0, job.text()
        job.is_taken_over()
        assert job.status()["hosts"][1]["given_back"] == 1, job.status()
        assert job.resize("7").returncode == 0, job.text()
        job.ends_well(7)
