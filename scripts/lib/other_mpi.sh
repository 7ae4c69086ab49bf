# shellcheck shell=bash
# Other MPIs from the Python package index, for `./test --mpi NAME` and `./demo --mpi NAME`. Sourced.
# shellcheck disable=SC2154 # root, standard_abi: set there

# provide_other_mpi NAME|PREFIX: sets other_prefix. Installs the MPI if it is not installed yet.
provide_other_mpi() {
    local package
    case $1 in
        mpich-*) package=mpich==${1#mpich-} ;;
        openmpi-*) package=openmpi==${1#openmpi-} ;;
        intel) package=impi-rt==2021.18.1 ;;
        */*)
            other_prefix=$(realpath -m -- "$1")
            return
            ;;
        *)
            echo "--mpi is '$1', not mpich-VERSION, openmpi-VERSION, intel or a prefix" >&2
            exit 2
            ;;
    esac
    other_prefix=$root/build/other-mpi/$1
    [[ ! -f $other_prefix/.installed ]] || return 0
    install_other_mpi "$package" || {
        rm -rf "$other_prefix"
        echo "cannot install $package from the Python package index; see build/log/other-mpi.log" >&2
        exit 1
    }
    touch "$other_prefix/.installed"
}

# other_mpi_has_our_interface: whether the tree's own build can also run on the MPI in other_prefix.
other_mpi_has_our_interface() {
    local said
    said=$("$root/build/bin/ductile" run --mpi "$other_prefix" -- /bin/true 2>&1) || true
    [[ $said != *'which was built for'* ]]
}

# build_for_other_mpi: sets other_build, the folder of a build that can run on the MPI in other_prefix. This is the tree's own
# build if possible. For an MPI with another binary interface it is a new build that has only the programs of the tests. With
# `--standard-abi` (standard_abi) it is a new build for the MPI 5.0 standard ABI, made with the tree's own MPI. Sets DUCTILE_MPI
# if other_build was made with a different MPI than the one in other_prefix.
build_for_other_mpi() {
    local name
    if [[ $standard_abi == yes ]]; then
        export DUCTILE_MPI=$other_prefix
        build_programs standard-abi "-DMPI_HOME=$(sed -n 's/^MPI_HOME:[A-Z]*=//p' "$root/build/CMakeCache.txt")" -DDUCTILE_MPI_ABI=ON
        return
    fi
    if other_mpi_has_our_interface; then
        export DUCTILE_MPI=$other_prefix
        other_build=$root/build
        return
    fi
    name=$(basename -- "$other_prefix")
    [[ $other_prefix == "$root"/build/other-mpi/* ]] || name+=-$(printf '%s' "$other_prefix" | cksum | cut -d' ' -f1)
    build_programs "$name" "-DMPI_HOME=$other_prefix"
}

# build_programs NAME OPTION...: builds the programs of the tests in build-for-NAME. Code that needs no MPI comes from ccache.
build_programs() {
    local name=$1
    shift
    other_build=$root/build-for-$name # as deep as build/, because ccache compares relative paths
    export CCACHE_BASEDIR=$root CCACHE_IGNOREOPTIONS=-Werror # as in scripts/setup
    echo "building for $name in build-for-$name"
    {
        timeout 300 cmake -S "$root" -B "$other_build" -G Ninja "$@" -DDUCTILE_BENCH=OFF -C "$(same_settings)" &&
            timeout 900 cmake --build "$other_build" --parallel "$(nproc)" --target programs_of_the_matrix
    } >"$root/build/log/for-other-mpi.log" 2>&1 || {
        tail -n 40 "$root/build/log/for-other-mpi.log" >&2
        echo "Ductile cannot be built for $name; see build/log/for-other-mpi.log" >&2
        exit 1
    }
}

# Writes the settings of the tree's own build that affect the compiler to a file, and prints its name.
same_settings() {
    local file=$root/build/log/same-settings.cmake name
    for name in CMAKE_BUILD_TYPE CMAKE_CXX_FLAGS_RELEASE CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER CMAKE_TOOLCHAIN_FILE DUCTILE_WERROR DUCTILE_TEST_PYTHON; do
        sed -n "s/^$name:\([A-Z]*\)=\(..*\)$/set($name \"\2\" CACHE \1 \"\")/p" "$root/build/CMakeCache.txt"
    done >"$file"
    printf '%s' "$file"
}

install_other_mpi() {
    echo "installing $1 in ${other_prefix#"$root/"}"
    rm -rf "$other_prefix"
    mkdir -p "${other_prefix%/*}" "$root/build/log"
    {
        timeout 120 python3 -m venv --without-pip "$other_prefix" &&
            timeout 600 env PIP_NO_INPUT=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONPATH="$(pip_wheel)" \
                "$other_prefix/bin/python" -m pip install --timeout 20 --retries 5 --only-binary=:all: "$1"
    } >"$root/build/log/other-mpi.log" 2>&1
}

# Prints the path of Python's own pip, a wheel that runs without being installed.
pip_wheel() {
    local wheel
    for wheel in "$(python3 -c 'import os, ensurepip; print(os.path.dirname(ensurepip.__file__))')"/_bundled/pip-*.whl \
        /usr/share/python-wheels/pip-*.whl "$root"/build/deps/usr/share/python-wheels/pip-*.whl; do
        [[ ! -f $wheel ]] || { printf '%s' "$wheel"; return; }
    done
}
