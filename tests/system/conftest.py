"""Fixtures of the system tests. The cases of a file run one at a time, and each has its own time limit."""
import pytest

pytest.register_assert_rewrite("ductile_job", "host_job", "steady_job")

from ductile_job import possible  # noqa: E402 - after the line above
from host_job import Cluster  # noqa: E402
from steady_job import STARTS  # noqa: E402


@pytest.fixture
def virtual_hosts(request):
    """A virtual cluster of 4 hosts, or of as many as the marker `hosts` says."""
    mark = request.node.get_closest_marker("hosts")
    with Cluster(mark.args[0] if mark else 4):
        yield


def each_of(*starts):
    """A fixture: the case runs once for each of these starts that the MPI of DUCTILE_MPI supports."""
    inside_mpi = tuple(start for start in starts if start != "launch")

    @pytest.fixture(params=starts)
    def start(request):
        if request.param in inside_mpi and request.param not in possible(*inside_mpi):
            pytest.skip(f"this MPI cannot do {request.param} over several hosts")
        return request.param
    return start


start = each_of(*STARTS)
any_start = each_of("launch", *STARTS)
parallel_start = each_of("hypercube", "diffusive")
serial_or_parallel_start = each_of("single", "diffusive")
