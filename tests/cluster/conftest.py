"""Fixtures of the virtual cluster's tests."""
import secrets

import pytest

pytest.register_assert_rewrite("virtual_cluster")

from virtual_cluster import Cluster, skip_reason  # noqa: E402 - after the line above


@pytest.fixture(scope="session", autouse=True)
def namespaces():
    if reason := skip_reason():
        pytest.skip(reason)


@pytest.fixture(scope="module")
def standing(request):
    """A cluster that is up for all cases of a module. STANDING: the arguments of its `up`."""
    one = Cluster(f"{request.module.__name__.removesuffix('_test')}{secrets.token_hex(4)}")
    one.up(*request.module.STANDING)
    yield one
    one.discard()


def fresh_cluster(request):
    """A cluster that is not up yet, named after the case. It belongs to USER of the module, if the module has this."""
    user = getattr(request.module, "USER", {})
    cluster = Cluster(f"t{secrets.token_hex(3)}-{request.node.name.removeprefix('test_').replace('_', '-')[:20].strip('-')}", **user)
    try:
        yield cluster
        cluster.cleanup.close()
    finally:
        cluster.discard()


@pytest.fixture
def cluster(request):
    """A fresh cluster for each case, or, in a module with STANDING, one cluster for all cases."""
    if not hasattr(request.module, "STANDING"):
        yield from fresh_cluster(request)
        return
    one = request.getfixturevalue("standing")
    yield one
    one.cleanup.close()


another_cluster = pytest.fixture(fresh_cluster)
