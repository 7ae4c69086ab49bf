"""Fixtures of the virtual cluster's tests."""
import secrets

import pytest

pytest.register_assert_rewrite("virtual_cluster")

from virtual_cluster import Cluster, skip_reason  # noqa: E402 - after the line above


@pytest.fixture(scope="session", autouse=True)
def namespaces():
    if reason := skip_reason():
        pytest.skip(reason)


def fresh_cluster(request):
    """One that is not yet up, in the name of the case; of the module's USER, if it has one."""
    user = getattr(request.module, "USER", {})
    cluster = Cluster(f"t{secrets.token_hex(3)}-{request.node.name.removeprefix('test_').replace('_', '-')[:20].strip('-')}", **user)
    yield cluster
    cluster.cleanup.close()
    cluster.discard()


cluster = pytest.fixture(fresh_cluster)
another_cluster = pytest.fixture(fresh_cluster)
