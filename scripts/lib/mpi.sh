# shellcheck shell=bash
# The MPI that Ductile is built for: the user's own, or MPICH from the Python package index. Sourced by scripts/setup.
# shellcheck disable=SC2154 # build, deps, mpi_given: set there

mpich_version=5.0.2
own_mpi=$build/mpi

# provide_mpi: sets mpi_home.
provide_mpi() {
    choose_mpi
    if [[ $mpi_home != "$own_mpi" ]]; then
        check_given_mpi
        return
    fi
    own_mpi_works || install_mpich
    say "MPI: MPICH $mpich_version in build/mpi"
}

# Takes the first that is given: -DMPI_HOME=, MPI_HOME in the environment, the choice in this build directory, the default. An empty
# -DMPI_HOME= means the default.
choose_mpi() {
    mpi_source='-DMPI_HOME'
    if [[ ${mpi_given+set} ]]; then
        mpi_home=$mpi_given
    elif [[ -n ${MPI_HOME-} ]]; then
        mpi_home=$MPI_HOME
        mpi_source='MPI_HOME in the environment'
    else
        mpi_home=$(cached MPI_HOME)
        mpi_source='chosen before; -DMPI_HOME= goes back to the default'
        [[ -d $mpi_home ]] || mpi_home=''
    fi
    [[ -n $mpi_home ]] || mpi_home=$own_mpi
    mpi_home=$(realpath -m -- "$mpi_home")
}

check_given_mpi() {
    local version
    [[ -x $mpi_home/bin/mpiexec || -x $mpi_home/bin/mpiexec.hydra ]] ||
        fail "no MPI in $mpi_home ($mpi_source): there is no bin/mpiexec" \
            "name the folder that holds bin/mpiexec, include/mpi.h and lib/libmpi.so"
    version=$(launcher_version "$mpi_home")
    say "MPI: yours in $mpi_home ($mpi_source): ${version:-mpiexec does not report its version}"
}

# launcher_version PREFIX: the version that its mpiexec reports, "hydra 5.0.2" for MPICH; empty if mpiexec does not answer.
launcher_version() {
    local text
    text=$(timeout 20 "$1/bin/mpiexec" --version 2>/dev/null </dev/null) || return 0
    if [[ $text =~ HYDRA.*Version:\ +([0-9.a-z]+) ]]; then
        printf 'hydra %s' "${BASH_REMATCH[1]}"
    else
        printf '%s' "${text%%$'\n'*}"
    fi
}

own_mpi_works() {
    unchanged "$own_mpi/.stamp" "$own_mpi" "$mpich_version" &&
        [[ -f $own_mpi/include/mpi.h && -f $own_mpi/lib/libmpi.so ]] &&
        [[ $(launcher_version "$own_mpi") == "hydra $mpich_version" ]]
}

install_mpich() {
    local python pip
    python=$(machines_python)
    say "MPI: installing MPICH $mpich_version from the Python package index into build/mpi"
    rm -rf "$own_mpi"
    # Without pip: installing pip takes seconds, and does not work with an unpacked python3-venv.
    must 120 mpi-environment "$python" -m venv --without-pip "$own_mpi"
    find_pip "$python" "$own_mpi" MPICH ||
        fail "cannot install MPICH" "install the package python3-venv or python3-pip, or name an MPI of your own: -DMPI_HOME=PREFIX"
    persist 300 mpi-install "${pip[@]}" install --no-deps --only-binary=:all: "mpich==$mpich_version" || {
        show_log mpi-install
        fail "cannot install MPICH $mpich_version from the Python package index" \
            "run this again when the index answers, or name an MPI of your own: -DMPI_HOME=PREFIX"
    }
    mark_done "$own_mpi/.stamp" "$own_mpi" "$mpich_version"
    own_mpi_works || fail "MPICH $mpich_version was installed, but build/mpi/bin/mpiexec does not run" \
        "its wheel needs glibc 2.28 or later; name an MPI of your own: -DMPI_HOME=PREFIX"
}
