"""Ductile for Spack: a recipe for REPOSITORY/packages/ductile/package.py. It builds a clone: `spack dev-build ductile@0.2.0`."""
# ruff: noqa: F403, F405
from spack.package import *

try:
    from spack_repo.builtin.build_systems.cmake import CMakePackage  # Spack 1.0 and later
except ImportError:
    pass


class Ductile(CMakePackage):
    """MPI jobs that grow and shrink while they run, on an unmodified MPI and resource manager."""

    license("Apache-2.0")

    version("0.2.0")

    variant("abi", default=False, description="Build for the MPI 5.0 standard ABI of the MPI")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("python@3.8:", type="build")  # makes the man pages

    depends_on("mpi")
    depends_on("asio")
    depends_on("cli11")
    depends_on("fmt")
    depends_on("nlohmann-json")
    depends_on("openssl@3:")
    depends_on("spdlog")
    depends_on("sqlite@3:")
    depends_on("tomlplusplus")

    conflicts("%gcc@:10", msg="Ductile is written in C++20")
    conflicts("^mpich@:3", msg="Ductile needs MPICH 4.0 or later")
    conflicts("^mpich@4.2", msg="the launcher of MPICH 4.2 dies after some spawns")
    conflicts("^mpich device=ch3", msg="ch3 cannot join groups that do not know each other")
    conflicts("^mpich netmod=ucx", msg="over ucx MPICH opens no ports")
    conflicts("^openmpi@5:", msg="Open MPI 5 fails in connecting independent runs")

    def cmake_args(self):
        return [
            self.define("MPI_HOME", self.spec["mpi"].prefix),
            self.define("DUCTILE_TESTS", False),
            self.define("DUCTILE_BENCH", False),
            self.define("DUCTILE_WERROR", False),
            self.define_from_variant("DUCTILE_MPI_ABI", "abi"),
        ]
