# shellcheck shell=bash
# For ./test and ./demo: sorts out which of their arguments are for set-up. Sourced.

# split_arguments ARGUMENT...: sets setup_arguments (those for scripts/setup), other_mpi (from `--mpi NAME`), standard_abi (from
# `--standard-abi`), all_tests (from `--all`), tenth (from `--tenth COMMIT`), retry (from `--retry`) and other_arguments (the rest).
# shellcheck disable=SC2034 # the callers use these variables
split_arguments() {
    setup_arguments=()
    other_arguments=()
    other_mpi=''
    standard_abi=no
    all_tests=no
    tenth=''
    retry=no
    while (($# > 0)); do
        case $1 in
            -DMPI_HOME=* | --werror) setup_arguments+=("$1") ;;
            --mpi)
                other_mpi=${2-}
                [[ -n $other_mpi ]] || { echo "--mpi needs a name" >&2; exit 2; }
                shift
                ;;
            --mpi=*) other_mpi=${1#*=} ;;
            --tenth)
                tenth=${2-}
                [[ -n $tenth ]] || { echo "--tenth needs a commit, or any other word that chooses the tenth" >&2; exit 2; }
                shift
                ;;
            --standard-abi) standard_abi=yes ;;
            --all) all_tests=yes ;;
            --retry) retry=yes ;;
            *) other_arguments+=("$1") ;;
        esac
        shift
    done
}
