"""Which packages set-up installs (scripts/lib/packages.sh): libraries for tests only if tests are built."""
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOR_TESTS = {"libgtest-dev", "libgmock-dev", "librapidcheck-dev"}


def brought(build, build_tests, ask_mpdata="no"):
    """The packages that set-up installs, or unpacks without root, on a machine that has none of them."""
    script = f"""build={build} build_tests={build_tests} ask_mpdata={ask_mpdata} setup_lib={ROOT}/scripts/lib
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


@pytest.mark.parametrize("build_tests, ask_mpdata, cache, hdf5_too", [
    ("yes", "no", None, True), ("no", "yes", None, True), ("no", "no", None, False),
    ("no", "no", "NOTFOUND", False), ("no", "no", "/opt/lib/libhdf5.so", False), ("no", "no", "{build}/deps/usr/lib/libhdf5.so", True)])
def test_packages_for_mpdata(tmp_path, build_tests, ask_mpdata, cache, hdf5_too):
    """HDF5 that set-up has unpacked for mpdata stays: the build directory uses it."""
    if cache:
        (tmp_path / "CMakeCache.txt").write_text(f"MPDATA_HDF5_LIBRARY:FILEPATH={cache.format(build=tmp_path)}\n")
    assert ("libhdf5-dev" in brought(tmp_path, build_tests, ask_mpdata)) == hdf5_too


def configured(build, ask_mpdata, found):
    """How `configure` of set-up ends, and whether it has called CMake. This CMake finds HDF5 at `found`."""
    script = f"""root={ROOT} build={build} build_tests=no ask_mpdata={ask_mpdata} ask_werror=no mpi_home=/mpi python_tools=/none deps={build}/deps
source {ROOT}/scripts/lib/steps.sh; source {ROOT}/scripts/lib/build.sh
must() {{ echo called; touch {build}/build.ninja; echo 'MPDATA_HDF5_LIBRARY:FILEPATH={found}' >{build}/CMakeCache.txt; }}
configure"""
    done = subprocess.run(["bash", "-euc", script], capture_output=True, text=True, timeout=30, check=False)
    return done.returncode, "called" in done.stdout


def test_it_configures_again_when_hdf5_has_come(tmp_path):
    assert configured(tmp_path, "no", "NOTFOUND") == (0, True)
    assert configured(tmp_path, "no", "/lib/libhdf5.so") == (0, False)
    assert configured(tmp_path, "yes", "/lib/libhdf5.so") == (0, True)
    assert configured(tmp_path, "yes", "/lib/libhdf5.so") == (0, False)


def test_mpdata_without_hdf5_is_an_error(tmp_path):
    assert configured(tmp_path, "yes", "NOTFOUND") == (1, True)
