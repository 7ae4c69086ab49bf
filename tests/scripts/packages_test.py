"""Which packages set-up brings (scripts/lib/packages.sh): the libraries of the tests only where tests are built."""
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOR_TESTS = {"libgtest-dev", "libgmock-dev", "librapidcheck-dev"}


def brought(build, build_tests):
    """What set-up brings to a machine that has none of it, as whoever runs this."""
    script = f"""build={build} build_tests={build_tests} setup_lib={ROOT}/scripts/lib
source "$setup_lib/steps.sh"; source "$setup_lib/packages.sh"; source "$setup_lib/build.sh"
apt-get() {{ :; }}; dpkg-query() {{ :; }}; check_system_tools() {{ :; }}
install_packages() {{ printf '%s\\n' "$@"; }}; unpack_packages() {{ printf '%s\\n' "$@"; }}
provide_packages"""
    return set(subprocess.run(["bash", "-euc", script], capture_output=True, text=True, timeout=30, check=True).stdout.split())


@pytest.mark.parametrize("build_tests, cache, tests_too", [("yes", None, True), ("no", None, False), ("no", "OFF", False), ("no", "ON", True)])
def test_packages_for_tests(tmp_path, build_tests, cache, tests_too):
    if cache:
        (tmp_path / "CMakeCache.txt").write_text(f"DUCTILE_TESTS:BOOL={cache}\n")
    packages = brought(tmp_path, build_tests)
    assert {"cmake", "libasio-dev"} <= packages
    assert FOR_TESTS & packages == (FOR_TESTS if tests_too else set())
