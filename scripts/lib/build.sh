# shellcheck shell=bash
# Configure, build, install into build/prefix. Sourced by scripts/setup.
# shellcheck disable=SC2154 # root, build, deps, mpi_home, python_tools, ask_werror, build_tests, ask_mpdata: set there

# cached NAME: prints the value of NAME in this build directory's CMake cache; nothing if there is none.
cached() { sed -n "s/^$1:[A-Z]*=//p" "$build/CMakeCache.txt" 2>/dev/null || true; }

# Whether tests are configured. A build directory that has tests keeps them: --no-tests then only leaves them unbuilt.
with_tests() { [[ ${build_tests:-no} == yes || $(cached DUCTILE_TESTS) == ON ]]; }

# Whether the application mpdata is wanted: by the tests, by --with mpdata, or because this build directory has it already and
# uses an HDF5 in build/deps. Otherwise that HDF5 would be removed.
with_mpdata() { with_tests || [[ ${ask_mpdata:-no} == yes || $(cached MPDATA_HDF5_LIBRARY) == "$deps"/* ]]; }

# Whether CMake has found the HDF5 that mpdata needs.
finds_hdf5() { [[ $(cached MPDATA_HDF5_LIBRARY) == /* ]]; }

configure() {
    local werror arguments home
    home=$(cached CMAKE_HOME_DIRECTORY)
    if [[ -n $home && $home != "$root" ]]; then
        say "configure: build/ was made for $home; configuring from scratch"
        rm -rf "$build/CMakeCache.txt" "$build/CMakeFiles"
    fi
    werror=$(cached DUCTILE_WERROR)
    [[ $ask_werror == no ]] || werror=ON
    arguments=(-G Ninja -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG" "-DMPI_HOME=$mpi_home" "-DDUCTILE_WERROR=${werror:-OFF}"
        "-DCMAKE_INSTALL_PREFIX=$build/prefix")
    with_tests || arguments+=(-DDUCTILE_TESTS=OFF -DDUCTILE_BENCH=OFF)
    [[ ! -f $deps/toolchain.cmake ]] || arguments+=("-DCMAKE_TOOLCHAIN_FILE=$deps/toolchain.cmake")
    [[ ! -x $python_tools/bin/pytest ]] || arguments+=("-DDUCTILE_TEST_PYTHON=$python_tools/bin/python")
    if command -v ccache >/dev/null; then
        arguments+=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    fi
    # HDF5 may have been installed since CMake looked for it.
    [[ ${ask_mpdata:-no} == no ]] || finds_hdf5 || rm -f "$build/.configured"
    if [[ -f $build/build.ninja ]] && unchanged "$build/.configured" "${arguments[@]}"; then
        return
    fi
    say "configure"
    # CMake must look again for what it found with another MPI or without build/deps.
    rm -rf "$build/CMakeCache.txt" "$build/CMakeFiles"
    must 300 configure cmake -S "$root" -B "$build" "${arguments[@]}"
    mark_done "$build/.configured" "${arguments[@]}"
    [[ ${ask_mpdata:-no} == no ]] || finds_hdf5 ||
        fail "mpdata cannot be built; build/log/configure.log says what CMake did not find"
}

compile() {
    local status=0 began=$SECONDS jobs folder targets=()
    jobs=$(parallel_jobs)
    if [[ $build_tests == no ]]; then
        for folder in src cluster apps examples; do
            [[ ! -f $root/$folder/CMakeLists.txt ]] || targets+=("$folder/all")
        done
        targets=(--target "${targets[@]}")
    fi
    # With these settings ccache lets another build directory of this tree reuse what this one has compiled.
    export CCACHE_BASEDIR=$root CCACHE_IGNOREOPTIONS=-Werror
    say "build (on $jobs of $(nproc) cores)"
    NINJA_STATUS='[%f/%t] ' run 5100 build cmake --build "$build" --parallel "$jobs" "${targets[@]}" || status=$?
    if ((status != 0)); then
        grep -A 30 -E '^(FAILED|CMake Error|ninja: error)' "$build/log/build.log" | head -n 80 >&2 || show_log build
        fail "the build failed (status $status); build/log/build.log has its whole output"
    fi
    say "built in $((SECONDS - began)) s"
}

# Prints a number of parallel jobs: one for each core, but at most one for each 1.5 GB of available memory.
parallel_jobs() {
    local cores memory_jobs
    cores=$(nproc)
    memory_jobs=$(awk '/^MemAvailable:/ {print int($2 / 1500000)}' /proc/meminfo)
    ((memory_jobs >= 1)) || memory_jobs=1
    echo $((memory_jobs < cores ? memory_jobs : cores))
}

install_tree() { must 120 install env -u DESTDIR cmake --install "$build" --prefix "$build/prefix"; }
