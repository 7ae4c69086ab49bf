# shellcheck shell=bash
# Programs of other projects that run under Ductile (tests/programs): mpi4py and its tests, in build/programs. Sourced, after
# other_mpi.sh.
# shellcheck disable=SC2154 # root: set there

mpi4py_version=4.1.2
programs=$root/build/programs

# provide_mpi4py: makes build/programs/mpi4py, a Python environment with mpi4py, and with mpi4py's tests in test/.
provide_mpi4py() {
    local prefix=$programs/mpi4py
    [[ ! -f $prefix/.installed-$mpi4py_version ]] || return 0
    echo "installing mpi4py $mpi4py_version in build/programs"
    rm -rf "$prefix"
    mkdir -p "$programs" "$root/build/log"
    install_mpi4py "$prefix" >"$root/build/log/programs.log" 2>&1 || {
        tail -n 20 "$root/build/log/programs.log" >&2
        echo "cannot install mpi4py $mpi4py_version from the Python package index; see build/log/programs.log" >&2
        exit 1
    }
    touch "$prefix/.installed-$mpi4py_version"
}

# The tests are only in the source archive. The wheel runs unchanged on any MPICH.
install_mpi4py() {
    local prefix=$1 python=python3
    [[ ! -x /usr/bin/python3 ]] || python=/usr/bin/python3 # the one that python3-venv belongs to
    local pip=(timeout 300 env PIP_NO_INPUT=1 PIP_DISABLE_PIP_VERSION_CHECK=1 "PYTHONPATH=$(pip_wheel)" "$prefix/bin/python" -m pip)
    timeout 120 "$python" -m venv --without-pip "$prefix" &&
        "${pip[@]}" install --timeout 20 --retries 5 --no-deps --only-binary=:all: "mpi4py==$mpi4py_version" &&
        "${pip[@]}" download --timeout 20 --retries 5 --no-deps --no-binary=mpi4py -d "$prefix/source" "mpi4py==$mpi4py_version" &&
        tar -xzf "$prefix/source/mpi4py-$mpi4py_version.tar.gz" -C "$prefix" --strip-components=1 "mpi4py-$mpi4py_version/test"
}
